"""The memories of a launch, with one row per work-item, per work-group, or for the whole launch.

Every access is checked for bounds, races and uninitialized reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from eqsat.errors import EvaluationError
from eqsat.reference.number import Array
from eqsat.uop import UOp

_NOBODY, _SEVERAL = -1, -2


class Owner(Enum):
    """The owners of instances of a memory: each work-item has one, each work-group, or the whole launch."""

    LAUNCH = "launch"
    GROUP = "group"
    ITEM = "item"


@dataclass(frozen=True, slots=True)
class Items:
    """The work-items of a launch, numbered with dimension 0 fastest.

    Attributes:
        number: 0, 1, … for each item.
        group: the group of each item.
        epoch: for each group, the number of barriers that it has passed; updated in place.
    """

    number: Array
    group: Array
    epoch: Array


@dataclass(frozen=True, slots=True)
class Touch:
    """The elements that the items selected by `items` access: columns of the memory, of shape (items, lanes), and rows, which broadcast to it."""

    items: Array
    rows: Array
    columns: Array


class TrackedMemory:
    """One memory: a row of elements for each owner. If `tracked`, it also stores which work-item accessed each element last.

    Two work-items race if both access an element, at least one writes it, and no barrier of their group lies between. A read of an element that
    was never written is an error, except in the arguments of the kernel.
    """

    def __init__(self, name: str, data: Array, owner: Owner, *, tracked: bool) -> None:
        self.name, self.data, self.owner = name, data, owner
        self.initialized = None if owner is Owner.LAUNCH else np.zeros(data.shape, bool)
        self.tracked = tracked
        if tracked:
            self.writer = np.full(data.shape, _NOBODY)
            self.reader = np.full(data.shape, _NOBODY)
            self.written_at = np.zeros(data.shape, np.int64)
            self.read_at = np.zeros(data.shape, np.int64)

    def load(self, touch: Touch, everyone: Items, node: UOp) -> Array:
        """Reads the accessed elements."""
        self._check_bounds(touch, node)
        where = touch.rows, touch.columns
        if self.initialized is not None and not np.all(self.initialized[where]):
            missing = touch.columns[~self.initialized[where]].flat[0]
            raise EvaluationError(
                f"{node!r} reads element {missing} of {self.name}, which nothing has written; store to it first"
            )
        if self.tracked:
            self._check_race(touch, everyone, node, self.writer, self.written_at)
            self._note_readers(touch, everyone)
        return self.data[where]

    def store(self, touch: Touch, values: Array, everyone: Items, node: UOp) -> None:
        """Writes the accessed elements."""
        self._check_bounds(touch, node)
        where = touch.rows, touch.columns
        if self.tracked:
            self._check_race(touch, everyone, node, self.writer, self.written_at)
            self._check_race(touch, everyone, node, self.reader, self.read_at)
            self.writer[where] = touch.items[:, None]
            self.written_at[where] = everyone.epoch[everyone.group[touch.items]][:, None]
            self._complain_unless(self.writer[where] == touch.items[:, None], touch, node)
        self.data[where] = values
        if self.initialized is not None:
            self.initialized[where] = True

    def _check_bounds(self, touch: Touch, node: UOp) -> None:
        size = self.data.shape[1]
        # As an unsigned number, a negative column is a large one.
        if touch.columns.size and np.max(touch.columns.view(np.uint64)) >= size:
            outside = (touch.columns < 0) | (touch.columns >= size)
            item = touch.items[np.any(outside, 1)][0]
            raise EvaluationError(
                f"{node!r} accesses element {touch.columns[outside].flat[0]} of {size} of {self.name} in work-item {item}; "
                "gate its INDEX, or correct it"
            )

    def _check_race(self, touch: Touch, everyone: Items, node: UOp, who: Array, when: Array) -> None:
        where = touch.rows, touch.columns
        other = who[where]
        mine = everyone.group[touch.items][:, None]
        theirs = np.where(other == _SEVERAL, mine, everyone.group[np.maximum(other, 0)])
        ordered = (theirs == mine) & (when[where] < everyone.epoch[mine])
        self._complain_unless((other == _NOBODY) | (other == touch.items[:, None]) | ordered, touch, node)

    def _complain_unless(self, fine: Array, touch: Touch, node: UOp) -> None:
        if not np.all(fine):
            item = touch.items[~np.all(fine, 1)][0]
            raise EvaluationError(
                f"{node!r} races on element {touch.columns[~fine].flat[0]} of {self.name}: work-item {item} and another touch it "
                "without a BARRIER between; add one, or give each its own element"
            )

    def _note_readers(self, touch: Touch, everyone: Items) -> None:
        where = touch.rows, touch.columns
        now = np.broadcast_to(everyone.epoch[everyone.group[touch.items]][:, None], touch.columns.shape)
        me = touch.items[:, None]
        others_now = (
            (self.reader[where] != _NOBODY) & (self.reader[where] != me) & (self.read_at[where] == now)
        )
        self.reader[where] = np.where(others_now, _SEVERAL, me)
        shared = others_now | (self.reader[where] != me)
        rows = np.broadcast_to(touch.rows, touch.columns.shape)
        self.reader[rows[shared], touch.columns[shared]] = _SEVERAL
        self.read_at[where] = now
