"""The analytic cost of a kernel, for many choices of loops at once.

Unit: seconds. The estimate is mainly the time of the busiest resource: the cores' arithmetic and load ports, the dependence chain of each
accumulator, or the traffic from each level of the memory hierarchy. To this come the costs of starting the kernel, its work-groups and
its loops. The estimate is meant to rank choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import float32, index, int64
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.auto_vectorization import at_once, in_bodies
from eqsat.schedule.cost.chains import Chains, most_in
from eqsat.schedule.cost.groups import (
    MOST_RESIDENT,
    Groups,
    load_cycles,
    resident_groups,
    shared_accesses,
    shared_cycles,
    words_of,
)
from eqsat.schedule.cost.load_stalls import stall_seconds
from eqsat.schedule.cost.matrix_registers import MatrixRegisters
from eqsat.schedule.cost.scatter_hit_rate import hit_rate
from eqsat.schedule.cost.stores import missed_stores, passed_lines
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.traffic import busiest_share, memory_seconds, repeats
from eqsat.schedule.cost.vectors import Vectors
from eqsat.schedule.tiling import Bools, Floats, Tiling, Tilings, product

PREDICTED_TRIPS = 32  # greatest trip count for which processors predict the branch that leaves the loop
# Cost of combining lanes of (value, index) pairs relative to lanes of a sum: six comparisons, their masks and two selects.
PAIR_TIMES = 4.0
NOT_HIDDEN = 0.1  # share of a resource's time that is not hidden behind a busier resource
BODY_INSTRUCTIONS = 256  # instructions of an innermost loop body; unrolling beyond this gains nothing
TEXT_INSTRUCTIONS = 2048  # instructions of a kernel; OpenCL compilers take seconds for longer ones
LINE_PASSED = 20  # cycles that a combining store waits for a cache line that another core combines in, too


@dataclass(frozen=True)
class Estimates:
    """Seconds of each tiling, by cause; `begun` is the number of groups resident on a core, which share its first-level cache."""

    compute: Floats
    chain: Floats
    memory: Floats
    overhead: Floats
    begun: Floats

    @property
    def seconds(self) -> Floats:
        """The time of the busiest resource, the part of the others that it does not hide, and the overheads."""
        busiest = np.maximum(np.maximum(self.compute, self.chain), self.memory)
        others = self.compute + self.chain + self.memory - busiest
        return busiest + NOT_HIDDEN * others + self.overhead

    def take(self, rows: NDArray[np.int64]) -> Estimates:
        """The estimates of the tilings in these rows."""
        return Estimates(*(getattr(self, column.name).take(rows) for column in fields(self)))


def estimate(kernel: Tables, tilings: Sequence[Tiling], device: Machine) -> Estimates:
    """The predicted time of a kernel on `device` under each of `tilings`."""
    table = Tilings.of(kernel.kernel.extents, tilings)
    return with_memory(
        lower_bound_without_memory(kernel, table, Costs.of(kernel, table, device), device),
        kernel,
        table,
        device,
    )


def lower_bound_without_memory(kernel: Tables, tilings: Tilings, costs: Costs, device: Machine) -> Estimates:
    """The time that a kernel would take if memory traffic were free; `costs` are the costs of the bodies of `tilings`.

    It is quick to compute, and a lower bound of the full estimate.
    """
    groups, times = tilings.groups, tilings.times(kernel.loops) * repeats(kernel, tilings)
    if not device.has_groups:
        times /= at_once(kernel.scalars, kernel.loops, tilings)
    started = groups / tilings.grouped(shares_memory=bool(kernel.accesses.local.any()))
    overhead = started * device.group_seconds / np.minimum(device.cores, groups)
    begun = resident_groups(tilings, costs.words, device)
    return _computing(times, busiest_share(tilings, device), begun, overhead, costs, device)


def lower_bound_of_bodies(kernel: Tables, bodies: Tilings, costs: Costs, device: Machine) -> Floats:
    """A lower bound, in seconds, of the time of a kernel with each of these bodies, whatever the loops around the body."""
    times = product(bodies.count, kernel.loops)
    if not device.has_groups:
        times /= at_once(kernel.scalars, kernel.loops, bodies, at_most=True)
    nothing = np.zeros(len(times))
    begun = nothing + (MOST_RESIDENT if device.has_groups else 1.0)
    return _computing(times, nothing + 1.0 / device.cores, begun, nothing, costs, device).seconds


def costs_without_arithmetic(kernel: Tables, bodies: Tilings, costs: Costs) -> Costs:
    """A lower bound of the costs of these bodies in every kernel that differs from this one in `ARITHMETIC` operations alone."""
    work = kernel.work
    less = (bodies.copies_in(work.depends) * (work.cycles - work.without_arithmetic)) @ kernel.work_in
    return replace(costs, issued=costs.issued_without_arithmetic, instructions=costs.instructions - less)


def _computing(
    times: Floats, share: Floats, begun: Floats, overhead: Floats, costs: Costs, device: Machine
) -> Estimates:
    """The time of bodies without memory traffic, plus the overheads of launching the kernel and fetching its text.

    `times` is how often the body of each set of loops runs. `share` is the share of all work that the busiest core does. `begun` is the
    number of groups resident on a core.
    """
    # bodies run one after the other, so the busiest resource is taken for each of them
    busiest = (times * np.maximum(costs.issued, costs.port)).sum(axis=1)
    second = share / device.frequency
    chain = (times * costs.chain).sum(axis=1)  # different sets of loops run one after the other
    return Estimates(
        (busiest + (times * costs.unhidden).sum(axis=1)) * second,
        chain * second / begun,
        np.zeros(len(share)),
        device.launch_seconds + device.instruction_seconds * costs.instructions.sum(axis=1) + overhead,
        begun,
    )


def with_memory(before: Estimates, kernel: Tables, tilings: Tilings, device: Machine) -> Estimates:
    """The full estimate of a kernel: `before`, which is without memory traffic, and the traffic."""
    busy = busiest_share(tilings, device)
    stores = missed_stores(kernel.accesses, tilings, device)
    waiting = stores * device.missed_store_cycles * busy / device.frequency
    waiting += passed_lines(kernel.kernel, tilings, device) * LINE_PASSED * busy / device.frequency
    waiting += stall_seconds(kernel, tilings, before.begun, device)
    moving = memory_seconds(kernel, tilings, busy, before.begun, device)
    return replace(before, memory=np.maximum(moving, waiting))


@dataclass(frozen=True)
class Costs:
    """The costs of one run of the body of each set of loops, whatever the loops around it; by tiling and set of `Tables.loops`.

    Attributes:
        instructions: instructions of the body's text.
        issued: cycles of arithmetic, and of shuffles and branches around accesses, or of counting the loop, whichever are more.
        port: cycles of the load and store ports, which work while arithmetic does.
        unhidden: cycles that nothing hides: spills, combining lanes or parts of accumulators, and leaving loops.
        chain: cycles in which an accumulator waits for its own updates, or a group for its loads.
        issued_without_arithmetic: the cycles of `issued` that remain in every kernel that differs in `ARITHMETIC` operations alone.
        words: 4-byte registers that a work-item needs, by tiling.
    """

    instructions: Floats
    issued: Floats
    port: Floats
    unhidden: Floats
    chain: Floats
    issued_without_arithmetic: Floats
    words: Floats

    @staticmethod
    def of(kernel: Tables, tilings: Tilings, device: Machine) -> Costs:
        """The costs under these tilings, of which only lanes, copies and items matter."""
        work, count = kernel.work, len(tilings)
        written, tilings = tilings, _compiled(kernel, tilings, device)
        own, others = np.arange(count), np.flatnonzero((written.lanes != tilings.lanes).any(axis=1))
        both = Vectors.of(kernel.accesses, written.followed_by(tilings.take(others)), device)
        text = _text(kernel, written.copies_in(work.depends), both.under(own))
        own[others] = count + np.arange(len(others))
        vectors = both.under(own)
        groups = Groups.of(tilings, device)
        port, moves = _access_cycles(kernel.accesses, vectors, device)
        chains, matrices = Chains.of(kernel, tilings), MatrixRegisters.of(kernel, tilings, device)
        port = matrices.port(kernel, tilings, port)
        more = _spill_cycles(kernel, tilings, vectors, chains, device, groups, matrices)
        more += _combine_cycles(kernel, tilings, device) * groups.registers
        chain, words = chains.cycles(kernel, device, matrices), np.ones(count)
        if device.has_groups:
            port, moves, loads = shared_accesses(kernel, tilings, vectors, device, groups)
            more += shared_cycles(kernel, tilings, device)
            chain = np.maximum(chain, load_cycles(kernel, device, loads @ kernel.accesses_in))
            words = words_of(kernel, tilings, chains)
        if kernel.accesses.tested.any():
            port = port * hit_rate(kernel.accesses, tilings)
        arithmetic, bare = _arithmetic_cycles(kernel, tilings, device, groups, matrices)
        moved = moves @ kernel.accesses_in
        return Costs(
            text,
            np.maximum(
                arithmetic + moved + _mask_cycles(kernel, written, device),
                _turning_cycles(kernel, device, groups),
            ),
            port @ kernel.accesses_in,
            more,
            chain,
            bare + moved,
            words,
        )

    @staticmethod
    def without_accesses(kernel: Tables, tilings: Tilings, device: Machine) -> Costs:
        """The costs if loads, stores and registers were free: much quicker to compute, and a lower bound in every column."""
        tilings = _compiled(kernel, tilings, device)
        groups = Groups.of(tilings, device)
        matrices = MatrixRegisters.of(kernel, tilings, device)
        arithmetic, bare = _arithmetic_cycles(kernel, tilings, device, groups, matrices)
        issued = np.maximum(arithmetic, _turning_cycles(kernel, device, groups))
        nothing = np.zeros(issued.shape)
        more = _combine_cycles(kernel, tilings, device) * groups.registers
        chain = Chains.of(kernel, tilings).cycles(kernel, device, matrices)
        if device.has_groups:
            chain = np.maximum(chain, load_cycles(kernel, device, nothing))
        return Costs(nothing, issued, nothing, more, chain, bare, np.ones(len(tilings)))

    def take(self, rows: NDArray[np.int64]) -> Costs:
        """The costs of the tilings in these rows."""
        return Costs(*(getattr(self, column.name).take(rows, axis=0) for column in fields(self)))


def _compiled(kernel: Tables, tilings: Tilings, device: Machine) -> Tilings:
    """The tilings after vectorization by the compiler; only compilers for processors vectorize scalar code."""
    return tilings if device.has_groups else in_bodies(kernel.scalars, tilings)


def _arithmetic_cycles(
    kernel: Tables, tilings: Tilings, device: Machine, groups: Groups, matrices: MatrixRegisters
) -> tuple[Floats, Floats]:
    """(cycles of all copies of all operations, cycles that remain without `ARITHMETIC` operations), each by tiling and set of loops."""
    work = kernel.work
    copies, lanes = tilings.copies_in(work.depends), tilings.lanes_in(work.depends)
    bytes_at_once = lanes * groups.items * work.itemsize
    is_whole = bytes_at_once > device.vector_bytes / 2
    times = copies * _registers(lanes * groups.items, work.itemsize, device)
    every, bare = (
        (times * matrices.arithmetic(kernel, np.where(is_whole, cycles, half), device)) @ kernel.work_in
        for cycles, half in (
            (work.cycles, work.narrow),
            (work.without_arithmetic, work.narrow_without_arithmetic),
        )
    )
    return every, bare


def _turning_cycles(kernel: Tables, device: Machine, groups: Groups) -> Floats:
    """Cycles to count and branch in the loops themselves, by tiling and set of loops; sets that are no bodies have none."""
    turning = np.zeros((len(groups.registers), len(kernel.loops)))
    turning[:, : len(kernel.bodies)] = device.cycles(Op.END, index) * groups.registers
    return turning


def _text(kernel: Tables, copies: Floats, vectors: Vectors) -> Floats:
    """Instructions, by tiling and set of loops, given the copies of each operation."""
    return (
        _transfers(vectors)[vectors.place] @ kernel.accesses_in
        + (copies * kernel.work.cycles) @ kernel.work_in
    )


def _transfers(vectors: Vectors) -> Floats:
    """Instructions that each access becomes: loads or stores, and the shuffles that select or transpose their lanes."""
    whole = vectors.contiguous & ~vectors.gated
    selected = (vectors.sources > 0) & ~vectors.gated
    kinds = [whole, selected, vectors.rounds > 0]
    each = [1.0, vectors.sources + vectors.selects, 1.0 + vectors.rounds]
    return vectors.copies * _first(kinds, each, vectors.lanes)


def _first(conditions: Sequence[Bools], values: Sequence[Floats | float], otherwise: Floats) -> Floats:
    """The value of the first condition that holds, as `np.select` does; it takes a tenth of the time for small arrays."""
    for condition, value in zip(reversed(conditions), reversed(values), strict=True):
        otherwise = np.where(condition, value, otherwise)
    return otherwise


def _registers(lanes: Floats, itemsize: Floats | float, device: Machine) -> Floats:
    return np.maximum(1.0, np.ceil(lanes * itemsize / device.vector_bytes))


def _access_cycles(accesses: Accesses, vectors: Vectors, device: Machine) -> tuple[Floats, Floats]:
    """(cycles of the load or store ports, cycles of shuffling and branching) for all copies of each access."""
    store, itemsize = accesses.store[vectors.access], accesses.itemsize[vectors.access]
    rate = np.where(store, device.cycles(Op.STORE, float32), device.cycles(Op.LOAD, float32))
    branches = accesses.gate.any(axis=1).astype(float)[vectors.access]
    single = vectors.lanes == 1
    same = ~single & ~vectors.addressed  # one address for all lanes
    kinds = [single, same, vectors.contiguous, vectors.sources > 0, vectors.rounds > 0]
    width = np.minimum(vectors.lanes * itemsize, device.vector_bytes)
    crossing = width / device.line_bytes  # the share that crosses a line, since arrays start at any address
    registers = _registers(vectors.lanes, itemsize, device)
    passes = np.ceil(width * device.passes / device.vector_bytes)
    whole = registers * (np.where(store, 1.0, passes) + crossing)  # what is in two cache lines counts twice
    waits = np.where(store, 0.0, registers * crossing * device.crossing_cycles)
    transfers = [1.0, 1.0, whole, whole * vectors.sources, np.maximum(whole, vectors.parts)]
    # a gated vector tests whether all of its lanes are inside: then it is one access, otherwise one access for each lane
    border = np.where(vectors.gated, device.gate_cycles, branches)
    selects = border + vectors.selects * registers * passes * device.select_cycles + vectors.sources * waits
    shuffles = branches + registers * vectors.rounds * device.shuffle_cycles
    moves = [2.0 * branches, 0.0, border + waits, selects, shuffles]
    computed = device.gated_lane_cycles * vectors.gated + device.irregular_lane_cycles * vectors.irregular
    addresses = np.where(vectors.gathered, device.gathered_lane_cycles, computed)
    apart = vectors.lanes * (device.gather_cycles + addresses + device.far_lane_cycles * vectors.far)
    ports = vectors.copies * rate * _first(kinds, transfers, vectors.lanes)
    return ports[vectors.place], (vectors.copies * _first(kinds, moves, apart))[vectors.place]


def _combine_cycles(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """Cycles to combine the lanes of accumulators after their loops, and to leave these loops; a SCAN combines lanes in each iteration."""
    reductions = kernel.reductions
    halvings = np.log2(tilings.lanes_in(reductions.own))
    each = device.combine_cycles * np.where(reductions.pairs, PAIR_TIMES, 1.0)
    combined = each * halvings * tilings.copies_in(reductions.lanes_combined)
    left = (tilings.extents > tilings.tile * PREDICTED_TRIPS).astype(float) @ reductions.own.T
    return combined @ kernel.lanes_combined_in + device.exit_cycles * left @ kernel.results_in


def _mask_cycles(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """Cycles of the masks that keep a reduction from counting elements twice where its last tile overlaps the one before.

    Each vector compares 64-bit indices. Elements that are counted already are masked out of each value to add, so a product no longer fuses
    with its sum and takes one more instruction.
    """
    reductions = kernel.reductions
    if not tilings.overlaps.any():
        return np.zeros((len(tilings), len(kernel.loops)))
    masked = tilings.overlaps @ reductions.own.T
    testing = sum(device.cycles(op, int64) for op in (Op.ADD, Op.CMPLT, Op.XOR))
    tests = tilings.copies_in(reductions.own) * _registers(
        tilings.lanes_in(reductions.own), int64.itemsize, device
    )
    selects = tilings.copies_in(reductions.value) * _registers(
        tilings.lanes_in(reductions.value), reductions.itemsize, device
    )
    selecting = device.cycles(Op.WHERE, int64) + device.cycles(Op.MUL, float32) * reductions.fuses
    cycles = tests * testing + selects * selecting
    return np.where(masked, cycles, 0.0) @ kernel.values_in


def _spill_cycles(
    kernel: Tables,
    tilings: Tilings,
    vectors: Vectors,
    chains: Chains,
    device: Machine,
    groups: Groups,
    matrices: MatrixRegisters,
) -> Floats:
    """Cycles of spills, per iteration of each reduction, because accumulators and operands do not fit the vector registers.

    Of an update's operands, the one with the fewest registers stays in registers while the others are loaded in turn. Copies unrolled along
    a reduction are processed one after the other, each by all accumulators.
    """
    reductions, loaded = kernel.reductions, kernel.accesses_in * ~kernel.accesses.store[:, None]
    room = groups.register_bytes
    registers = np.maximum(1.0, np.ceil(tilings.lanes_in(reductions.value) * reductions.itemsize / room))
    accumulators = (chains.accumulators * registers * ~matrices.used) @ kernel.values_in
    together = tilings.copies_in(kernel.accesses.depends & ~reductions.own.any(axis=0))
    lanes = vectors.lanes.take(vectors.place)
    operands = together * np.maximum(1.0, np.ceil(lanes * 4.0 / room))
    operands[lanes == 1] = np.inf
    updates = most_in(chains.updates, kernel.values_in)
    spills = np.zeros(accumulators.shape)
    for place in np.flatnonzero(kernel.values_in.any(axis=0)).tolist():
        inside = np.flatnonzero(loaded[:, place])
        fewest = operands.take(inside, axis=1).min(axis=1, initial=np.inf)
        excess = (
            accumulators[:, place] + np.where(np.isinf(fewest), 0.0, fewest) + 1 - device.vector_registers
        )
        spills[:, place] = device.spill_cycles * np.maximum(excess, 0.0) * updates[:, place]
    return spills * groups.registers
