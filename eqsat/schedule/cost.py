"""The analytic cost of a kernel under a choice of loops.

Unit: seconds. The estimate is what the busiest resource needs (arithmetic and load ports of the cores, the chain of each accumulator,
traffic from each level of the memory hierarchy) plus what starting the kernel, its work-groups and its loops costs. It is meant to
rank choices; `benchmarks/` shows how well it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from eqsat.schedule.device import DeviceDescription
from eqsat.schedule.profile import Access, Profile

ACCUMULATE_LATENCY = 4.0  # cycles from one multiply-add to the next on the same register
LOOP_CYCLES = 1.5  # counter, compare and branch of one iteration
LINE_BYTES = 64
STORE_CYCLES = 1.0
SPILL_CYCLES = 1.5  # a register written to the stack and read back


@dataclass(frozen=True, slots=True)
class Axis:
    """What becomes of one range: position = chunk · (outer · serial + s) + (lanes · c + lane).

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


@dataclass(frozen=True)
class _Loops:
    """A tiling in numbers, by range."""

    lanes: tuple[int, ...]
    copies: tuple[int, ...]
    outer: tuple[int, ...]  # iterations of the outer loop
    steps: tuple[int, ...]  # iterations of the outer and serial loops together
    parallel: int  # mask
    groups: int


def estimate(kernel: Profile, tiling: Tiling, device: DeviceDescription) -> Estimate:
    """What `kernel` takes on `device` under `tiling`."""
    loops = _loops(kernel, tiling)
    cycles = _compute_cycles(kernel, loops, device)
    groups = loops.groups
    busy = ceil(groups / device.cores) / groups  # the share of all work that the busiest core does
    second = busy / device.frequency
    overhead = device.launch_seconds + groups * device.group_seconds / min(device.cores, groups)
    return Estimate(cycles * second, _chain_cycles(kernel, loops) * second,
                    _memory_seconds(kernel, tiling, loops, busy, device), overhead)  # fmt: skip


def _loops(kernel: Profile, tiling: Tiling) -> _Loops:
    axes = tiling.axes
    outer = tuple(
        ceil(ceil(extent / axis.tile) / axis.serial) for extent, axis in zip(kernel.extents, axes, strict=True)
    )
    groups = 1
    parallel = 0
    for position, axis in enumerate(axes):
        if axis.parallel:
            groups *= outer[position]
            parallel |= 1 << position
    steps = tuple(count * axis.serial for count, axis in zip(outer, axes, strict=True))
    return _Loops(tuple(axis.lanes for axis in axes), tuple(axis.copies for axis in axes), outer, steps, parallel, max(1, groups))


def _times(kernel: Profile, loops: _Loops, sits: int) -> int:
    """How often the body of these loops runs, over all work-items."""
    total = loops.groups
    for position in range(len(kernel.extents)):
        if sits >> position & 1:
            total *= loops.steps[position] // loops.outer[position] if loops.parallel >> position & 1 else loops.steps[position]
    return total


def _copies(loops: _Loops, mask: int) -> tuple[int, int]:
    """(copies by unrolling, lanes) of a value that depends on these ranges."""
    copies = lanes = 1
    for position, count in enumerate(loops.copies):
        if mask >> position & 1:
            copies *= count
            lanes *= loops.lanes[position]
    return copies, lanes


def _registers(lanes: int, itemsize: int, device: DeviceDescription) -> int:
    return max(1, -(-lanes * itemsize // device.vector_bytes))


def _compute_cycles(kernel: Profile, loops: _Loops, device: DeviceDescription) -> float:
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


def _access_cycles(access: Access, loops: _Loops, device: DeviceDescription) -> tuple[float, float]:
    """(cycles of the load or store ports, cycles of shuffling and branching) for all copies of one access."""
    copies, lanes = _copies(loops, access.depends)
    rate = STORE_CYCLES if access.store else 1 / device.loads_per_cycle
    if lanes == 1:
        return copies * rate, copies * 2.0 * bool(access.gate)
    vector = next(position for position, count in enumerate(loops.lanes) if count > 1 and access.depends >> position & 1)
    own = access.irregular | sum(1 << position for position in access.strides)
    if not own >> vector & 1:  # one address for all lanes: a store cannot be that
        return copies * rate, 0.0
    if access.strides.get(vector) == 1 and not (access.irregular | access.gate) >> vector & 1:
        return copies * rate * _registers(lanes, access.itemsize, device), copies * 1.0 * bool(access.gate)
    branches = 6.0 if access.gate >> vector & 1 else 0.0
    index_cost = 8.0 if access.irregular >> vector & 1 else 0.0
    return copies * rate * lanes, copies * lanes * (1.0 + branches + index_cost)


def _spill_cycles(kernel: Profile, loops: _Loops, device: DeviceDescription) -> float:
    """Accumulators and operands that do not fit the vector registers, per iteration of each reduction."""
    total = 0.0
    live: dict[int, int] = {}
    for reduction in kernel.reductions:
        copies, lanes = _copies(loops, reduction.value)
        live[reduction.sits] = live.get(reduction.sits, 0) + copies * _registers(lanes, reduction.itemsize, device)
    for sits, accumulators in live.items():
        operands = [_copies(loops, access.depends) for access in kernel.accesses if access.sits == sits and not access.store]
        vectors = [copies * _registers(lanes, 4, device) for copies, lanes in operands if lanes > 1]
        excess = accumulators + min(vectors, default=0) + 1 - device.vector_registers
        if excess > 0:
            total += SPILL_CYCLES * excess * _times(kernel, loops, sits)
    return total


def _chain_cycles(kernel: Profile, loops: _Loops) -> float:
    """Every accumulator waits for itself; loops of different ranges follow each other."""
    chains: dict[int, float] = {}
    for reduction in kernel.reductions:
        length = ACCUMULATE_LATENCY * _times(kernel, loops, reduction.sits)
        chains[reduction.sits] = max(chains.get(reduction.sits, 0.0), length)
    return sum(chains.values())


def _memory_seconds(kernel: Profile, tiling: Tiling, loops: _Loops, busy: float, device: DeviceDescription) -> float:
    nest = _nest(kernel, tiling, loops)
    level1, level2, level3 = device.cache_bytes
    from_level2 = _traffic(kernel, nest, level1, loops) * busy / (device.frequency * device.cache_bytes_per_cycle[0])
    from_level3 = _traffic(kernel, nest, level2, loops) * busy / (device.frequency * device.cache_bytes_per_cycle[1])
    from_memory = _traffic(kernel, nest, level3, loops) / device.bandwidth
    return max(from_level2, from_level3, from_memory)


def _nest(kernel: Profile, tiling: Tiling, loops: _Loops) -> list[tuple[int, int]]:
    """Loops as (range, iterations), the innermost first."""
    ordered = [position for position in range(len(kernel.extents)) if not loops.parallel >> position & 1]
    serial = [(position, loops.steps[position] // loops.outer[position]) for position in tiling.order]
    inner = [(position, loops.steps[position]) for position in ordered]
    parallel = [(position, loops.outer[position]) for position in tiling.order]
    return [loop for loop in reversed([*parallel, *serial, *inner]) if loop[1] > 1]


def _traffic(kernel: Profile, nest: Sequence[tuple[int, int]], capacity: int, loops: _Loops) -> float:
    """Bytes that cross into a cache of `capacity`: what fits is fetched once, what is further out again and again."""
    spans: dict[int, int] = {}
    for position, lanes in enumerate(loops.lanes):
        spans[position] = lanes * loops.copies[position]
    fitted = _footprints(kernel, spans)
    remaining = list(nest)
    while remaining:
        position, iterations = remaining[0]
        wider = dict(spans)
        wider[position] *= iterations
        footprints = _footprints(kernel, wider)
        if sum(footprints.values()) > capacity:
            break
        spans, fitted = wider, footprints
        remaining.pop(0)
    total = 0.0
    for buffer, size in fitted.items():
        depends = _depends(kernel, buffer)
        repeats = 1
        for level, (position, iterations) in enumerate(remaining):
            stays = level == 0 and not depends >> position & 1 and size <= capacity / 2
            if not stays and _sits(kernel, buffer) >> position & 1 | loops.parallel >> position & 1:
                repeats *= iterations
        total += size * repeats
    return total


def _depends(kernel: Profile, buffer: int) -> int:
    mask = 0
    for access in kernel.accesses:
        if access.buffer == buffer:
            mask |= access.irregular
            for position in access.strides:
                mask |= 1 << position
    return mask


def _sits(kernel: Profile, buffer: int) -> int:
    mask = 0
    for access in kernel.accesses:
        if access.buffer == buffer:
            mask |= access.sits
    return mask


def _footprints(kernel: Profile, spans: Mapping[int, int]) -> dict[int, float]:
    """Bytes of cache that each buffer takes while the ranges run over these spans."""
    found: dict[int, float] = {}
    for access in kernel.accesses:
        run, lines = 1, 1
        for position, stride in access.strides.items():
            span = min(spans[position], kernel.extents[position])
            if abs(stride) == 1:
                run = span
            else:
                lines *= span
        for position in range(len(kernel.extents)):
            if access.irregular >> position & 1 and position not in access.strides:
                lines *= min(spans[position], kernel.extents[position])
        size = min(lines * max(run * access.itemsize, min(LINE_BYTES, access.size * access.itemsize)), access.size * access.itemsize)
        found[access.buffer] = max(found.get(access.buffer, 0.0), float(size))
    return found
