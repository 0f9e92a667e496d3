"""Tilings of a kernel's loops: one by one, as the kernel is built from, and many as arrays, as they are costed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import compress
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from eqsat.schedule.lowering.launch import most_in_group

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Axis:
    """What becomes of one range: position = tile · (serial · outer + s) + lanes · (items · c + item) + lane.

    Attributes:
        lanes: of an explicit vector (UPCAST), 1 for none.
        copies: made of the body (UNROLL); the tile of this axis is lanes · copies elements.
        serial: tiles that one work-item walks through in a loop, where the outer loop is parallel.
        parallel: whether the outer loop is spread over work-items (GLOBAL); a loop otherwise.
        items: work-items of a group that share the tile (LOCAL, of reductions GROUP_REDUCE); the tile is lanes · items · copies elements.
        slow: whether these are told apart by the slower of the two coordinates of a group.
    """

    lanes: int = 1
    copies: int = 1
    serial: int = 1
    parallel: bool = False
    items: int = 1
    slow: bool = False

    @property
    def tile(self) -> int:
        """Elements handled at once."""
        return self.lanes * self.items * self.copies


@dataclass(frozen=True, slots=True)
class Tiling:
    """One axis per range, and the order of the parallel ones, the slowest first."""

    axes: tuple[Axis, ...]
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tilings:
    """Tilings of one kernel as arrays: a row for each tiling, a column for each range.

    Attributes:
        extents: of the ranges.
        lanes, copies, serial: as in `Axis`.
        parallel: as in `Axis`.
        items, slow: as in `Axis`.
        order: positions of the parallel ranges, the slowest first; -1 beyond the last.
    """

    extents: Floats
    lanes: Floats
    copies: Floats
    serial: Floats
    parallel: Bools
    order: NDArray[np.int64]
    items: Floats
    slow: Bools

    @staticmethod
    def of(extents: Sequence[int], tilings: Sequence[Tiling]) -> Tilings:
        """The table of these tilings."""
        shape = len(tilings), len(extents), 6
        axes = [
            (axis.lanes, axis.copies, axis.serial, axis.parallel, axis.items, axis.slow)
            for tiling in tilings
            for axis in tiling.axes
        ]
        lanes, copies, serial, parallel, items, slow = np.moveaxis(
            np.array(axes, np.float64).reshape(shape), 2, 0
        )
        order = padded([tiling.order for tiling in tilings])
        return Tilings(
            np.array(extents, np.float64), lanes, copies, serial, parallel > 0, order, items, slow > 0
        )

    def __len__(self) -> int:
        return len(self.lanes)

    def take(self, rows: NDArray[np.int64]) -> Tilings:
        """Some of the tilings."""
        lanes, copies, serial, items = (
            each.take(rows, axis=0) for each in (self.lanes, self.copies, self.serial, self.items)
        )
        parallel, slow = (each.take(rows, axis=0) for each in (self.parallel, self.slow))
        return Tilings(
            self.extents, lanes, copies, serial, parallel, self.order.take(rows, axis=0), items, slow
        )

    def followed_by(self, others: Tilings) -> Tilings:
        """These tilings, and after them others whose orders are as long."""
        pairs = [(getattr(self, each.name), getattr(others, each.name)) for each in fields(Tilings)[1:]]
        return Tilings(self.extents, *map(np.concatenate, pairs))

    def each(self) -> list[Tiling]:
        """The tilings one by one."""
        columns = (
            *(each.astype(int) for each in (self.lanes, self.copies, self.serial)), self.parallel,
            self.items.astype(int), self.slow,
        )  # fmt: skip
        rows = zip(*(column.tolist() for column in columns), self.order.tolist(), strict=True)
        return [
            Tiling(
                tuple(map(Axis, lanes, copies, serial, parallel, items, slow)),
                tuple(place for place in order if place >= 0),
            )
            for lanes, copies, serial, parallel, items, slow, order in rows
        ]

    def lanes_in(self, masks: Bools) -> Floats:
        """For each tiling and mask of ranges, the lanes of what varies with these."""
        return product_over(self._lanes_across, masks).T

    def copies_in(self, masks: Bools) -> Floats:
        """The same for copies."""
        return product_over(self._copies_across, masks).T

    @cached_property
    def _lanes_across(self) -> Floats:
        return across(self.lanes)

    @cached_property
    def _copies_across(self) -> Floats:
        return across(self.copies)

    @cached_property
    def tile(self) -> Floats:
        """Elements of each range handled at once."""
        return self.lanes * self.copies * self.items

    @cached_property
    def reach(self) -> Floats:
        """Elements of each range that a tile has, no more than there are; by range and tiling."""
        return np.minimum(self.tile_across, self.extents[:, None])

    @cached_property
    def tile_across(self) -> Floats:
        """The same as `tile`, by range and tiling."""
        return across(self.tile)

    @cached_property
    def group(self) -> tuple[Floats, Floats]:
        """Work-items of a group along its fast and its slow coordinate, for each tiling."""
        if not (self.items > 1).any():
            return np.ones(len(self)), np.ones(len(self))
        fast, slow = np.where(self.slow, 1.0, self.items), np.where(self.slow, self.items, 1.0)
        return fast.max(axis=1, initial=1.0), slow.max(axis=1, initial=1.0)

    @cached_property
    def together(self) -> Floats:
        """Work-items of a group, for each tiling."""
        fast, slow = self.group
        return fast * slow

    @cached_property
    def count(self) -> Floats:
        """Tiles of each range; the last may overlap the one before."""
        return np.ceil(self.extents / self.tile)

    @cached_property
    def overlaps(self) -> Bools:
        """Whether it does."""
        return self.count * self.tile > self.extents

    @cached_property
    def outer(self) -> Floats:
        """Iterations of the outer loop, which may be parallel."""
        return whole_quotient(self.count, self.serial)

    @cached_property
    def inner(self) -> Floats:
        """Iterations that one work-item does: of the serial loop where the outer one is parallel, of both otherwise."""
        return np.where(self.parallel, self.serial, self.outer * self.serial)

    @cached_property
    def inner_across(self) -> Floats:
        """The same as `inner`, by range and tiling."""
        return across(self.inner)

    @cached_property
    def loops(self) -> Bools:
        """Whether one work-item does more than one iteration, by range and tiling."""
        return self.inner_across > 1

    @cached_property
    def scalar(self) -> Bools:
        """Whether a range is no explicit vector, by range and tiling."""
        return self._lanes_across == 1

    @cached_property
    def walked(self) -> Floats:
        """Elements of each range that the serial tiles of one work-item have, if it is parallel; by range and tiling."""
        return np.minimum(self.extents[:, None], self.reach * self.serial.T)

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """How deep the loop over each range stands in a work-item, by range and tiling: those over parallel ones outermost, in their order."""
        ranges = len(self.extents)
        rank = self.order.shape[1] + np.repeat(np.arange(ranges)[:, None], len(self), axis=1)
        rows = np.arange(len(self))
        for place, position in enumerate(self.order.T):
            rank[position[position >= 0], rows[position >= 0]] = place
        return rank

    @cached_property
    def groups(self) -> Floats:
        """Work-groups, for each tiling; work-items where these are one to a group."""
        return across(np.where(self.parallel, self.outer, 1.0)).prod(axis=0)

    @cached_property
    def fastest(self) -> NDArray[np.int64]:
        """The position of the parallel range that work-items side by side differ in, for each tiling; -1 where there is none."""
        if not self.order.shape[1]:
            return np.full(len(self), -1)
        last = np.maximum((self.order >= 0).sum(axis=1) - 1, 0)
        return self.order[np.arange(len(self)), last]

    def grouped(self, *, shares_memory: bool = False) -> Floats:
        """Work-items that are started together, for each tiling: several where none of them loops, as `launched` has it."""
        if shares_memory:
            return np.ones(len(self))
        straight = ~self.loops.any(axis=0) & (self.together == 1)
        found = np.ones(len(self))
        counts, where = np.unique(self.groups[straight], return_inverse=True)
        found[straight] = np.array([_in_whole_groups(int(count)) for count in counts], np.float64)[where]
        return found

    def times(self, sits: Bools) -> Floats:
        """How often the body of each set of loops runs, over all work-items."""
        return self.groups[:, None] * product_over(self.inner_across, sits).T


@lru_cache(1 << 14)
def _in_whole_groups(items: int) -> int:
    """Of so many work-items in one dimension, how many are a group: of a prime number of them one."""
    return next(size for size in range(most_in_group(items), 0, -1) if items % size == 0)


def padded(orders: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Orders of different lengths as rows, filled up with -1."""
    most = max(map(len, orders), default=0)
    rows = [(*order, *[-1] * (most - len(order))) for order in orders]
    return np.array(rows, np.int64).reshape(len(rows), most)


def whole_quotient(dividend: Floats, divisor: Floats | float) -> Floats:
    """`dividend // divisor` of numbers that are integers, which NumPy takes ten times as long for; exact where no product of both exceeds 2**53."""
    return np.floor(dividend / divisor)


def across(rows: NDArray[Value]) -> NDArray[Value]:
    """Rows as columns that lie side by side, where what reduces the few elements of each row is quickest."""
    return np.ascontiguousarray(rows.T)


def product(factors: Floats, masks: Bools) -> Floats:
    """For each row of `factors` and each mask, a row too: the product of the factors in the mask."""
    return product_over(across(factors), masks).T


def product_over(factors: Floats, masks: Bools) -> Floats:
    """For each mask over the first axis of `factors`: the product of the factors in the mask.

    Tilings come last, where arrays are quickest.
    """
    found: Floats = np.empty((len(masks), *factors.shape[1:]))
    for row, (same, positions) in enumerate(_in_masks(masks.tobytes(), *masks.shape)):
        if same < row:
            found[row] = found[same]
        elif len(positions) < 2:
            found[row] = factors[positions[0]] if positions else 1.0
        else:
            result: Floats = found[row, ...]
            np.multiply(factors[positions[0]], factors[positions[1]], out=result)
            for position in positions[2:]:
                result *= factors[position]
    return found


@lru_cache(1 << 12)
def _in_masks(masks: bytes, count: int, ranges: int) -> list[tuple[int, tuple[int, ...]]]:
    """Of rows of bools, the first row that is the same, and the ranges that are in it; kernels have the same masks again and again."""
    rows = [tuple(compress(range(ranges), masks[row * ranges :])) for row in range(count)]
    first: dict[tuple[int, ...], int] = {}
    return [(first.setdefault(positions, row), positions) for row, positions in enumerate(rows)]
