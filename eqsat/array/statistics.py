"""How elements are spread over ranges of values, and how rows vary together."""

from __future__ import annotations

from math import isfinite

import numpy as np

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, asarray, node
from eqsat.array.creation import arange
from eqsat.array.elementwise import clip, square, where
from eqsat.array.formulas import computed, floats
from eqsat.array.indexing import searchsorted
from eqsat.array.linalg import matmul
from eqsat.array.mathematics import sqrt
from eqsat.array.movement import broadcast_to, concat, reshape
from eqsat.array.nodes.axes import Axes, normalize_axes, normalize_shape
from eqsat.array.nodes.operands import dtype_of, float_of_means
from eqsat.array.nodes.views import shape
from eqsat.array.reduction import bincount, diff, max, mean, min, sum
from eqsat.errors import ShapeError, brief

__all__ = ["average", "corrcoef", "cov", "histogram"]


@array_function
def average(
    x: ArrayLike, /, axis: Axes = None, weights: ArrayLike | None = None, *, keepdims: bool = False
) -> Array:
    """The mean over the named axes, by default over all, in which each element counts as much as its weight says.

    Args:
        x: the array. Integers are converted to float64.
        axis: the axes.
        weights: numbers in the shape of `x`, or a vector with one for each position along `axis`; by default all elements count the same.
        keepdims: whether the axes stay, with extent 1.

    Returns:
        The sum of elements times weights, divided by the sum of the weights; infinite or NaN if that is 0.

    Raises:
        ShapeError: there is no such axis, or `weights` has another shape.
    """
    if weights is None:
        return mean(x, axis=axis, keepdims=keepdims)
    value, given = floats(node(x), node(weights))
    if shape(given) != shape(value):
        axes = normalize_axes(axis, len(shape(value)), "average over")
        if len(axes) != 1 or shape(given) != (shape(value)[axes[0]],):
            raise ShapeError(
                f"weights of {shape(given)} do not fit {shape(value)}; give one for each element, or for each along one axis"
            )
        given = given.reshape(
            tuple(extent if place in axes else 1 for place, extent in enumerate(shape(value)))
        )

    def formula(x: Array, weights: Array) -> Array:
        weights = broadcast_to(weights, x.shape)
        return sum(x * weights, axis=axis, keepdims=keepdims) / sum(weights, axis=axis, keepdims=keepdims)

    return computed(formula, (value, given))


@array_function
def cov(x: ArrayLike, /, *, correction: int = 1) -> Array:
    """The covariances of the rows of a matrix, each of which has the observations of one variable; the variance of a vector.

    Args:
        x: the observations, of shape (variables, n) or (n). Integers are converted to float64; other dtypes stay.
        correction: the sums of products are divided by n - `correction`.

    Returns:
        An array of shape (variables, variables), or () for a vector.

    Raises:
        ShapeError: `x` has no axes, or more than two.
    """

    def formula(value: Array) -> Array:
        centred = value - mean(value, axis=-1, keepdims=True)
        return matmul(centred, _as_columns(centred)) / (value.shape[-1] - correction)

    return computed(formula, floats(node(_observations(x))))


@array_function
def corrcoef(x: ArrayLike, /) -> Array:
    """The correlation coefficients of the rows of a matrix, from -1 to 1; 1 for a vector. NaN where a row is constant.

    Args:
        x: the observations, of shape (variables, n) or (n). Integers are converted to float64; other dtypes stay.

    Returns:
        An array of shape (variables, variables), or () for a vector.

    Raises:
        ShapeError: `x` has no axes, or more than two.
    """

    def formula(value: Array) -> Array:
        centred = value - mean(value, axis=-1, keepdims=True)
        units = centred / sqrt(sum(square(centred), axis=-1, keepdims=True))
        return clip(matmul(units, _as_columns(units)), -1.0, 1.0)

    return computed(formula, floats(node(_observations(x))))


@array_function
def histogram(
    x: ArrayLike,
    /,
    bins: ArrayLike = 10,
    range: tuple[float, float] | None = None,
    *,
    weights: ArrayLike | None = None,
    density: bool = False,
) -> tuple[Array, Array]:
    """How many elements are in each of adjacent bins. A bin includes its lower edge, and the last one its upper edge, too.

    Elements outside of all bins and NaNs are not counted, but without `range` a NaN makes the edges NaN.

    Args:
        x: the array; it is flattened.
        bins: the number of bins of equal width, or their ascending edges, one more than there are bins.
        range: the first and the last edge, if `bins` is a number; by default the least and the greatest element.
        weights: a number for each element, in the shape of `x`; by default each counts as 1.
        density: whether the result is divided by the sum of all, and each bin by its width, so that the integral is 1.

    Returns:
        The counts, int64 or in the dtype of `weights` as by `bincount`, of shape (bins); and the edges, of shape (bins + 1).

    Raises:
        DTypeError: `bins` is a number that is no integer.
        ShapeError: `bins` is less than 1, or has less than 2 edges or more than one axis; `range` does not ascend, or is not finite; or
            `weights` has another shape than `x`.
    """
    value, edges = Array(node(x)), _edges(x, bins, range)
    if weights is not None and node(weights).shape != value.shape:
        raise ShapeError(
            f"weights of {node(weights).shape} do not fit {value.shape}; give one for each element"
        )
    count = edges.shape[0] - 1
    flat = reshape(value, -1)
    found = searchsorted(edges, flat, side="right") - 1
    found = where(flat == edges[-1], count - 1, found)
    counts = bincount(found, None if weights is None else reshape(Array(node(weights)), -1), length=count)
    return (counts / sum(counts) / diff(edges) if density else counts), edges


def _observations(x: ArrayLike) -> Array:
    value = Array(node(x))
    if len(value.shape) not in (1, 2):
        raise ShapeError(
            f"rows of observations have one or two axes, and {value.shape} has {len(value.shape)}; reshape it"
        )
    return value


def _as_columns(value: Array) -> Array:
    return value.mT if len(value.shape) == 2 else value


def _edges(x: ArrayLike, bins: ArrayLike, range: tuple[float, float] | None) -> Array:
    """The edges of bins, ascending."""
    edges = asarray(bins)
    if not edges.shape:
        (count,) = normalize_shape(edges, "count in bins")
        if count < 1:
            raise ShapeError(f"cannot count in {count} bins; give at least 1")
        return _even_edges(x, count, range)
    if len(edges.shape) != 1 or edges.shape[0] < 2:
        raise ShapeError(
            f"edges of bins have one axis of at least 2, not {edges.shape}; give a number of bins, or their edges"
        )
    return edges


def _even_edges(x: ArrayLike, count: int, range: tuple[float, float] | None) -> Array:
    """The edges of bins of equal width, which cover the range or all elements. A range without width gets one."""
    dtype = float_of_means(dtype_of(node(x)))
    if range is None and 0 not in shape(node(x)):
        least, greatest = (choose(x).astype(dtype) for choose in (min, max))
        margin = where(least == greatest, 0.5, 0.0)
        low, high = least - margin, greatest + margin
        return concat([low + arange(count) * ((high - low) / count), reshape(high, 1)])
    low, high = (0.0, 1.0) if range is None else range
    if not low <= high or not isfinite(high - low):
        raise ShapeError(
            f"a range of bins goes from a finite number to a greater one, not {brief(range)}; swap them, or choose others"
        )
    margin = 0.5 if low == high else 0.0
    return asarray(np.linspace(low - margin, high + margin, count + 1)).astype(dtype)
