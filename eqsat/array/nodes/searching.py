"""Binary search in a sorted array, and the positions of the greatest elements."""

from __future__ import annotations

from eqsat.array.nodes.arithmetic import less
from eqsat.array.nodes.folds import fold
from eqsat.array.nodes.joining import joined
from eqsat.array.nodes.operands import cast, dtype_of
from eqsat.array.nodes.views import positions, shape
from eqsat.dtype import index, int32, int64, uint8
from eqsat.ops import Op, identity_element
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


def positions_by_searches(value: UOp, axis: int, count: int) -> UOp:
    """The int64 positions of the `count` greatest elements along an axis, in descending order; `count` is from 1 to the extent of the axis.

    Equal elements are in the order of their positions; NaN is the greatest value, and all NaNs are equal. For each position, the greatest
    element of what comes after the last one in this order is found, and then the first such element that comes after it. Elements are
    compared with the last one and are not marked, so that those that have the least value of their dtype are found, too.
    """
    value = cast(value, uint8) if dtype_of(value).is_bool else value
    whole = shape(value)
    place = positions(value, axis).cast(int32 if whole[axis] <= int32.max else int64)
    beyond, least = int(dtype_of(place).max), identity_element(Op.MAX, dtype_of(value))
    greatest = fold(Op.MAX, value, [axis], keep=True)
    candidates = _is_same(value, greatest.expand(whole))
    found: list[UOp] = []
    while True:
        found.append(fold(Op.MIN, candidates.where(place, beyond), [axis], keep=True))
        if len(found) == count:
            return joined(found, axis).cast(int64)
        last, after = greatest, found[-1].expand(whole) < place
        left = _comes_after(value, last.expand(whole), after).where(value, least)
        greatest = fold(Op.MAX, left, [axis], keep=True)
        begin = _is_same(greatest, last).where(found[-1], -1)  # other elements may be anywhere
        candidates = _is_same(value, greatest.expand(whole)) & (begin.expand(whole) < place)


def _comes_after(value: UOp, last: UOp, after: UOp) -> UOp:
    """Whether elements come after the last one in descending order: they are less, or the same and at an `after` position."""
    result = (value < last) | (value.eq(last) & after)
    if dtype_of(value).is_float:
        result = last.ne(last).where(value.eq(value) | after, result)
    return result


def _is_same(left: UOp, right: UOp) -> UOp:
    """Whether elements are equal, or both NaN."""
    result = left.eq(right)
    if dtype_of(left).is_float:
        result = right.ne(right).where(left.ne(left), result)
    return result
