"""The sign of zero in sums: NumPy starts from 0.0, so that a sum of negative zeros is 0.0."""

from __future__ import annotations

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.uop import UOp


def from_zero(value: UOp, op: Op) -> UOp:
    """The result of a reduction by `op`, where `value` combines all elements, but not the value that the reduction starts from.

    That makes a difference only for a sum of floats whose elements are all -0.0.

    >>> from eqsat.dtype import float32, int32
    >>> x, n = UOp.variable("x", 0, 9).cast(float32), UOp.variable("n", 0, 9).cast(int32)
    >>> from_zero(x, Op.ADD) is x + 0.0, from_zero(x, Op.MAX) is x, from_zero(n, Op.ADD) is n
    (True, True, True)
    """
    if op is not Op.ADD or not isinstance(value.dtype, DType) or not value.dtype.scalar.is_float:
        return value
    zero = UOp.const(value.dtype.scalar, 0.0)
    lanes = value.dtype.lanes
    return value.alu(Op.ADD, zero if lanes == 1 else UOp(Op.VCONST, value.dtype, (), (zero.arg,) * lanes))
