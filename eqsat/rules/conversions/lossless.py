"""Predicates on conversions: which ones preserve every value, and which ones preserve the low bits."""

from __future__ import annotations

from math import frexp, isfinite

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.rules.language.scalar import Scalar, ScalarLike, pure


@pure
def holds_all_of(wide: DType, narrow: DType) -> bool:
    """Whether every value of `narrow` survives a conversion to `wide`, and compares as before.

    >>> from eqsat.dtype import float16, float32, int16, int32, index, uint8
    >>> holds_all_of(float32, int16), holds_all_of(float32, int32), holds_all_of(float16, uint8), holds_all_of(index, int32)
    (True, False, True, True)
    """
    if wide == narrow or narrow.is_bool:
        return wide == narrow or not wide.is_bool
    if wide.is_bool or narrow.is_index:
        return False
    if wide.is_index or wide.is_int:
        return not narrow.is_float and wide.min <= narrow.min and narrow.max <= wide.max
    if narrow.is_float:
        return (
            narrow.significand <= wide.significand
            and wide.least_exponent <= narrow.least_exponent
            and narrow.greatest_exponent <= wide.greatest_exponent
        )
    return narrow.bits - narrow.is_signed <= wide.significand


@pure
def exceed_alike(source: DType, middle: DType, target: DType) -> bool:
    """Whether numbers beyond `target` become the same from `source` and from `middle`: integers wrap around, floats are clamped."""
    return source.is_float == middle.is_float or not target.is_int


@pure
def is_integral(dtype: DType) -> bool:
    """Whether a dtype is a fixed-width integer or an index, whose multiplication by zero is always zero."""
    return dtype.is_int or dtype.is_index


def holds_bounds(dtype: ScalarLike, least: Scalar, greatest: Scalar) -> Scalar:
    """The guard that every integer from `least` to `greatest` survives a conversion to `dtype`."""
    return (least >= least_whole(dtype)) & (greatest <= greatest_whole(dtype))


@pure
def least_whole(dtype: DType) -> int:
    """The least integer such that a dtype holds every integer from it up to `greatest_whole`.

    >>> from eqsat.dtype import float16, int8
    >>> least_whole(int8), greatest_whole(int8), least_whole(float16), greatest_whole(float16)
    (-128, 127, -2048, 2048)
    """
    return -(1 << dtype.significand) if dtype.is_float else dtype.min


@pure
def greatest_whole(dtype: DType) -> int:
    """The greatest integer such that a dtype holds every integer from `least_whole` up to it."""
    return 1 << dtype.significand if dtype.is_float else dtype.max


@pure
def whole(value: float) -> int | None:
    """The value as an integer; None if it is not an integer."""
    return int(value) if isfinite(value) and value == int(value) else None


@pure
def keeps_low_bits(middle: DType, source: DType, target: DType) -> bool:
    """Whether an integer converted through `middle` keeps the low bits that `target` has."""
    return source.is_int and middle.is_int and target.is_int and target.bits <= middle.bits


@pure
def power_of_two(exponent: int, dtype: DType) -> int | None:
    """2 to the exponent; None if the dtype does not hold it.

    >>> from eqsat.dtype import int8
    >>> power_of_two(6, int8), power_of_two(7, int8)
    (64, None)
    """
    return 1 << exponent if 0 <= exponent < dtype.bits and 1 << exponent <= dtype.max else None


@pure
def reciprocal_of_power_of_two(value: float, dtype: DType) -> float | None:
    """1 / value, if value is a power of two (of either sign) and both are normal numbers of `dtype`; else None.

    >>> from eqsat.dtype import float32
    >>> reciprocal_of_power_of_two(-8.0, float32), reciprocal_of_power_of_two(3.0, float32)
    (-0.125, None)
    """
    mantissa, exponent = frexp(value)
    if abs(mantissa) != 0.5:
        return None
    least, greatest = dtype.least_exponent, dtype.greatest_exponent
    power = exponent - 1
    return 1 / value if least <= power <= greatest and least <= -power <= greatest else None


@pure
def nonzero_reciprocal(value: float, dtype: DType) -> float | None:
    """1 / value, if both are normal numbers of `dtype`; else None."""
    if value == 0 or not isfinite(value):
        return None
    exponent = frexp(value)[1]
    least, greatest = dtype.least_exponent, dtype.greatest_exponent
    return 1 / value if least < exponent < greatest and least < -exponent < greatest else None


@pure
def negative(value: float) -> float:
    """The value with its sign flipped."""
    return -value


@pure
def fold(op: Op, left: float, right: float) -> float | None:
    """`op` of two float constants; None if one is not finite."""
    if not (isfinite(left) and isfinite(right)):
        return None
    return {Op.ADD: left + right, Op.MUL: left * right, Op.MAX: max(left, right), Op.MIN: min(left, right)}[
        op
    ]


LONGEST_POWER = 64  # greatest exponent of a power that may become a product


@pure
def half_of_even(exponent: float) -> float | None:
    """Half of a positive even exponent that may become products; None for others.

    >>> half_of_even(6.0), half_of_even(3.0), half_of_even(1e30)
    (3.0, None, None)
    """
    return exponent / 2 if 0 < exponent <= LONGEST_POWER and exponent % 2 == 0 else None


@pure
def less_one_of_odd(exponent: float) -> float | None:
    """One less than an odd exponent above 1 that may become products; None for others.

    >>> less_one_of_odd(3.0), less_one_of_odd(1.0), less_one_of_odd(2.5)
    (2.0, None, None)
    """
    return exponent - 1 if 1 < exponent <= LONGEST_POWER and exponent % 2 == 1 else None
