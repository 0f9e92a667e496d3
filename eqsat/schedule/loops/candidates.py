"""The candidate tilings of one kernel, as arrays: loop bodies, and arrangements of the loops around them.

Candidates follow from the accesses of the kernel, not from a list of workloads. An axis can be a vector if some address walks it with
stride 1. A tile of another axis reuses values that do not depend on that axis. Only loops outside all reductions can be parallel without
repeating work.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import TILE_ROWS, Machine, selected_strides
from eqsat.ops import AxisType
from eqsat.schedule.cost.accesses import bits
from eqsat.schedule.cost.profile import Access, Profile, mask_of, positions_of
from eqsat.schedule.loops.groups import with_groups
from eqsat.schedule.loops.lanes import lanes_along, lanes_of
from eqsat.schedule.loops.serial_tiles import numbers_of_tiles, serial_tiles
from eqsat.schedule.tiling import Bools, Floats, Tilings, padded
from eqsat.support.bits import union

VECTOR_COPIES = (1, 2, 4)  # unrolled copies of a vector
TILES = (2, 3, 4, 6, 8)  # tiles of one axis, in elements
SMALL_TILES = ((2, 2), (2, 4), (4, 2), (4, 4), (2, 6), (6, 2))  # tiles of two axes
TILES_APART = ((6, 6), (8, 8))  # further tiles of two axes if no value varies with both
MOST_COPIES = 8  # all numbers of copies up to this that divide an axis are tried, too
ACCUMULATORS = (1, 2, 4, 8)  # accumulators of a reduction for each element
LOADED_TOGETHER = (4, 8)  # iterations of a reduction whose neighbouring elements an item loads together
FILLING = (1, 2)  # vectors that one iteration copies to local memory
SHORT = 4  # most iterations of a reduction that are unrolled completely


class Tile(NamedTuple):
    """A tile of one range: the elements that one iteration handles, as `copies` of a vector of `lanes`."""

    position: int
    lanes: int
    copies: int


Tiles = tuple[Tile, ...]
NO_RANGES = 0  # the empty bit mask
Rows = NDArray[np.int64]


def bodies(kernel: Profile, device: Machine) -> Tilings:
    """The bodies to be priced, under the plainest outer loops.

    A body has a vector along at most one output, vectors in reductions, and tiles of up to two other axes.
    """
    outputs, widths = positions_of(kernel.outputs), lanes_of(kernel, device)
    vectors = {
        position: _vectors(kernel, position, lanes_along(kernel, device, position))
        for position in range(len(kernel.extents))
    }
    tiled = kernel.written if device.waits else kernel.written | kernel.kept_along  # or in steps anyway
    fits = _one_vector_per_value(kernel)
    tiles = list(_tiles(kernel, positions_of(tiled), widths, _rows(kernel, device)))
    taken, beside = _cut(kernel, tiles), list[Tiles]()
    chosen: list[tuple[Rows, Rows]] = []  # (rows of `tiles`, rows of `beside`)
    for output in (NO_RANGES, *(mask_of([position]) for position in outputs if vectors[position])):
        along = [
            more
            for more in _in_steps(
                kernel, device, _accumulators(kernel, output, vectors, widths, copied=device.has_groups)
            )
            if fits(output | mask_of(tile.position for tile in more if tile.lanes > 1))
        ]
        cut = _cut(kernel, along) | bits([output], len(kernel.extents))
        numbers, rows = np.nonzero(~(taken @ cut.T))  # pairs that cut different ranges
        for vector in [(each,) for position in positions_of(output) for each in vectors[position]] or [()]:
            chosen.append((numbers, rows + len(beside)))
            beside += [(*vector, *more) for more in along]
    numbers, rows = map(np.concatenate, zip(*chosen, strict=True))
    lanes, copies = _sizes(kernel, tiles).take(numbers, axis=1) * _sizes(kernel, beside).take(rows, axis=1)
    extents, once = np.array(kernel.extents, np.float64), np.ones(lanes.shape)
    none, order = np.full(lanes.shape, fill_value=False), np.empty((len(lanes), 0), np.int64)
    found = with_groups(kernel, device, Tilings(extents, lanes, copies, once, none, order, once, none))
    if kernel.combines and device.has_groups:  # an item could reset results that others combine
        found = found.take(np.flatnonzero(~found.overlaps.any(axis=1)))
    if kernel.kept_along:
        along = positions_of(kernel.kept_along)
        possible = (found.lanes[:, along] == 1) & (found.extents[along] % found.tile[:, along] == 0)
        found = found.take(np.flatnonzero(possible.all(axis=1)))
    numbers = np.zeros(len(found), np.int64)
    return _arranged(kernel, found, _least_serial(kernel, found), _plain_orders(kernel)[:1], numbers, None)


def in_plain_orders(kernel: Profile, bodies: Tilings) -> tuple[Tilings, Rows]:
    """(these bodies in each of the plainest orders, the row of the body of each)."""
    plain = _plain_orders(kernel)
    body, order = np.divmod(np.arange(len(bodies) * len(plain)), len(plain))
    least = _least_serial(kernel, bodies).take(body, axis=0)
    return _arranged(kernel, bodies.take(body), least, plain, order, None), body


def count_of_plain_orders(kernel: Profile) -> int:
    """The number of plainest orders of parallel loops."""
    return len(_plain_orders(kernel))


def arrangements(kernel: Profile, bodies: Tilings) -> tuple[Tilings, Rows]:
    """(all other arrangements of outer loops around these bodies, the row of the body of each).

    An arrangement says which loops are parallel, in which order, and how many tiles one work-item walks through.
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
    """The ranges that each choice of tiles cuts."""
    return bits([mask_of(tile.position for tile in tiles) for tiles in chosen], len(kernel.extents))


def _integers(tiles: Floats) -> list[list[int]]:
    return tiles.astype(np.int64).tolist()


def _sizes(kernel: Profile, chosen: Sequence[Tiles]) -> Floats:
    """Lanes and copies (first axis) of each range (last axis), with a row for each choice of tiles."""
    sizes = np.ones((2, len(chosen), len(kernel.extents)))
    cut = np.array([(row, *tile) for row, tiles in enumerate(chosen) for tile in tiles], np.int64)
    rows, positions, lanes, copies = cut.reshape(-1, 4).T
    sizes[:, rows, positions] = lanes, copies
    return sizes


def _one_vector_per_value(kernel: Profile) -> Callable[[int], bool]:
    """A function that tells whether no value varies with more than one range of a mask, so that all of them may be vectors."""
    values = kernel.value_ranges

    @cache
    def fits(mask: int) -> bool:
        return all((value & mask).bit_count() <= 1 for value in values)

    return fits


def _tiles(kernel: Profile, positions: Sequence[int], widths: Sequence[int], rows: int) -> Iterator[Tiles]:
    """Tiles along no axis, one axis, and two axes, all of unrolled copies.

    A tile of one axis also has as many copies as a vector has lanes, if different axes are contiguous in different accesses. Along `rows` (a
    mask) it also has as many copies as a matrix register has rows.
    """
    yield ()
    reused = kernel.outputs  # ranges whose tiles reuse operands
    for reduction in kernel.reductions:
        reused |= reduction.value
    contiguous = [
        position
        for position in positions
        if any(access.stride(position, 1) == 1 for access in kernel.accesses)
    ]
    for position in positions:
        is_kept = kernel.kept_along >> position & 1
        square = widths if position in contiguous and (is_kept or len(contiguous) > 1) else ()
        usual = (*TILES, *square) if reused >> position & 1 and not is_kept else square
        if rows >> position & 1:
            usual = (*usual, TILE_ROWS)
        for copies in copies_of(kernel.extents[position], 1, usual) if usual else ():
            yield (Tile(position, 1, copies),)
    paired = [
        each
        for each in positions
        if (reused & ~kernel.kept_along) >> each & 1 and not _moves_border(kernel, each)
    ]
    values = kernel.value_ranges
    for pair in combinations(paired, 2):
        mask = mask_of(pair)
        is_apart = all(value & mask != mask for value in values)
        for copies in (*SMALL_TILES, *TILES_APART) if is_apart else SMALL_TILES:
            tiles = tuple(Tile(position, 1, size) for position, size in zip(pair, copies, strict=True))
            if all(tile.copies <= kernel.extents[tile.position] for tile in tiles):
                yield tiles


def _rows(kernel: Profile, device: Machine) -> int:
    """The ranges that could be rows of a matrix register, as a mask."""
    if not device.tile_cycles:
        return 0
    return union(rows for each in kernel.reductions for rows, _ in each.tiles)


def _vectors(kernel: Profile, position: int, widths: Sequence[int]) -> list[Tile]:
    """The vectors to try along a range: some address walks it with stride 1 or a stride at which lanes are selected, or it is around local memory."""
    in_tiles = [access for access in kernel.accesses if access.irregular >> position & 1]
    linear = [access for access in kernel.accesses if not access.irregular >> position & 1]
    is_near = any(_is_near(access, access.strides.get(position, 0)) for access in linear)
    is_around = any(around >> position & 1 for around in kernel.around_fills)
    always = is_near or (is_around and not _moves_border(kernel, position)) or _crosses(kernel, position)
    return [
        Tile(position, lanes, copies)
        for lanes in widths
        for copies in copies_of(kernel.extents[position], lanes, VECTOR_COPIES)
        if always or any(_is_near(access, access.stride(position, lanes * copies)) for access in in_tiles)
    ]


def _crosses(kernel: Profile, position: int) -> bool:
    """Whether vectors along a range are those of a recurrence, which itself runs along neighbouring elements: loads are transposed."""
    along = kernel.kept_along
    return (
        bool(along)
        and not along >> position & 1
        and any(access.stride(each, 1) == 1 for access in kernel.accesses for each in positions_of(along))
    )


def _is_near(access: Access, stride: int) -> bool:
    """Whether lanes at this stride are side by side or selected from whole vectors."""
    return stride == 1 or stride in selected_strides(access.itemsize)


def _moves_border(kernel: Profile, position: int) -> bool:
    """Whether a range around local memory moves the elements that fill it past a border, so that each step needs its own memory and gates."""
    around = any(mask >> position & 1 for mask in kernel.around_fills)
    return around and any(access.gate >> position & 1 for access in kernel.accesses)


@cache
def copies_of(extent: int, lanes: int, usual: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of copies of a vector to try along an axis: the usual ones, and small ones that divide it."""
    fitting = extent // lanes
    dividing = {copies for copies in range(2, MOST_COPIES + 1) if extent % (lanes * copies) == 0}
    return tuple(sorted(copies for copies in {*usual, *dividing} if copies <= fitting))


def _accumulators(kernel: Profile, output: int, vectors: Mapping[int, Sequence[Tile]],
                  widths: Sequence[int], *, copied: bool) -> list[Tiles]:  # fmt: skip
    """Choices of tiles for reductions and for the filling of local memory, which all have the same vector length and number of accumulators.

    `output` is the mask of the vector along an output, if any; ranges of values that vary with it are left alone. Each choice is also tried
    with short reductions unrolled completely. With `copied`, reductions are also tried with several iterations at once, without vectors.
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
    """Choices of tiles that unroll several iterations of each reduction over neighbouring elements, which a work-item then loads together.

    Each is also tried with local memory `filled` by vectors.
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
    """The chosen tiles, and the same with several steps of the innermost loop that runs in order, on devices whose items wait for loads."""
    read = union(access.depends for access in kernel.accesses if not access.store)
    walked = [each for each in positions_of(read) if kernel.ranges[each].arg[1] is AxisType.SCAN]
    if not walked or not device.waits:
        return chosen
    last = walked[-1]
    numbers = [number for number in copies_of(kernel.extents[last], 1, ()) if fits(kernel, last, number)]
    free = [tiles for tiles in chosen if all(tile.position != last for tile in tiles)]
    found = [(*tiles, Tile(last, 1, number)) for tiles in free for number in numbers]
    return list(dict.fromkeys([*chosen, *found]))


def _short(kernel: Profile, taken: Container[int]) -> Tiles:
    """Tiles that unroll the innermost ranges of reductions completely, as long as these have few iterations together.

    A range that a gate depends on is left alone, because each copy would need its own code for borders.
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
    """Whether a range can be cut into such tiles. Tiles of a scan must not overlap, or elements would be accumulated twice."""
    extent = kernel.extents[position]
    return extent % tile == 0 if kernel.ranges[position].arg[1] is AxisType.SCAN else tile <= extent


def _plain(kernel: Profile) -> tuple[int, ...]:
    """The plainest order of parallel ranges: all outputs outside all reductions, or simply all outputs if every one is inside a reduction."""
    return tuple(positions_of(kernel.outside_reductions or kernel.outputs))


def _plain_orders(kernel: Profile) -> list[tuple[int, ...]]:
    """The plainest order; if local memories are filled in different loops, one order for each of them instead."""
    return list(dict.fromkeys(_around_memory(kernel))) or [_plain(kernel)]


def _orders(kernel: Profile) -> list[tuple[int, ...]]:
    """The orders of parallel ranges to try, slowest first: outputs outside all reductions, the first few or single outputs, in both directions."""
    outputs = tuple(positions_of(kernel.outputs))
    sets = {outputs, tuple(positions_of(kernel.outside_reductions)), *(outputs[:count] for count in range(len(outputs))),
            *((position,) for position in outputs)}  # fmt: skip
    orders = [order for parallel in sorted(sets) for order in sorted({parallel, parallel[::-1]})]
    return list(dict.fromkeys([*orders, *_around_memory(kernel)]))


def _around_memory(kernel: Profile) -> Iterator[tuple[int, ...]]:
    """The orders that put the loops around one local memory first, for memories that are filled in different loops.

    If there is a single loop around it, the first of the other outputs follows.
    """
    for around in kernel.around_fills:
        own = positions_of(around & kernel.outputs)
        others = positions_of(kernel.outputs & ~around)
        if own and others and any(each & ~around for each in kernel.around_fills):
            yield (*own, *others[: max(0, 2 - len(own))])


def _arranged(kernel: Profile, bodies: Tilings, least: Floats, orders: Sequence[tuple[int, ...]], numbers: Rows,
              serials: Sequence[int] | None) -> Tilings:  # fmt: skip
    """The bodies under outer loops: each has the order with its number, and the `least` serial tiles.

    `serials`, if given, has the serial tiles of the last range of each order instead.
    """
    positions = range(len(kernel.extents))
    parallel = bits(map(mask_of, orders), len(positions)).take(numbers, axis=0)
    serial = np.where(parallel, least, 1.0)
    if serials is not None:
        last = np.array([order[-1] if order else -1 for order in orders])[numbers]
        serial = np.where(np.array(positions) == last[:, None], np.array(serials)[:, None], serial)
    return replace(bodies, serial=serial, parallel=parallel, order=padded(orders).take(numbers, axis=0))


def _least_serial(kernel: Profile, tilings: Tilings) -> Floats:
    """The fewest tiles of each output range that one work-item walks through: more than one where the last tile overlaps the one before.

    Items of a group may share a range in overlapping tiles, because only one of them stores each element.
    """
    least = np.ones(tilings.tile.shape)
    overlaps = np.flatnonzero(tilings.overlaps.any(axis=0))
    for position in positions_of(kernel.outputs):
        if position in overlaps:
            sizes = tilings.tile[:, position].astype(np.int64)
            by_size = np.zeros(sizes.max() + 1)
            for size in np.flatnonzero(np.bincount(sizes)).tolist():
                by_size[size] = serial_tiles(kernel.extents[position], size, 1, even=kernel.shares_evenly)
            least[:, position] = by_size.take(sizes)
    return np.where(tilings.items > 1, 1.0, least)


def _serials(kernel: Profile, order: Sequence[int], tile: Sequence[int]) -> tuple[int, ...]:
    """The numbers of tiles of the last parallel range that one work-item may walk through, the smallest first."""
    if not order:
        return (1,)
    last = order[-1]
    return numbers_of_tiles(kernel.extents[last], tile[last], even=kernel.shares_evenly)
