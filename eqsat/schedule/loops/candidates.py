"""The tilings of one kernel that are worth a price, as arrays: bodies of its loops, and arrangements of the loops around them.

Candidates come from what the accesses show, not from a list of workloads: an axis can be a vector where some address walks it with
stride 1, a tile of another axis reuses what does not depend on it, and only loops outside all reductions are parallel for free.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce
from itertools import combinations, product
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import SELECTED, TILE_ROWS, Machine
from eqsat.ops import AxisType
from eqsat.schedule.cost.accesses import bits
from eqsat.schedule.cost.profile import Profile, mask_of, positions_of
from eqsat.schedule.loops.groups import with_groups
from eqsat.schedule.loops.lanes import lanes_along, lanes_of
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings, padded

VECTOR_COPIES = (1, 2, 4)
TILES = (2, 3, 4, 6, 8)  # of one axis
SMALL_TILES = ((2, 2), (2, 4), (4, 2), (4, 4), (2, 6), (6, 2))  # of two axes
TILES_APART = ((6, 6), (8, 8))  # of two axes that no value varies with both of, besides
MOST_COPIES = 8  # numbers up to this that divide an axis are tried, too
ACCUMULATORS = (1, 2, 4, 8)
LOADED_TOGETHER = (4, 8)
FILLING = (1, 2)  # vectors at a time of what is only copied to local memory
SHORT = 4  # iterations of a reduction up to which doing all of them at once is tried
SERIAL = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_TRIED = 1 << 16  # divisors of a number of tiles


class Tile(NamedTuple):
    """Elements of one range that are handled at once."""

    position: int
    lanes: int
    copies: int


Tiles = tuple[Tile, ...]
NO_RANGES = 0  # as a mask
Rows = NDArray[np.int64]


def bodies(kernel: Profile, device: Machine) -> Tilings:
    """What one work-item can do at once, under the plainest outer loops: a vector axis, vectors in reductions, tiles of up to two other axes."""
    outputs, widths = positions_of(kernel.outputs), lanes_of(kernel, device)
    vectors = {
        position: _vectors(kernel, position, lanes_along(kernel, device, position))
        for position in range(len(kernel.extents))
    }
    fits, tiles = (
        _one_vector_per_value(kernel),
        list(_tiles(kernel, positions_of(kernel.written), widths, _rows(kernel, device))),
    )
    taken, beside = _cut(kernel, tiles), list[Tiles]()
    chosen: list[tuple[Rows, Rows]] = []  # numbers of `tiles` and of `beside`
    for output in (NO_RANGES, *(mask_of([position]) for position in outputs if vectors[position])):
        along = [
            more
            for more in _in_steps(
                kernel, device, _accumulators(kernel, output, vectors, widths, copied=device.local_size > 1)
            )
            if fits(output | mask_of(tile.position for tile in more if tile.lanes > 1))
        ]
        cut = _cut(kernel, along) | bits([output], len(kernel.extents))
        numbers, rows = np.nonzero(~(taken @ cut.T))  # those that cut different ranges
        for vector in [(each,) for position in positions_of(output) for each in vectors[position]] or [()]:
            chosen.append((numbers, rows + len(beside)))
            beside += [(*vector, *more) for more in along]
    numbers, rows = map(np.concatenate, zip(*chosen, strict=True))
    lanes, copies = _sizes(kernel, tiles).take(numbers, axis=1) * _sizes(kernel, beside).take(rows, axis=1)
    extents, once = np.array(kernel.extents, np.float64), np.ones(lanes.shape)
    none, order = np.full(lanes.shape, fill_value=False), np.empty((len(lanes), 0), np.int64)
    found = with_groups(kernel, device, Tilings(extents, lanes, copies, once, none, order, once, none))
    if kernel.combines and device.local_size > 1:  # items of a group would begin results that others combine
        found = found.take(np.flatnonzero(~found.overlaps.any(axis=1)))
    numbers = np.zeros(len(found), np.int64)
    return _arranged(kernel, found, _least_serial(kernel, found), _plain_orders(kernel)[:1], numbers, None)


def in_plain_orders(kernel: Profile, bodies: Tilings) -> tuple[Tilings, Rows]:
    """These bodies in each of the plainest orders; the rows of the bodies come with them."""
    plain = _plain_orders(kernel)
    body, order = np.divmod(np.arange(len(bodies) * len(plain)), len(plain))
    least = _least_serial(kernel, bodies).take(body, axis=0)
    return _arranged(kernel, bodies.take(body), least, plain, order, None), body


def count_of_plain_orders(kernel: Profile) -> int:
    """How many plainest orders there are."""
    return len(_plain_orders(kernel))


def arrangements(kernel: Profile, bodies: Tilings) -> tuple[Tilings, Rows]:
    """All other outer loops of these bodies: which are parallel, in which order, and how many tiles one work-item walks through.

    The rows of the bodies come with them.
    """
    plain, orders = _plain_orders(kernel), _orders(kernel)
    serials = [
        _serials(kernel, order, tile)[1 if order in plain else 0 :]
        for tile in _integers(bodies.tile)
        for order in orders
    ]
    numbers = np.repeat(np.arange(len(serials)), [len(each) for each in serials])
    body, order = np.divmod(numbers, len(orders))
    every = [serial for each in serials for serial in each]
    least = _least_serial(kernel, bodies).take(body, axis=0)
    return _arranged(kernel, bodies.take(body), least, orders, order, every), body


def _cut(kernel: Profile, chosen: Sequence[Tiles]) -> Bools:
    """The ranges that each of the chosen cuts."""
    return bits([mask_of(tile.position for tile in tiles) for tiles in chosen], len(kernel.extents))


def _integers(tiles: Floats) -> list[list[int]]:
    return tiles.astype(np.int64).tolist()


def _sizes(kernel: Profile, chosen: Sequence[Tiles]) -> Floats:
    """Lanes and copies (first axis) of each range (last axis), a row for each of the chosen."""
    sizes = np.ones((2, len(chosen), len(kernel.extents)))
    cut = np.array([(row, *tile) for row, tiles in enumerate(chosen) for tile in tiles], np.int64)
    rows, positions, lanes, copies = cut.reshape(-1, 4).T
    sizes[:, rows, positions] = lanes, copies
    return sizes


def _one_vector_per_value(kernel: Profile) -> Callable[[int], bool]:
    """Tells whether vectors along the ranges of a mask meet in no value."""
    values = _values(kernel)

    @cache
    def fits(mask: int) -> bool:
        return all((value & mask).bit_count() <= 1 for value in values)

    return fits


def _values(kernel: Profile) -> set[int]:
    """The ranges that each value varies with, a mask."""
    values = {depends for depends, _, _ in kernel.work} | {access.depends for access in kernel.accesses}
    return values | {reduction.value for reduction in kernel.reductions}


def _tiles(kernel: Profile, positions: Sequence[int], widths: Sequence[int], rows: int) -> Iterator[Tiles]:
    """Copies along no axis, along one, and along two. Along one, as many as lanes if accesses are contiguous along different axes,
    or along rows (a mask) as many as a matrix register has.
    """
    yield ()
    reused = kernel.outputs  # what a tile of two axes has in common, reductions use again
    for reduction in kernel.reductions:
        reused |= reduction.value
    contiguous = [
        position
        for position in positions
        if any(access.stride(position, 1) == 1 for access in kernel.accesses)
    ]
    for position in positions:
        square = widths if position in contiguous and len(contiguous) > 1 else ()
        usual = (*TILES, *square) if reused >> position & 1 else square
        if rows >> position & 1:
            usual = (*usual, TILE_ROWS)
        for copies in copies_of(kernel.extents[position], 1, usual) if usual else ():
            yield (Tile(position, 1, copies),)
    paired = [each for each in positions if reused >> each & 1 and not _moves_border(kernel, each)]
    values = _values(kernel)
    for pair in combinations(paired, 2):
        mask = mask_of(pair)
        is_apart = all(value & mask != mask for value in values)
        for copies in (*SMALL_TILES, *TILES_APART) if is_apart else SMALL_TILES:
            tiles = tuple(Tile(position, 1, size) for position, size in zip(pair, copies, strict=True))
            if all(tile.copies <= kernel.extents[tile.position] for tile in tiles):
                yield tiles


def _rows(kernel: Profile, device: Machine) -> int:
    """The ranges along which matrix registers could take rows of words, a mask."""
    if not device.tile_cycles:
        return 0
    return reduce(int.__or__, (rows for each in kernel.reductions for rows, _ in each.tiles), 0)


def _vectors(kernel: Profile, position: int, widths: Sequence[int]) -> list[Tile]:
    """Vectors along a range that some address walks with stride 1, or one at which lanes are selected, or that is around local memory."""
    near = (1, *SELECTED)
    in_tiles = [access for access in kernel.accesses if access.irregular >> position & 1]
    linear = [access for access in kernel.accesses if not access.irregular >> position & 1]
    is_near = any(access.strides.get(position) in near for access in linear)
    is_around = any(around >> position & 1 for around in kernel.around_stages)
    always = is_near or (is_around and not _moves_border(kernel, position))
    return [
        Tile(position, lanes, copies)
        for lanes in widths
        for copies in copies_of(kernel.extents[position], lanes, VECTOR_COPIES)
        if always or any(access.stride(position, lanes * copies) in near for access in in_tiles)
    ]


def _moves_border(kernel: Profile, position: int) -> bool:
    """Whether a range around local memory moves what is filled in past a border, so that each step needs memory and gates of its own."""
    around = any(mask >> position & 1 for mask in kernel.around_stages)
    return around and any(access.gate >> position & 1 for access in kernel.accesses)


@cache
def copies_of(extent: int, lanes: int, usual: tuple[int, ...]) -> tuple[int, ...]:
    """How many copies of a vector to try along an axis: the usual numbers, and those that divide it."""
    fitting = extent // lanes
    dividing = {copies for copies in range(2, MOST_COPIES + 1) if extent % (lanes * copies) == 0}
    return tuple(sorted(copies for copies in {*usual, *dividing} if copies <= fitting))


def _accumulators(kernel: Profile, output: int, vectors: Mapping[int, Sequence[Tile]],
                  widths: Sequence[int], *, copied: bool) -> list[Tiles]:  # fmt: skip
    """The same vector length and number of accumulators for every reduction, and all local memory, that a vector along an output leaves free.

    `output` is a mask, of no range where there is no such vector. Each of these also with the iterations of short ones all at once; with `copied`,
    with several iterations of others.
    """
    free: dict[int, None] = {}
    for reduction in kernel.reductions:
        if not reduction.value & output:
            contiguous = [position for position in positions_of(reduction.ranges) if vectors[position]]
            free.update(dict.fromkeys(contiguous[-1:]))
    reduced = bool(free)
    for filling in (access for access in kernel.accesses if access.is_local and access.store):
        if not filling.depends & output:
            free.update(dict.fromkeys(positions_of(filling.walked(1))))
    choices = [
        tuple(Tile(position, lanes, copies) for position in free if fits(kernel, position, lanes * copies))
        for lanes, copies in product(widths, ACCUMULATORS if reduced else FILLING)
    ]
    chosen: list[Tiles] = [(), *(tiles for tiles in choices if tiles)]
    if copied:
        filled = () if reduced else choices[-len(FILLING)]
        chosen += _in_copies(kernel, vectors, filled)
    short = _short(kernel, free)
    return chosen + [(*tiles, *short) for tiles in chosen if short]


def _in_copies(kernel: Profile, vectors: Mapping[int, Sequence[Tile]], filled: Tiles) -> list[Tiles]:
    """Several iterations of each reduction at once, along which elements lie side by side: a work-item loads these together.

    Each also with local memory `filled` by vectors.
    """
    along = [
        contiguous[-1]
        for reduction in kernel.reductions
        if (contiguous := [position for position in positions_of(reduction.ranges) if vectors[position]])
    ]
    choices = [
        tuple(
            Tile(position, 1, copies)
            for position in dict.fromkeys(along)
            if copies < kernel.extents[position] and fits(kernel, position, copies)
        )
        for copies in LOADED_TOGETHER
    ]
    chosen = [tiles for tiles in choices if tiles]
    return chosen + [(*tiles, *filled) for tiles in chosen if filled]


def _in_steps(kernel: Profile, device: Machine, chosen: list[Tiles]) -> list[Tiles]:
    """Each of the chosen, and with several steps of the innermost loop that runs in order, where an item waits for what each of them loads."""
    read = reduce(int.__or__, (access.depends for access in kernel.accesses if not access.store), 0)
    walked = [each for each in positions_of(read) if kernel.ranges[each].arg[1] is AxisType.SCAN]
    if not walked or not device.waits:
        return chosen
    last = walked[-1]
    numbers = [number for number in copies_of(kernel.extents[last], 1, ()) if fits(kernel, last, number)]
    free = [tiles for tiles in chosen if all(tile.position != last for tile in tiles)]
    found = [(*tiles, Tile(last, 1, number)) for tiles in free for number in numbers]
    return list(dict.fromkeys([*chosen, *found]))


def _short(kernel: Profile, taken: Container[int]) -> Tiles:
    """All iterations of the innermost ranges of reductions, as long as these are few.

    None where a gate depends on them: each copy would have its own code for borders.
    """
    gates = [access.gate for access in kernel.accesses]
    found: list[Tile] = []
    for reduction in kernel.reductions:
        together = 1
        for position in reversed(positions_of(reduction.ranges)):
            together *= kernel.extents[position]
            if together > SHORT or position in taken or any(gate >> position & 1 for gate in gates):
                break
            found.append(Tile(position, 1, kernel.extents[position]))
    return tuple(found)


def fits(kernel: Profile, position: int, tile: int) -> bool:
    """Whether a range can be cut into such tiles. Those of a scan must not overlap: what they carry on would be counted twice."""
    extent = kernel.extents[position]
    return extent % tile == 0 if kernel.ranges[position].arg[1] is AxisType.SCAN else tile <= extent


def _plain(kernel: Profile) -> tuple[int, ...]:
    """The plainest order: what is outside all reductions is parallel, or else all outputs."""
    return tuple(positions_of(kernel.hoisted or kernel.outputs))


def _plain_orders(kernel: Profile) -> list[tuple[int, ...]]:
    """The plainest order; where local memories are filled in different loops, one for each."""
    return list(dict.fromkeys(_around_memory(kernel))) or [_plain(kernel)]


def _orders(kernel: Profile) -> list[tuple[int, ...]]:
    """Parallel ranges, the slowest first: those outside all reductions, the first outputs, one output, in both directions."""
    outputs = tuple(positions_of(kernel.outputs))
    sets = {outputs, tuple(positions_of(kernel.hoisted)), *(outputs[:count] for count in range(len(outputs))),
            *((position,) for position in outputs)}  # fmt: skip
    orders = [order for parallel in sorted(sets) for order in sorted({parallel, parallel[::-1]})]
    return list(dict.fromkeys([*orders, *_around_memory(kernel)]))


def _around_memory(kernel: Profile) -> Iterator[tuple[int, ...]]:
    """Of several local memories that are filled in different loops, those of one outside, and with a single one the first of the others."""
    for around in kernel.around_stages:
        own = positions_of(around & kernel.outputs)
        others = positions_of(kernel.outputs & ~around)
        if own and others and any(each & ~around for each in kernel.around_stages):
            yield (*own, *others[: 2 - len(own)])


def _arranged(kernel: Profile, bodies: Tilings, least: Floats, orders: Sequence[tuple[int, ...]], numbers: Rows,
              serials: Sequence[int] | None) -> Tilings:  # fmt: skip
    """The bodies, the ranges of the numbered orders parallel, with so many serial tiles of the last of them, or the `least`."""
    positions = range(len(kernel.extents))
    parallel = bits(map(mask_of, orders), len(positions)).take(numbers, axis=0)
    serial = np.where(parallel, least, 1.0)
    if serials is not None:
        last = np.array([order[-1] if order else -1 for order in orders])[numbers]
        serial = np.where(np.array(positions) == last[:, None], np.array(serials)[:, None], serial)
    return replace(bodies, serial=serial, parallel=parallel, order=padded(orders).take(numbers, axis=0))


def _least_serial(kernel: Profile, tilings: Tilings) -> Floats:
    """How many tiles of each output range one work-item walks through at least: more than one where the last overlaps that before it.

    Items of a group may share a range in tiles that overlap: they do not store what is in both twice.
    """
    least = np.ones(tilings.tile.shape)
    overlaps = np.flatnonzero(tilings.overlaps.any(axis=0))
    for position in positions_of(kernel.outputs):
        if position in overlaps:
            sizes = tilings.tile[:, position].astype(np.int64)
            by_size = np.zeros(sizes.max() + 1)
            for size in np.flatnonzero(np.bincount(sizes)).tolist():
                by_size[size] = serial_tiles(kernel.extents[position], size, 1)
            least[:, position] = by_size.take(sizes)
    return np.where(tilings.items > 1, 1.0, least)


def _serials(kernel: Profile, order: Sequence[int], tile: Sequence[int]) -> tuple[int, ...]:
    """How many tiles of the last parallel range one work-item may walk through, the fewest first."""
    return _numbers_of_tiles(kernel.extents[order[-1]], tile[order[-1]]) if order else (1,)


@cache
def _numbers_of_tiles(extent: int, tile: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(serial_tiles(extent, tile, most) for most in SERIAL))


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
