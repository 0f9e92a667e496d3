"""Movement along one axis, from which slices, windows, concatenation and cumulative operations are built.

Axes without dims need only RESHAPE, PERMUTE, EXPAND, PAD, SHRINK and FLIP. These cost no kernel: they become
index arithmetic. The operations are chosen such that this arithmetic is affine once a multiple of an extent
cancels against the division by that extent.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign

from eqsat.dtype import bool_
from eqsat.extents import Extent
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import Number, UOp
from eqsat.uop.taking import along, taken


def shape(value: UOp) -> Shape:
    """The shape of a value; all UOps handled here have one."""
    assert value.shape is not None, "an array's node has a value"
    return value.shape


def row(rank: int, axis: int, extent: int) -> Shape:
    """A shape with `extent` in one axis and ones in all others."""
    return tuple(extent if position == axis else 1 for position in range(rank))


def positions(value: UOp, axis: int) -> UOp:
    """The position of each element along one axis, in the shape of `value`."""
    whole = shape(value)
    return along(UOp.iota(whole[axis]), axis, whole)


def cut(value: UOp, axis: int, begin: int, end: int) -> UOp:
    """The elements of one axis from `begin` to before `end`."""
    if isinstance(begin, Extent):
        return taken(value, axis, UOp.iota(end - begin) + begin)
    window = [(0, extent) for extent in shape(value)]
    window[axis] = (begin, end)
    return value.shrink(window)


def extend(value: UOp, axis: int, before: int, after: int) -> UOp:
    """The value with zeros added at both ends of one axis."""
    extent = shape(value)[axis]
    if isinstance(extent, Extent) and after:
        places = UOp.iota(before + extent + after)
        wide = taken(value, axis, places - before)  # elements beyond the extent have no promised value
        return along(places < places.like(before + extent), axis, shape(wide)).where(wide, 0)
    amounts = [(0, 0)] * len(shape(value))
    amounts[axis] = (before, after)
    return value.pad(amounts)


def extend_with(value: UOp, amounts: Sequence[tuple[int, int]], fill: UOp | Number) -> UOp:
    """The value padded with `fill`, which is a number or a scalar UOp of the same dtype; `amounts` has a (before, after) pair per axis."""
    padded = _extended(value, amounts)
    if padded is value or (not isinstance(fill, UOp) and fill == 0 and copysign(1.0, fill) > 0):
        return padded
    inside = _extended(UOp.full(shape(value), bool_, True), amounts)
    return inside.where(padded, fill.broadcast(shape(padded)) if isinstance(fill, UOp) else fill)


def _extended(value: UOp, amounts: Sequence[tuple[int, int]]) -> UOp:
    """The value with zeros added at both ends of all axes; an axis with a dim that is padded at its end is handled alone, by `extend`."""
    for axis, (before, after) in enumerate(amounts):
        if after and isinstance(shape(value)[axis], Extent):
            value = extend(value, axis, before, after)
            amounts = [(0, 0) if each == axis else pair for each, pair in enumerate(amounts)]
    return value.pad(amounts)


def reverse(value: UOp, axis: int) -> UOp:
    """The value with one axis in reverse order."""
    extent = shape(value)[axis]
    if isinstance(extent, Extent):
        return taken(value, axis, UOp.iota(extent) * -1 + (extent - 1))
    return value.flip([position == axis for position in range(len(shape(value)))])


def split_axis(value: UOp, axis: int, outer: int, inner: int) -> UOp:
    """Splits one axis of extent outer·inner in two."""
    whole = shape(value)
    return value.reshape((*whole[:axis], outer, inner, *whole[axis + 1 :]))


def merge_axes(value: UOp, axis: int) -> UOp:
    """Merges an axis and the next into one, in row-major order."""
    whole = shape(value)
    return value.reshape((*whole[:axis], whole[axis] * whole[axis + 1], *whole[axis + 2 :]))


def insert_axis(value: UOp, axis: int, extent: int = 1) -> UOp:
    """Inserts an axis along which the value is repeated."""
    whole = shape(value)
    return value.reshape((*whole[:axis], 1, *whole[axis:])).expand((*whole[:axis], extent, *whole[axis:]))


def remove_axis(value: UOp, axis: int) -> UOp:
    """Removes an axis of extent 1."""
    whole = shape(value)
    return value.reshape((*whole[:axis], *whole[axis + 1 :]))


def move_axis(value: UOp, source: int, destination: int) -> UOp:
    """Moves one axis to another position; the others keep their order."""
    order = [axis for axis in range(len(shape(value))) if axis != source]
    order.insert(destination, source)
    return value.permute(order)


def stride(value: UOp, axis: int, begin: int, count: int, step: int) -> UOp:
    """`count` elements of one axis: `begin`, `begin + step`, …, with a positive step.

    The axis is split into blocks of `step` elements, and the first element of each block is selected. A last block that reaches beyond the end
    is padded.
    """
    if count == 0 or step == 1 or count == 1:
        return cut(value, axis, begin, begin + count)
    end = min(begin + count * step, shape(value)[axis])
    block = extend(cut(value, axis, begin, end), axis, 0, begin + count * step - end)
    return remove_axis(cut(split_axis(block, axis, count, step), axis + 1, 0, 1), axis + 1)


def windows(value: UOp, axis: int, size: int, step: int = 1, dilation: int = 1) -> UOp:
    """Sliding windows of one axis, which becomes two axes: the number of the window, and the position in it.

    Windows that neither overlap nor are dilated are blocks of the axis. Others come from shearing: `size` copies of the axis are laid out
    one after another and read in rows that are `dilation` longer than the axis, so that row k begins k·dilation further on.
    If the number of windows depends on a dim, elements are gathered by position.
    """
    reach = (size - 1) * dilation + 1
    count = (shape(value)[axis] - reach) // step + 1
    if isinstance(count, Extent):
        return _windows_where_calls_know(value, axis, (count, step), (size, dilation))
    if dilation == 1 and size <= step:
        return _blocks(value, axis, size, step, count)
    used = (count - 1) * step + reach
    row, length = used + dilation, size * (used + dilation)
    copies = merge_axes(insert_axis(cut(value, axis, 0, used), axis, -(-length // used)), axis)
    sheared = split_axis(cut(copies, axis, 0, length), axis, size, row)
    return move_axis(stride(sheared, axis + 1, 0, count, step), axis, axis + 1)


def _windows_where_calls_know(value: UOp, axis: int, outer: tuple[int, int], inner: tuple[int, int]) -> UOp:
    """Windows gathered by position; `outer` is the number of windows and the distance between them, `inner` the same for their elements."""
    (count, step), (size, dilation) = outer, inner
    whole = shape(value)
    result = (*whole[:axis], count, size, *whole[axis + 1 :])
    windowed = along(UOp.iota(count) * step, axis, result) + along(
        UOp.iota(size) * dilation, axis + 1, result
    )
    places = [
        windowed if each == axis else along(UOp.iota(extent), each + (each > axis), result)
        for each, extent in enumerate(whole)
    ]
    return UOp(Op.INDEX, value.dtype, (value, *places))


def _blocks(value: UOp, axis: int, size: int, step: int, count: int) -> UOp:
    extent = shape(value)[axis]
    end = min(count * step, extent)
    block = extend(cut(value, axis, 0, end), axis, 0, count * step - end)
    return cut(split_axis(block, axis, count, step), axis + 1, 0, size)
