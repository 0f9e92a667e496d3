"""Reductions of the elements that are not NaN, and numbers in the place of NaN. Integers and bools are all numbers."""

from __future__ import annotations

from typing import Any

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, node
from eqsat.array.elementwise import isnan, logical_not, square, where
from eqsat.array.formulas import computed, floats
from eqsat.array.mathematics import sqrt
from eqsat.array.nodes import folds
from eqsat.array.nodes.axes import Axes, normalize_axes
from eqsat.array.nodes.operands import dtype_of
from eqsat.array.nodes.views import shape
from eqsat.array.reduction import any, max, min, prod, sum

__all__ = ["nan_to_num", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"]


@array_function
def nansum(
    x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False
) -> Array:
    """The sum, as by `sum`, of the elements that are not NaN; 0 if there are none."""
    return sum(_filled(x, 0.0), axis=axis, dtype=dtype, keepdims=keepdims)


@array_function
def nanprod(
    x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False
) -> Array:
    """The product, as by `prod`, of the elements that are not NaN; 1 if there are none."""
    return prod(_filled(x, 1.0), axis=axis, dtype=dtype, keepdims=keepdims)


@array_function
def nanmax(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The greatest element over the named axes, by default over all, that is not NaN; NaN if there is none.

    Raises:
        ShapeError: there are no elements to choose from.
    """
    return _extreme(max, x, -float("inf"), axis, keepdims)


@array_function
def nanmin(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The least element over the named axes, by default over all, that is not NaN; NaN if there is none.

    Raises:
        ShapeError: there are no elements to choose from.
    """
    return _extreme(min, x, float("inf"), axis, keepdims)


@array_function
def nanmean(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The mean, as by `mean`, of the elements that are not NaN; NaN if there are none."""
    value = node(_filled(x, 0.0))
    axes = normalize_axes(axis, len(shape(value)), "average over")
    count = folds.total(logical_not(isnan(x)).uop, axes, keepdims)
    return Array(folds.mean(value, axes, keepdims, counted=count))


@array_function
def nanvar(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The mean squared distance from the mean of the elements that are not NaN, over the named axes, by default over all.

    The sum of squares is divided by their number minus `correction`. Where that is not positive, the result is NaN.
    """

    def formula(value: Array) -> Array:
        is_number = logical_not(isnan(value))
        distance = where(is_number, value - nanmean(value, axis=axis, keepdims=True), 0.0)
        left = sum(is_number, axis=axis, keepdims=keepdims).astype(value.dtype) - correction
        return where(left > 0, sum(square(distance), axis=axis, keepdims=keepdims) / left, float("nan"))

    return computed(formula, floats(node(x)))


@array_function
def nanstd(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The square root of `nanvar`, over the named axes, by default over all."""

    def formula(value: Array) -> Array:
        return sqrt(nanvar(value, axis=axis, correction=correction, keepdims=keepdims))

    return computed(formula, floats(node(x)))


@array_function
def nan_to_num(
    x: ArrayLike, /, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """The elements, with `nan` where they are NaN, and numbers where they are infinite.

    Args:
        x: the array.
        nan: stands where an element is NaN.
        posinf: stands where an element is infinite, by default the greatest number of the dtype.
        neginf: stands where an element is minus infinity, by default the least number of the dtype.
    """
    array = Array(node(x))
    if not array.dtype.is_float:
        return array
    greatest = array.dtype.greatest_number
    for place, number in (
        (isnan(array), nan),
        (array == float("inf"), greatest if posinf is None else posinf),
        (array == -float("inf"), -greatest if neginf is None else neginf),
    ):
        array = where(place, number, array)
    return array


def _filled(x: ArrayLike, number: float) -> Array:
    """The elements, with a number in the place of NaNs."""
    value = node(x)
    return Array(value.eq(value).where(value, number) if dtype_of(value).is_float else value)


def _extreme(choose: Any, x: ArrayLike, least: float, axis: Axes, keepdims: bool) -> Array:
    found = choose(_filled(x, least), axis=axis, keepdims=keepdims)
    if not dtype_of(node(x)).is_float:
        return found
    return where(any(logical_not(isnan(x)), axis=axis, keepdims=keepdims), found, float("nan"))
