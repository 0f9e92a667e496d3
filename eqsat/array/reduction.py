"""Reductions over some axes or all, and scans along one axis.

`axis` is a number, a sequence of numbers, or None for all axes. With `keepdims`, reduced axes stay with extent 1.
Accumulation dtypes are NumPy's: integers are summed in 64 bits and averaged in float64. Half precision is
accumulated in float32 and rounded once.
"""

from __future__ import annotations

from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, as_dtype, node
from eqsat.array.nodes import folds, special
from eqsat.array.nodes.axes import Axes, infer_extent, normalize_axes, normalize_axis, normalize_shape
from eqsat.array.nodes.joining import joined
from eqsat.array.nodes.operands import (
    cast,
    dtype_of,
    float_for,
    float_of_means,
    in_working_precision,
    require_integers,
)
from eqsat.array.nodes.views import cut, extend_with, shape
from eqsat.dtype import DType, bool_
from eqsat.errors import ShapeError
from eqsat.extents import may_have_elements
from eqsat.ops import Op, identity_element
from eqsat.uop import UOp

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "bincount",
    "count_nonzero",
    "cumulative_max",
    "cumulative_min",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "segment_sum",
    "std",
    "sum",
    "var",
]


@array_function
def sum(x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False) -> Array:
    """The sum of the elements over the named axes, by default over all.

    Integers and bools are summed in 64 bits, unless `dtype` names another dtype. The sum of no elements is 0.
    """
    value = node(x)
    return Array(folds.total(value, _axes(value, axis, "sum over"), keepdims, _dtype(dtype)))


@array_function
def prod(x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False) -> Array:
    """The product of the elements over the named axes, by default over all.

    Integers and bools are multiplied in 64 bits, unless `dtype` names another dtype. The product of no elements is 1.
    """
    value = node(x)
    return Array(folds.product(value, _axes(value, axis, "multiply over"), keepdims, _dtype(dtype)))


@array_function
def max(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The greatest element over the named axes, by default over all; NaN if an element is NaN.

    Raises:
        ShapeError: there are no elements to choose from.
    """
    value = node(x)
    return Array(folds.extreme(Op.MAX, value, _axes(value, axis, "take the maximum over"), keepdims))


@array_function
def min(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The least element over the named axes, by default over all; NaN if an element is NaN.

    Raises:
        ShapeError: there are no elements to choose from.
    """
    value = node(x)
    return Array(folds.extreme(Op.MIN, value, _axes(value, axis, "take the minimum over"), keepdims))


@array_function
def mean(x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False) -> Array:
    """The mean of the elements over the named axes, by default over all; the mean of no elements is NaN.

    The mean of integers and bools is float64, unless `dtype` names another dtype.
    """
    value = node(x)
    return Array(folds.mean(value, _axes(value, axis, "average over"), keepdims, _dtype(dtype)))


@array_function
def var(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The variance over the named axes, by default over all: the mean squared distance from the mean.

    The sum of squares is divided by the number of elements minus `correction`; a `correction` of 1 gives the unbiased estimate.
    """
    value = node(x)
    return Array(folds.variance(value, _axes(value, axis, "take the variance over"), correction, keepdims))


@array_function
def std(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The standard deviation over the named axes, by default over all: the square root of `var`."""
    value = node(x)
    axes = _axes(value, axis, "take the standard deviation over")

    def compute(value: UOp) -> UOp:
        return folds.variance(value, axes, correction, keepdims).alu(Op.SQRT)

    return Array(in_working_precision(compute, cast(value, float_of_means(dtype_of(value)))))


@array_function
def any(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Whether any element is true, that is, nonzero, over the named axes, by default over all; false for no elements."""
    value = cast(node(x), bool_)
    return Array(folds.fold(Op.MAX, value, _axes(value, axis, "test over"), keepdims))


@array_function
def all(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Whether all elements are true, that is, nonzero, over the named axes, by default over all; true for no elements."""
    value = cast(node(x), bool_)
    return Array(folds.fold(Op.MIN, value, _axes(value, axis, "test over"), keepdims))


@array_function
def count_nonzero(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The number of elements that are true, that is, nonzero, over the named axes, by default over all; int64."""
    return sum(Array(cast(node(x), bool_)), axis=axis, keepdims=keepdims)


@array_function
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, *, length: SupportsIndex) -> Array:
    """How often each of the integers 0 to `length` - 1 occurs in a 1-D array, or the sum of the weights of its occurrences.

    Other integers are not counted. The extent of the result is `length`, since it must be known before the values are.

    Args:
        x: the integers or bools, of shape (n).
        weights: a number for each of them, of shape (n); by default each counts as 1.
        length: the extent of the result.

    Returns:
        int64 counts, or sums of weights in the dtype of `sum`; of shape (length).

    Raises:
        ShapeError: `x` is not 1-D, `weights` has another shape, or `length` is negative or not an integer.
        DTypeError: `x` holds floats.
    """
    labels = node(x)
    counted = UOp.full(shape(labels), bool_, True) if weights is None else node(weights)
    if shape(counted) != shape(labels):
        raise ShapeError(
            f"cannot count {shape(labels)} integers with weights of {shape(counted)}; give a weight for each"
        )
    return Array(_by_label("count", counted, labels, length))


@array_function
def segment_sum(data: ArrayLike, segment_ids: ArrayLike, num_segments: SupportsIndex) -> Array:
    """The sum of the rows that bear each label: row `i` of `data` is added to row `segment_ids[i]` of zeros.

    Labels need no order. A row with a label outside 0..num_segments - 1 is added to nothing; negative labels do not count from the end.

    Args:
        data: the rows, of shape (n, …).
        segment_ids: their labels, integers of shape (n).
        num_segments: the number of labels.

    Returns:
        The sums, of shape (num_segments, …), in the dtype of `sum`: integers and bools are summed in 64 bits.

    Raises:
        ShapeError: `data` has no axes, `segment_ids` has another shape than (n), or `num_segments` is negative or not an integer.
        DTypeError: `segment_ids` holds floats.
    """
    return Array(_by_label("sum by label", node(data), node(segment_ids), num_segments))


@array_function
def argmax(x: ArrayLike, /, axis: SupportsIndex | None = None, *, keepdims: bool = False) -> Array:
    """The int64 position of the greatest element along `axis`: the first of several, or the first NaN if there is one.

    Without an axis, it is the position in the flattened array.

    Raises:
        ShapeError: there are no elements.
    """
    return _position(Op.MAX, node(x), axis, keepdims)


@array_function
def argmin(x: ArrayLike, /, axis: SupportsIndex | None = None, *, keepdims: bool = False) -> Array:
    """The int64 position of the least element along `axis`: the first of several, or the first NaN if there is one.

    Without an axis, it is the position in the flattened array.

    Raises:
        ShapeError: there are no elements.
    """
    return _position(Op.MIN, node(x), axis, keepdims)


@array_function
def cumulative_sum(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    *,
    dtype: Dtype | None = None,
    include_initial: bool = False,
) -> Array:
    """The cumulative sum along an axis: each element plus all elements before it.

    The dtype is as for `sum`. With `include_initial`, a 0 comes first, so that the axis has one more element. 1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and the array is not 1-D.
    """
    return _cumulative(Op.ADD, node(x), axis, dtype, include_initial)


@array_function
def diff(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex = -1,
    n: SupportsIndex = 1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """The differences between neighbours along an axis: each element but the first, minus the one before it.

    This undoes `cumulative_sum`, except for the first element. For bools, a difference says whether the neighbours differ.

    Args:
        x: the array.
        axis: the axis along which to take differences.
        n: how many times to take differences.
        prepend: an array joined in front of `x` first; a number is one element in each row.
        append: an array joined behind `x` first, in the same way.

    Raises:
        ShapeError: the array has no axes, `n` is negative, or the shapes of the joined arrays differ in another axis.
    """
    (times,) = normalize_shape(n, "repeat differences")
    place = normalize_axis(axis, len(shape(node(x))), "take differences along")
    ends = (*shape(node(x))[:place], 1, *shape(node(x))[place + 1 :])
    every = [node(each) for each in (prepend, x, append) if each is not None]
    value = joined([each if shape(each) else each.broadcast(ends) for each in every], place)
    for _ in range(times):
        extent = shape(value)[place]
        if not may_have_elements(extent):
            break
        after, before = cut(value, place, 1, extent), cut(value, place, 0, extent - 1)
        value = after.ne(before) if dtype_of(value).is_bool else after - before
    return Array(value)


@array_function
def cumulative_prod(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    *,
    dtype: Dtype | None = None,
    include_initial: bool = False,
) -> Array:
    """The cumulative product along an axis: each element times all elements before it.

    The dtype is as for `prod`. With `include_initial`, a 1 comes first, so that the axis has one more element. 1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and the array is not 1-D.
    """
    return _cumulative(Op.MUL, node(x), axis, dtype, include_initial)


@array_function
def cumulative_max(x: ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The running maximum along an axis, as NumPy's `maximum.accumulate`: the greatest of each element and all before it.

    1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and the array is not 1-D.
    """
    return _running(Op.MAX, node(x), axis)


@array_function
def cumulative_min(x: ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The running minimum along an axis, as NumPy's `minimum.accumulate`: the least of each element and all before it.

    1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and the array is not 1-D.
    """
    return _running(Op.MIN, node(x), axis)


@array_function
def logsumexp(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The logarithm of the sum of exponentials over the named axes, by default over all, without intermediate overflow.

    The result is -inf where all elements are -inf.

    Raises:
        ShapeError: there are no elements.
    """
    value = node(x)
    axes = _axes(value, axis, "take logsumexp over")
    value = cast(value, float_for(value.dtype))  # pyright: ignore[reportArgumentType]

    def compute(value: UOp) -> UOp:
        greatest = folds.extreme(Op.MAX, value, axes, keep=True)
        exponentials = (value - greatest.expand(shape(value))).alu(Op.EXP)
        finite = folds.fold(Op.ADD, exponentials, axes, keep=True).alu(Op.LOG) + greatest
        result = (special.absolute(greatest) < float("inf")).where(finite, greatest)
        return result if keepdims else result.reshape(shape(value.reduce_axis(Op.ADD, tuple(sorted(axes)))))

    return Array(in_working_precision(compute, value))


def _by_label(operation: str, value: UOp, labels: UOp, count: SupportsIndex) -> UOp:
    require_integers(operation, [labels])
    (extent,) = normalize_shape(count, operation)
    if len(shape(labels)) != 1 or shape(labels) != shape(value)[:1]:
        raise ShapeError(
            f"cannot {operation} {shape(value)} with labels of {shape(labels)}; give a 1-D array with a label for each row"
        )
    return folds.total_by_label(value, labels, extent)


def _axes(value: UOp, axis: Axes, operation: str) -> tuple[int, ...]:
    return normalize_axes(axis, len(shape(value)), operation)


def _dtype(dtype: Dtype | None) -> DType | None:
    return None if dtype is None else as_dtype(dtype)


def _position(op: Op, value: UOp, axis: SupportsIndex | None, keepdims: bool) -> Array:
    rank = len(shape(value))
    if axis is not None:
        return Array(folds.position_of_extreme(op, value, normalize_axis(axis, rank, "search"), keepdims))
    found = folds.position_of_extreme(op, value.reshape(infer_extent(shape(value), -1)), 0)
    return Array(found.reshape((1,) * rank) if keepdims else found)


def _cumulative(
    op: Op, value: UOp, axis: SupportsIndex | None, dtype: Dtype | None, include_initial: bool
) -> Array:
    rank, place = len(shape(value)), _axis_of_running(value, axis)
    wanted = as_dtype(dtype) if dtype is not None else folds.sum_dtype(value.dtype)  # pyright: ignore[reportArgumentType]
    working = cast(value, wanted)

    def accumulate(part: UOp) -> UOp:
        return folds.running(op, part, place)

    result = in_working_precision(accumulate, working)
    if include_initial:
        amounts = [(int(other == place), 0) for other in range(rank)]
        result = extend_with(result, amounts, identity_element(op, wanted))
    return Array(result)


def _running(op: Op, value: UOp, axis: SupportsIndex | None) -> Array:
    return Array(folds.running(op, value, _axis_of_running(value, axis)))


def _axis_of_running(value: UOp, axis: SupportsIndex | None) -> int:
    rank = len(shape(value))
    if axis is None and rank != 1:
        raise ShapeError(
            f"cannot accumulate {shape(value)} without an axis; name one, or flatten it with reshape(x, (-1,))"
        )
    return normalize_axis(0 if axis is None else axis, rank, "accumulate along")
