"""Rounding to whole numbers, and the division that rounds down: built from bits, comparisons and FMOD.

The IR has no floor. The sum of 2^(mantissa bits) and a float below it is rounded to a whole number, halves to the even one; a greater float
has no fraction. The sum's bits are taken, because by the laws of real numbers the difference from what was added would be the float itself.
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
    """The float without its fraction."""
    return _rounded(x, lambda _, size, whole: whole - (size < whole).cast(dtype_of(whole)))


def floor(x: UOp) -> UOp:
    """The greatest whole number that is not above the float."""

    def below(x: UOp, _: UOp, whole: UOp) -> UOp:
        near = copy_sign(whole, x)
        return near - (x < near).cast(dtype_of(near))

    return _rounded(x, below)


def ceil(x: UOp) -> UOp:
    """The least whole number that is not below the float."""

    def above(x: UOp, _: UOp, whole: UOp) -> UOp:
        near = copy_sign(whole, x)
        return near + (near < x).cast(dtype_of(near))

    return _rounded(x, above)


def round_half_even(x: UOp) -> UOp:
    """The nearest whole number; halves go to the even one."""
    return _rounded(x, lambda _, __, whole: whole)


def sign_bit(x: UOp) -> UOp:
    """Whether the sign bit is set; −0.0 and negative NaN included."""
    return x.bitcast(_BITS[dtype_of(x).bits]) < 0


def copy_sign(magnitude: UOp, sign: UOp) -> UOp:
    """The magnitude of one float with the sign of another."""
    bits = _BITS[dtype_of(magnitude).bits]
    kept, taken = magnitude.bitcast(bits), sign.bitcast(bits)
    return ((kept & bits.max) | (taken & bits.min)).bitcast(dtype_of(magnitude))


def divide_with_remainder(x: UOp, y: UOp) -> tuple[UOp, UOp]:
    """NumPy's `//` and `%` of floats: the quotient rounded down, and the remainder, exact, with the sign of `y`.

    The steps are those of NumPy, so that special cases are its own; half precision is computed in float32.
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
    """`adjust(x, its size, the whole number nearest to its size)`, in float32 at least, with the sign of `x`; `x` where it has no fraction.

    The last bits of a sum with `limit` are those of the nearest whole number.
    """
    dtype = dtype_of(x)
    if dtype.bits < 32:
        return _rounded(x.cast(float32), adjust).cast(dtype)
    limit, bits = _WHOLE_ABOVE[dtype], _BITS[dtype.bits]
    size = (x.bitcast(bits) & bits.max).bitcast(dtype)
    least = int(np.array(limit, to_numpy(dtype)).view(to_numpy(bits)))
    whole = ((size + limit).bitcast(bits) - least).cast(dtype)
    return (size < limit).where(copy_sign(adjust(x, size, whole), x), x)
