"""Elementwise functions: arithmetic, comparison, logic, bits, rounding and choice.

All functions broadcast their arguments and promote dtypes as NumPy does; Python numbers are weak. They raise
`ShapeError` if shapes do not broadcast and `DTypeError` if a dtype is unsuitable.
"""

from __future__ import annotations

import math
from typing import TypeGuard

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node, operand
from eqsat.array.nodes import arithmetic, rounding, special
from eqsat.array.nodes.operands import (
    broadcast_shapes,
    cast,
    common_dtype,
    convert,
    dtype_of,
    require_number,
    shape_of,
    unify,
    unify_floats,
)
from eqsat.dtype import DType, bool_, int8
from eqsat.uop import UOp

__all__ = [
    "abs",
    "add",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "copysign",
    "divide",
    "equal",
    "floor",
    "floor_divide",
    "fmod",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "not_equal",
    "positive",
    "pow",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "square",
    "subtract",
    "trunc",
    "where",
]


@array_function
def add(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elementwise sum; for bools, whether either is true."""
    return Array(arithmetic.add(operand(x1), operand(x2)))


@array_function
def subtract(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elementwise difference `x1 - x2`."""
    return Array(arithmetic.subtract(operand(x1), operand(x2)))


@array_function
def multiply(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elementwise product; for bools, whether both are true."""
    return Array(arithmetic.multiply(operand(x1), operand(x2)))


@array_function
def divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elementwise quotient as a float; integers and bools are divided in float64."""
    return Array(arithmetic.divide(operand(x1), operand(x2)))


@array_function
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elementwise quotient, rounded down; for floats, it is computed from the exact remainder, as in NumPy."""
    return Array(arithmetic.floor_divide(operand(x1), operand(x2)))


@array_function
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elementwise remainder of `floor_divide`, with the sign of `x2`."""
    return Array(arithmetic.remainder(operand(x1), operand(x2)))


@array_function
def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elementwise remainder of the quotient rounded toward zero: exact, with the sign of `x1`."""
    return Array(arithmetic.truncated_remainder(operand(x1), operand(x2)))


@array_function
def pow(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`x1` to the power of `x2`, elementwise; powers of integers are integers, and wrap on overflow.

    Raises:
        BuildError: `x2` is a negative Python integer and the common dtype is an integer dtype.
    """
    return Array(arithmetic.power(operand(x1), operand(x2)))


@array_function
def maximum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The greater of two elements; NaN if either is NaN."""
    return Array(arithmetic.maximum(operand(x1), operand(x2)))


@array_function
def minimum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The lesser of two elements; NaN if either is NaN."""
    return Array(arithmetic.minimum(operand(x1), operand(x2)))


@array_function
def equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 == x2`, elementwise."""
    return Array(arithmetic.equal(operand(x1), operand(x2)))


@array_function
def not_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 != x2`, elementwise."""
    return Array(arithmetic.not_equal(operand(x1), operand(x2)))


@array_function
def less(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 < x2`, elementwise."""
    return Array(arithmetic.less(operand(x1), operand(x2)))


@array_function
def less_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 <= x2`, elementwise."""
    return Array(arithmetic.less_equal(operand(x1), operand(x2)))


@array_function
def greater(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 > x2`, elementwise."""
    return Array(arithmetic.greater(operand(x1), operand(x2)))


@array_function
def greater_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 >= x2`, elementwise."""
    return Array(arithmetic.greater_equal(operand(x1), operand(x2)))


@array_function
def bitwise_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bitwise AND of integers or bools: the bits that are set in both."""
    return Array(arithmetic.bitwise_and(operand(x1), operand(x2)))


@array_function
def bitwise_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bitwise OR of integers or bools: the bits that are set in either or both."""
    return Array(arithmetic.bitwise_or(operand(x1), operand(x2)))


@array_function
def bitwise_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bitwise XOR of integers or bools: the bits that are set in exactly one of the two."""
    return Array(arithmetic.bitwise_xor(operand(x1), operand(x2)))


@array_function
def bitwise_left_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits of `x1`, shifted left by `x2` places; 0 if `x2` is the width of the dtype or more."""
    return Array(arithmetic.shift_left(operand(x1), operand(x2)))


@array_function
def bitwise_right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits of `x1`, shifted right by `x2` places; negative integers stay negative (an arithmetic shift)."""
    return Array(arithmetic.shift_right(operand(x1), operand(x2)))


@array_function
def logical_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether both elements are true, that is, nonzero."""
    x, y = unify("combine by logical and", (operand(x1), operand(x2)))
    return Array(cast(x, bool_) & cast(y, bool_))


@array_function
def logical_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether at least one of two elements is true, that is, nonzero."""
    x, y = unify("combine by logical or", (operand(x1), operand(x2)))
    return Array(cast(x, bool_) | cast(y, bool_))


@array_function
def logical_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether exactly one of two elements is true, that is, nonzero."""
    x, y = unify("combine by logical xor", (operand(x1), operand(x2)))
    return Array(cast(x, bool_).ne(cast(y, bool_)))


@array_function
def logical_not(x: ArrayLike, /) -> Array:
    """Whether each element is zero or false."""
    return Array(cast(node(x), bool_).logical_not())


@array_function
def bitwise_invert(x: ArrayLike, /) -> Array:
    """Each integer with all its bits flipped; for a bool, its negation."""
    return Array(arithmetic.invert(operand(x)))


@array_function
def negative(x: ArrayLike, /) -> Array:
    """The negative of each element; unsigned integers wrap."""
    return Array(arithmetic.negative(operand(x)))


@array_function
def positive(x: ArrayLike, /) -> Array:
    """The array itself; bools are refused, as in NumPy."""
    value = node(x)
    require_number("take the positive of", dtype_of(value), "astype")
    return Array(value)


@array_function
def abs(x: ArrayLike, /) -> Array:
    """The absolute value of each element; the least integer of a signed dtype wraps to itself."""
    return Array(arithmetic.absolute(operand(x)))


@array_function
def square(x: ArrayLike, /) -> Array:
    """The square of each element; bools become int8, as in NumPy."""
    value = node(x)
    value = cast(value, int8) if dtype_of(value).is_bool else value
    return Array(arithmetic.multiply(value, value))


@array_function
def reciprocal(x: ArrayLike, /) -> Array:
    """One divided by each element, as a float."""
    return Array(arithmetic.divide(1, operand(x)))


@array_function
def sign(x: ArrayLike, /) -> Array:
    """The sign of each element as -1, 0 or 1, in its dtype; NaN stays NaN."""
    value = node(x)
    dtype = dtype_of(value)
    require_number("take the sign of", dtype, "the bools themselves")
    if dtype.is_float:  # the sign of both zeros is +0.0
        zero_or_nan = value.ne(value).where(value, 0.0)
        return Array((value > 0.0).where(1.0, (value < 0.0).where(-1.0, zero_or_nan)))
    positive_part = (value > 0).where(value.like(1), 0)
    return Array((value < 0).where(-1, positive_part) if dtype.is_signed else positive_part)


@array_function
def floor(x: ArrayLike, /) -> Array:
    """Each element rounded down to a whole number; integers stay as they are."""
    value = node(x)
    return Array(rounding.floor(value) if dtype_of(value).is_float else value)


@array_function
def ceil(x: ArrayLike, /) -> Array:
    """Each element rounded up to a whole number; integers stay as they are."""
    value = node(x)
    return Array(rounding.ceil(value) if dtype_of(value).is_float else value)


@array_function
def trunc(x: ArrayLike, /) -> Array:
    """Each element rounded toward zero to a whole number; integers stay as they are."""
    value = node(x)
    return Array(rounding.trunc(value) if dtype_of(value).is_float else value)


@array_function
def round(x: ArrayLike, /) -> Array:
    """Each element rounded to the nearest whole number, ties to even; integers stay as they are."""
    value = node(x)
    return Array(rounding.round_half_even(value) if dtype_of(value).is_float else value)


@array_function
def isnan(x: ArrayLike, /) -> Array:
    """Whether each element is NaN."""
    value = node(x)
    return Array(value.ne(value) if dtype_of(value).is_float else _everywhere(value, False))


@array_function
def isinf(x: ArrayLike, /) -> Array:
    """Whether each element is positive or negative infinity."""
    value = node(x)
    return Array(
        special.absolute(value).eq(math.inf) if dtype_of(value).is_float else _everywhere(value, False)
    )


@array_function
def isfinite(x: ArrayLike, /) -> Array:
    """Whether each element is finite: neither infinite nor NaN."""
    value = node(x)
    return Array(special.absolute(value) < math.inf if dtype_of(value).is_float else _everywhere(value, True))


@array_function
def signbit(x: ArrayLike, /) -> Array:
    """Whether the sign bit of each float is set; this includes −0.0 and negative NaN."""
    (value,) = unify_floats("take the sign bit of", (operand(x),))
    return Array(rounding.sign_bit(value))


@array_function
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The magnitude of `x1` with the sign of `x2`, elementwise, as floats."""
    return Array(rounding.copy_sign(*unify_floats("copy the sign to", (operand(x1), operand(x2)))))


@array_function
def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The elements of `x1` where `condition` is true, and of `x2` elsewhere.

    All three arguments broadcast. The dtype of the result is the common dtype of `x1` and `x2`.
    """
    chosen = (operand(x1), operand(x2))
    dtype = common_dtype(chosen)
    test = cast(node(condition), bool_)
    shape = broadcast_shapes("choose between", *(shape_of(part) for part in (test, *chosen)))
    then, otherwise = (convert(part, dtype).broadcast(shape) for part in chosen)
    return Array(test.broadcast(shape).where(then, otherwise))


@array_function
def clip(x: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """Each element limited to at least `min` and at most `max`; either bound may be omitted.

    If `x` has an integer dtype, a Python integer that bounds every value of the dtype anyway has no effect, even if it does not fit the dtype.

    Raises:
        DTypeError: `max` is a Python integer below the range of the integer dtype of `x`, or `min` is one above it.
    """
    value = node(x)
    dtype = dtype_of(value)
    if min is not None and not (_is_weak_integer(min, dtype) and min <= dtype.min):
        value = arithmetic.maximum(value, operand(min))
    if max is not None and not (_is_weak_integer(max, dtype) and max >= dtype.max):
        value = arithmetic.minimum(value, operand(max))
    return Array(value)


def _is_weak_integer(bound: ArrayLike, dtype: DType) -> TypeGuard[int]:
    """Whether a bound is a Python integer that takes the integer dtype of the array that it bounds."""
    return dtype.is_int and type(bound) is int


def _everywhere(value: UOp, holds: bool) -> UOp:
    return UOp.full(shape_of(value), bool_, holds)
