"""Sorting, and quantiles.

The order is ascending, with NaN after all numbers. Axes of a few elements are sorted in the kernel around them. The host sorts longer ones, and
axes whose extent depends on a dim.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, nan, prod
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import Axes, normalize_axes, normalize_axis
from eqsat.array.nodes.joining import stacked
from eqsat.array.nodes.operands import cast, dtype_of, float_of_means
from eqsat.array.nodes.sorting import elements_of_ranks, positions_along, sorted_along
from eqsat.array.nodes.views import shape
from eqsat.dtype import DType, float32, float64, index
from eqsat.errors import ShapeError, brief
from eqsat.extents import Extent, quotient
from eqsat.shape import Shape
from eqsat.uop import UOp

Numbers = NDArray[Any]

__all__ = ["argsort", "median", "quantile", "sort"]


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


@array_function
def median(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """The median over the named axes, by default over all: the element in the middle, or the mean of the two in the middle.

    It is NaN if an element is NaN, or if there are no elements. The median of integers and bools is float64.

    Raises:
        ShapeError: there is no such axis, or the number of elements depends on a dim and may be 0.
    """
    value, along, result = _in_one_axis(node(x), axis, keepdims, "take the median over")
    count, dtype = shape(value)[along], float_of_means(dtype_of(value))
    if not count:
        return Array(UOp.full(result, dtype, nan))
    middle = quotient(count - 1, 2), quotient(count, 2)
    low, high = (cast(each, _working(dtype)) for each in elements_of_ranks(value, along, middle))
    found = low if low is high else (low + high) / 2.0
    if isinstance(count, Extent):
        found = low.eq(high).where(low, found)  # the sum of one element with itself may overflow
    return Array(cast(found, dtype).reshape(result))


@array_function
def quantile(
    x: ArrayLike,
    /,
    q: float | Sequence[float] | Numbers,
    *,
    axis: Axes = None,
    keepdims: bool = False,
) -> Array:
    """The quantiles over the named axes, by default over all, interpolated linearly between the two nearest elements.

    For the n elements in order, quantile `q` is at position q·(n - 1): an element, or between two. It is NaN if an element is NaN, if there are no
    elements, or, as in NumPy, some way between a number and an infinity. The quantiles of integers and bools are float64.

    Args:
        x: the array.
        q: the quantile, from 0 to 1, or an array of quantiles, whose axes come first in the result. They are known while a function is traced.
        axis: the axes, by default all.
        keepdims: whether the axes stay, with extent 1.

    Raises:
        ShapeError: there is no such axis, a quantile is not from 0 to 1, or the number of elements depends on a dim and may be 0.
    """
    wanted = np.asarray(q, np.float64)
    if not ((wanted >= 0) & (wanted <= 1)).all():
        raise ShapeError(f"quantiles are numbers from 0 to 1, not {brief(q)}; divide percentages by 100")
    value, along, result = _in_one_axis(node(x), axis, keepdims, "take quantiles over")
    count, dtype = shape(value)[along], float_of_means(dtype_of(value))
    if not count or not wanted.size:
        return Array(UOp.full((*wanted.shape, *result), dtype, nan))
    compute = _dynamic_quantiles if isinstance(count, Extent) else _quantiles
    found = compute(value, along, wanted)
    each = [cast(one, dtype).reshape(result) for one in found]
    return Array(stacked(each, 0).reshape((*wanted.shape, *result)))


def _in_one_axis(value: UOp, axis: Axes, keepdims: bool, operation: str) -> tuple[UOp, int, Shape]:
    """The value with the named axes merged into one, that axis, and the shape of what is computed along it.

    Raises:
        ShapeError: there is no such axis, or the axes may be empty for some values of the dims only.
    """
    whole = shape(value)
    axes = normalize_axes(axis, len(whole), operation)
    axes = sorted(
        axes, key=lambda place: not isinstance(whole[place], Extent)
    )  # a dim can be merged as the outermost
    kept = [place for place in range(len(whole)) if place not in axes]
    count = prod(whole[place] for place in axes)
    if isinstance(count, Extent) and not count.least:
        raise ShapeError(
            f"cannot {operation} {count} elements of {whole}, which may be none; give its dims bounds so that there are some"
        )
    result = [extent for place, extent in enumerate(whole) if place not in axes]
    along = axes[0] if len(axes) == 1 else len(result)
    if len(axes) != 1:
        value = value.permute((*kept, *axes)).reshape((*result, count))
    if keepdims:
        result = [1 if place in axes else extent for place, extent in enumerate(whole)]
    return value, along, tuple(result)


def _quantiles(value: UOp, along: int, wanted: Numbers) -> list[UOp]:
    """The quantiles along an axis of which the extent is known."""
    last = shape(value)[along] - 1
    places = [float(q) * last for q in wanted.flat]
    lower = [floor(place) for place in places]
    found = elements_of_ranks(value, along, [*lower, *(min(low + 1, last) for low in lower)])
    working = [cast(each, _working(dtype_of(value))) for each in found]
    return [
        _between(low, high, place - floor(place))
        for place, low, high in zip(places, working, working[len(places) :], strict=False)
    ]


def _between(low: UOp, high: UOp, part: float) -> UOp:
    """A part of the way from one element to another. From the middle on it is measured from the other, as in NumPy, so that it never decreases."""
    if part == 0:
        return low
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def _dynamic_quantiles(value: UOp, along: int, wanted: Numbers) -> list[UOp]:
    """The quantiles along an axis whose extent only calls know."""
    last = UOp.extent(shape(value)[along]) - 1
    places = [last.cast(float64) * float(q) for q in wanted.flat]
    lower = [place.cast(index) for place in places]
    found = elements_of_ranks(value, along, [*lower, *((low + 1).minimum(last) for low in lower)])
    working = [cast(each, _working(dtype_of(value))) for each in found]
    result: list[UOp] = []
    for place, rank, low, high in zip(places, lower, working, working[len(places) :], strict=False):
        part = (place - rank.cast(float64)).cast(dtype_of(low)).broadcast(shape(low))
        near, far = low + (high - low) * part, high - (high - low) * (part * -1.0 + 1.0)
        result.append(part.eq(0.0).where(low, (part < 0.5).where(near, far)))
    return result


def _working(dtype: DType) -> DType:
    """The dtype in which elements are averaged: at least float32."""
    found = float_of_means(dtype)
    return float32 if found.bits < 32 else found
