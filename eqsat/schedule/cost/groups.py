"""What work-items of a group take together: a register of the device holds one element of each of them, as it holds the lanes of a vector.

An access of a group is as many transactions as there are stretches of one register's bytes in what its items access: few where items lie side by
side along the fast coordinate, one for each item where they are far apart. Elements of one bank of local memory are accessed one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import float32, int32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.chains import Chains
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.vectors import Vectors
from eqsat.schedule.cost.waiting import in_order
from eqsat.schedule.loops.groups import ITEM_BYTES
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings, product

LOADS_AT_ONCE = 7.0  # that compilers for graphics cards put before what waits for them
UNROLLED = 8.0  # iterations of a loop that they make one
HIDDEN = 0.15  # what a load from a line that is there takes in times of others
OTHER_WORDS = 32.0  # elements of 4 bytes that an item has in registers beside accumulators
VECTOR_BYTES = 16  # that an item loads at once
MOST_AT_HAND = 32  # groups of a core
RADIX = 8  # parts that an item combines in one round, as code generation has it


@dataclass(frozen=True)
class Groups:
    """The work-items of a group, for each tiling.

    Attributes:
        shared: whether there are several.
        items: how many.
        registers: of the device that one element of each of them takes.
        register_bytes: of what one item has of a register; all of it where items are single.
    """

    shared: Bools
    items: Floats
    registers: Floats
    register_bytes: Floats

    @staticmethod
    def of(tilings: Tilings, device: Machine) -> Groups:
        """Of these tilings."""
        items = tilings.together[:, None]
        shared = items > 1
        if has_groups(device):  # one item alone takes all of a register
            items = np.maximum(items, width_of(device))
        registers = np.ceil(items * ITEM_BYTES / device.vector_bytes)
        own = ITEM_BYTES if has_groups(device) else device.vector_bytes
        return Groups(shared, items, registers, np.where(shared, float(ITEM_BYTES), float(own)))


def has_groups(device: Machine) -> bool:
    """Whether work-items are the lanes of registers, as on graphics cards."""
    return device.local_size > 1


def width_of(device: Machine) -> int:
    """Work-items that have an element each in one register."""
    return device.vector_bytes // ITEM_BYTES


def at_hand(tilings: Tilings, registers: Floats, device: Machine) -> Floats:
    """Groups that a core has begun at once, so that one computes while others wait, for each tiling; `registers` are those of an item."""
    if not has_groups(device):
        return np.ones(len(tilings))
    items = np.maximum(tilings.together, width_of(device))
    most = np.minimum(device.resident_items / items, device.resident_words / (items * registers))
    return np.clip(np.minimum(np.floor(most), tilings.groups / device.cores), 1.0, MOST_AT_HAND)


def words_of(kernel: Tables, tilings: Tilings, chains: Chains) -> Floats:
    """Elements of 4 bytes that an item keeps in registers: accumulators, and what computes addresses and values."""
    reductions = kernel.reductions
    each = product(tilings.lanes, reductions.value) * np.ceil(reductions.itemsize / 4.0)
    return OTHER_WORDS + ((chains.accumulators * each) @ kernel.values_in).max(axis=1, initial=0.0)


def load_cycles(kernel: Tables, device: Machine, loads: Floats) -> Floats:
    """Cycles that a group waits for what it loads, of so many loads by tiling and set of loops: for some at a time, and a part of them in loops that
    compilers unroll. What it waits for in loops that run in order is told apart.
    """
    loaded = ~(kernel.accesses.store | kernel.accesses.local)
    is_loaded: Bools = kernel.accesses_in[loaded].max(axis=0, initial=0.0) > 0
    is_loaded &= ~kernel.loops[:, in_order(kernel)].any(axis=1)
    waiting: Floats = np.maximum(loads / LOADS_AT_ONCE, 1.0 / UNROLLED)
    return np.where(is_loaded, device.load_cycles * waiting, 0.0)


def shared_accesses(
    kernel: Tables, tilings: Tilings, vectors: Vectors, device: Machine, groups: Groups
) -> tuple[Floats, Floats, Floats]:
    """For all copies of each access the cycles of the ports, those of gates, and how many loads an item waits for."""
    accesses, place = kernel.accesses, vectors.place
    whole = (vectors.contiguous & ~vectors.gated)[place]
    lanes, copies = np.where(vectors.addressed, vectors.lanes, 1.0)[place], vectors.copies[place]
    together = together_of(accesses, tilings, whole)
    cycles = copies * transactions(accesses, tilings, together, lanes, device)
    gates = copies * accesses.gate.any(axis=1) * device.gate_cycles * groups.registers
    waited = HIDDEN + (1.0 - HIDDEN) * new_lines(kernel, tilings, device)
    loads = copies * lanes / together * waited * ~(accesses.store | accesses.local)
    return cycles, gates, loads


def transactions(
    accesses: Accesses, tilings: Tilings, together: Floats, lanes: Floats, device: Machine
) -> Floats:
    """Cycles of the ports for one copy of each access by all items of a group, each with so many elements `together`, which lie side by side.

    What items of one register read at the same place, they are given at once.
    """
    own = together * accesses.itemsize
    apart, different = np.ones(lanes.shape), np.ones(lanes.shape)
    fast, slow = tilings.group
    fast = np.minimum(fast, width_of(device))
    for items, is_slow in ((fast, False), (np.minimum(slow, width_of(device) / fast), True)):
        steps, moves = _steps(accesses, tilings, slow=is_slow)
        reach = np.ceil(((items[:, None] - 1) * steps + own) / device.vector_bytes)
        apart *= np.where(moves, np.minimum(items[:, None], reach), 1.0)
        different *= np.where(moves, items[:, None], 1.0)
    least = np.ceil(different * own / device.vector_bytes)
    met = least * np.maximum(1.0, _conflicts(accesses, tilings, device) * ITEM_BYTES / own)
    busy = np.where(accesses.local, met, np.maximum(least, apart))
    rate = np.where(accesses.store, device.cycles(Op.STORE, float32), device.cycles(Op.LOAD, float32))
    return rate * busy * Groups.of(tilings, device).registers * lanes / together


def together_of(accesses: Accesses, tilings: Tilings, whole: Bools) -> Floats:
    """Elements of each access that an item loads or stores at once: lanes that are one access (`whole`), or copies that it loads side by side.

    They begin at a multiple of their number.
    """
    found = np.ones(whole.shape)
    alone = (tilings.copies > 1) & (tilings.lanes == 1) & (tilings.items == 1)
    for position in np.flatnonzero(((tilings.lanes > 1) | alone).any(axis=0)).tolist():
        lanes = np.where(alone, tilings.copies, tilings.lanes)[:, position].astype(np.int64)
        joined = np.where(
            tilings.lanes[:, position, None] > 1, whole, alone[:, position, None] & ~accesses.store
        )
        near = joined & (accesses.strides_in_tiles(tilings, position) == 1) & ~accesses.gate[:, position]
        rest = tilings.extents[position] % tilings.tile[:, position]  # by which the last tile begins earlier
        ends = np.where(rest > 0, tilings.extents[position], 0).astype(np.int64)
        begins = np.gcd(np.gcd(lanes, ends)[:, None], _steps_besides(accesses, position))
        several = np.minimum(begins & -begins, VECTOR_BYTES // accesses.itemsize)
        found = np.where(near, np.maximum(found, several), found)
    return found


def _steps_besides(accesses: Accesses, position: int) -> NDArray[np.int64]:
    """By access, what divides all its steps along other ranges."""
    others = accesses.strides.astype(np.int64)
    others[:, position] = 0
    return np.gcd.reduce(np.where(accesses.irregular, 1, others), axis=1, initial=0)


def new_lines(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """Of the loads of each access, the share that are the first of a line: in the innermost loop of a reduction, others were loaded before."""
    accesses, reduced = kernel.accesses, kernel.reductions.own.any(axis=0)
    found = np.ones((len(tilings), len(accesses.store)))
    steps = np.abs(accesses.strides) * accesses.itemsize[:, None] / device.vector_bytes
    steps = np.where(accesses.irregular, 1.0, steps)
    is_set = np.zeros(found.shape, bool)
    for position in np.flatnonzero(reduced)[::-1].tolist():
        walks = (tilings.tile < tilings.extents)[:, position, None] & accesses.sits[:, position] & ~is_set
        share = np.minimum(1.0, tilings.tile[:, position, None] * steps[:, position])
        found = np.where(walks, share, found)
        is_set |= walks
    return found


def _conflicts(accesses: Accesses, tilings: Tilings, device: Machine) -> Floats:
    """How many items of one register access the same bank of local memory, for steps along the fast coordinate."""
    steps, moves = _steps(accesses, tilings, slow=False)
    banks = device.vector_bytes // ITEM_BYTES
    met = np.gcd((steps // ITEM_BYTES).astype(np.int64), banks)
    return np.where(moves, np.minimum(met, tilings.group[0][:, None]), 1.0)


def _steps(accesses: Accesses, tilings: Tilings, *, slow: bool) -> tuple[Floats, Bools]:
    """Bytes from what one item accesses to what the next one does along a coordinate, and whether that is another place."""
    shape = len(tilings), len(accesses.store)
    steps, moves = np.zeros(shape), np.zeros(shape, bool)
    along = (tilings.items > 1) & (tilings.slow == slow)
    for position in np.flatnonzero(along.any(axis=0)).tolist():
        used = along[:, position, None] & accesses.own[:, position]
        strides = np.abs(accesses.strides_in_tiles(tilings, position)) * tilings.lanes[:, position, None]
        far = accesses.irregular[:, position] & (strides == 0)
        size = np.where(far, np.inf, strides * accesses.itemsize)
        steps = np.where(used, np.minimum(size, 1 << 30), steps)
        moves |= used
    return steps, moves


def shared_bytes(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """Bytes of local memory for the parts of reductions that items share, by tiling: each round has its own."""
    reductions = kernel.reductions
    if not (tilings.items > 1).any():
        return np.zeros(len(tilings))
    parts = product(tilings.copies * tilings.lanes, reductions.joined) * tilings.together[:, None]
    return (Joining.chosen(kernel, tilings, device).rounds * parts * reductions.itemsize).sum(axis=1)


def shared_cycles(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """What is left to do with the parts of reductions that items share, in the set of loops of each."""
    return Joining.chosen(kernel, tilings, device).cycles(kernel, tilings, device) @ kernel.joined_in


def by_sub_groups(kernel: Tables, tilings: Tilings, device: Machine) -> Bools:
    """For each tiling, whether it is cheaper that sub-groups begin with the reductions that items share: WARP ranges, then.

    The fast coordinate of a group is whole sub-groups in these.
    """
    if device.sub_group == 1:
        return np.zeros(len(tilings), bool)
    before = Joining.in_rounds(kernel, tilings).cycles(kernel, tilings, device).sum(axis=1)
    after = Joining.in_sub_groups(kernel, tilings, device).cycles(kernel, tilings, device).sum(axis=1)
    return after < before


@dataclass(frozen=True)
class Joining:
    """How the items of a group join their parts of each reduction, by tiling.

    Attributes:
        rounds: over local memory.
        exchanges: between the registers of a sub-group, which halve the number of parts.
    """

    rounds: Floats
    exchanges: Floats

    @staticmethod
    def in_rounds(kernel: Tables, tilings: Tilings) -> Joining:
        """Over local memory alone."""
        items: Floats = np.where(kernel.reductions.own, tilings.items[:, None], 1.0).max(axis=2, initial=1.0)
        return Joining(_rounds(items), 0.0 * items)

    @staticmethod
    def in_sub_groups(kernel: Tables, tilings: Tilings, device: Machine) -> Joining:
        """By sub-groups first, where the fast coordinate is whole ones of them; what they have no function for is joined in rounds of its own."""
        reductions, size = kernel.reductions, device.sub_group
        plain = Joining.in_rounds(kernel, tilings)
        fast = np.where(reductions.own & ~tilings.slow[:, None], tilings.items[:, None], 1.0).max(
            axis=2, initial=1.0
        )
        whole = (fast > 1) & (tilings.group[0] % size == 0)[:, None]
        alone = reductions.exchanged & (tilings.lanes_in(reductions.joined) == 1)
        left = _rounds(fast / size)
        rounds = np.where(whole, np.where(alone, left, left + _rounds(np.array(float(size)))), plain.rounds)
        return Joining(rounds, np.where(whole & alone, log2(size), 0.0))

    @staticmethod
    def chosen(kernel: Tables, tilings: Tilings, device: Machine) -> Joining:
        """By sub-groups where that is cheaper."""
        plain, chosen = Joining.in_rounds(kernel, tilings), by_sub_groups(kernel, tilings, device)[:, None]
        if not chosen.any():
            return plain
        other = Joining.in_sub_groups(kernel, tilings, device)
        return Joining(
            np.where(chosen, other.rounds, plain.rounds), np.where(chosen, other.exchanges, plain.exchanges)
        )

    def cycles(self, kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
        """What it takes each time, by reduction."""
        adding = device.cycles(Op.ADD, float32)
        each = RADIX * (device.cycles(Op.LOAD, float32) + adding) + device.cycles(Op.STORE, float32)
        registers = Groups.of(tilings, device).registers
        copies = product(tilings.copies * tilings.lanes, kernel.reductions.joined) * registers
        exchanging = self.exchanges * copies * (device.shuffle_cycles + adding)
        return self.rounds * (device.cycles(Op.BARRIER, int32) + copies * each) + exchanging


def _rounds(items: Floats) -> Floats:
    """How often so many items exchange parts over local memory: not at all where there is one."""
    return np.ceil(np.log2(items) / np.log2(RADIX))
