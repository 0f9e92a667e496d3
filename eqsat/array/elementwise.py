"""Functions of corresponding elements: arithmetic, comparison, logic, bits and choice.

All broadcast, and promote dtypes as NumPy does; Python numbers are weak. Errors are `ShapeError` where
shapes do not broadcast and `DTypeError` where a dtype does not fit.
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
    """The sum; of bools, whether either holds."""
    return Array(arithmetic.add(operand(x1), operand(x2)))


@array_function
def subtract(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The difference."""
    return Array(arithmetic.subtract(operand(x1), operand(x2)))


@array_function
def multiply(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The product; of bools, whether both hold."""
    return Array(arithmetic.multiply(operand(x1), operand(x2)))


@array_function
def divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The quotient, a float: float64 of integers and bools."""
    return Array(arithmetic.divide(operand(x1), operand(x2)))


@array_function
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The quotient rounded down, by NumPy's steps: of floats, from the exact remainder."""
    return Array(arithmetic.floor_divide(operand(x1), operand(x2)))


@array_function
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What `floor_divide` leaves over, with the sign of `x2`."""
    return Array(arithmetic.remainder(operand(x1), operand(x2)))


@array_function
def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What a quotient rounded toward zero leaves over, exact, with the sign of `x1`."""
    return Array(arithmetic.truncated_remainder(operand(x1), operand(x2)))


@array_function
def pow(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`x1` to the power of `x2`; integers stay integers and wrap."""
    return Array(arithmetic.power(operand(x1), operand(x2)))


@array_function
def maximum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The greater; NaN where either is."""
    return Array(arithmetic.maximum(operand(x1), operand(x2)))


@array_function
def minimum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The lesser; NaN where either is."""
    return Array(arithmetic.minimum(operand(x1), operand(x2)))


@array_function
def equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether the elements are equal."""
    return Array(arithmetic.equal(operand(x1), operand(x2)))


@array_function
def not_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether the elements differ."""
    return Array(arithmetic.not_equal(operand(x1), operand(x2)))


@array_function
def less(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 < x2`."""
    return Array(arithmetic.less(operand(x1), operand(x2)))


@array_function
def less_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 <= x2`."""
    return Array(arithmetic.less_equal(operand(x1), operand(x2)))


@array_function
def greater(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 > x2`."""
    return Array(arithmetic.greater(operand(x1), operand(x2)))


@array_function
def greater_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether `x1 >= x2`."""
    return Array(arithmetic.greater_equal(operand(x1), operand(x2)))


@array_function
def bitwise_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits set in both."""
    return Array(arithmetic.bitwise_and(operand(x1), operand(x2)))


@array_function
def bitwise_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits set in either."""
    return Array(arithmetic.bitwise_or(operand(x1), operand(x2)))


@array_function
def bitwise_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits set in one alone."""
    return Array(arithmetic.bitwise_xor(operand(x1), operand(x2)))


@array_function
def bitwise_left_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Bits moved up by `x2` places; 0 from the width on."""
    return Array(arithmetic.shift_left(operand(x1), operand(x2)))


@array_function
def bitwise_right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Bits moved down by `x2` places; the sign is kept."""
    return Array(arithmetic.shift_right(operand(x1), operand(x2)))


@array_function
def logical_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether both are true (not zero)."""
    x, y = unify("combine by logical and", (operand(x1), operand(x2)))
    return Array(cast(x, bool_) & cast(y, bool_))


@array_function
def logical_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether either is true (not zero)."""
    x, y = unify("combine by logical or", (operand(x1), operand(x2)))
    return Array(cast(x, bool_) | cast(y, bool_))


@array_function
def logical_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Whether one alone is true (not zero)."""
    x, y = unify("combine by logical xor", (operand(x1), operand(x2)))
    return Array(cast(x, bool_).ne(cast(y, bool_)))


@array_function
def logical_not(x: ArrayLike, /) -> Array:
    """Whether the element is zero or false."""
    return Array(cast(node(x), bool_).logical_not())


@array_function
def bitwise_invert(x: ArrayLike, /) -> Array:
    """All bits flipped; of a bool, its opposite."""
    return Array(arithmetic.invert(operand(x)))


@array_function
def negative(x: ArrayLike, /) -> Array:
    """The opposite number; unsigned integers wrap."""
    return Array(arithmetic.negative(operand(x)))


@array_function
def positive(x: ArrayLike, /) -> Array:
    """The number itself."""
    value = node(x)
    require_number("take the positive of", dtype_of(value), "astype")
    return Array(value)


@array_function
def abs(x: ArrayLike, /) -> Array:
    """The distance from zero."""
    return Array(arithmetic.absolute(operand(x)))


@array_function
def square(x: ArrayLike, /) -> Array:
    """The product with itself; of bools, in int8 as in NumPy."""
    value = node(x)
    value = cast(value, int8) if dtype_of(value).is_bool else value
    return Array(arithmetic.multiply(value, value))


@array_function
def reciprocal(x: ArrayLike, /) -> Array:
    """One divided by the number, a float."""
    return Array(arithmetic.divide(1, operand(x)))


@array_function
def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1; NaN stays NaN."""
    value = node(x)
    dtype = dtype_of(value)
    require_number("take the sign of", dtype, "the bools themselves")
    if dtype.is_float:  # of both zeros, +0.0
        zero_or_nan = value.ne(value).where(value, 0.0)
        return Array((value > 0.0).where(1.0, (value < 0.0).where(-1.0, zero_or_nan)))
    positive_part = (value > 0).where(value.like(1), 0)
    return Array((value < 0).where(-1, positive_part) if dtype.is_signed else positive_part)


@array_function
def floor(x: ArrayLike, /) -> Array:
    """The greatest whole number that is not above; integers stay as they are."""
    value = node(x)
    return Array(rounding.floor(value) if dtype_of(value).is_float else value)


@array_function
def ceil(x: ArrayLike, /) -> Array:
    """The least whole number that is not below; integers stay as they are."""
    value = node(x)
    return Array(rounding.ceil(value) if dtype_of(value).is_float else value)


@array_function
def trunc(x: ArrayLike, /) -> Array:
    """The number without its fraction; integers stay as they are."""
    value = node(x)
    return Array(rounding.trunc(value) if dtype_of(value).is_float else value)


@array_function
def round(x: ArrayLike, /) -> Array:
    """The nearest whole number, halves to the even one; integers stay as they are."""
    value = node(x)
    return Array(rounding.round_half_even(value) if dtype_of(value).is_float else value)


@array_function
def isnan(x: ArrayLike, /) -> Array:
    """Whether the element is not a number."""
    value = node(x)
    return Array(value.ne(value) if dtype_of(value).is_float else _everywhere(value, False))


@array_function
def isinf(x: ArrayLike, /) -> Array:
    """Whether the element is positive or negative infinity."""
    value = node(x)
    return Array(
        special.absolute(value).eq(math.inf) if dtype_of(value).is_float else _everywhere(value, False)
    )


@array_function
def isfinite(x: ArrayLike, /) -> Array:
    """Whether the element is neither infinite nor NaN."""
    value = node(x)
    return Array(special.absolute(value) < math.inf if dtype_of(value).is_float else _everywhere(value, True))


@array_function
def signbit(x: ArrayLike, /) -> Array:
    """Whether the sign of a float is negative, that of −0.0 and NaN included."""
    (value,) = unify_floats("take the sign bit of", (operand(x),))
    return Array(rounding.sign_bit(value))


@array_function
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`x1` with the sign of `x2`."""
    return Array(rounding.copy_sign(*unify_floats("copy the sign to", (operand(x1), operand(x2)))))


@array_function
def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`x1` where the condition holds, `x2` elsewhere."""
    chosen = (operand(x1), operand(x2))
    dtype = common_dtype(chosen)
    test = cast(node(condition), bool_)
    shape = broadcast_shapes("choose between", *(shape_of(part) for part in (test, *chosen)))
    then, otherwise = (convert(part, dtype).broadcast(shape) for part in chosen)
    return Array(test.broadcast(shape).where(then, otherwise))


@array_function
def clip(x: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """The element, but no less than `min` and no more than `max`, where they are given.

    A Python integer beyond the range of the integers of `x` is no bound if they are all on the right side of it.

    Raises:
        DTypeError: a Python integer is below the least integer that `max` may be, or above the greatest that `min` may be.
    """
    value = node(x)
    dtype = dtype_of(value)
    if min is not None and not (_is_weak_integer(min, dtype) and min <= dtype.min):
        value = arithmetic.maximum(value, operand(min))
    if max is not None and not (_is_weak_integer(max, dtype) and max >= dtype.max):
        value = arithmetic.minimum(value, operand(max))
    return Array(value)


def _is_weak_integer(bound: ArrayLike, dtype: DType) -> TypeGuard[int]:
    """Whether a bound is a Python integer, which takes the integer dtype of what it bounds."""
    return dtype.is_int and type(bound) is int


def _everywhere(value: UOp, holds: bool) -> UOp:
    return UOp.full(shape_of(value), bool_, holds)
