"""Tilings of a kernel's loops: a single one, from which the kernel is built, and many as arrays, which are costed together."""

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
    """How one range is split into loops: position = tile · (serial · outer + s) + lanes · (items · c + item) + lane.

    Attributes:
        lanes: lanes of an explicit vector (UPCAST), 1 for none.
        copies: unrolled copies of the body (UNROLL).
        serial: tiles that one work-item walks through in a loop, if the outer loop is parallel.
        parallel: whether the outer loop is spread over work-items (GLOBAL); otherwise it is a loop of each work-item.
        items: work-items of a group that share the tile (LOCAL, or GROUP_REDUCE for reductions); the tile has lanes · items · copies elements.
        slow: whether `items` are along the slower of the two coordinates of a group.
    """

    lanes: int = 1
    copies: int = 1
    serial: int = 1
    parallel: bool = False
    items: int = 1
    slow: bool = False

    @property
    def tile(self) -> int:
        """Elements of a tile, which one iteration handles."""
        return self.lanes * self.items * self.copies


@dataclass(frozen=True, slots=True)
class Tiling:
    """One axis per range, and the positions of the parallel ranges, the slowest first."""

    axes: tuple[Axis, ...]
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tilings:
    """Tilings of one kernel as arrays: a row for each tiling, a column for each range.

    Attributes:
        extents: extents of the ranges; one row for all tilings.
        lanes, copies, serial: as in `Axis`.
        parallel: as in `Axis`.
        items, slow: as in `Axis`.
        order: positions of the parallel ranges, the slowest first; shorter rows are filled with -1.
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
        """The arrays of these tilings."""
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
        """The tilings in these rows."""
        lanes, copies, serial, items = (
            each.take(rows, axis=0) for each in (self.lanes, self.copies, self.serial, self.items)
        )
        parallel, slow = (each.take(rows, axis=0) for each in (self.parallel, self.slow))
        return Tilings(
            self.extents, lanes, copies, serial, parallel, self.order.take(rows, axis=0), items, slow
        )

    def followed_by(self, others: Tilings) -> Tilings:
        """These tilings, followed by `others`, whose orders have the same length."""
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
        """For each tiling and set of ranges, the lanes of a value that varies with these ranges."""
        return product_over(self._lanes_across, masks).T

    def copies_in(self, masks: Bools) -> Floats:
        """For each tiling and set of ranges, the copies of a value that varies with these ranges."""
        return product_over(self._copies_across, masks).T

    @cached_property
    def _lanes_across(self) -> Floats:
        return across(self.lanes)

    @cached_property
    def _copies_across(self) -> Floats:
        return across(self.copies)

    @cached_property
    def tile(self) -> Floats:
        """Elements in a tile of each range."""
        return self.lanes * self.copies * self.items

    @cached_property
    def reach(self) -> Floats:
        """Elements in a tile of each range, at most its extent; by range and tiling."""
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
        """The number of tiles of each range; the last may overlap the one before."""
        return np.ceil(self.extents / self.tile)

    @cached_property
    def overlaps(self) -> Bools:
        """Whether the last tile of each range overlaps the one before."""
        return self.count * self.tile > self.extents

    @cached_property
    def outer(self) -> Floats:
        """Iterations of the outer loop, which may be parallel."""
        return np.ceil(self.count / self.serial)

    @cached_property
    def inner(self) -> Floats:
        """Iterations that one work-item executes: of the serial loop if the outer one is parallel, of both otherwise."""
        return np.where(self.parallel, self.serial, self.outer * self.serial)

    @cached_property
    def inner_across(self) -> Floats:
        """The same as `inner`, by range and tiling."""
        return across(self.inner)

    @cached_property
    def loops(self) -> Bools:
        """Whether one work-item executes more than one iteration, by range and tiling."""
        return self.inner_across > 1

    @cached_property
    def scalar(self) -> Bools:
        """Whether a range is no explicit vector, by range and tiling."""
        return self._lanes_across == 1

    @cached_property
    def walked(self) -> Floats:
        """Elements in the serial tiles of one work-item, if the range is parallel; by range and tiling."""
        return np.minimum(self.extents[:, None], self.reach * self.serial.T)

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """The depth of the loop over each range in a work-item, by range and tiling; loops over parallel ranges are outermost, in their order."""
        ranges = len(self.extents)
        rank = self.order.shape[1] + np.repeat(np.arange(ranges)[:, None], len(self), axis=1)
        rows = np.arange(len(self))
        for place, position in enumerate(self.order.T):
            rank[position[position >= 0], rows[position >= 0]] = place
        return rank

    @cached_property
    def groups(self) -> Floats:
        """The number of work-groups, for each tiling; it is the number of work-items if groups have a single item."""
        return across(np.where(self.parallel, self.outer, 1.0)).prod(axis=0)

    @cached_property
    def fastest(self) -> NDArray[np.int64]:
        """The position of the parallel range in which neighbouring work-items differ, for each tiling; -1 if there is none."""
        if not self.order.shape[1]:
            return np.full(len(self), -1)
        last = np.maximum((self.order >= 0).sum(axis=1) - 1, 0)
        return self.order[np.arange(len(self)), last]

    def grouped(self, *, shares_memory: bool = False) -> Floats:
        """Work-items that are started together as one group, for each tiling: several if no work-item has a loop, as in `launched`.

        With `shares_memory`, work-items use local memory, and each is started by itself.
        """
        if shares_memory:
            return np.ones(len(self))
        straight = ~self.loops.any(axis=0) & (self.together == 1)
        found = np.ones(len(self))
        counts, where = np.unique(self.groups[straight], return_inverse=True)
        found[straight] = np.array([_in_whole_groups(int(count)) for count in counts], np.float64)[where]
        return found

    def times(self, sits: Bools) -> Floats:
        """How often the body of each set of loops runs, counting all work-items."""
        return self.groups[:, None] * product_over(self.inner_across, sits).T


@lru_cache(1 << 14)
def _in_whole_groups(items: int) -> int:
    """The size of a group for so many work-items in one dimension: their greatest divisor up to a limit, so 1 for a prime number."""
    return next(size for size in range(most_in_group(items), 0, -1) if items % size == 0)


def padded(orders: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Orders of different lengths as rows of equal length, filled with -1."""
    most = max(map(len, orders), default=0)
    rows = [(*order, *[-1] * (most - len(order))) for order in orders]
    return np.array(rows, np.int64).reshape(len(rows), most)


def across(rows: NDArray[Value]) -> NDArray[Value]:
    """The contiguous transpose: reducing the few elements of each row is quickest along its first axis."""
    return np.ascontiguousarray(rows.T)


def product(factors: Floats, masks: Bools) -> Floats:
    """For each row of `factors` and each mask, the product of the factors in the mask; masks are rows of bools."""
    return product_over(across(factors), masks).T


def product_over(factors: Floats, masks: Bools) -> Floats:
    """For each mask over the first axis of `factors`, the product of the factors in the mask.

    The last axis is over tilings, so that NumPy works on long contiguous rows.
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
    """(the first equal row, the ranges in the mask) for each row of bools; the result is cached, as kernels have the same masks again and again."""
    rows = [tuple(compress(range(ranges), masks[row * ranges :])) for row in range(count)]
    first: dict[tuple[int, ...], int] = {}
    return [(first.setdefault(positions, row), positions) for row, positions in enumerate(rows)]
