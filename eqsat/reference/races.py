"""Decides which of several stores to one element comes last. If that depends on the device, the evaluation ends with an error.

STOREs in the same loops are ordered: in each iteration, they happen in the order of the SINK. Only AFTERs order other STOREs, and nothing
orders work-items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeGuard

import numpy as np

from eqsat.errors import EvaluationError
from eqsat.integers.bounds import bounds
from eqsat.ops import WORK_ITEMS, AxisType, Op
from eqsat.reference.number import Array
from eqsat.reference.value import Axes, Axis
from eqsat.spec.races import serial_loops
from eqsat.spec.rule import axis_type, range_number
from eqsat.uop import UOp, toposort


@dataclass(frozen=True)
class Points:
    """The points at which a STORE stores.

    Attributes:
        axes: the named axes of the points.
        extents: the extent of each of `axes`.
        inner: the number of axes without names that follow.
        windows: for each range that is computed in part, its part as (begin, end).
    """

    axes: Axes
    extents: tuple[int, ...]
    inner: int
    windows: Mapping[UOp, tuple[int, int]]

    @cached_property
    def in_time(self) -> list[int]:
        """The positions of all axes, sorted by time, slowest first: each iteration of the loops has copies, and each copy has lanes."""
        return sorted(range(len(self.extents) + self.inner), key=lambda place: (self._depth(place), place))

    def _depth(self, place: int) -> int:
        if place >= len(self.axes):
            return 2
        axis = self.axes[place]
        return _DEPTHS.get(axis_type(axis), 0) if _is_counter(axis) and axis.op is Op.RANGE else 0

    @cached_property
    def items(self) -> Axes:
        """The axes that tell work-items apart."""
        return tuple(
            axis for axis in self.axes if _is_counter(axis) and _is_parallel(axis) and _count(axis) > 1
        )

    def number(self, counters: Iterable[Axis]) -> Array:
        """For each point, its row-major number along ranges, the last varying fastest.

        Along a range that the points do not vary with, the last iteration counts.
        """
        number = np.zeros((1,) * (len(self.axes) + self.inner), np.int64)
        for each in counters:
            assert _is_counter(each)
            along = np.asarray(_count(each) - 1)
            if each in self.axes:
                place = self.axes.index(each)
                begin, _ = self.windows.get(each, (0, 0))
                along = np.arange(begin, begin + self.extents[place], dtype=np.int64)
                along = along.reshape(-1, *(1,) * (number.ndim - place - 1))
            number = number * _count(each) + along
        return number


_DEPTHS = {AxisType.UNROLL: 1, AxisType.UPCAST: 2}


def _is_counter(axis: Axis) -> TypeGuard[UOp]:
    """Whether an axis is a RANGE or SPECIAL, not one of samples."""
    return isinstance(axis, UOp)


def _is_parallel(counter: UOp) -> bool:
    return counter.op is Op.SPECIAL or axis_type(counter) in WORK_ITEMS


def _count(counter: UOp) -> int:
    end = counter.src[0]
    return end.arg if end.op is Op.CONST else bounds(counter)[1] + 1


def require_one_item(places: Array, item: Array, node: UOp) -> None:
    """Checks that no two work-items store to one element.

    Raises:
        EvaluationError: two do.
    """
    if not places.size or item.min() == item.max():
        return
    owner = np.empty(int(places.max()) + 1, np.int64)
    owner[places] = item
    if np.any(wrong := owner[places] != item):
        raise EvaluationError(
            f"{node!r} stores to element {places[wrong][0]} in several work-items; give each a place, or gate the STORE"
        )


def nests_of(roots: Sequence[UOp]) -> dict[UOp, tuple[UOp, ...]]:
    """The LOOP ranges that each STORE ends, outer ones first; empty if there is only one STORE."""
    nodes = toposort(roots)
    if sum(node.op is Op.STORE for node in nodes) < 2:
        return {}
    return {store: tuple(sorted(ended, key=range_number)) for store, ended in serial_loops(nodes).items()}


class _Writer(NamedTuple):
    """A STORE.

    Attributes:
        items: the axes that tell its work-items apart.
        loops: the LOOP ranges that it ends, outer ones first.
    """

    node: UOp
    items: Axes
    loops: tuple[UOp, ...]


class LastWrites:
    """The last write to each element: the number of the STORE, of the work-item, and of the iteration of the loops."""

    def __init__(self, size: int) -> None:
        self._writers: list[_Writer] = []
        self._writer = np.full(size, -1, np.int32)
        self._item, self._iteration = np.zeros(size, np.int64), np.zeros(size, np.int64)

    def note(
        self, node: UOp, points: Points, loops: tuple[UOp, ...], places: Array, item: Array, iteration: Array
    ) -> Array:
        """Notes the writes of the STORE `node`, and returns at which of `places` it is the last one so far.

        `item` and `iteration` are the numbers of the work-item and of the iteration of each write.

        Raises:
            EvaluationError: another STORE writes the same element, and neither comes first.
        """
        mine = _Writer(node, points.items, loops)
        before, last = self._writer[places], np.ones(places.shape, bool)
        others: set[int] = set(before[before >= 0].tolist())
        for number in others:
            other, again = self._writers[number], before == number
            if other.node is node or other.node in toposort([node]):
                continue
            where = f"{node!r} stores to element {places[again][0]}, as {other.node!r} does"
            if other.loops != loops:
                raise EvaluationError(f"{where}, and neither comes first; store to AFTER(buffer, that STORE)")
            if other.items != mine.items or np.any((self._item[places] != item) & again):
                raise EvaluationError(f"{where} in other work-items; give each a place, or STORE once")
            last &= ~again | (self._iteration[places] <= iteration)
        if mine not in self._writers:
            self._writers.append(mine)
        self._writer[places[last]] = self._writers.index(mine)
        self._item[places[last]], self._iteration[places[last]] = item[last], iteration[last]
        return last
