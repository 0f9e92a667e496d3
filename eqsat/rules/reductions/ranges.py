"""Range collapse: a sum over an axis, in which the positions along the axis decide the summed elements, becomes arithmetic without the axis.

`axis_of` gives the axis along which the elements of an integer array are their own positions, 0, 1, 2, ….
"""

from __future__ import annotations

from eqsat.dtype import FLOATS as FLOAT_DTYPES
from eqsat.dtype import INTS as INTEGER_DTYPES
from eqsat.dtype import DType, bool_, index
from eqsat.ops import Op
from eqsat.rules.conversions.lossless import is_integral
from eqsat.rules.language.facts import axis_of, dtype_of, shape_of
from eqsat.rules.language.pattern import (
    Node,
    Pattern,
    Value,
    cast,
    expand,
    maximum,
    minimum,
    reduce_axis,
    reshape,
    where,
)
from eqsat.rules.language.pattern import index as element
from eqsat.rules.language.rule import (
    BOOL,
    FLOATS,
    INDEX,
    INTEGERS,
    SIGNED,
    Phase,
    Rewrite,
    Soundness,
    Topic,
    rewrite,
)
from eqsat.rules.language.scalar import Arg, Const, Scalar, Type, pure
from eqsat.rules.reductions.order import reduction_order
from eqsat.rules.reductions.reduction_axes import count, entries_kept, is_finite, is_invariant_along
from eqsat.shape import Shape

ranges = Topic("ranges")


@pure
def is_neither_one_nor_zero(value: float) -> bool:
    """Whether a constant is neither one nor zero."""
    return value not in (0, 1)


@pure
def multiple(value: float, times: int) -> float:
    """A constant times a number of elements."""
    return value * times


@pure
def is_only(axis: int, axes: Shape) -> bool:
    """Whether this axis alone is reduced."""
    return axes == (axis,)


@pure
def counts_exactly(target: DType, most: int) -> bool:
    """Whether a sum of up to `most` ones is exact in a dtype, or wraps as the number itself does."""
    return most <= 1 << (target.significand if target.is_float else 64)


@pure
def sum_of_positions_below(extent: int, others: int) -> int:
    """The sum 0 + 1 + … + (extent - 1), times `others`."""
    return extent * (extent - 1) // 2 * others


@pure
def is_float(dtype: DType) -> bool:
    """Whether a dtype is a float, whose sums round."""
    return dtype.is_float


@pure
def as_row(extent: int) -> Shape:
    """The shape of a vector of `extent` elements."""
    return (extent,)


@pure
def counted_elsewhere(shape: Shape, axes: Shape, axis: int) -> int | None:
    """The number of elements that go into a result along the reduced axes other than this one; None if it is not reduced."""
    return None if axis not in axes else count.function(shape, tuple(each for each in axes if each != axis))


@pure
def extent_of(shape: Shape, axis: int) -> int:
    """The number of elements along an axis."""
    return shape[axis]


@pure
def is_laid_along(shape: Shape, axis: int) -> bool:
    """Whether all axes but this one have one element."""
    return all(extent == 1 for place, extent in enumerate(shape) if place != axis)


def _left(y: Value, s: Arg, axes: Arg) -> Node:
    """A value that does not vary along the reduced axes, without these axes."""
    return expand(reshape(y, entries_kept(shape_of(y), axes)), entries_kept(s, axes))


def _between(value: Pattern, extent: Scalar) -> Node:
    """A number clamped to the range from 0 to `extent`."""
    return minimum(maximum(value, 0), extent)


# Positions with another start or another step.


@ranges.rule(INDEX, phase=Phase.EXPLORE)
def cast_before_adding_constant(x: Value, c: Const, t: Type) -> Rewrite:
    """A constant may be added to an index after the index is converted to an integer: the low bits are the same."""
    return rewrite(cast(x + c, t), cast(x, t) + c, where=is_integral(t))


@ranges.rule(INDEX, phase=Phase.EXPLORE)
def cast_before_multiplying_by_constant(x: Value, c: Const, t: Type) -> Rewrite:
    """An index may be multiplied by a constant after the index is converted to an integer: the low bits are the same."""
    return rewrite(cast(x * c, t), cast(x, t) * c, where=is_integral(t))


# Choices.


@ranges.rule((), over=(*INTEGER_DTYPES, index, *FLOAT_DTYPES), phase=Phase.EXPLORE)
def one_or_zero_is_a_cast(dtype: DType, b: Value) -> Rewrite:
    """A choice of one where a bool holds, else zero, is the bool converted to {op}."""
    return rewrite(where(b, 1, 0), cast(b, dtype))


@ranges.rule(INTEGERS)
def sum_of_chosen_constants(b: Value, k: Const, axes: Arg) -> Rewrite:
    """The sum of a constant where bools hold is the constant times the number of bools that hold."""
    right = reduce_axis(Op.ADD, where(b, 1, 0), axes) * k
    return rewrite(reduce_axis(Op.ADD, where(b, k, 0), axes), right, where=is_neither_one_nor_zero(k))


@reduction_order.rule(FLOATS, soundness=Soundness.REAL)
def sum_of_chosen_float_constants(b: Value, k: Const, axes: Arg) -> Rewrite:
    """The sum of a constant where bools hold is the constant times the number of bools that hold."""
    right = reduce_axis(Op.ADD, where(b, 1.0, 0.0), axes) * k
    return rewrite(
        reduce_axis(Op.ADD, where(b, k, 0.0), axes), right, where=is_finite(k) & is_neither_one_nor_zero(k)
    )


@ranges.rule(INTEGERS, phase=Phase.EXPLORE)
def sum_of_constants_where_bools_fail(b: Value, k: Const, axes: Arg) -> Rewrite:
    """The sum of a constant where bools fail is its sum over all elements less its sum where bools hold."""
    right = reduce_axis(Op.ADD, where(b, k, 0), axes) * -1 + k * count(shape_of(b), axes)
    return rewrite(reduce_axis(Op.ADD, where(b, 0, k), axes), right, where=k != 0)


@reduction_order.rule(FLOATS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def sum_of_float_constants_where_bools_fail(b: Value, k: Const, axes: Arg) -> Rewrite:
    """The sum of a constant where bools fail is its sum over all elements less its sum where bools hold."""
    whole = multiple(k, count(shape_of(b), axes))
    right = reduce_axis(Op.ADD, where(b, k, 0.0), axes) * -1.0 + whole
    return rewrite(reduce_axis(Op.ADD, where(b, 0.0, k), axes), right, where=is_finite(k))


@ranges.rule(BOOL, phase=Phase.EXPLORE)
def count_of_failures(b: Value, t: Type, axes: Arg) -> Rewrite:
    """Of n bools, the number that fail is n less the number that hold."""
    number = count(shape_of(b), axes)
    right = reduce_axis(Op.ADD, cast(b, t), axes) * -1 + number
    return rewrite(
        reduce_axis(Op.ADD, cast(~b, t), axes), right, where=(t != bool_) & counts_exactly(t, number)
    )


# Counting.


def _exact_count(x: Value, axes: Arg, t: Type) -> Scalar:
    return (t != bool_) & is_only(axis_of(x), axes) & counts_exactly(t, count(shape_of(x), axes))


@ranges.rule(INTEGERS)
def count_of_positions_below(x: Value, y: Value, s: Arg, t: Type, axes: Arg) -> Rewrite:
    """The number of n positions that are below a number is that number, clamped to the range from 0 to n."""
    guard = _exact_count(x, axes, t) & is_invariant_along(shape_of(y), axes)
    right = cast(_between(_left(y, s, axes), count(shape_of(x), axes)), t)
    return rewrite(reduce_axis(Op.ADD, cast(x < expand(y, s), t), axes), right, where=guard)


@ranges.rule(INDEX | SIGNED)
def count_of_positions_above(x: Value, y: Value, s: Arg, t: Type, axes: Arg) -> Rewrite:
    """The number of n positions that are above a number is n - 1 less that number, which is clamped to the range from -1 to n - 1."""
    guard = _exact_count(x, axes, t) & is_invariant_along(shape_of(y), axes)
    extent = count(shape_of(x), axes)
    highest = minimum(maximum(_left(y, s, axes), -1), extent - 1)
    right = cast(highest * -1 + (extent - 1), t)
    return rewrite(reduce_axis(Op.ADD, cast(expand(y, s) < x, t), axes), right, where=guard)


@ranges.rule(INTEGERS)
def sum_of_positions(x: Value, axes: Arg) -> Rewrite:
    """0 + 1 + … + n - 1 is n (n - 1) / 2."""
    shape, axis = shape_of(x), axis_of(x)
    total = sum_of_positions_below(extent_of(shape, axis), counted_elsewhere(shape, axes, axis))
    return rewrite(reduce_axis(Op.ADD, x, axes), total)


# One element.


def _one_hot(x: Value, y: Value, s: Arg, b: Value, row: Pattern, axes: Arg, guard: Scalar) -> Rewrite:
    """States that the sum of a row's elements at one position is the element there. `row` repeats the row `b` along the axis of x."""
    place = _left(y, s, axes)
    extent = count(shape_of(x), axes)
    inside = (place > -1) & (place < extent)
    taken = element(reshape(b, as_row(extent)), cast(where(inside, place, 0), index))
    is_row = (
        is_only(axis_of(x), axes)
        & is_laid_along(shape_of(b), axis_of(x))
        & is_invariant_along(shape_of(y), axes)
    )
    left = reduce_axis(Op.ADD, where(x.ne(expand(y, s)), 0, row), axes)
    return rewrite(left, where(inside, taken, 0), where=is_row & guard)


@ranges.rule(INDEX | SIGNED)
def one_hot_sum(x: Value, y: Value, s: Arg, b: Value, v: Arg, axes: Arg) -> Rewrite:
    """The sum of a row's elements at one position is the element there, or zero if the row has no such position."""
    return _one_hot(x, y, s, b, expand(b, v), axes, ~is_float(dtype_of(b)))


@ranges.rule(INDEX | SIGNED)
def one_hot_sum_of_vector(x: Value, y: Value, s: Arg, b: Value, axes: Arg) -> Rewrite:
    """The sum of a vector's elements at one position is the element there, or zero if the vector has no such position."""
    return _one_hot(x, y, s, b, b, axes, ~is_float(dtype_of(b)))


@reduction_order.rule(INDEX | SIGNED, soundness=Soundness.REAL)
def one_hot_sum_of_floats(x: Value, y: Value, s: Arg, b: Value, v: Arg, axes: Arg) -> Rewrite:
    """The sum of a row's elements at one position is the element there, or zero if there is none (the sum of -0.0 is 0.0)."""
    return _one_hot(x, y, s, b, expand(b, v), axes, is_float(dtype_of(b)))


@reduction_order.rule(INDEX | SIGNED, soundness=Soundness.REAL)
def one_hot_sum_of_vector_of_floats(x: Value, y: Value, s: Arg, b: Value, axes: Arg) -> Rewrite:
    """The sum of a vector's elements at one position is the element there, or zero if there is none (the sum of -0.0 is 0.0)."""
    return _one_hot(x, y, s, b, b, axes, is_float(dtype_of(b)))
