"""What becomes of loads and stores under many tilings: their copies, their lanes, and where these lie in memory.

That depends on the tiles of an access's own ranges alone, and there are few different ones: each is looked at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import SELECTED
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings, across

LINE_BYTES = 64
SQUARES = (
    16,
    8,
    4,
)  # copies side by side that are transposed with as many lanes, half a line of memory at least
MOST_UNUSED = 32  # places for keys, for each key, that a table may have
MOST_KEYS = 2.0**52  # numbers that a float tells apart

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Vectors:
    """Accesses under different tiles of their ranges, in a row: how many copies, how many lanes, and where the lanes lie.

    Attributes:
        place: by tiling and access, which of these it is.
        access: by number.
        addressed: the lanes have addresses of their own.
        contiguous: side by side.
        sources: vectors that lanes are selected from, 0 where they are loaded or stored one by one.
        rounds: of shuffles between whole accesses and lanes: of a square of lanes and copies that is transposed, or of stores of which
            copies fill the gaps; 0 where there are no such copies.
        parts: stores that each transposed vector becomes, where there are fewer copies than lanes.
        gated: some lanes may be outside while others are not.
        irregular: at no stride.
        gathered: at addresses that are found in elements that are read.
        far: each in a cache line of its own.
    """

    place: Rows
    access: Rows
    copies: Floats
    lanes: Floats
    addressed: Bools
    contiguous: Bools
    sources: Floats
    rounds: Floats
    parts: Floats
    gated: Bools
    irregular: Bools
    gathered: Bools
    far: Bools

    @staticmethod
    def of(accesses: Accesses, tilings: Tilings) -> Vectors:
        """All accesses under all tilings."""
        place, rows, access = _different(accesses, tilings)
        count = len(rows)
        tiles = _Tiles(
            accesses,
            access,
            tilings.lanes.take(rows, axis=0),
            tilings.copies.take(rows, axis=0),
            tilings.tile.take(rows, axis=0),
        )
        depends = accesses.depends.take(access, axis=0)
        found = Vectors(
            place,
            access,
            across(np.where(depends, tiles.copies, 1.0)).prod(axis=0),
            across(np.where(depends, tiles.lanes, 1.0)).prod(axis=0),
            addressed=np.zeros(count, bool),
            contiguous=np.zeros(count, bool),
            sources=np.zeros(count),
            rounds=np.zeros(count),
            parts=np.ones(count),
            gated=np.zeros(count, bool),
            irregular=np.zeros(count, bool),
            gathered=np.zeros(count, bool),
            far=np.zeros(count, bool),
        )
        left = depends & (tiles.lanes > 1)
        while (some := np.flatnonzero(across(left).any(axis=0))).size:  # most are vectors along one range
            position = left[some].argmax(axis=1)
            left[some, position] = False
            found._follow(tiles.take(some), some, position)
        return found

    def _follow(self, tiles: _Tiles, some: Rows, position: Rows) -> None:
        """Looks at some of them along one range each, of which they are vectors."""
        accesses, access = tiles.accesses, tiles.access
        stride, width = (each[np.arange(len(some)), position] for each in (tiles.strides, tiles.lanes))
        store, steps = accesses.store[access], np.abs(stride)
        self.addressed[some] |= accesses.own[access, position]
        self.contiguous[some] |= stride == 1
        self.gated[some] |= accesses.gate[access, position]
        self.irregular[some] |= accesses.irregular[access, position]
        self.gathered[some] |= accesses.gathered[access, position]
        self.far[some] |= steps * accesses.itemsize[access] >= LINE_BYTES
        whole = (stride == -1) | reduce(np.logical_or, [steps == each for each in SELECTED])
        selected = whole & ~store
        self.sources[some[selected]] = steps[selected]
        wanted = np.where(store, np.where(whole, stride, 0), np.where(steps > 0, width, 0.0))
        filled = tiles.side_by_side((wanted > 1) & (stride != 1) & ~selected, position, wanted)
        shuffles = np.where(store, wanted - 1.0, np.log2(width))
        self.rounds[some[filled]] = shuffles[filled]
        apart = store & (steps > 1) & ~whole
        for size in SQUARES if apart.any() else ():
            squares = apart & (self.rounds[some] == 0) & (np.remainder(width, size) == 0)
            squares &= size * accesses.itemsize[access] >= LINE_BYTES / 2
            squares = tiles.side_by_side(squares, position, np.full(len(some), float(size)))
            self.rounds[some[squares]] = np.log2(size)
            self.parts[some[squares]] = width[squares] / size

    def under(self, rows: Rows) -> Vectors:
        """Those of some of the tilings."""
        return replace(self, place=self.place.take(rows, axis=0))


@dataclass(frozen=True)
class _Tiles:
    """Accesses by number, and the lanes, copies and elements of a tile of each range."""

    accesses: Accesses
    access: Rows
    lanes: Floats
    copies: Floats
    tile: Floats

    @cached_property
    def strides(self) -> Rows:
        """Elements from one step to the next inside a tile of each range; 0 where that differs."""
        found = self.accesses.strides[self.access]
        for (number, position), by_size in self.accesses.tiled.items():
            for size, stride in by_size.items():
                found[(self.access == number) & (self.tile[:, position] == size), position] = stride
        return found

    def take(self, some: Rows) -> _Tiles:
        """Some of them."""
        sizes = (each.take(some, axis=0) for each in (self.lanes, self.copies, self.tile))
        return _Tiles(self.accesses, self.access.take(some), *sizes)

    def side_by_side(self, among: Bools, position: Rows, wanted: Floats) -> Bools:
        """Those of which a multiple of the wanted number of copies lie side by side along another range, under one gate for all.

        Or as many stores of other elements write beside them.
        """
        rows = np.flatnonzero(among)
        if not rows.size:
            return among
        gate = self.accesses.gate[self.access[rows]]
        several = (self.strides[rows] == 1) & (self.lanes[rows] == 1) & (self.copies[rows] > 1)
        many = np.remainder(self.copies[rows], wanted[rows, None]) == 0
        pieces = self.accesses.beside[self.access[rows]] >= np.maximum(wanted[rows], 2.0)
        found = among.copy()
        copies = (several & many & ~gate).any(axis=1)
        found[rows] = (copies | pieces) & ~gate[np.arange(len(rows)), position[rows]]
        return found


def _different(accesses: Accesses, tilings: Tilings) -> tuple[Rows, Rows, Rows]:
    """The different tiles of each access: by tiling and access the number of its own, and by number a tiling and the access."""
    copies, items = (each.max(initial=0.0) + 1.0 for each in (tilings.copies, tilings.items))
    sizes = across((tilings.lanes * copies + tilings.copies) * items + tilings.items).astype(np.int64)
    codes, counts = np.empty(sizes.shape), np.empty(len(sizes))
    for position, column in enumerate(sizes):
        used = np.flatnonzero(np.bincount(column))
        number = np.empty(used[-1] + 1 if used.size else 0)
        number[used] = np.arange(len(used))
        codes[position] = number[column]
        counts[position] = len(used)
    radix = np.where(accesses.depends, np.maximum(counts, 1.0), 1.0)  # there may be no tilings
    weights = np.where(accesses.depends, np.cumprod(radix, axis=1) / radix, 0.0)
    size = radix.prod(axis=1).max(initial=1.0)
    shape = len(tilings), len(radix)
    if size * len(radix) > MOST_KEYS:
        rows, access = np.divmod(np.arange(shape[0] * shape[1]), max(1, shape[1]))
        return np.arange(len(rows)).reshape(shape), rows, access
    keys = (codes.T @ weights.T + size * np.arange(len(radix))).astype(np.int64).ravel()
    found, place = _distinct(keys, int(size) * len(radix))
    rows, access = np.divmod(found, shape[1])
    return place.reshape(shape), rows, access


def _distinct(keys: Rows, end: int) -> tuple[Rows, Rows]:
    """Where each key below `end` stands, keys in order, and for each place the number of its key. As `np.unique`, which sorts, finds."""
    if end > MOST_UNUSED * len(keys):
        _, found, place = np.unique(keys, return_index=True, return_inverse=True)
        return found, place
    is_used, where = np.zeros(end, bool), np.empty(end, np.int64)
    is_used[keys] = True
    used = np.flatnonzero(is_used)
    where[keys] = np.arange(len(keys))
    found = where.take(used)
    where[used] = np.arange(len(used))
    return found, where.take(keys)
