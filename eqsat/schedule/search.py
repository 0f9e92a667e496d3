"""The choice of loops for one kernel: which tilings there are, and which of them is the cheapest.

Candidates come from what the accesses show, not from a list of workloads: an axis can be a vector where some address walks it with
stride 1, a tile of another axis reuses what does not depend on it, and only loops outside all reductions are parallel for free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from math import isqrt

import numpy as np

from eqsat.machine import Machine
from eqsat.schedule.cost import (
    BODY_INSTRUCTIONS,
    TEXT_INSTRUCTIONS,
    body_instructions,
    estimate,
    instructions,
)
from eqsat.schedule.profile import Profile
from eqsat.schedule.tables import Tables
from eqsat.schedule.tiling import Axis, Tiling
from eqsat.uop import UOp

VECTOR_COPIES = (1, 2, 4)
TILES = (2, 3, 4, 6, 8)  # of one axis
SMALL_TILES = (2, 4)  # of each of two axes
MOST_COPIES = 8  # numbers up to this that divide an axis are tried, too
ACCUMULATORS = (1, 2, 4, 8)
SERIAL = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_TRIED = 1 << 16  # divisors of a number of tiles
FINALISTS = 8


@dataclass(frozen=True)
class Choice:
    """The tilings that were costed, the cheapest first, with the seconds that each is predicted to take."""

    ranked: tuple[Tiling, ...]
    seconds: tuple[float, ...]

    @property
    def best(self) -> Tiling:
        """The cheapest."""
        return self.ranked[0]


def choose(kernel: Profile, device: Machine) -> Choice:
    """Costs the bodies under the plainest outer loops, then every arrangement of outer loops around the best bodies."""
    tables = Tables.of(kernel)
    first = _ranked(tables, _plain(tables, device), device)
    others = [tiling for body in first.ranked[:FINALISTS] for tiling in _arrangements(kernel, body.axes)]
    return _ranked(tables, list(dict.fromkeys([*first.ranked, *others])), device)


def every_tiling(kernel: Profile, device: Machine) -> Choice:
    """All bodies in all arrangements of outer loops: tens of times as many as `choose` looks at, for studies of cost models."""
    tables = Tables.of(kernel)
    bodies = _plain(tables, device)
    every = [tiling for body in bodies for tiling in (body, *_arrangements(kernel, body.axes))]
    return _ranked(tables, list(dict.fromkeys(every)), device)


def _plain(tables: Tables, device: Machine) -> list[Tiling]:
    """The bodies that are not too long, and those without copies however long they are, under the plainest outer loops.

    A vector makes no body longer where its lanes lie side by side: only copies are given up, the more of them the sooner.
    """
    kernel = tables.kernel
    parallel = _parallel(kernel, kernel.hoisted or kernel.outputs)
    bodies = [_arranged(kernel, body, parallel, 1) for body in _bodies(kernel, device)]
    short = (body_instructions(tables, bodies) <= BODY_INSTRUCTIONS) & (
        instructions(tables, bodies) <= TEXT_INSTRUCTIONS
    )
    return [body for body, is_short in zip(bodies, short, strict=True) if is_short or not _has_copies(body)]


def _ranked(kernel: Tables, tilings: Sequence[Tiling], device: Machine) -> Choice:
    seconds = estimate(kernel, tilings, device).seconds
    order = np.argsort(seconds, kind="stable")
    return Choice(tuple(tilings[int(place)] for place in order), tuple(map(float, seconds[order])))


def _has_copies(tiling: Tiling) -> bool:
    return any(axis.copies > 1 for axis in tiling.axes)


def _bodies(kernel: Profile, device: Machine) -> Iterator[tuple[Axis, ...]]:
    """What one work-item does at once: a vector axis, tiles of up to two other axes, vectors in reductions."""
    outputs = _positions(kernel.outputs)
    vectors = [None, *_vectors(kernel, outputs, device)]
    for vector in vectors:
        others = [position for position in outputs if vector is None or position != vector[0]]
        for tiles in _tiles(kernel, others):
            for accumulators in _reduction_vectors(kernel, vector, device):
                axes = [Axis()] * len(kernel.extents)
                for position, lanes, copies in [*([vector] if vector else []), *accumulators, *tiles]:
                    axes[position] = Axis(lanes, copies)
                if _one_vector_per_value(kernel, axes):
                    yield tuple(axes)


def _tiles(kernel: Profile, positions: Sequence[int]) -> Iterator[list[tuple[int, int, int]]]:
    """(range, 1, copies) for no axis, for one, and for two."""
    yield []
    for position in positions:
        for copies in _copies(kernel.extents[position], 1, TILES):
            yield [(position, 1, copies)]
    for pair in combinations(positions, 2):
        for copies in product(SMALL_TILES, repeat=2):
            if all(kernel.extents[position] >= size for position, size in zip(pair, copies, strict=True)):
                yield [(position, 1, size) for position, size in zip(pair, copies, strict=True)]


def _vectors(kernel: Profile, positions: Sequence[int], device: Machine) -> list[tuple[int, int, int]]:
    """(range, lanes, copies) for ranges that some address walks with stride 1."""
    return [
        (position, lanes, copies)
        for position in positions
        for lanes in _lanes(kernel, device)
        for copies in _copies(kernel.extents[position], lanes, VECTOR_COPIES)
        if any(access.is_contiguous(position, lanes * copies) for access in kernel.accesses)
    ]


def _copies(extent: int, lanes: int, usual: Sequence[int]) -> list[int]:
    """How many copies of a vector to try along an axis: the usual numbers, and those that divide it."""
    fitting = extent // lanes
    dividing = {copies for copies in range(2, MOST_COPIES + 1) if extent % (lanes * copies) == 0}
    return sorted(copies for copies in {*usual, *dividing} if copies <= fitting)


def _lanes(kernel: Profile, device: Machine) -> tuple[int, ...]:
    """Vector lengths that fill one register with the widest type, or with the narrowest."""
    sizes = [access.itemsize for access in kernel.accesses] + [itemsize for _, _, itemsize in kernel.work]
    fitting = {device.vector_bytes // max(sizes), device.vector_bytes // min(sizes)}
    return tuple(lanes for lanes in device.vector_widths if lanes in fitting) or device.vector_widths[-1:]


def _reduction_vectors(kernel: Profile, vector: tuple[int, int, int] | None,
                       device: Machine) -> list[list[tuple[int, int, int]]]:  # fmt: skip
    """The same vector length and number of accumulators for every reduction that the output's vector leaves free."""
    free: dict[int, None] = {}
    for reduction in kernel.reductions:
        if vector is None or not reduction.value >> vector[0] & 1:
            contiguous = {
                position for position, _, _ in _vectors(kernel, _positions(reduction.ranges), device)
            }
            free.update(dict.fromkeys(sorted(contiguous)[-1:]))
    choices: list[list[tuple[int, int, int]]] = [[]]
    for lanes, copies in product(_lanes(kernel, device), ACCUMULATORS) if free else ():
        fitting = [
            (position, lanes, copies) for position in free if lanes * copies <= kernel.extents[position]
        ]
        if fitting:
            choices.append(fitting)
    return choices


def _one_vector_per_value(kernel: Profile, axes: Sequence[Axis]) -> bool:
    mask = sum(1 << position for position, axis in enumerate(axes) if axis.lanes > 1)
    masks = [key[0] for key in kernel.work] + [access.depends for access in kernel.accesses]
    masks += [reduction.value for reduction in kernel.reductions]
    return all((each & mask).bit_count() <= 1 for each in masks)


def _arrangements(kernel: Profile, axes: tuple[Axis, ...]) -> Iterator[Tiling]:
    """Which outer loops are parallel, in which order, and how many tiles one work-item walks through."""
    outputs = _positions(kernel.outputs)
    sets = {_parallel(kernel, kernel.outputs), _parallel(kernel, kernel.hoisted), *(tuple(outputs[:count]) for count in range(len(outputs))),
            *((position,) for position in outputs)}  # fmt: skip
    for parallel in sorted(sets):
        orders = {parallel, tuple(reversed(parallel))}
        for order, most in product(sorted(orders), SERIAL if parallel else (1,)):
            yield _arranged(kernel, axes, order, most)


def _arranged(kernel: Profile, axes: tuple[Axis, ...], order: Sequence[int], most: int) -> Tiling:
    """The ranges in `order` parallel, the last of them with at most `most` tiles for one work-item; the others loops."""
    arranged = [Axis(axis.lanes, axis.copies) for axis in axes]
    for position in order:
        serial = serial_tiles(
            kernel.extents[position], axes[position].tile, most if position == order[-1] else 1
        )
        arranged[position] = replace(axes[position], parallel=True, serial=serial)
    return Tiling(tuple(arranged), tuple(order))


@cache
def serial_tiles(extent: int, tile: int, most: int) -> int:
    """How many tiles one work-item walks through, at most `most` if that can be: a divisor of their number, so that all do the same.

    The last tile overlaps the one before where `tile` does not divide `extent`. One work-item then does both, or they would race: at
    least two tiles each.
    """
    tiles = -(-extent // tile)
    least = 2 if extent % tile else 1
    divisors = [number for number in range(least, min(most, tiles) + 1) if tiles % number == 0]
    if divisors:
        return divisors[-1]
    tried = range(least, min(isqrt(tiles), MOST_TRIED) + 1)
    return next((number for number in tried if tiles % number == 0), tiles)


def _parallel(kernel: Profile, mask: int) -> tuple[int, ...]:
    return tuple(_positions(mask & kernel.outputs))


def _positions(mask: int) -> list[int]:
    return [position for position in range(mask.bit_length()) if mask >> position & 1]


def tile_sizes(kernel: Profile, device: Machine) -> dict[UOp, tuple[int, ...]]:
    """The tiles that candidates cut each range into."""
    vectors = _lanes(kernel, device)
    sizes: dict[UOp, tuple[int, ...]] = {}
    for position, (bound, extent) in enumerate(zip(kernel.ranges, kernel.extents, strict=True)):
        if kernel.outputs >> position & 1:
            found = {lanes * copies for lanes in vectors for copies in _copies(extent, lanes, VECTOR_COPIES)}
            found.update(_copies(extent, 1, TILES))
        else:
            found = {lanes * copies for lanes in vectors for copies in ACCUMULATORS}
        sizes[bound] = tuple(size for size in sorted(found) if 1 < size <= extent)
    return sizes
