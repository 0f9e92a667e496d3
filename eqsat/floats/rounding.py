"""Products that are rounded before they are added to something.

A compiler may round a product and a sum once together. It does not where the bits of the product are read as an integer and back, which
costs nothing. Operations on narrow floats, which are computed in float32, are rounded one by one.
"""

from __future__ import annotations

from math import frexp

from eqsat.dtype import DType, bfloat16, float16, float32, float64, int32, int64
from eqsat.ops import Op
from eqsat.uop import UOp

BITS = {float32: int32, float64: int64}
ROUNDED = frozenset({*BITS, float16, bfloat16})  # the dtypes of products that can be rounded alone


def alone(product: UOp) -> UOp:
    """A product that is rounded before it is added to something; its dtype is in `ROUNDED`."""
    dtype = product.dtype
    assert isinstance(dtype, DType)
    return product.bitcast(BITS[dtype]).bitcast(dtype) if dtype in BITS else product


def without_bits(value: UOp) -> tuple[UOp, bool]:
    """(a value, or the product whose bits it reads; whether a product is rounded there before it is added to something)."""
    if value.op is Op.BITCAST and value.src[0].op is Op.BITCAST:
        return value.src[0].src[0], True
    return value, value.dtype in ROUNDED - BITS.keys()


def is_power_of_two(value: UOp) -> bool:
    """Whether a float is a constant 2^n or -2^n, by which no product is rounded."""
    return value.op is Op.CONST and abs(frexp(value.arg)[0]) == 0.5
