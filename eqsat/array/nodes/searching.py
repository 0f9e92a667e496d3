"""Positions in an array that is in order."""

from __future__ import annotations

from eqsat.array.nodes.arithmetic import less
from eqsat.array.nodes.operands import dtype_of
from eqsat.array.nodes.views import shape
from eqsat.dtype import index, int32, int64
from eqsat.ops import Op
from eqsat.uop import UOp


def positions_among(table: UOp, wanted: UOp, *, after_equal: bool) -> UOp:
    """How many elements of an ascending table are less than each that is wanted, or not greater with `after_equal`, in int64; NaN is the greatest.

    Bits of the count are found from the highest to the lowest: a bit is set where the element at the end of so many still counts.
    """
    (extent,) = shape(table)
    dtype = int32 if extent <= int32.max else int64
    count = UOp.full(shape(wanted), dtype, 0)
    for bit in reversed(range(int(extent).bit_length())):
        more = count + (1 << bit)
        last = UOp(Op.INDEX, dtype_of(table), (table, (more.minimum(extent) - 1).cast(index)))
        still = _is_before(wanted, last).logical_not() if after_equal else _is_before(last, wanted)
        count = ((more <= extent) & still).where(more, count)
    return count.cast(int64)


def _is_before(left: UOp, right: UOp) -> UOp:
    """Whether one is less than the other, or a number and the other NaN."""
    result = less(left, right)
    if dtype_of(left).is_float:
        result = result | (right.ne(right) & left.ne(left).logical_not())
    return result
