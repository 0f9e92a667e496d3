"""How an OpenCL compiler for processors vectorizes scalar code: neighbouring copies become one vector, and so do iterations of the innermost loop.

Such vectors are slower than explicit ones, but they decide how schedules without explicit vectors compare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from eqsat.schedule.cost.accesses import bits
from eqsat.schedule.cost.profile import Access, Profile
from eqsat.schedule.tiling import Bools, Floats, Tilings
from eqsat.support.bits import union

FEWEST = 4  # copies from which on compilers pack neighbouring copies into a vector
LOOP_BYTES = 32  # bytes of the vectors that compilers turn loops into
INT_BYTES = 4  # bytes of an `int`: C computes narrower integers in it
LOOP_COPIES = (1, 2, 4, 8)  # unrolled copies with which compilers still vectorize a loop
OVERLAPPING_COPIES = (1, 2)  # the same where neighbouring copies load the same elements
LOOP_TRIPS = 8  # fewest iterations of a loop that compilers vectorize
UNROLLED_TRIPS = 16  # most iterations of loops that compilers write out before they vectorize the loop around
LOOP_TIMES, COPIES_TIMES = 1.35, 1.15  # time of compiled vectors relative to explicit ones


@dataclass(frozen=True)
class Scalars:
    """A range along which a compiler can vectorize scalar code, because all accesses along it touch neighbouring elements.

    Attributes:
        position: number of the range.
        beside: ranges that vary together with this one in some value; none of them may be an explicit vector if this one becomes a vector.
        packs: whether compilers pack its copies into vectors. Copies of elementary functions stay scalar, and so do copies that load after
            another one has stored, as without a reduction: the compiler has to expect that the store changes what is loaded.
        lanes: lanes of the vectors that a loop over the range becomes, 1 if compilers do not vectorize it.
        overlap: whether neighbouring elements are computed of overlapping stretches, as in a stencil.
        inside: ranges whose loops are inside the loop over this range, unless they are parallel.
        always_inside: the ranges of `inside` that are never parallel.
    """

    position: int
    beside: Bools
    packs: bool
    lanes: int
    overlap: bool
    inside: Bools
    always_inside: Bools


def scalars_of(kernel: Profile) -> tuple[Scalars, ...]:
    """The ranges of a kernel along which a compiler may vectorize scalar code."""
    found: list[Scalars] = []
    accesses = kernel.accesses
    reduced, own, far = (
        union(masks)
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
        beside = union(mask for mask in values if mask >> position & 1)
        around = union(mask for mask in bodies if mask >> position & 1)
        lanes = 1 if kernel.not_vectorized >> position & 1 else LOOP_BYTES // max(widest, INT_BYTES)
        inside = around & -(2 << position) | around & reduced
        masks = bits([beside & ~(1 << position), inside, inside & ~kernel.outputs], len(kernel.extents))
        packs = bool(kernel.reductions) and not kernel.functions >> position & 1
        overlap = any(_overlaps(access, position) for access in accesses)
        found.append(Scalars(position, masks[0], packs, lanes, overlap, *masks[1:]))
    return tuple(found)


def _overlaps(access: Access, position: int) -> bool:
    """Whether an access reads overlapping stretches at neighbouring positions of a range: it is several loads, or moves alike along another range."""
    stride = access.strides.get(position)
    others = [n for place, n in access.strides.items() if place != position]
    return stride is not None and not access.store and (access.count > 1 or stride in others)


def in_bodies(scalars: tuple[Scalars, ...], tilings: Tilings) -> Tilings:
    """The tilings after auto-vectorization by a compiler: a range has lanes where its copies, or iterations of its loop, become vectors."""
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
    """The factor by which vectorization by the compiler speeds up the scalar loops, by tiling and set of loops.

    It accounts for compiled vectors being slower than explicit ones. With `at_most`, it is the factor under the best arrangement of outer loops.
    """
    found = np.ones((len(loops), len(tilings)))
    for each in scalars:
        scalar = _are_scalar(each, tilings)
        looped = scalar & _is_loop(each, tilings)
        quicker = each.lanes if at_most else _quicker(each, _trips(each, tilings))
        if looped.any() and at_most:
            looped &= tilings.inner_across[each.always_inside].prod(axis=0) <= UNROLLED_TRIPS
        elif looped.any():
            turns = np.where(tilings.parallel.T, 1.0, tilings.inner_across)[each.inside].prod(axis=0)
            alone = (turns <= UNROLLED_TRIPS) & (tilings.inner_across[each.position] >= LOOP_TRIPS)
            is_fastest = tilings.fastest == each.position
            if is_fastest.any():
                items = np.minimum(tilings.grouped(), _trips(each, tilings))
                grouped = is_fastest & (items >= LOOP_TRIPS)
                alone |= grouped
                trips = np.where(grouped, items, tilings.inner_across[each.position])
                quicker = np.where(is_fastest, _quicker(each, trips), quicker)
            looped &= alone
        packed = scalar & each.packs & (tilings.copies[:, each.position] >= FEWEST)
        faster = np.where(looped, quicker / LOOP_TIMES, np.where(packed, 1.0 / COPIES_TIMES, 1.0))
        found[loops[:, each.position]] *= faster
    return found.T


def _quicker(each: Scalars, trips: Floats) -> Floats:
    """The factor by which vectorization reduces the iterations of a loop; iterations left over by whole vectors run one by one."""
    return trips / np.maximum(1.0, trips // each.lanes + trips % each.lanes)


def _trips(each: Scalars, tilings: Tilings) -> Floats:
    return np.floor(tilings.extents[each.position] / tilings.copies[:, each.position])


def _are_scalar(each: Scalars, tilings: Tilings) -> Bools:
    """The tilings in which neither the range nor any range beside it is an explicit vector."""
    return tilings.scalar[each.beside].all(axis=0) & tilings.scalar[each.position]


def _is_loop(each: Scalars, tilings: Tilings) -> Bools:
    """The tilings in which a compiler can vectorize the loop over the range, and does not pack its copies into vectors instead."""
    copies = tilings.copies[:, each.position]
    if each.lanes == 1:
        return np.zeros(len(copies), bool)
    is_long = _trips(each, tilings) >= LOOP_TRIPS
    counts = OVERLAPPING_COPIES if each.overlap else LOOP_COPIES
    is_free = reduce(np.logical_or, [copies == count for count in counts]) & is_long
    return is_free & ~(copies >= FEWEST) if each.packs else is_free
