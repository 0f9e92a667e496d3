"""Reductions, scans, and sums of products along axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from eqsat.array.nodes.operands import cast, dtype_of, float_of_means
from eqsat.array.nodes.views import cut, insert_axis, positions, remove_axis, shape
from eqsat.dtype import DType, float32, index, int32, int64, uint8, uint64
from eqsat.errors import ShapeError
from eqsat.extents import Extent, is_dynamic
from eqsat.ops import Op
from eqsat.positions import within
from eqsat.shape import Shape
from eqsat.uop import UOp
from eqsat.uop.taking import along

PARTS, LONG = 64, 1 << 16  # an axis of LONG elements or more is searched in PARTS parts in parallel
WHOLE = 128  # where parts leave a rest, their length is a multiple of this: whole vectors


def fold(op: Op, value: UOp, axes: Sequence[int], keep: bool = False) -> UOp:
    """Reduces `axes` with `op`; they disappear, or stay with extent 1. An axis with a dim is reduced up to its extent, not to its capacity."""
    whole = shape(value)
    result = within(op, value, axes).reduce_axis(op, tuple(sorted(axes)))
    return (
        result.reshape([1 if axis in axes else extent for axis, extent in enumerate(whole)])
        if keep
        else result
    )


def total(value: UOp, axes: Sequence[int], keep: bool = False, dtype: DType | None = None) -> UOp:
    """The sum in `dtype`, by default NumPy's, which is 64 bits wide for integers. Half precision is summed in float32."""
    return _accumulate(Op.ADD, value, axes, keep, dtype or sum_dtype(dtype_of(value)))


def total_by_label(value: UOp, labels: UOp, count: int) -> UOp:
    """For each of `count` labels, the sum over the first axis of the elements that bear it, in the dtype of `total`; (n, …), (n) → (count, …).

    Elements whose label is outside 0..count - 1 are ignored. Rules rewrite this form to a scatter, which compares no label with all positions.
    """
    dtype = sum_dtype(dtype_of(value))
    wide = insert_axis(
        cast(value, _working(dtype)), 1, count
    )  # where() of bools would be no choice of addends
    # Labels of uint64 that int64 lacks become negative, so they stay outside
    own = along(labels.cast(int64), 0, shape(wide)).eq(positions(wide, 1).cast(int64))
    return cast(fold(Op.ADD, own.where(wide, 0), [0]), dtype)


def product(value: UOp, axes: Sequence[int], keep: bool = False, dtype: DType | None = None) -> UOp:
    """The product in `dtype`, by default the dtype of a sum. Half precision is multiplied in float32."""
    return _accumulate(Op.MUL, value, axes, keep, dtype or sum_dtype(dtype_of(value)))


def mean(
    value: UOp,
    axes: Sequence[int],
    keep: bool = False,
    dtype: DType | None = None,
    counted: UOp | None = None,
) -> UOp:
    """The sum divided by the number of elements, or by `counted`, which has a number for each result; the mean of no elements is NaN."""
    result_dtype = dtype or float_of_means(dtype_of(value))
    working = _working(result_dtype)
    count = prod(shape(value)[axis] for axis in axes)
    summed = fold(Op.ADD, cast(value, working), axes, keep)
    return cast(summed / (_number(count) if counted is None else cast(counted, working)), result_dtype)


def variance(
    value: UOp, axes: Sequence[int], correction: float, keep: bool = False, dtype: DType | None = None
) -> UOp:
    """The mean squared distance from the mean, in two passes; the divisor is the count minus `correction`, but at least 0."""
    result_dtype = dtype or float_of_means(dtype_of(value))
    working = cast(value, _working(result_dtype))
    distance = working - mean(working, axes, keep=True).expand(shape(working))
    squares = fold(Op.ADD, distance * distance, axes, keep)
    count = prod(shape(value)[axis] for axis in axes)
    if isinstance(count, Extent):
        return cast(squares / (squares.like(count) - float(correction)).maximum(0.0), result_dtype)
    return cast(squares / float(max(count - correction, 0.0)), result_dtype)


def _number(count: int) -> int | float:
    """A count as a divisor of floats: a float, or the extent itself if it depends on a dim."""
    return count if isinstance(count, Extent) else float(count)


def extreme(op: Op, value: UOp, axes: Sequence[int], keep: bool = False) -> UOp:
    """The greatest (MAX) or least (MIN) element; NaN if an element is NaN.

    Raises:
        ShapeError: there are no elements to choose from.
    """
    _require_elements("take the extreme of", value, axes)
    return fold(op, value, axes, keep)


def position_of_extreme(op: Op, value: UOp, axis: int, keep: bool = False) -> UOp:
    """The int64 position of the first greatest (MAX) or least (MIN) element along an axis, or of the first NaN if there is one.

    Raises:
        ShapeError: the axis has no elements.
    """
    _require_elements("find the extreme of", value, [axis])
    whole = shape(value)
    found = _in_parts(op, value, axis) if _is_long(whole, axis) else _position(op, value, axis)
    found = found.cast(int64)
    return insert_axis(found, axis) if keep else found


def _position(op: Op, value: UOp, axis: int) -> UOp:
    """The position of the extreme, in int32 if that holds all positions, else in int64; of values as wide also in int64, as both share masks then."""
    dtype = (
        int32 if shape(value)[axis] <= int32.max and value.dtype.scalar.itemsize < int64.itemsize else int64
    )
    return UOp(Op.ARGREDUCE_AXIS, dtype, (within(op, value, [axis]),), (op, (axis,)))


def _is_long(whole: Shape, axis: int) -> bool:
    """Whether the axis is long and there are few searches along it, so that searching parts of it in parallel pays."""
    return not is_dynamic(whole) and whole[axis] >= LONG and 0 < prod(whole) < PARTS * whole[axis]


def _in_parts(op: Op, value: UOp, axis: int) -> UOp:
    """The position of the extreme along a long axis: the best of PARTS equal parts, compared with the best of the rest, if there is one."""
    extent = shape(value)[axis]
    length = extent // PARTS if extent % PARTS == 0 else extent // (PARTS * WHOLE) * WHOLE
    end = PARTS * length
    found = _in_equal_parts(op, cut(value, axis, 0, end), axis, length)
    if end == extent:
        return found
    rest = cut(value, axis, end, extent)
    other = _position(op, rest, axis)
    best, last = (
        cast(_at(each, place, axis), uint8 if dtype_of(value).is_bool else dtype_of(value))
        for each, place in ((value, found), (rest, other))
    )
    is_better = best < last if op is Op.MAX else last < best
    if dtype_of(value).is_float:
        is_better = is_better | (last.ne(last) & best.ne(best).logical_not())
    return is_better.where(other.cast(int64) + end, found)


def _in_equal_parts(op: Op, value: UOp, axis: int, length: int) -> UOp:
    whole = shape(value)
    parts = value.reshape((*whole[:axis], PARTS, length, *whole[axis + 1 :]))
    places = _position(op, parts, axis + 1)
    first = _position(op, _at(parts, places, axis + 1), axis)
    return first.cast(int64) * length + _at(places, first, axis).cast(int64)


def _at(value: UOp, place: UOp, axis: int) -> UOp:
    """The elements at positions along an axis, which disappears; `place` has the shape of the value without that axis."""
    return remove_axis(_element(value, insert_axis(place, axis), axis), axis)


def _element(value: UOp, place: UOp, axis: int) -> UOp:
    """The elements at positions along an axis, which has extent 1 in `place`."""
    at = [place.cast(index) if each == axis else positions(place, each) for each in range(len(shape(value)))]
    return UOp(Op.INDEX, dtype_of(value), (value, *at))


def running(op: Op, value: UOp, axis: int) -> UOp:
    """The scan along an axis: each element combined with all before it. The running sum of a constant is a product instead."""
    if op is Op.ADD and _is_constant(value):
        return (positions(value, axis) + 1).cast(dtype_of(value)) * value
    return value.scan_axis(op, axis)


def _is_constant(value: UOp) -> bool:
    while value.op in (Op.RESHAPE, Op.EXPAND, Op.CAST):
        value = value.src[0]
    return value.op is Op.CONST


def sum_dtype(dtype: DType) -> DType:
    """NumPy's dtype for sums: int64 for signed integers and bools, uint64 for unsigned integers, and the dtype itself for floats."""
    if dtype.is_float:
        return dtype
    return uint64 if dtype.kind == "u" else int64


def sum_of_products(left: UOp, right: UOp, axes: Sequence[int]) -> UOp:
    """The products of two values of one shape and dtype, summed over axes; for bools, whether both are true anywhere along the axes."""
    dtype = dtype_of(left)
    if dtype.is_bool:
        return fold(Op.MAX, left & right, axes)
    working = _working(dtype)
    # Products of zeros are zeros
    one, other = (within(Op.ADD, value, axes).cast(working) for value in (left, right))
    return (one * other).reduce_axis(Op.ADD, tuple(sorted(axes))).cast(dtype)


def _accumulate(op: Op, value: UOp, axes: Sequence[int], keep: bool, dtype: DType) -> UOp:
    return cast(fold(op, cast(value, _working(dtype)), axes, keep), dtype)


def _working(dtype: DType) -> DType:
    """The dtype for accumulation: float32 for half precision, else the dtype itself."""
    return float32 if dtype.is_float and dtype.bits < 32 else dtype


def _require_elements(operation: str, value: UOp, axes: Sequence[int]) -> None:
    extents = [shape(value)[axis] for axis in axes]
    if any(extent.least == 0 if isinstance(extent, Extent) else extent == 0 for extent in extents):
        raise ShapeError(
            f"cannot {operation} no elements: {shape(value)} is empty along {tuple(axes)}; test .size first"
        )
