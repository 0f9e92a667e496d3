"""Bytes that a kernel moves through each level of the memory hierarchy, for many tilings at once.

The bodies of a kernel's innermost loops share the loops around them: loops beside each other run one after the other, so what they fetch
adds up. What one iteration of the shared loops touches may fit a cache; then a later body finds there what an earlier one has fetched.
Walking the loops from the innermost out, the elements touched grow; up to the loop at which they still fit a cache, what was fetched
into it is used again for nothing, and every loop further out fetches it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import Machine
from eqsat.schedule.tables import Accesses, Tables
from eqsat.schedule.tiling import Bools, Floats, Tilings, product

# What stored bytes cost that go to memory, in times of what they cost a work-item that stores to one stretch only.
TWO_STREAMS = 1.45


@dataclass(frozen=True)
class Loop:
    """The loop at one depth: of which range, and its iterations, for each tiling."""

    position: NDArray[np.int64]
    iterations: Floats


@dataclass(frozen=True, eq=False)
class Body:
    """An innermost loop body, or several in the same loops.

    Attributes:
        loops: ranges around all of it.
        inside: ranges of loops within it.
        accesses: those that belong to it.
        parts: bodies in more loops, which run one after the other; none of an innermost one.
    """

    loops: Bools
    inside: Bools
    accesses: Bools
    parts: tuple[Body, ...] = ()


def memory_seconds(kernel: Tables, tilings: Tilings, busy: Floats, device: Machine) -> Floats:
    """The slowest of the three transfers: from level 2, from level 3 (by the busiest core, which does `busy` of all), from memory.

    What fits the last cache is still there from the kernel, or the run, before.
    """
    accesses = kernel.accesses
    visit = _runs(accesses, np.minimum(tilings.tile, tilings.extents), device)
    level2, level3, memory = traffic(accesses, tilings, bodies(kernel), device)
    touched = _most(accesses, np.broadcast_to(_span_bytes(accesses, tilings.extents, device), visit.shape))
    memory = np.where((touched.sum(axis=1) <= device.cache_bytes[-1])[:, None], 0.0, memory)
    nest = _nest(tilings, np.ones(len(tilings.extents), bool))
    delays = device.visit_bytes / _most(accesses, visit) + device.jump_bytes / _most(
        accesses, _streams(accesses, visit, nest)
    )
    several = _stored(accesses) & (_store_streams(accesses, tilings) > 1)[:, None]
    memory *= np.where(several, TWO_STREAMS, 1.0)
    core = busy / device.frequency
    per_cycle = device.cache_bytes_per_cycle
    cached = np.maximum(
        level2.sum(axis=1) / per_cycle[0], (level3 * (1.0 + delays)).sum(axis=1) / per_cycle[1]
    ) * core  # fmt: skip
    share = np.minimum(
        tilings.groups / device.cores, 1.0
    )  # one core alone gets half of what the memory can deliver
    return np.maximum(cached, (memory * (1.0 + delays)).sum(axis=1) / (device.bandwidth * (0.5 + share / 2)))


def _span_bytes(accesses: Accesses, spans: Floats, device: Machine) -> Floats:
    """Bytes that each access touches while the ranges run over these spans; one row for all tilings."""
    spans = spans[None, :]
    return np.minimum(_lines(accesses, spans) * _runs(accesses, spans, device), accesses.size)


def bodies(kernel: Tables) -> Body:
    """All of a kernel as a tree of loops; an access belongs to the first innermost body around it."""
    loops = [
        body for body in kernel.bodies if sum(bool((body <= other).all()) for other in kernel.bodies) == 1
    ]
    free = np.ones(len(kernel.accesses.store), bool)
    innermost: list[Body] = []
    for each in loops:
        own = free & (kernel.accesses.sits <= each).all(axis=1)
        free &= ~own
        innermost.append(Body(each, np.zeros_like(each), own))
    return _joined(innermost)


def _joined(innermost: Sequence[Body]) -> Body:
    """The tree of these bodies."""
    if len(innermost) == 1:
        return innermost[0]
    loops = np.logical_and.reduce([body.loops for body in innermost])
    inside = np.logical_or.reduce([body.loops for body in innermost], initial=False) & ~loops
    groups: list[list[Body]] = []  # those of one group have more loops in common
    for body in innermost:
        near = [
            group for group in groups if any((body.loops & other.loops & inside).any() for other in group)
        ]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), body])
    parts = [_joined(group) for group in groups] if len(groups) > 1 else innermost
    accesses = np.logical_or.reduce([body.accesses for body in innermost])
    return Body(loops, inside, accesses, tuple(parts))


def traffic(accesses: Accesses, tilings: Tilings, body: Body, device: Machine) -> list[Floats]:
    """Bytes that cross into the cache of each level, by tiling and buffer."""
    nest = _nest(tilings, body.loops)
    sizes, packed = _footprints(accesses, tilings, body, nest, device)
    parts = [traffic(accesses, tilings, part, device) for part in body.parts]
    found: list[Floats] = []
    for level, (capacity, way) in enumerate(zip(device.cache_bytes, device.way_bytes, strict=True)):
        room = packed if way > device.line_bytes else sizes.sum(axis=2)
        bytes_in = _refetched(accesses, tilings, body, nest, sizes, room, capacity)
        if parts:
            apart = sum(part[level] for part in parts)
            bytes_in = np.where((room[0] <= capacity)[:, None], bytes_in, apart)
        found.append(bytes_in)
    return found


def _footprints(
    accesses: Accesses, tilings: Tilings, body: Body, nest: Sequence[Loop], device: Machine
) -> tuple[Floats, Floats]:
    """What a body touches, by depth of the nest around it, tiling and buffer; and the room that takes, all together, in a cache of few sets."""
    spans = np.where(body.inside, tilings.extents, np.minimum(tilings.tile, tilings.extents))
    sizes: list[Floats] = []
    room: list[Floats] = []
    rows = np.arange(len(spans))
    for loop in (None, *nest):
        if loop is not None:
            extents = tilings.extents[loop.position]
            spans[rows, loop.position] = np.minimum(spans[rows, loop.position] * loop.iterations, extents)
        runs, lines = _runs(accesses, spans, device), _lines(accesses, spans)
        sizes.append(_of(accesses, body, np.minimum(lines * runs, accesses.size)))
        sets = np.maximum(runs, _set_bytes(accesses, spans, max(device.way_bytes)))
        room.append(_of(accesses, body, np.minimum(lines * sets, accesses.size)).sum(axis=1))
    return np.stack(sizes), np.stack(room)


def _refetched(accesses: Accesses, tilings: Tilings, body: Body, nest: list[Loop], sizes: Floats, room: Floats,
               capacity: float) -> Floats:  # fmt: skip
    """What the innermost loop that does not fit touches, times how often loops around it fetch that again.

    An iteration of that loop finds what the one before has left: the rest of a line, and rows that a stencil has in common with it.
    """
    rows = np.arange(len(tilings.groups))
    depth = np.count_nonzero(np.logical_and.accumulate(room[1:] <= capacity, axis=0), axis=0)
    size = sizes[np.minimum(depth + 1, len(nest)), rows]
    sits = _any(accesses, accesses.sits & body.accesses[:, None])
    repeats = np.ones_like(size)
    for place, loop in enumerate(nest):
        outside = (place > depth) & (loop.iterations > 1)
        again = sits[:, loop.position].T | tilings.parallel[rows, loop.position, None]
        repeats *= np.where(outside[:, None] & again, loop.iterations[:, None], 1.0)
    return size * repeats


def _nest(tilings: Tilings, loops: Bools) -> list[Loop]:
    """The loops around a body, the innermost first; one that a tiling does not have has one iteration. Work-items run all bodies.

    Loops that no tiling has are left out.
    """
    rows = np.arange(len(tilings.groups))
    own = np.where(tilings.parallel | ~loops, 1.0, tilings.inner)
    places = range(tilings.inner.shape[1])
    nest = [Loop(np.full(len(rows), place), own[:, place]) for place in reversed(places) if loops[place]]
    serial = np.where(loops, tilings.serial, 1.0)
    for iterations in (serial, tilings.outer):
        for column in reversed(tilings.order.T):
            position = np.maximum(column, 0)
            nest.append(Loop(position, np.where(column < 0, 1.0, iterations[rows, position])))
    return [loop for loop in nest if (loop.iterations > 1).any()]


def _set_bytes(accesses: Accesses, spans: Floats, way: float) -> Floats:
    """Bytes of a cache that each line takes up: a stride that is a multiple of a power of two leaves most sets of the cache empty."""
    taken = np.full((len(spans), len(accesses.store)), np.inf)
    for position in range(spans.shape[1]):
        moving = (spans[:, position] > 1)[:, None] & accesses.jumps[:, position]
        taken = np.where(moving, np.minimum(taken, np.gcd(accesses.step_bytes[:, position], int(way))), taken)
    return np.where(np.isinf(taken), 0.0, taken)


def _lines(accesses: Accesses, spans: Floats) -> Floats:
    """Stretches of memory, by tiling and access, while the ranges run over these spans."""
    return _steps(accesses, spans, accesses.jumps)


def _runs(accesses: Accesses, spans: Floats, device: Machine) -> Floats:
    """Bytes that lie side by side while the ranges run over these spans, a cache line at least."""
    return np.maximum(
        _steps(accesses, spans, accesses.unit) * accesses.itemsize,
        np.minimum(device.line_bytes, accesses.size),
    )


def _steps(accesses: Accesses, spans: Floats, masks: Bools) -> Floats:
    """Different places that the ranges of masks reach: of two ranges with one stride, as in a convolution, most places are the same."""
    places = product(spans, masks)
    for number, positions in accesses.twins:
        if masks[number, positions[0]]:
            own = spans[:, positions]
            places[:, number] *= (1.0 + (own - 1.0).sum(axis=1)) / own.prod(axis=1)
    return places


def _streams(accesses: Accesses, visit: Floats, nest: list[Loop]) -> Floats:
    """Bytes that lie side by side while the innermost loop that moves an access runs."""
    length = visit.copy()
    moved = np.zeros(visit.shape, bool)
    for loop in nest:
        moves = (loop.iterations > 1)[:, None] & accesses.own[:, loop.position].T & ~moved
        along = moves & accesses.unit[:, loop.position].T
        length *= np.where(along, loop.iterations[:, None], 1.0)
        moved |= moves
    return length


def _store_streams(accesses: Accesses, tilings: Tilings) -> Floats:
    """Stretches of memory that the body of a work-item stores to."""
    return product(tilings.copies, accesses.jumps[accesses.store]).sum(axis=1)


def _stored(accesses: Accesses) -> Bools:
    """By buffer, whether it is written."""
    return np.logical_or.reduceat(accesses.store, accesses.first)


def _of(accesses: Accesses, body: Body, values: Floats) -> Floats:
    """By buffer, the greatest of the values of its accesses in a body, 0 where there is none."""
    return _most(accesses, np.where(body.accesses, values, 0.0))


def _most(accesses: Accesses, values: Floats) -> Floats:
    """By buffer, the greatest of the values of its accesses."""
    return np.maximum.reduceat(values, accesses.first, axis=1)


def _any(accesses: Accesses, masks: Bools) -> Bools:
    """By buffer, the ranges in a mask of any of its accesses."""
    return np.logical_or.reduceat(masks, accesses.first, axis=0)
