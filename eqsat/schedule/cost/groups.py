"""The costs of work-items that run in groups: a register of the device holds one element of each item, as it holds the lanes of a vector.

A transaction moves one aligned stretch of memory as long as a register. An access by a group takes as many transactions as its items touch
stretches: few where neighbouring items along the fast coordinate access neighbouring elements, one for each item where these are far apart.
Items that access the same bank of local memory do so one after the other.
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
from eqsat.schedule.cost.load_stalls import ordered_ranges
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.vectors import Vectors
from eqsat.schedule.tiling import Bools, Floats, Tilings, product
from eqsat.sub_groups import RADIX

ITEM_BYTES = 4  # bytes of a vector register that each work-item has
LOADS_AT_ONCE = 7.0  # loads that compilers for graphics cards issue before the first use of one
UNROLLED = 8.0  # iterations of a loop that compilers for graphics cards unroll
HIDDEN = 0.15  # latency of a load from a line that was fetched already, relative to other loads
OTHER_WORDS = (
    32.0  # registers of 4 bytes that an item needs for addresses and temporaries, besides accumulators
)
VECTOR_BYTES = 16  # bytes that an item loads with one instruction at most
MOST_RESIDENT = 32  # groups resident on a core at most


@dataclass(frozen=True)
class Groups:
    """The work-items of a group, for each tiling.

    Attributes:
        shared: whether a group has several work-items.
        items: work-items of a group; at least as many as one register has room for, on devices with groups.
        registers: device registers that hold one element of each item.
        register_bytes: bytes of a register that one item has; a whole register on devices without groups.
    """

    shared: Bools
    items: Floats
    registers: Floats
    register_bytes: Floats

    @staticmethod
    def of(tilings: Tilings, device: Machine) -> Groups:
        """The groups of these tilings."""
        items = tilings.together[:, None]
        shared = items > 1
        if device.has_groups:  # fewer items still occupy a whole register
            items = np.maximum(items, width_of(device))
        registers = np.ceil(items * ITEM_BYTES / device.vector_bytes)
        own = ITEM_BYTES if device.has_groups else device.vector_bytes
        return Groups(shared, items, registers, np.where(shared, float(ITEM_BYTES), float(own)))


def width_of(device: Machine) -> int:
    """Work-items whose elements fill one register."""
    return device.vector_bytes // ITEM_BYTES


def resident_groups(tilings: Tilings, registers: Floats, device: Machine) -> Floats:
    """Groups resident on a core at once, for each tiling: one computes while others wait. `registers` are the 4-byte registers of an item."""
    if not device.has_groups:
        return np.ones(len(tilings))
    items = np.maximum(tilings.together, width_of(device))
    most = np.minimum(device.resident_items / items, device.resident_words / (items * registers))
    return np.clip(np.minimum(np.floor(most), tilings.groups / device.cores), 1.0, MOST_RESIDENT)


def words_of(kernel: Tables, tilings: Tilings, chains: Chains) -> Floats:
    """4-byte registers that an item needs: for its accumulators, and for computing addresses and values."""
    reductions = kernel.reductions
    each = product(tilings.lanes, reductions.value) * np.ceil(reductions.itemsize / 4.0)
    return OTHER_WORDS + ((chains.accumulators * each) @ kernel.values_in).max(axis=1, initial=0.0)


def load_cycles(kernel: Tables, device: Machine, loads: Floats) -> Floats:
    """Cycles that a group waits for its loads, given their number by tiling and set of loops.

    Several loads are waited for at once, also those of several iterations, because compilers unroll loops. Loops that run in order have no wait
    here; `cost.load_stalls` counts it.
    """
    loaded = ~(kernel.accesses.store | kernel.accesses.local)
    is_loaded: Bools = kernel.accesses_in[loaded].max(axis=0, initial=0.0) > 0
    is_loaded &= ~kernel.loops[:, ordered_ranges(kernel)].any(axis=1)
    waiting: Floats = np.maximum(loads / LOADS_AT_ONCE, 1.0 / UNROLLED)
    return np.where(is_loaded, device.load_cycles * waiting, 0.0)


def shared_accesses(
    kernel: Tables, tilings: Tilings, vectors: Vectors, device: Machine, groups: Groups
) -> tuple[Floats, Floats, Floats]:
    """(cycles of the ports, cycles of gates, loads that an item waits for), each for all copies of each access."""
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
    """Cycles of the ports for one copy of each access by all items of a group; each item accesses `together` neighbouring elements at once.

    Items of one register that read the same address share one transaction.
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
    """Elements that an item loads or stores with one instruction: lanes of a vector access (`whole`), or neighbouring copies that it loads.

    The number is a power of two, and the first element is at a multiple of it.
    """
    found = np.ones(whole.shape)
    alone = (tilings.copies > 1) & (tilings.lanes == 1) & (tilings.items == 1)
    for position in np.flatnonzero(((tilings.lanes > 1) | alone).any(axis=0)).tolist():
        lanes = np.where(alone, tilings.copies, tilings.lanes)[:, position].astype(np.int64)
        joined = np.where(
            tilings.lanes[:, position, None] > 1, whole, alone[:, position, None] & ~accesses.store
        )
        near = joined & (accesses.strides_in_tiles(tilings, position) == 1) & ~accesses.gate[:, position]
        rest = tilings.extents[position] % tilings.tile[:, position]  # 0 if the last tile is whole
        ends = np.where(rest > 0, tilings.extents[position], 0).astype(np.int64)
        begins = np.gcd(np.gcd(lanes, ends)[:, None], _steps_besides(accesses, position))
        several = np.minimum(begins & -begins, VECTOR_BYTES // accesses.itemsize)
        found = np.where(near, np.maximum(found, several), found)
    return found


def _steps_besides(accesses: Accesses, position: int) -> NDArray[np.int64]:
    """For each access, the greatest common divisor of its strides along all other ranges."""
    others = accesses.strides.astype(np.int64)
    others[:, position] = 0
    return np.gcd.reduce(np.where(accesses.irregular, 1, others), axis=1, initial=0)


def new_lines(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """The share of each access's loads that fetch a new line; in the innermost loop of a reduction, earlier iterations loaded the other lines."""
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
    """How many items of one register access the same bank of local memory, given the bytes between neighbours along the fast coordinate."""
    steps, moves = _steps(accesses, tilings, slow=False)
    banks = device.vector_bytes // ITEM_BYTES
    met = np.gcd((steps // ITEM_BYTES).astype(np.int64), banks)
    return np.where(moves, np.minimum(met, tilings.group[0][:, None]), 1.0)


def _steps(accesses: Accesses, tilings: Tilings, *, slow: bool) -> tuple[Floats, Bools]:
    """(bytes between the accesses of neighbouring items along a coordinate, whether their addresses differ), by tiling and access."""
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
    """Bytes of local memory in which items exchange their parts of shared reductions, by tiling; each round has memory of its own."""
    reductions = kernel.reductions
    if not (tilings.items > 1).any():
        return np.zeros(len(tilings))
    parts = product(tilings.copies * tilings.lanes, reductions.lanes_combined) * tilings.together[:, None]
    return (Joining.chosen(kernel, tilings, device).rounds * parts * reductions.itemsize).sum(axis=1)


def shared_cycles(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """Cycles to join the parts of reductions that items share, by tiling and set of loops."""
    return Joining.chosen(kernel, tilings, device).cycles(kernel, tilings, device) @ kernel.lanes_combined_in


def by_sub_groups(kernel: Tables, tilings: Tilings, device: Machine) -> Bools:
    """For each tiling, whether shared reductions are cheaper if sub-groups join their parts first; such tilings get WARP ranges.

    The fast coordinate of their groups consists of whole sub-groups.
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
        rounds: rounds of exchange over local memory.
        exchanges: exchanges between the registers of a sub-group; each halves the number of parts.
    """

    rounds: Floats
    exchanges: Floats

    @staticmethod
    def in_rounds(kernel: Tables, tilings: Tilings) -> Joining:
        """Joining over local memory alone."""
        items: Floats = np.where(kernel.reductions.own, tilings.items[:, None], 1.0).max(axis=2, initial=1.0)
        return Joining(_rounds(items), 0.0 * items)

    @staticmethod
    def in_sub_groups(kernel: Tables, tilings: Tilings, device: Machine) -> Joining:
        """Joining in sub-groups first, where the fast coordinate consists of whole ones.

        Reductions for which sub-groups have no function take further rounds over local memory instead.
        """
        reductions, size = kernel.reductions, device.sub_group
        plain = Joining.in_rounds(kernel, tilings)
        fast = np.where(reductions.own & ~tilings.slow[:, None], tilings.items[:, None], 1.0).max(
            axis=2, initial=1.0
        )
        whole = (fast > 1) & (tilings.group[0] % size == 0)[:, None]
        alone = reductions.exchanged & (tilings.lanes_in(reductions.lanes_combined) == 1)
        left = _rounds(fast / size)
        rounds = np.where(whole, np.where(alone, left, left + _rounds(np.array(float(size)))), plain.rounds)
        return Joining(rounds, np.where(whole & alone, log2(size), 0.0))

    @staticmethod
    def chosen(kernel: Tables, tilings: Tilings, device: Machine) -> Joining:
        """Joining in sub-groups where that is cheaper, over local memory elsewhere."""
        plain, chosen = Joining.in_rounds(kernel, tilings), by_sub_groups(kernel, tilings, device)[:, None]
        if not chosen.any():
            return plain
        other = Joining.in_sub_groups(kernel, tilings, device)
        return Joining(
            np.where(chosen, other.rounds, plain.rounds), np.where(chosen, other.exchanges, plain.exchanges)
        )

    def cycles(self, kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
        """Cycles of joining once, by tiling and reduction."""
        adding = device.cycles(Op.ADD, float32)
        each = RADIX * (device.cycles(Op.LOAD, float32) + adding) + device.cycles(Op.STORE, float32)
        registers = Groups.of(tilings, device).registers
        copies = product(tilings.copies * tilings.lanes, kernel.reductions.lanes_combined) * registers
        exchanging = self.exchanges * copies * (device.shuffle_cycles + adding)
        return self.rounds * (device.cycles(Op.BARRIER, int32) + copies * each) + exchanging


def _rounds(items: Floats) -> Floats:
    """Rounds over local memory in which so many items join their parts; none for a single item."""
    return np.ceil(np.log2(items) / np.log2(RADIX))
