"""Binary search in a sorted array."""

from __future__ import annotations

from eqsat.array.nodes.arithmetic import less
from eqsat.array.nodes.operands import dtype_of
from eqsat.array.nodes.views import shape
from eqsat.dtype import index, int32, int64
from eqsat.ops import Op
from eqsat.uop import UOp


def positions_among(table: UOp, wanted: UOp, *, after_equal: bool) -> UOp:
    """For each element of `wanted`, the int64 number of elements of an ascending table that are less, or not greater with `after_equal`.

    NaN counts as the greatest value. The bits of the number are found from the highest to the lowest: a bit is set if the last of that many
    elements still counts.
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
    """Whether the left element sorts before the right one: it is less, or it is a number and the right one is NaN."""
    result = less(left, right)
    if dtype_of(left).is_float:
        result = result | (right.ne(right) & left.ne(left).logical_not())
    return result
