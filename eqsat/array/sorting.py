"""Sorting.

The order is ascending, with NaN after all numbers. Axes of a few elements are sorted in the kernel around them. The host sorts longer ones, and
axes whose extent depends on a dim.
"""

from __future__ import annotations

from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import normalize_axis
from eqsat.array.nodes.sorting import positions_along, sorted_along
from eqsat.array.nodes.views import shape

__all__ = ["argsort", "sort"]


@array_function
def sort(
    x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True
) -> Array:
    """The elements in order along an axis.

    NaN is greater than all numbers, so it comes last, or first if `descending`. Zeros of both signs are equal.

    Args:
        x: the array.
        axis: the axis along which to sort, by default the last.
        descending: whether the greatest element comes first.
        stable: whether equal elements keep their order. This matters for zeros of both signs only, and short axes are sorted faster without it.

    Raises:
        ShapeError: there is no such axis.
    """
    value = node(x)
    place = normalize_axis(axis, len(shape(value)), "sort along")
    return Array(sorted_along(value, place, descending=bool(descending), stable=bool(stable)))


@array_function
def argsort(
    x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True
) -> Array:
    """The int64 positions of the elements in the order of `sort`. The elements at these positions are in order.

    Args:
        x: the array.
        axis: the axis along which to sort, by default the last.
        descending: whether the position of the greatest element comes first.
        stable: whether positions of equal elements ascend, also if `descending`. They always do.

    Raises:
        ShapeError: there is no such axis.
    """
    value = node(x)
    place = normalize_axis(axis, len(shape(value)), "sort along")
    return Array(positions_along(value, place, descending=bool(descending)))
