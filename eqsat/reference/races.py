"""Which of several stores to one element comes last. Where that depends on the device, there is no result.

STOREs in the same loops follow each other: in each iteration, in the order of the SINK. Others have no order but that of AFTERs, and work-items
have none.
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
    """The points that a STORE stores at.

    Attributes:
        extents: of each of `axes`.
        inner: how many axes follow these.
        windows: for each range that is computed in part, its part as (begin, end).
    """

    axes: Axes
    extents: tuple[int, ...]
    inner: int
    windows: Mapping[UOp, tuple[int, int]]

    @cached_property
    def in_time(self) -> list[int]:
        """The places of all axes in the order of time: in each iteration of the loops copies, of which each has lanes."""
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
        """For each point the number of its place along ranges, the last varying fastest; the last place along those that it does not vary with."""
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
    return bounds(counter)[1] + 1


def require_one_item(places: Array, item: Array, node: UOp) -> None:
    """Checks that no two work-items store to one element.

    Raises:
        EvaluationError: some do.
    """
    if not places.size or item.min() == item.max():
        return
    owner = np.empty(int(places.max()) + 1, np.int64)
    owner[places] = item
    if np.any(wrong := owner[places] != item):
        raise EvaluationError(
            f"{node!r} stores to element {places[wrong][0]} in several work-items; give each a place, or gate the STORE"
        )


class Written(NamedTuple):
    """What a STORE has written.

    Attributes:
        items: the axes that tell its work-items apart.
        loops: the LOOP ranges that it ends, outer ones first.
        owner: for each element the number of the work-item, or -1.
        latest: for each element the iteration of the loops.
    """

    items: Axes
    loops: tuple[UOp, ...]
    owner: Array
    latest: Array


def nests_of(roots: Sequence[UOp]) -> dict[UOp, tuple[UOp, ...]]:
    """The LOOP ranges that each STORE ends, outer ones first."""
    loops = serial_loops(toposort(roots))
    return {store: tuple(sorted(ended, key=range_number)) for store, ended in loops.items()}


def note_last(stores: dict[UOp, Written], node: UOp, mine: Written, places: Array, size: int) -> Array:
    """Which of `places` no other STORE writes later; notes what `node` writes, of which `mine` tells for each place.

    Raises:
        EvaluationError: of two STOREs neither comes first.
    """
    last = np.ones(places.shape, bool)
    for other, written in stores.items():
        again = written.owner[places] >= 0
        if other is node or not np.any(again) or other in toposort([node]):
            continue
        where = f"{node!r} stores to element {places[again][0]}, as {other!r} does"
        if written.loops != mine.loops:
            raise EvaluationError(f"{where}, and neither comes first; store to AFTER(buffer, that STORE)")
        if written.items != mine.items or np.any((written.owner[places] != mine.owner) & again):
            raise EvaluationError(f"{where} in other work-items; give each a place, or STORE once")
        last &= ~again | (written.latest[places] <= mine.latest)
    if node not in stores:
        stores[node] = mine._replace(owner=np.full(size, -1, np.int64), latest=np.zeros(size, np.int64))
    stores[node].owner[places], stores[node].latest[places] = mine.owner, mine.latest
    return last
