"""The analytic cost of a kernel, for many choices of loops at once.

Unit: seconds. The estimate is mainly what the busiest resource needs (arithmetic and load ports of the cores, the chain of each
accumulator, traffic from each level of the memory hierarchy) plus what starting the kernel, its work-groups and its loops costs. It is
meant to rank choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eqsat.dtype import float32, index
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.tables import Accesses, Tables, bits
from eqsat.schedule.tiling import Bools, Floats, Tiling, Tilings, product
from eqsat.schedule.traffic import memory_seconds

UNEVEN = 0.1  # of one work-item, by which a core that something else keeps busy is late
NOT_HIDDEN = 0.1  # of the work of a resource while a busier one works
BODY_INSTRUCTIONS = 256  # more copies of what makes an innermost loop body longer than this gain nothing
TEXT_INSTRUCTIONS = (
    2048  # more copies of what makes a kernel longer than this take the OpenCL compiler seconds
)


@dataclass(frozen=True)
class Estimates:
    """Seconds, by cause, for each tiling."""

    compute: Floats
    chain: Floats
    memory: Floats
    overhead: Floats

    @property
    def seconds(self) -> Floats:
        """The busiest resource, what of the others it does not hide, and the overheads."""
        busiest = np.maximum(np.maximum(self.compute, self.chain), self.memory)
        others = self.compute + self.chain + self.memory - busiest
        return busiest + NOT_HIDDEN * others + self.overhead


def estimate(kernel: Tables, tilings: Sequence[Tiling], device: Machine) -> Estimates:
    """What a kernel takes on `device` under each of `tilings`."""
    table = Tilings.of(kernel.kernel.extents, tilings)
    vectors = Vectors.of(kernel.accesses, table)
    waves = np.ceil(table.groups / device.cores)
    busy = (waves + UNEVEN) / table.groups  # the share of all work that the busiest core does
    overhead = (
        device.launch_seconds
        + device.instruction_seconds * _instructions(kernel, table, vectors)
        + table.groups * device.group_seconds / np.minimum(device.cores, table.groups)
    )
    second = busy / device.frequency
    return Estimates(
        _compute_cycles(kernel, table, vectors, device) * second,
        _chain_cycles(kernel, table, device) * second,
        memory_seconds(kernel, table, busy, device),
        overhead,
    )


def instructions(kernel: Tables, tilings: Sequence[Tiling]) -> Floats:
    """About how many instructions the kernel has: each copy of each access and operation, scattered lanes one by one."""
    table = Tilings.of(kernel.kernel.extents, tilings)
    return _instructions(kernel, table, Vectors.of(kernel.accesses, table))


def body_instructions(kernel: Tables, tilings: Sequence[Tiling]) -> Floats:
    """The same for the longest of the innermost loop bodies alone, where the time goes: what follows a reduction is not one of them."""
    table = Tilings.of(kernel.kernel.extents, tilings)
    accesses = _transfers(Vectors.of(kernel.accesses, table))
    work = product(table.copies, kernel.work.depends) * kernel.work.cycles
    longest = np.zeros(len(tilings))
    for body in kernel.bodies:
        if sum(bool((body <= other).all()) for other in kernel.bodies) == 1:  # only itself is around it
            inside = [(each.sits == body).all(axis=1) for each in (kernel.accesses, kernel.work)]
            total = accesses[:, inside[0]].sum(axis=1) + work[:, inside[1]].sum(axis=1)
            longest = np.maximum(longest, total)
    return longest


@dataclass(frozen=True)
class Vectors:
    """What becomes of each access, for each tiling: how many copies, how many lanes, and where the lanes lie.

    Attributes:
        addressed: the lanes have addresses of their own.
        contiguous: side by side.
        gated: some lanes may be outside while others are not.
        irregular: at no stride.
    """

    copies: Floats
    lanes: Floats
    addressed: Bools
    contiguous: Bools
    gated: Bools
    irregular: Bools

    @staticmethod
    def of(accesses: Accesses, tilings: Tilings) -> Vectors:
        """One value is a vector along one range at most."""
        shape = len(tilings.groups), len(accesses.store)
        addressed, contiguous, gated, irregular = (np.zeros(shape, bool) for _ in range(4))
        for position in np.flatnonzero(np.any(tilings.lanes > 1, axis=0)).tolist():
            vector = (tilings.lanes[:, position] > 1)[:, None] & accesses.depends[:, position]
            addressed |= vector & accesses.own[:, position]
            contiguous |= vector & accesses.contiguous(tilings, position)
            gated |= vector & accesses.gate[:, position]
            irregular |= vector & accesses.irregular[:, position]
        return Vectors(
            product(tilings.copies, accesses.depends), product(tilings.lanes, accesses.depends),
            addressed, contiguous, gated, irregular,
        )  # fmt: skip


def _instructions(kernel: Tables, tilings: Tilings, vectors: Vectors) -> Floats:
    return _transfers(vectors).sum(axis=1) + product(tilings.copies, kernel.work.depends) @ kernel.work.cycles


def _transfers(vectors: Vectors) -> Floats:
    """Loads or stores that each access becomes."""
    whole = vectors.contiguous & ~vectors.gated
    return vectors.copies * np.where(whole, 1.0, vectors.lanes)


def _registers(lanes: Floats, itemsize: Floats | float, device: Machine) -> Floats:
    return np.maximum(1.0, np.ceil(lanes * itemsize / device.vector_bytes))


def _compute_cycles(kernel: Tables, tilings: Tilings, vectors: Vectors, device: Machine) -> Floats:
    work, accesses = kernel.work, kernel.accesses
    registers = product(tilings.copies, work.depends) * _registers(
        product(tilings.lanes, work.depends), work.itemsize, device
    )
    arithmetic = (tilings.times(work.sits) * registers) @ work.cycles
    port, moves = _access_cycles(accesses, vectors, device)
    times = tilings.times(accesses.sits)
    loops = device.cycles(Op.END, index) * tilings.times(kernel.bodies).sum(axis=1)
    busiest = np.maximum(arithmetic + (times * moves).sum(axis=1), (times * port).sum(axis=1))
    return (
        busiest
        + _spill_cycles(kernel, tilings, vectors, device)
        + _combine_cycles(kernel, tilings, device)
        + loops
    )


def _access_cycles(accesses: Accesses, vectors: Vectors, device: Machine) -> tuple[Floats, Floats]:
    """(cycles of the load or store ports, cycles of shuffling and branching) for all copies of each access."""
    rate = np.where(accesses.store, device.cycles(Op.STORE, float32), device.cycles(Op.LOAD, float32))
    branches = accesses.gate.any(axis=1).astype(float)
    single = vectors.lanes == 1
    same = ~single & ~vectors.addressed  # one address for all lanes
    kinds = [single, same, vectors.contiguous]
    width = np.minimum(vectors.lanes * accesses.itemsize, device.vector_bytes)
    crossing = (
        1.0 + width / device.line_bytes
    )  # arrays start anywhere, and an access to two cache lines counts twice
    transfers = [1.0, 1.0, _registers(vectors.lanes, accesses.itemsize, device) * crossing]
    # all lanes inside: one access; at a border, one by one
    moves = [2.0 * branches, 0.0, np.where(vectors.gated, device.gate_cycles, branches)]
    apart = vectors.lanes * (
        device.gather_cycles
        + device.gated_lane_cycles * vectors.gated
        + device.irregular_lane_cycles * vectors.irregular
    )
    return (
        vectors.copies * rate * np.select(kinds, transfers, vectors.lanes),
        vectors.copies * np.select(kinds, moves, apart),
    )


def _combine_cycles(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """What is left to do with accumulators of several lanes after their loop."""
    total = np.zeros(len(tilings.groups))
    for reduction in kernel.kernel.reductions:
        own, result = (
            bits([mask], len(kernel.kernel.extents)) for mask in (reduction.ranges, reduction.result)
        )
        halvings = np.log2(product(tilings.lanes, own)[:, 0])
        total += (
            device.combine_cycles
            * halvings
            * product(tilings.copies, result)[:, 0]
            * tilings.times(result)[:, 0]
        )
    return total


def _spill_cycles(kernel: Tables, tilings: Tilings, vectors: Vectors, device: Machine) -> Floats:
    """Accumulators and operands that do not fit the vector registers, per iteration of each reduction."""
    count = len(kernel.kernel.extents)
    total = np.zeros(len(tilings.groups))
    for sits in dict.fromkeys(reduction.sits for reduction in kernel.kernel.reductions):
        loop = bits([sits], count)
        accumulators = total * 0
        for reduction in kernel.kernel.reductions:
            if reduction.sits == sits:
                value = bits([reduction.value], count)
                lanes = product(tilings.lanes, value)[:, 0]
                accumulators += product(tilings.copies, value)[:, 0] * _registers(
                    lanes, reduction.itemsize, device
                )
        operands = vectors.copies * _registers(vectors.lanes, 4.0, device)
        inside = (kernel.accesses.sits == loop).all(axis=1) & ~kernel.accesses.store
        fewest = np.where((vectors.lanes > 1) & inside, operands, np.inf).min(axis=1, initial=np.inf)
        excess = accumulators + np.where(np.isinf(fewest), 0.0, fewest) + 1 - device.vector_registers
        total += device.spill_cycles * np.maximum(excess, 0.0) * tilings.times(loop)[:, 0]
    return total


def _chain_cycles(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """Every accumulator waits for itself; loops of different ranges follow each other."""
    different = dict.fromkeys(reduction.sits for reduction in kernel.kernel.reductions)
    return device.accumulate_cycles * tilings.times(bits(different, len(kernel.kernel.extents))).sum(axis=1)
