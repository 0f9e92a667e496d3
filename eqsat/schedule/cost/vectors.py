"""How loads and stores are vectorized under many tilings: their copies, their lanes, and where the lanes lie in memory.

This depends only on the tiles of the ranges that an access depends on, and few of these differ, so each different case is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import INTERLEAVED, NARROW, SELECTED, SELECTED_BYTES, Machine
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.tiling import Bools, Floats, Tilings, across, product_over

SQUARES = (
    16,
    8,
    4,
)  # neighbouring copies that are transposed with as many lanes; together they fill at least half a cache line
MOST_UNUSED = 32  # entries of a lookup table for each key in it, at most
MOST_KEYS = 2.0**52  # integers that a float represents exactly

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Vectors:
    """The different cases of an access under a tile of its ranges, a row for each: its copies, its lanes, and where the lanes lie.

    Attributes:
        place: the number of the case, by tiling and access.
        access: the number of the access.
        copies: unrolled copies of the access, of which those that load from the same address count once.
        lanes: lanes of each copy.
        addressed: whether each lane has an address of its own.
        contiguous: whether the lanes lie side by side.
        sources: whole vectors that are loaded to select the lanes from, as a share of those that accesses of other elements select from, too;
            0 where lanes are loaded or stored one by one.
        selects: vectors of which lanes are selected, in all steps (`expansion.selection`), as a share likewise.
        rounds: rounds of shuffles between whole accesses and lanes. They transpose a square of lanes and copies, or interleave stores whose
            copies fill each other's gaps. Without such copies, it is 0.
        parts: stores that each transposed vector becomes, where there are fewer copies than lanes.
        gated: whether some lanes may be outside the array while others are inside.
        irregular: whether the address is not linear in a range that the lanes lie along.
        gathered: whether the addresses of the lanes depend on loaded values.
        far: whether each lane is in a cache line of its own.
    """

    place: Rows
    access: Rows
    copies: Floats
    lanes: Floats
    addressed: Bools
    contiguous: Bools
    sources: Floats
    selects: Floats
    rounds: Floats
    parts: Floats
    gated: Bools
    irregular: Bools
    gathered: Bools
    far: Bools

    @staticmethod
    def of(accesses: Accesses, tilings: Tilings, device: Machine) -> Vectors:
        """The cases of all accesses under all tilings."""
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
        copies = across(np.where(depends, tiles.copies, 1.0)).prod(axis=0)
        for number in accesses.meeting:
            several = np.flatnonzero((access == number) & (copies > 1))
            copies[several] = _different_loads(accesses, number, tilings.take(rows[several]))
        found = Vectors(
            place,
            access,
            copies,
            across(np.where(depends, tiles.lanes, 1.0)).prod(axis=0),
            addressed=np.zeros(count, bool),
            contiguous=np.zeros(count, bool),
            sources=np.zeros(count),
            selects=np.zeros(count),
            rounds=np.zeros(count),
            parts=np.ones(count),
            gated=np.zeros(count, bool),
            irregular=np.zeros(count, bool),
            gathered=np.zeros(count, bool),
            far=np.zeros(count, bool),
        )
        left = depends & (tiles.lanes > 1)
        while (some := np.flatnonzero(across(left).any(axis=0))).size:  # most have lanes along one range only
            position = left[some].argmax(axis=1)
            left[some, position] = False
            found._follow(tiles.take(some), some, position, device.line_bytes)
        return found

    def _follow(self, tiles: _Tiles, some: Rows, position: Rows, line_bytes: float) -> None:
        """Updates the cases `some`, each along one of the ranges that its lanes lie along."""
        accesses, access = tiles.accesses, tiles.access
        stride, width = (each[np.arange(len(some)), position] for each in (tiles.strides, tiles.lanes))
        store, steps = accesses.store[access], np.abs(stride)
        self.addressed[some] |= accesses.own[access, position]
        self.contiguous[some] |= stride == 1
        self.gated[some] |= accesses.gate[access, position]
        self.irregular[some] |= accesses.irregular[access, position]
        self.gathered[some] |= accesses.gathered[access, position]
        self.far[some] |= steps * accesses.itemsize[access] >= line_bytes
        near = steps * accesses.itemsize[access] <= SELECTED_BYTES
        whole = (stride == -1) | reduce(np.logical_or, [steps == each for each in INTERLEAVED])
        spread = near & reduce(np.logical_or, [steps == each for each in SELECTED])
        selected = (whole | spread) & ~store
        taking = np.minimum(steps, tiles.phases(position))
        self.sources[some[selected]] = (steps / np.maximum(taking, 1.0))[selected]
        narrow = accesses.itemsize[access] <= NARROW
        self.selects[some[selected]] = steps[selected]
        for step in SELECTED:
            own = selected & narrow & (steps == step)
            self.selects[some[own]] = 1.0 + shuffles_of(step, taking[own])
        wanted = np.where(store, np.where(whole, stride, 0), np.where(steps > 0, width, 0.0))
        filled = tiles.side_by_side((wanted > 1) & (stride != 1) & ~selected, position, wanted)
        shuffles = np.where(store, wanted - 1.0, np.log2(width))
        self.rounds[some[filled]] = shuffles[filled]
        apart = store & (steps > 1) & ~whole
        for size in SQUARES if apart.any() else ():
            squares = apart & (self.rounds[some] == 0) & (np.remainder(width, size) == 0)
            squares &= size * accesses.itemsize[access] >= line_bytes / 2
            squares = tiles.side_by_side(squares, position, np.full(len(some), float(size)))
            self.rounds[some[squares]] = np.log2(size)
            self.parts[some[squares]] = width[squares] / size

    def under(self, rows: Rows) -> Vectors:
        """The cases under the tilings in these rows."""
        return replace(self, place=self.place.take(rows, axis=0))


@dataclass(frozen=True)
class _Tiles:
    """Cases of accesses: the number of each access, and the lanes, copies and elements in a tile of each range."""

    accesses: Accesses
    access: Rows
    lanes: Floats
    copies: Floats
    tile: Floats

    @cached_property
    def strides(self) -> Rows:
        """Elements from one step to the next inside a tile of each range; 0 where the step is not constant."""
        found = self.accesses.strides[self.access]
        for (number, position), by_size in self.accesses.tiled.items():
            for size, stride in by_size.items():
                found[(self.access == number) & (self.tile[:, position] == size), position] = stride
        return found

    def take(self, some: Rows) -> _Tiles:
        """The cases with these numbers."""
        sizes = (each.take(some, axis=0) for each in (self.lanes, self.copies, self.tile))
        return _Tiles(self.accesses, self.access.take(some), *sizes)

    def phases(self, position: Rows) -> Floats:
        """How many elements between one lane and the next other copies and loads read; `position` is the range of the lanes of each case."""
        step = np.abs(self.strides[np.arange(len(position)), position])[:, None]
        between = np.remainder(self.strides, np.maximum(step, 1)) > 0
        return np.where(between, self.copies, 1.0).prod(axis=1) * self.accesses.beside[self.access]

    def side_by_side(self, among: Bools, position: Rows, wanted: Floats) -> Bools:
        """The cases of `among` whose copies lie side by side along another range, a multiple of the `wanted` number, under one gate for all.

        A store also qualifies if that many stores write neighbouring elements.
        """
        rows = np.flatnonzero(among)
        if not rows.size:
            return among
        gate = self.accesses.gate[self.access[rows]]
        several = (self.strides[rows] == 1) & (self.lanes[rows] == 1) & (self.copies[rows] > 1)
        many = np.remainder(self.copies[rows], wanted[rows, None]) == 0
        pieces = self.accesses.beside[self.access[rows]] >= np.maximum(wanted[rows], 2.0)
        pieces &= self.accesses.store[self.access[rows]]
        found = among.copy()
        copies = (several & many & ~gate).any(axis=1)
        found[rows] = (copies | pieces) & ~gate[np.arange(len(rows)), position[rows]]
        return found


def shuffles_of(step: int, taking: Floats) -> Floats:
    """Shuffles for each of `taking` selections at a stride: a step for each of its prime factors, whose results they share."""
    found, different = np.zeros(taking.shape), np.ones(taking.shape)
    for factor in SELECTED[step]:
        step //= factor
        different = np.minimum(different * factor, taking)
        found += different * step * (factor - 1)
    return found / taking


def _different_loads(accesses: Accesses, number: int, tilings: Tilings) -> list[float]:
    """For each tiling, the different elements that the copies of a load and of those at constant offsets read, relative to the number of these loads.

    Copies around local memory have memory of their own.
    """
    offsets, strides = accesses.offsets[number], accesses.strides[number]
    moving = np.flatnonzero(strides)
    apart = product_over(across(tilings.copies), accesses.around_held[None, number])[0]
    steps = (tilings.lanes * tilings.items)[:, moving].astype(np.int64) * strides[moving]
    times = tilings.copies[:, moving].astype(np.int64)
    return [
        each * _different_sums(offsets, tuple(zip(*moves, strict=True))) / len(offsets)
        for each, *moves in zip(apart.tolist(), steps.tolist(), times.tolist(), strict=True)
    ]


@lru_cache(1 << 14)
def _different_sums(offsets: tuple[int, ...], steps: tuple[tuple[int, int], ...]) -> int:
    """How many different sums there are of an offset and, for each (step, times), less than so many steps."""
    found = set(offsets)
    for step, times in steps:
        found = {each + step * number for each in found for number in range(times)}
    return len(found)


def _different(accesses: Accesses, tilings: Tilings) -> tuple[Rows, Rows, Rows]:
    """(number of the case by tiling and access, a tiling with each case, the access of each case): cases differ in the tile of their ranges."""
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
    """(a position of each different key, number of the key at each position), with keys in order; the result of `np.unique` without sorting.

    Keys are below `end`.
    """
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
