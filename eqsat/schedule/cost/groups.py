"""What work-items of a group take together: a register of the device holds one element of each of them, as it holds the lanes of a vector.

An access of a group is as many transactions as there are stretches of one register's bytes in what its items access: few where items lie side by
side along the fast coordinate, one for each item where they are far apart. Elements of one bank of local memory are accessed one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np

from eqsat.dtype import float32, int32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.loops.groups import ITEM_BYTES
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings, product

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
        registers = np.ceil(items * ITEM_BYTES / device.vector_bytes)
        return Groups(
            shared, items, registers, np.where(shared, float(ITEM_BYTES), float(device.vector_bytes))
        )


def transactions(
    accesses: Accesses, tilings: Tilings, whole: Bools, lanes: Floats, device: Machine
) -> Floats:
    """Cycles of the ports for one copy of each access by all items of a group; `whole`: the lanes of an item are one access of it."""
    together = np.where(whole, lanes, 1.0)
    own = together * accesses.itemsize
    apart = np.ones(lanes.shape)
    for items, slow in zip(tilings.group, (False, True), strict=True):
        steps, moves = _steps(accesses, tilings, slow=slow)
        reach = np.ceil(((items[:, None] - 1) * steps + own) / device.vector_bytes)
        apart *= np.where(moves, np.minimum(items[:, None], reach), 1.0)
    least = np.ceil(tilings.together[:, None] * own / device.vector_bytes)
    met = least * np.maximum(1.0, _conflicts(accesses, tilings, device) * ITEM_BYTES / own)
    busy = np.where(accesses.local, met, np.maximum(least, apart))
    rate = np.where(accesses.store, device.cycles(Op.STORE, float32), device.cycles(Op.LOAD, float32))
    return rate * busy * lanes / together


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
