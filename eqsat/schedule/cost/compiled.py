"""What an OpenCL compiler makes of scalars: copies side by side become one vector, and so do iterations of the innermost loop.

Nothing of this is as good as explicit vectors, but it decides how schedules without them compare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from eqsat.schedule.cost.accesses import bits
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings

FEWEST = 4  # copies that are worth a vector
LOOP_BYTES = 32  # of the vectors that loops become
INT_BYTES = 4  # of an `int`, in which C computes what is narrower
LOOP_COPIES = (1, 2, 4, 8)  # of elements side by side that loops become vectors with
LOOP_TRIPS = 8  # fewest iterations
LOOP_TIMES, COPIES_TIMES = 1.35, 1.15  # what such vectors take in times of explicit ones


@dataclass(frozen=True)
class Scalars:
    """A range whose elements lie side by side wherever something depends on it.

    Attributes:
        position: its number.
        beside: ranges with which it occurs in one value: no other of them is a vector if it becomes one.
        packs: whether its copies become vectors: those of elementary functions do not.
        lanes: of the vectors that a loop over it becomes, 1 if it becomes none.
        inside: ranges whose loops stand inside the one over it, if they are not parallel.
        always_inside: those of them that never are parallel.
    """

    position: int
    beside: Bools
    packs: bool
    lanes: int
    inside: Bools
    always_inside: Bools


def scalars_of(kernel: Profile) -> tuple[Scalars, ...]:
    """The ranges of a kernel that a compiler may take vectors along."""
    found: list[Scalars] = []
    accesses = kernel.accesses
    reduced, own, far = (
        reduce(int.__or__, masks, 0)
        for masks in (
            [reduction.ranges for reduction in kernel.reductions],
            [access.own for access in accesses],
            [access.own & ~access.walked(1) | access.irregular | access.gate for access in accesses],
        )
    )
    values = [depends for depends, _, _ in kernel.work] + [access.depends for access in accesses]
    bodies = [sits for _, sits, _ in kernel.work] + [access.sits for access in accesses]
    widest = max([size for _, _, size in kernel.work] + [access.itemsize for access in accesses])
    for position in range(len(kernel.extents)):
        if not (own & ~far & ~reduced) >> position & 1:
            continue
        beside = reduce(int.__or__, (mask for mask in values if mask >> position & 1))
        around = reduce(int.__or__, (mask for mask in bodies if mask >> position & 1))
        lanes = 1 if kernel.alone >> position & 1 else LOOP_BYTES // max(widest, INT_BYTES)
        inside = around & -(2 << position) | around & reduced
        masks = bits([beside & ~(1 << position), inside, inside & ~kernel.outputs], len(kernel.extents))
        packs = not kernel.functions >> position & 1
        found.append(Scalars(position, masks[0], packs, lanes, *masks[1:]))
    return tuple(found)


def in_bodies(scalars: tuple[Scalars, ...], tilings: Tilings) -> Tilings:
    """The bodies as they are compiled, for their costs: with lanes where copies, or iterations of a loop, become vectors."""
    lanes, copies = tilings.lanes.copy(), tilings.copies.copy()
    for each in scalars:
        position = each.position
        free = _are_scalar(each, tilings)
        own = tilings.copies[:, position]
        width = np.exp2(np.floor(np.log2(own)))
        packed = free & (width >= FEWEST) & each.packs
        looped = free & _is_loop(each, tilings)
        lanes[:, position] = np.where(looped, each.lanes, np.where(packed, width, lanes[:, position]))
        copies[:, position] = np.where(packed, np.ceil(own / width), own)
    return replace(tilings, lanes=lanes, copies=copies)


def at_once(scalars: tuple[Scalars, ...], loops: Bools, tilings: Tilings, *, at_most: bool = False) -> Floats:
    """By tiling and set of loops, how many times quicker loops over scalars are, being over vectors, which takes longer than explicit ones do.

    With `at_most`, in the best arrangement of outer loops.
    """
    found = np.ones((len(loops), len(tilings)))
    for each in scalars:
        scalar = _are_scalar(each, tilings)
        looped = scalar & _is_loop(each, tilings)
        quicker = each.lanes if at_most else _quicker(each, tilings)
        if looped.any() and at_most:
            looped &= ~tilings.loops[each.always_inside].any(axis=0)
        elif looped.any():
            turns = tilings.loops[each.inside] & ~tilings.parallel.T[each.inside]
            alone = ~turns.any(axis=0) & (tilings.inner_across[each.position] >= LOOP_TRIPS)
            is_fastest = tilings.fastest == each.position
            if is_fastest.any():
                alone |= is_fastest & (tilings.grouped() >= LOOP_TRIPS)
                quicker = np.where(is_fastest, each.lanes, quicker)
            looped &= alone
        packed = scalar & each.packs & (tilings.copies[:, each.position] >= FEWEST)
        faster = np.where(looped, quicker / LOOP_TIMES, np.where(packed, 1.0 / COPIES_TIMES, 1.0))
        found[loops[:, each.position]] *= faster
    return found.T


def _quicker(each: Scalars, tilings: Tilings) -> Floats:
    """How many times fewer iterations a loop has that takes several together: those that are left over are taken one by one."""
    trips = _trips(each, tilings)
    return trips / np.maximum(1.0, trips // each.lanes + trips % each.lanes)


def _trips(each: Scalars, tilings: Tilings) -> Floats:
    return np.floor(tilings.extents[each.position] / tilings.copies[:, each.position])


def _are_scalar(each: Scalars, tilings: Tilings) -> Bools:
    """The tilings in which neither the range nor any beside it is an explicit vector."""
    return tilings.scalar[each.beside].all(axis=0) & tilings.scalar[each.position]


def _is_loop(each: Scalars, tilings: Tilings) -> Bools:
    """The tilings of whose bodies a loop over the range can take several together, and copies alone are no vector."""
    copies = tilings.copies[:, each.position]
    if each.lanes == 1:
        return np.zeros(len(copies), bool)
    is_long = _trips(each, tilings) >= LOOP_TRIPS
    is_free = reduce(np.logical_or, [copies == count for count in LOOP_COPIES]) & is_long
    return is_free & ~(copies >= FEWEST) if each.packs else is_free
