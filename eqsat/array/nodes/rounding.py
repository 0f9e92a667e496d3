"""Rounding to whole numbers, and division that rounds down, built from bits, comparisons and FMOD.

The IR has no floor. Adding 2^(mantissa bits) to a smaller float rounds the sum to a whole number, ties to even; a float that is not smaller has
no fraction. The whole number is read from the bits of the sum. Subtracting 2^(mantissa bits) again would not work: rules apply the laws of real
numbers, by which the difference is the float itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eqsat.array.nodes.operands import dtype_of
from eqsat.dtype import float32, float64, int16, int32, int64, to_numpy
from eqsat.ops import Op
from eqsat.uop import UOp

_BITS = {16: int16, 32: int32, 64: int64}
_WHOLE_ABOVE = {float32: 2.0**23, float64: 2.0**52}


def trunc(x: UOp) -> UOp:
    """The float rounded toward zero."""
    return _rounded(x, lambda _, size, whole: whole - (size < whole).cast(dtype_of(whole)))


def floor(x: UOp) -> UOp:
    """The float rounded down."""

    def below(x: UOp, _: UOp, whole: UOp) -> UOp:
        near = copy_sign(whole, x)
        return near - (x < near).cast(dtype_of(near))

    return _rounded(x, below)


def ceil(x: UOp) -> UOp:
    """The float rounded up."""

    def above(x: UOp, _: UOp, whole: UOp) -> UOp:
        near = copy_sign(whole, x)
        return near + (near < x).cast(dtype_of(near))

    return _rounded(x, above)


def round_half_even(x: UOp) -> UOp:
    """The float rounded to the nearest whole number, ties to even."""
    return _rounded(x, lambda _, __, whole: whole)


def sign_bit(x: UOp) -> UOp:
    """Whether the sign bit of the float is set; this includes −0.0 and negative NaN."""
    return x.bitcast(_BITS[dtype_of(x).bits]) < 0


def copy_sign(magnitude: UOp, sign: UOp) -> UOp:
    """The magnitude of one float with the sign of another."""
    bits = _BITS[dtype_of(magnitude).bits]
    kept, taken = magnitude.bitcast(bits), sign.bitcast(bits)
    return ((kept & bits.max) | (taken & bits.min)).bitcast(dtype_of(magnitude))


def divide_with_remainder(x: UOp, y: UOp) -> tuple[UOp, UOp]:
    """NumPy's `//` and `%` of floats: the quotient rounded down, and the exact remainder with the sign of `y`.

    The steps follow NumPy, so that special cases agree with it. Half precision is computed in float32.
    """
    dtype = dtype_of(x)
    if dtype.bits < 32:
        quotient, remainder = divide_with_remainder(x.cast(float32), y.cast(float32))
        return quotient.cast(dtype), remainder.cast(dtype)
    ratio, rest = x / y, x.alu(Op.FMOD, y)
    moved = rest.ne(0.0) & (y < 0.0).ne(rest < 0.0)
    whole = (x - rest) / y
    whole = moved.where(whole - 1.0, whole)
    below = floor(whole)
    below = (whole - below > 0.5).where(below + 1.0, below)
    quotient = whole.eq(0.0).where(copy_sign(whole.like(0.0), ratio), below)
    remainder = rest.eq(0.0).where(copy_sign(rest.like(0.0), y), moved.where(rest + y, rest))
    return y.eq(0.0).where(ratio, quotient), remainder


def _rounded(x: UOp, adjust: Callable[[UOp, UOp, UOp], UOp]) -> UOp:
    """`adjust(x, |x|, |x| rounded to the nearest whole number)` with the sign of `x`, in float32 or float64; `x` itself if it has no fraction.

    The low bits of the sum of |x| and `limit` are the whole number nearest to |x|.
    """
    dtype = dtype_of(x)
    if dtype.bits < 32:
        return _rounded(x.cast(float32), adjust).cast(dtype)
    limit, bits = _WHOLE_ABOVE[dtype], _BITS[dtype.bits]
    size = (x.bitcast(bits) & bits.max).bitcast(dtype)
    least = int(np.array(limit, to_numpy(dtype)).view(to_numpy(bits)))
    whole = ((size + limit).bitcast(bits) - least).cast(dtype)
    return (size < limit).where(copy_sign(adjust(x, size, whole), x), x)
