"""The analytic cost of a kernel under a choice of loops.

Unit: seconds. The estimate is what the busiest resource needs (arithmetic and load ports of the cores, the chain of each accumulator,
traffic from each level of the memory hierarchy) plus what starting the kernel, its work-groups and its loops costs. It is meant to
rank choices; `benchmarks/` shows how well it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, prod

from eqsat.schedule.device import DeviceDescription
from eqsat.schedule.profile import Access, Profile
from eqsat.schedule.traffic import Loops, memory_seconds

ACCUMULATE_LATENCY = 4.0  # cycles from one multiply-add to the next on the same register
LOOP_CYCLES = 1.5  # counter, compare and branch of one iteration
STORE_CYCLES = 1.0
GATED_VECTOR_CYCLES = 3.0  # to test that all lanes are inside, and branch
SPILL_CYCLES = 1.5  # a register written to the stack and read back
BODY_INSTRUCTIONS = 256  # a longer loop body gains nothing, and takes the OpenCL compiler seconds
INSTRUCTION_SECONDS = 2e-8  # to fetch and decode one for the first time; of equals, the shorter body wins


@dataclass(frozen=True, slots=True)
class Axis:
    """What becomes of one range: position = tile · (serial · outer + s) + lanes · c + lane.

    Attributes:
        lanes: of an explicit vector (UPCAST), 1 for none.
        copies: made of the body (UNROLL); the tile of this axis is lanes · copies elements.
        serial: tiles that one work-item walks through in a loop, where the outer loop is parallel.
        parallel: whether the outer loop is spread over work-items (GLOBAL); a loop otherwise.
    """

    lanes: int = 1
    copies: int = 1
    serial: int = 1
    parallel: bool = False

    @property
    def tile(self) -> int:
        """Elements handled at once."""
        return self.lanes * self.copies


@dataclass(frozen=True, slots=True)
class Tiling:
    """One axis per range, and the order of the parallel ones, the slowest first."""

    axes: tuple[Axis, ...]
    order: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds, by cause."""

    compute: float
    chain: float
    memory: float
    overhead: float

    @property
    def seconds(self) -> float:
        """The busiest resource, and the overheads."""
        return max(self.compute, self.chain, self.memory) + self.overhead


def estimate(kernel: Profile, tiling: Tiling, device: DeviceDescription, enough: float = inf) -> Estimate:
    """What `kernel` takes on `device` under `tiling`.

    Once the other causes alone exceed `enough` seconds, traffic is not worked out, and counts as nothing.
    """
    loops = loops_of(kernel, tiling)
    groups = loops.groups
    busy = ceil(groups / device.cores) / groups  # the share of all work that the busiest core does
    second = busy / device.frequency
    compute = _compute_cycles(kernel, loops, device) * second
    chain = _chain_cycles(kernel, loops) * second
    overhead = (
        device.launch_seconds
        + INSTRUCTION_SECONDS * instructions(kernel, tiling.axes)
        + groups * device.group_seconds / min(device.cores, groups)
    )
    worth = max(compute, chain) + overhead <= enough
    memory = memory_seconds(kernel, tiling.order, loops, busy, device) if worth else 0.0
    return Estimate(compute, chain, memory, overhead)


def loops_of(kernel: Profile, tiling: Tiling) -> Loops:
    """The tiling in numbers."""
    axes = tiling.axes
    outer = tuple(
        ceil(extent / axis.tile) // axis.serial for extent, axis in zip(kernel.extents, axes, strict=True)
    )
    groups = 1
    parallel = 0
    for position, axis in enumerate(axes):
        if axis.parallel:
            groups *= outer[position]
            parallel |= 1 << position
    steps = tuple(count * axis.serial for count, axis in zip(outer, axes, strict=True))
    return Loops(
        tuple(axis.lanes for axis in axes),
        tuple(axis.copies for axis in axes),
        outer,
        steps,
        parallel,
        max(1, groups),
    )


def too_long(kernel: Profile, axes: Sequence[Axis]) -> bool:
    """Whether unrolling makes more than BODY_INSTRUCTIONS of the loads, stores and operations."""
    return any(axis.tile > 1 for axis in axes) and instructions(kernel, axes) > BODY_INSTRUCTIONS


def instructions(kernel: Profile, axes: Sequence[Axis]) -> float:
    """About how many instructions the kernel has: each copy of each access and operation, scattered lanes one by one."""
    total = 0.0
    for access in kernel.accesses:
        instructions = 1
        for position, axis in enumerate(axes):
            if access.depends >> position & 1:
                whole = access.is_contiguous(position, axis.tile) and not access.gate >> position & 1
                instructions *= axis.copies * (1 if whole else axis.lanes)
        total += instructions
    for (depends, _, _), cycles in kernel.work.items():
        copies = prod(axis.copies for position, axis in enumerate(axes) if depends >> position & 1)
        total += copies * cycles
    return total


def _times(kernel: Profile, loops: Loops, sits: int) -> int:
    """How often the body of these loops runs, over all work-items."""
    total = loops.groups
    for position in range(len(kernel.extents)):
        if sits >> position & 1:
            total *= (
                loops.steps[position] // loops.outer[position]
                if loops.parallel >> position & 1
                else loops.steps[position]
            )
    return total


def _copies(loops: Loops, mask: int) -> tuple[int, int]:
    """(copies by unrolling, lanes) of a value that depends on these ranges."""
    copies = lanes = 1
    for position, count in enumerate(loops.copies):
        if mask >> position & 1:
            copies *= count
            lanes *= loops.lanes[position]
    return copies, lanes


def _registers(lanes: int, itemsize: int, device: DeviceDescription) -> int:
    return max(1, -(-lanes * itemsize // device.vector_bytes))


def _compute_cycles(kernel: Profile, loops: Loops, device: DeviceDescription) -> float:
    arithmetic = 0.0
    bodies: dict[int, int] = {}
    for (depends, sits, itemsize), cycles in kernel.work.items():
        copies, lanes = _copies(loops, depends)
        times = bodies[sits] = _times(kernel, loops, sits)
        arithmetic += cycles * times * copies * _registers(lanes, itemsize, device)
    transfers = moves = 0.0
    for access in kernel.accesses:
        times = bodies[access.sits] = _times(kernel, loops, access.sits)
        port, shuffle = _access_cycles(access, loops, device)
        transfers += times * port
        moves += times * shuffle
    spills = _spill_cycles(kernel, loops, device)
    return max(arithmetic + moves, transfers) + spills + LOOP_CYCLES * sum(bodies.values())


def _access_cycles(access: Access, loops: Loops, device: DeviceDescription) -> tuple[float, float]:
    """(cycles of the load or store ports, cycles of shuffling and branching) for all copies of one access."""
    copies, lanes = _copies(loops, access.depends)
    rate = STORE_CYCLES if access.store else 1 / device.loads_per_cycle
    if lanes == 1:
        return copies * rate, copies * 2.0 * bool(access.gate)
    vector = next(
        position for position, count in enumerate(loops.lanes) if count > 1 and access.depends >> position & 1
    )
    own = access.irregular | sum(1 << position for position in access.strides)
    if not own >> vector & 1:  # one address for all lanes: a store cannot be that
        return copies * rate, 0.0
    lane_gate = access.gate >> vector & 1  # all lanes inside: one access; at a border, one by one
    if access.is_contiguous(vector, lanes * loops.copies[vector]):
        branch = GATED_VECTOR_CYCLES if lane_gate else bool(access.gate)
        return copies * rate * _registers(lanes, access.itemsize, device), copies * float(branch)
    index_cost = 8.0 if access.irregular >> vector & 1 else 0.0
    return copies * rate * lanes, copies * lanes * (1.0 + 6.0 * lane_gate + index_cost)


def _spill_cycles(kernel: Profile, loops: Loops, device: DeviceDescription) -> float:
    """Accumulators and operands that do not fit the vector registers, per iteration of each reduction."""
    total = 0.0
    live: dict[int, int] = {}
    for reduction in kernel.reductions:
        copies, lanes = _copies(loops, reduction.value)
        live[reduction.sits] = live.get(reduction.sits, 0) + copies * _registers(
            lanes, reduction.itemsize, device
        )
    for sits, accumulators in live.items():
        operands = [
            _copies(loops, access.depends)
            for access in kernel.accesses
            if access.sits == sits and not access.store
        ]
        vectors = [copies * _registers(lanes, 4, device) for copies, lanes in operands if lanes > 1]
        excess = accumulators + min(vectors, default=0) + 1 - device.vector_registers
        if excess > 0:
            total += SPILL_CYCLES * excess * _times(kernel, loops, sits)
    return total


def _chain_cycles(kernel: Profile, loops: Loops) -> float:
    """Every accumulator waits for itself; loops of different ranges follow each other."""
    chains: dict[int, float] = {}
    for reduction in kernel.reductions:
        length = ACCUMULATE_LATENCY * _times(kernel, loops, reduction.sits)
        chains[reduction.sits] = max(chains.get(reduction.sits, 0.0), length)
    return sum(chains.values())
