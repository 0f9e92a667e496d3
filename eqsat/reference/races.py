"""Stores whose order depends on the device: those of several work-items, and those of several STOREs that do not wait for each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eqsat.errors import EvaluationError
from eqsat.ops import WORK_ITEMS, Op
from eqsat.reference.number import Array
from eqsat.reference.value import Axes, Axis
from eqsat.spec.rule import axis_type
from eqsat.uop import UOp, toposort


def items_of(axes: Axes, extents: Sequence[int], inner: int) -> Array:
    """The number of the work-item that each point is computed by."""
    number = np.zeros((1,) * (len(axes) + inner), np.int64)
    for place, (axis, extent) in enumerate(zip(axes, extents, strict=True)):
        if _is_parallel(axis):
            along = np.arange(extent, dtype=np.int64).reshape(-1, *(1,) * (len(axes) + inner - place - 1))
            number = number * extent + along
    return number


def _is_parallel(axis: Axis) -> bool:
    return isinstance(axis, UOp) and (axis.op is Op.SPECIAL or axis_type(axis) in WORK_ITEMS)


def require_one_item(places: Array, stored: Array, item: Array, node: UOp) -> None:
    """Checks that work-items which store to one element leave the same value there."""
    if not places.size or item.min() == item.max():
        return
    owner = np.empty(int(places.max()) + 1, np.int64)
    owner[places] = item
    if np.array_equal(owner[places], item):  # shortcut: no element is stored to by two
        return
    order = np.lexsort((item, places))  # stable: of one item at one place, the last is last
    places, stored, item = places[order], stored[order], item[order]
    last = np.append((places[1:] != places[:-1]) | (item[1:] != item[:-1]), True)
    places, stored = places[last], stored[last]
    wrong = (places[1:] == places[:-1]) & _differ(stored[1:], stored[:-1])
    if np.any(wrong):
        raise EvaluationError(
            f"{node!r} stores different values of several work-items to element {places[1:][wrong][0]}; give each a place, or gate the STORE"
        )


def require_order(stores: dict[UOp, Array], current: Array, places: Array, stored: Array, node: UOp) -> None:
    """Checks that STOREs that leave different values at one element wait for each other."""
    for other, mask in stores.items():
        if other is node or not np.any(again := mask[places]):
            continue
        wrong = again & _differ(current[places], stored)
        if np.any(wrong) and other not in toposort([node]):
            raise EvaluationError(
                f"{node!r} stores to element {places[wrong].flat[0]}, as {other!r} does, and neither comes first; store to AFTER(buffer, that STORE)"
            )
    mask = stores.setdefault(node, np.zeros(current.size, bool))
    mask[places] = True


def _differ(left: Array, right: Array) -> Array:
    return np.asarray((left != right) & ~((left != left) & (right != right)))
