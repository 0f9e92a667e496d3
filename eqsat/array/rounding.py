"""Rounding to whole numbers, and the division that rounds down: built from conversions, bits and comparisons.

The IR has no floor. A float below 2^(mantissa bits) converts exactly to an integer and back; a greater one
has no fraction, and neither it nor NaN or infinity is converted.
"""

from __future__ import annotations

from collections.abc import Callable

from eqsat.array.operands import dtype_of
from eqsat.dtype import float32, float64, int16, int32, int64
from eqsat.uop import UOp

_BITS = {16: int16, 32: int32, 64: int64}
_WHOLE_ABOVE = {float32: (2.0**23, int32), float64: (2.0**52, int64)}
_HIGH_HALF = -(1 << 27)  # keeps 26 of the 53 significant bits of a float64


def trunc(x: UOp) -> UOp:
    """The float without its fraction."""
    return _rounded(x, lambda near, _: near)


def floor(x: UOp) -> UOp:
    """The greatest whole number that is not above the float."""
    return _rounded(x, lambda near, _: near - (x < near).cast(dtype_of(near)))


def ceil(x: UOp) -> UOp:
    """The least whole number that is not below the float."""
    return _rounded(x, lambda near, _: near + (near < x).cast(dtype_of(near)))


def round_half_even(x: UOp) -> UOp:
    """The nearest whole number; halves go to the even one."""

    def nearest(near: UOp, whole: UOp) -> UOp:
        fraction = x - near
        odd = (whole & 1).ne(0)
        up = (fraction > 0.5) | (fraction.eq(0.5) & odd)
        down = (fraction < -0.5) | (fraction.eq(-0.5) & odd)
        return near + up.cast(dtype_of(near)) - down.cast(dtype_of(near))

    return _rounded(x, nearest)


def sign_bit(x: UOp) -> UOp:
    """Whether the sign bit is set; −0.0 and negative NaN included."""
    return x.bitcast(_BITS[dtype_of(x).bits]) < 0


def copy_sign(magnitude: UOp, sign: UOp) -> UOp:
    """The magnitude of one float with the sign of another."""
    bits = _BITS[dtype_of(magnitude).bits]
    kept, taken = magnitude.bitcast(bits), sign.bitcast(bits)
    return ((kept & bits.max) | (taken & bits.min)).bitcast(dtype_of(magnitude))


def divide_with_remainder(x: UOp, y: UOp) -> tuple[UOp, UOp]:
    """NumPy's `//` and `%` of floats: the quotient rounded down, and the remainder with the sign of `y`.

    Exact while |x / y| < 2^52 (float64) or 2^29 (narrower floats, which are divided in float64).
    """
    dtype = dtype_of(x)
    wide, divisor = x.cast(float64), y.cast(float64)
    quotient = trunc(wide / divisor)
    remainder = quotient.eq(0.0).where(
        wide, _subtract_product(wide, quotient, divisor, exact=dtype != float64)
    )
    lower = remainder.ne(0.0) & (remainder < 0.0).ne(divisor < 0.0)
    remainder = lower.where(remainder + divisor, remainder)
    quotient = lower.where(quotient - 1.0, quotient).cast(dtype)
    remainder = remainder.eq(0.0).where(copy_sign(remainder.like(0.0), divisor), remainder).cast(dtype)
    ratio = x / y
    quotient = quotient.eq(0.0).where(copy_sign(quotient, ratio), quotient)
    quotient = remainder.ne(remainder).where(remainder, quotient)
    return y.eq(0.0).where(ratio, quotient), remainder


def _subtract_product(x: UOp, a: UOp, b: UOp, exact: bool) -> UOp:
    """`x - a·b` without rounding the product, which is taken in exact halves (T. J. Dekker, Numerische Mathematik 18, 1971).

    Every partial product is exact, so a compiler that contracts multiplies into adds changes nothing.
    """
    if exact:
        return x - a * b
    a_high, b_high = _high_half(a), _high_half(b)
    a_low, b_low = a - a_high, b - b_high
    return x - a_high * b_high - a_high * b_low - a_low * b_high - a_low * b_low


def _high_half(x: UOp) -> UOp:
    return (x.bitcast(int64) & _HIGH_HALF).bitcast(float64)


def _rounded(x: UOp, adjust: Callable[[UOp, UOp], UOp]) -> UOp:
    """`adjust(x without fraction, the same as an integer)` with the sign of `x`, and `x` itself where it has no fraction."""
    dtype = dtype_of(x)
    if dtype.bits < 32:
        return _rounded(x.cast(float32), adjust).cast(dtype)
    limit, whole_dtype = _WHOLE_ABOVE[dtype]
    has_fraction = (x < limit) & (x > -limit)
    whole = has_fraction.where(x, 0.0).cast(whole_dtype)
    return has_fraction.where(copy_sign(adjust(whole.cast(dtype), whole), x), x)
