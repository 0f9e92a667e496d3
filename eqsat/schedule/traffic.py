"""Bytes that a kernel moves through each level of the memory hierarchy, for many tilings at once.

Walking the loops from the innermost out, the elements touched grow; up to the loop at which they still fit a cache, what was fetched
into it is used again for nothing, and every loop further out fetches it anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import Machine
from eqsat.schedule.tables import Accesses, Tables, bits
from eqsat.schedule.tiling import Bools, Floats, Tilings, product


@dataclass(frozen=True)
class Loop:
    """The loop at one depth: of which range, and its iterations, for each tiling."""

    position: NDArray[np.int64]
    iterations: Floats


def memory_seconds(kernel: Tables, tilings: Tilings, busy: Floats, device: Machine) -> Floats:
    """The slowest of the three transfers: from level 2, from level 3 (by the busiest core, which does `busy` of all), from memory."""
    nest = _nest(tilings)
    rows = np.arange(len(busy))
    spans = np.minimum(tilings.tile, tilings.extents)
    visit = _runs(kernel.accesses, spans, device)
    footprints = [_footprints(kernel.accesses, spans, device)]
    for loop in nest:
        extents = tilings.extents[loop.position]
        spans[rows, loop.position] = np.minimum(spans[rows, loop.position] * loop.iterations, extents)
        footprints.append(_footprints(kernel.accesses, spans, device))
    touched = np.stack(footprints)
    level2, level3, memory = (_traffic(kernel, tilings, nest, touched, size) for size in device.cache_bytes)
    core = busy / device.frequency
    per_cycle = device.cache_bytes_per_cycle
    cached = np.maximum(level2.sum(axis=1) / per_cycle[0], level3.sum(axis=1) / per_cycle[1]) * core
    delays = device.visit_bytes / _most(kernel.accesses, visit) + device.jump_bytes / _most(
        kernel.accesses, _streams(kernel.accesses, visit, nest)
    )
    share = np.minimum(
        tilings.groups / device.cores, 1.0
    )  # one core alone gets half of what the memory can deliver
    return np.maximum(cached, (memory * (1.0 + delays)).sum(axis=1) / (device.bandwidth * (0.5 + share / 2)))


def _nest(tilings: Tilings) -> list[Loop]:
    """The loops, the innermost first; one that a tiling does not have has one iteration."""
    rows = np.arange(len(tilings.groups))
    places = range(tilings.inner.shape[1])
    own = np.where(tilings.parallel, 1.0, tilings.inner)
    nest = [Loop(np.full(len(rows), place), own[:, place]) for place in reversed(places)]
    for iterations in (tilings.serial, tilings.outer):
        for column in reversed(tilings.order.T):
            position = np.maximum(column, 0)
            nest.append(Loop(position, np.where(column < 0, 1.0, iterations[rows, position])))
    return nest


def _traffic(kernel: Tables, tilings: Tilings, nest: list[Loop], touched: Floats, capacity: float) -> Floats:
    """Bytes that cross into a cache of `capacity`, by buffer; `touched` are footprints by depth, tiling and buffer."""
    rows = np.arange(len(tilings.groups))
    fitting = np.logical_and.accumulate(touched[1:].sum(axis=2) <= capacity, axis=0)
    level = np.count_nonzero(fitting, axis=0)
    size = touched[level, rows]
    depends, sits = _buffer_ranges(kernel)
    repeats = np.ones_like(size)
    entered = np.zeros(len(rows), bool)
    for depth, loop in enumerate(nest):
        outside = (depth >= level) & (loop.iterations > 1)
        stays = (outside & ~entered)[:, None] & ~depends[:, loop.position].T & (size <= capacity / 2)
        entered |= outside
        again = sits[:, loop.position].T | tilings.parallel[rows, loop.position, None]
        repeats *= np.where(outside[:, None] & again & ~stays, loop.iterations[:, None], 1.0)
    return size * repeats


def _buffer_ranges(kernel: Tables) -> tuple[Bools, Bools]:
    """By buffer: the ranges that addresses into it depend on, and those that accesses to it sit in."""
    masks = [kernel.kernel.buffer_masks[buffer] for buffer in sorted(kernel.kernel.buffer_masks)]
    count = len(kernel.kernel.extents)
    return bits([depends for depends, _ in masks], count), bits([sits for _, sits in masks], count)


def _footprints(accesses: Accesses, spans: Floats, device: Machine) -> Floats:
    """Bytes of cache that each buffer takes while the ranges run over these spans, for each tiling."""
    lines = product(spans, accesses.jumps)
    return _most(accesses, np.minimum(lines * _runs(accesses, spans, device), accesses.size))


def _runs(accesses: Accesses, spans: Floats, device: Machine) -> Floats:
    """Bytes that lie side by side while the ranges run over these spans, a cache line at least."""
    return np.maximum(
        product(spans, accesses.unit) * accesses.itemsize, np.minimum(device.line_bytes, accesses.size)
    )


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


def _most(accesses: Accesses, values: Floats) -> Floats:
    """By buffer, the greatest of the values of its accesses."""
    return np.maximum.reduceat(values, accesses.first, axis=1)
