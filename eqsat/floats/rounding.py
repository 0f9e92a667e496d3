"""Products that are rounded before they are added to something.

A compiler may round a product and a sum once together. It does not where the bits of the product are read as an integer and back, which
costs nothing.
"""

from __future__ import annotations

from math import frexp

from eqsat.dtype import DType, float32, float64, int32, int64
from eqsat.ops import Op
from eqsat.uop import UOp

BITS = {float32: int32, float64: int64}


def by_bits(value: UOp) -> UOp:
    """A value that is read from its bits."""
    assert isinstance(value.dtype, DType)
    return value.bitcast(BITS[value.dtype]).bitcast(value.dtype)


def behind_bits(value: UOp) -> tuple[UOp, bool]:
    """(a value, or that whose bits it reads; whether it reads them, so that it is rounded)."""
    if value.op is Op.BITCAST and value.src[0].op is Op.BITCAST:
        return value.src[0].src[0], True
    return value, False


def is_power_of_two(value: UOp) -> bool:
    """Whether a float is a constant 2^n or -2^n, by which no product is rounded."""
    return value.op is Op.CONST and abs(frexp(value.arg)[0]) == 0.5
