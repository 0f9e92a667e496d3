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


def require_order(stores: dict[UOp, Array], places: Array, size: int, node: UOp) -> None:
    """Checks that STOREs to one of `size` elements wait for each other, and notes those of `node`.

    Raises:
        EvaluationError: some do not.
    """
    for other, mask in stores.items():
        if other is not node and np.any(again := mask[places]) and other not in toposort([node]):
            raise EvaluationError(
                f"{node!r} stores to element {places[again][0]}, as {other!r} does, and neither comes first; store to AFTER(buffer, that STORE)"
            )
    stores.setdefault(node, np.zeros(size, bool))[places] = True
