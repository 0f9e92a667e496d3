"""Reductions: many elements to one, over some axes or all.

`axis` is a number, a sequence of numbers, or None for all; with `keepdims` reduced axes stay with extent 1.
Accumulation dtypes are NumPy's: sums of integers in 64 bits, means of integers in float64; half precision
is accumulated in float32 and rounded once.
"""

from __future__ import annotations

from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, as_dtype, node
from eqsat.array.nodes import folds, special
from eqsat.array.nodes.axes import Axes, infer_extent, normalize_axes, normalize_axis, normalize_shape
from eqsat.array.nodes.joining import joined
from eqsat.array.nodes.operands import cast, dtype_of, float_for, float_of_means, in_working_precision
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
    "std",
    "sum",
    "var",
]


@array_function
def sum(x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False) -> Array:
    """The sum; of integers and bools in 64 bits; 0 of none."""
    value = node(x)
    return Array(folds.total(value, _axes(value, axis, "sum over"), keepdims, _dtype(dtype)))


@array_function
def prod(x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False) -> Array:
    """The product; of integers and bools in 64 bits; 1 of none."""
    value = node(x)
    return Array(folds.product(value, _axes(value, axis, "multiply over"), keepdims, _dtype(dtype)))


@array_function
def max(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The greatest element; NaN if there is one.

    Raises:
        ShapeError: there is none.
    """
    value = node(x)
    return Array(folds.extreme(Op.MAX, value, _axes(value, axis, "take the maximum over"), keepdims))


@array_function
def min(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The least element; NaN if there is one.

    Raises:
        ShapeError: there is none.
    """
    value = node(x)
    return Array(folds.extreme(Op.MIN, value, _axes(value, axis, "take the minimum over"), keepdims))


@array_function
def mean(x: ArrayLike, /, axis: Axes = None, *, dtype: Dtype | None = None, keepdims: bool = False) -> Array:
    """The sum divided by the number of elements; NaN of none."""
    value = node(x)
    return Array(folds.mean(value, _axes(value, axis, "average over"), keepdims, _dtype(dtype)))


@array_function
def var(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The mean square distance from the mean; the number of elements is lessened by `correction` (1: unbiased)."""
    value = node(x)
    return Array(folds.variance(value, _axes(value, axis, "take the variance over"), correction, keepdims))


@array_function
def std(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The square root of the variance."""
    value = node(x)
    axes = _axes(value, axis, "take the standard deviation over")

    def compute(value: UOp) -> UOp:
        return folds.variance(value, axes, correction, keepdims).alu(Op.SQRT)

    return Array(in_working_precision(compute, cast(value, float_of_means(dtype_of(value)))))


@array_function
def any(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Whether an element is true (not zero); false of none."""
    value = cast(node(x), bool_)
    return Array(folds.fold(Op.MAX, value, _axes(value, axis, "test over"), keepdims))


@array_function
def all(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Whether every element is true (not zero); true of none."""
    value = cast(node(x), bool_)
    return Array(folds.fold(Op.MIN, value, _axes(value, axis, "test over"), keepdims))


@array_function
def count_nonzero(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """How many elements are true (not zero), in int64."""
    return sum(Array(cast(node(x), bool_)), axis=axis, keepdims=keepdims)


@array_function
def argmax(x: ArrayLike, /, axis: SupportsIndex | None = None, *, keepdims: bool = False) -> Array:
    """The position, in int64, of the first greatest element, or the first NaN; in the flattened array if no axis is named.

    Raises:
        ShapeError: there are no elements.
    """
    return _position(Op.MAX, node(x), axis, keepdims)


@array_function
def argmin(x: ArrayLike, /, axis: SupportsIndex | None = None, *, keepdims: bool = False) -> Array:
    """The position, in int64, of the first least element, or the first NaN; in the flattened array if no axis is named.

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
    """Each element plus all before it along an axis; with `include_initial` a 0 comes first. 1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and there is not just one.
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
    """Each element but the first less the one before it along an axis, `n` times over: what undoes `cumulative_sum`.

    `prepend` and `append` are joined to the ends first; of bools, whether neighbours differ.

    Raises:
        ShapeError: the array has no axes, `n` is negative, or what is joined differs along other axes.
    """
    (times,) = normalize_shape(n, "repeat differences")
    place = normalize_axis(axis, len(shape(node(x))), "take differences along")
    value = joined([node(each) for each in (prepend, x, append) if each is not None], place)
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
    """Each element times all before it along an axis; with `include_initial` a 1 comes first. 1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and there is not just one.
    """
    return _cumulative(Op.MUL, node(x), axis, dtype, include_initial)


@array_function
def cumulative_max(x: ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The greatest of each element and all before it along an axis, as NumPy's `maximum.accumulate`. 1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and there is not just one.
    """
    return _running(Op.MAX, node(x), axis)


@array_function
def cumulative_min(x: ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The least of each element and all before it along an axis, as NumPy's `minimum.accumulate`. 1-D arrays need no axis.

    Raises:
        ShapeError: no axis is named, and there is not just one.
    """
    return _running(Op.MIN, node(x), axis)


@array_function
def logsumexp(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """The logarithm of the sum of exponentials, without overflow on the way; -inf of infinitely small ones.

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
