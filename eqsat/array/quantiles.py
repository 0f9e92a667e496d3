"""Medians and quantiles, also of what is left without NaNs.

An axis is put in order as in `sorting`. A quantile is an element, or lies between two neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, nan, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.array import elementwise
from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes import folds
from eqsat.array.nodes.axes import Axes, normalize_axes
from eqsat.array.nodes.joining import stacked
from eqsat.array.nodes.operands import cast, dtype_of, float_of_means
from eqsat.array.nodes.sorting import elements_of_ranks, sorted_along
from eqsat.array.nodes.subscripts import take_along
from eqsat.array.nodes.views import shape
from eqsat.dtype import DType, float32, float64, index, int64
from eqsat.errors import BuildError, ShapeError, brief
from eqsat.extents import Extent, quotient
from eqsat.shape import Shape
from eqsat.uop import UOp

Numbers = NDArray[Any]
Place = Callable[[Any, Any, Any], Any]

__all__ = ["median", "nanmedian", "nanquantile", "quantile"]


def _interpolated(alpha: float, beta: float) -> Place:
    """The place of a quantile that is a continuous function of q."""
    return lambda xp, count, q: count * q + (alpha + q * (1 - alpha - beta)) - 1


PLACES: dict[str, Place] = {
    "inverted_cdf": lambda xp, count, q: xp.ceil(count * q) - 1,
    "averaged_inverted_cdf": lambda xp, count, q: (xp.floor(count * q) + xp.ceil(count * q) - 1) * 0.5,
    "closest_observation": lambda xp, count, q: xp.round(count * q) - 1,
    "interpolated_inverted_cdf": _interpolated(0, 1),
    "hazen": _interpolated(1 / 2, 1 / 2),
    "weibull": _interpolated(0, 0),
    "linear": lambda xp, count, q: (count - 1) * q,
    "median_unbiased": _interpolated(1 / 3, 1 / 3),
    "normal_unbiased": _interpolated(3 / 8, 3 / 8),
    "lower": lambda xp, count, q: xp.floor((count - 1) * q),
    "higher": lambda xp, count, q: xp.ceil((count - 1) * q),
    "midpoint": lambda xp, count, q: (xp.floor((count - 1) * q) + xp.ceil((count - 1) * q)) * 0.5,
    "nearest": lambda xp, count, q: xp.round((count - 1) * q),
}
"""For each method, the place of quantile `q` among `count` elements in order, from 0; beyond the ends it is the end. `xp` has the functions.

The first nine are the definitions 1 to 9 of Hyndman and Fan, Sample quantiles in statistical packages, 1996.
"""


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
def nanmedian(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """The median, as by `median`, of the elements that are not NaN; NaN if there are none.

    Raises:
        ShapeError: there is no such axis, or the number of elements depends on a dim and may be 0.
    """
    value, along, result = _in_one_axis(node(x), axis, keepdims, "take the median over")
    dtype = dtype_of(value)
    if not dtype.is_float or not shape(value)[along]:
        return median(x, axis=axis, keepdims=keepdims)
    ordered, count = _numbers_in_order(value, along)
    low, high = (_at(ordered, along, rank) for rank in ((count - 1) // 2, count // 2))
    found = low.eq(high).where(low, (low + high) / 2.0)  # the sum of one element with itself may overflow
    return Array(cast(found, dtype).reshape(result))


@array_function
def quantile(
    x: ArrayLike,
    /,
    q: float | Sequence[float] | Numbers,
    *,
    axis: Axes = None,
    keepdims: bool = False,
    method: str = "linear",
) -> Array:
    """The quantiles over the named axes, by default over all, by default interpolated linearly between the two nearest elements.

    For the n elements in order, quantile `q` is at position q·(n - 1): an element, or between two. It is NaN if an element is NaN, if there are no
    elements, or, as in NumPy, some way between a number and an infinity. The quantiles of integers and bools are float64.

    Args:
        x: the array.
        q: the quantile, from 0 to 1, or an array of quantiles, whose axes come first in the result. They are known while a function is traced.
        axis: the axes, by default all.
        keepdims: whether the axes stay, with extent 1.
        method: what is taken at a position between two elements: "linear", "lower", "higher", "midpoint" or "nearest" (of two that are equally
            near, the one at the even position). NumPy's other methods take other positions: "inverted_cdf", "averaged_inverted_cdf",
            "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased" and "normal_unbiased".

    Raises:
        ShapeError: there is no such axis, a quantile is not from 0 to 1, or the number of elements depends on a dim and may be 0.
        BuildError: there is no such method.
    """
    return _of_each(x, q, axis, keepdims, method, _quantiles)


@array_function
def nanquantile(
    x: ArrayLike,
    /,
    q: float | Sequence[float] | Numbers,
    *,
    axis: Axes = None,
    keepdims: bool = False,
    method: str = "linear",
) -> Array:
    """The quantiles, as by `quantile`, of the elements that are not NaN; NaN if there are none.

    Raises:
        ShapeError: there is no such axis, a quantile is not from 0 to 1, or the number of elements depends on a dim and may be 0.
        BuildError: there is no such method.
    """
    return _of_each(x, q, axis, keepdims, method, _quantiles_of_numbers)


def _of_each(
    x: ArrayLike, q: Any, axis: Axes, keepdims: bool, method: str, compute: Callable[..., list[UOp]]
) -> Array:
    """The quantiles that `compute` gives along one axis, with the axes of `q` in front."""
    wanted, place = _numbers(q), _place(method)
    value, along, result = _in_one_axis(node(x), axis, keepdims, "take quantiles over")
    dtype = float_of_means(dtype_of(value))
    if not shape(value)[along] or not wanted.size:
        return Array(UOp.full((*wanted.shape, *result), dtype, nan))
    each = [cast(one, dtype).reshape(result) for one in compute(value, along, wanted.reshape(-1), place)]
    return Array(stacked(each, 0).reshape((*wanted.shape, *result)))


def _numbers(q: Any) -> Numbers:
    try:
        wanted = np.asarray(q, np.float64)
    except (TypeError, ValueError):  # no numbers, or nested lists of several lengths
        wanted = np.full((), nan)
    if not ((wanted >= 0) & (wanted <= 1)).all():
        raise ShapeError(f"quantiles are numbers from 0 to 1, not {brief(q)}; divide percentages by 100")
    return wanted


def _place(method: str) -> Place:
    if not isinstance(method, str) or method not in PLACES:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"no method of quantiles is named {brief(method)}; use one of {', '.join(PLACES)}")
    return PLACES[method]


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


def _quantiles(value: UOp, along: int, wanted: Numbers, place: Place) -> list[UOp]:
    """The quantiles along an axis."""
    extent = shape(value)[along]
    if isinstance(extent, Extent):
        return _dynamic_quantiles(value, along, wanted, place)
    places: list[float] = np.clip(place(np, extent, wanted), 0, extent - 1).tolist()
    lower = [floor(each) for each in places]
    ranks = [*lower, *(min(low + 1, extent - 1) for low in lower)]
    working = [cast(each, _working(dtype_of(value))) for each in elements_of_ranks(value, along, ranks)]
    return [
        _between(low, high, each - floor(each))
        for each, low, high in zip(places, working, working[len(places) :], strict=False)
    ]


def _between(low: UOp, high: UOp, part: float) -> UOp:
    """A part of the way from one element to another. From the middle on it is measured from the other, as in NumPy, so that it never decreases."""
    if part == 0:
        return low
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def _dynamic_quantiles(value: UOp, along: int, wanted: Numbers, place: Place) -> list[UOp]:
    """The quantiles along an axis whose extent only calls know."""
    count = UOp.extent(shape(value)[along])
    places = [_within(place, count, q) for q in wanted]
    lower = [each.cast(index) for each in places]
    ranks = [*lower, *((low + 1).minimum(count - 1) for low in lower)]
    working = [cast(each, _working(dtype_of(value))) for each in elements_of_ranks(value, along, ranks)]
    return [
        _between_by((each - low_rank.cast(float64)).broadcast(shape(low)), low, high)
        for each, low_rank, low, high in zip(places, lower, working, working[len(places) :], strict=False)
    ]


def _quantiles_of_numbers(value: UOp, along: int, wanted: Numbers, place: Place) -> list[UOp]:
    """The quantiles along an axis of the elements that are not NaN."""
    if not dtype_of(value).is_float:
        return _quantiles(value, along, wanted, place)
    ordered, count = _numbers_in_order(value, along)
    result: list[UOp] = []
    for q in wanted:
        found = _within(place, count, q)
        rank = found.cast(int64)
        low, high = (_at(ordered, along, each) for each in (rank, (rank + 1).minimum(count - 1)))
        result.append(_between_by(found - rank.cast(float64), low, high))
    return result


def _within(place: Place, count: UOp, q: float) -> UOp:
    """The place of a quantile among a number of elements that only calls know."""
    many = Array(count.cast(float64))
    return elementwise.clip(place(elementwise, many, float(q)), 0.0, many - 1.0).uop


def _between_by(part: UOp, low: UOp, high: UOp) -> UOp:
    """A part of the way from one element to another, as by `_between`."""
    part = part.cast(dtype_of(low))
    near, far = low + (high - low) * part, high - (high - low) * (part * -1.0 + 1.0)
    return part.eq(0.0).where(low, (part < 0.5).where(near, far))


def _numbers_in_order(value: UOp, along: int) -> tuple[UOp, UOp]:
    """The elements in order along an axis, NaNs last, in the dtype that they are averaged in; and how many are numbers, with extent 1 there."""
    ordered = sorted_along(value, along, descending=False, stable=False)
    return cast(ordered, _working(dtype_of(value))), folds.total(value.eq(value), (along,), True, None)


def _at(ordered: UOp, along: int, rank: UOp) -> UOp:
    """The elements of a rank, which stand before NaNs; the last one, which is NaN, for the rank -1."""
    return take_along(ordered, rank, along)


def _working(dtype: DType) -> DType:
    """The dtype in which elements are averaged: at least float32."""
    found = float_of_means(dtype)
    return float32 if found.bits < 32 else found
