"""Padding of arrays with their own elements."""

from __future__ import annotations

from eqsat.array.nodes.views import cut, insert_axis, merge_axes, reverse, shape
from eqsat.errors import ShapeError
from eqsat.extents import Extent
from eqsat.uop import UOp, join


def framed_from_inside(value: UOp, axis: int, before: int, after: int, mode: str) -> UOp:
    """Pads one axis with the array's own elements.

    "edge" repeats the outermost element, "symmetric" mirrors the array including it, "reflect" mirrors the array without it, and "wrap"
    continues with the other end, as on a ring.

    Raises:
        ShapeError: the axis has no elements, or its extent depends on a dim and the padding may be wider.
    """
    extent, skipped = shape(value)[axis], int(mode == "reflect")
    if extent == 0:
        raise ShapeError(
            f'cannot pad axis {axis} of {shape(value)} in mode "{mode}": it has no element to repeat; use mode "constant"'
        )
    if mode == "edge" or extent == 1:
        head, tail = (_repeat_slice(value, axis, *edge) for edge in ((0, before), (extent - 1, after)))
        return join([head, value, tail], axis)
    period = reach = extent - skipped
    if isinstance(extent, Extent) and max(before, after) > reach:
        raise ShapeError(
            f'cannot pad axis {axis} of extent {extent} by {(before, after)} in mode "{mode}"; at most {reach} fit'
        )
    if mode == "wrap":
        return _wrapped(value, axis, before, after)
    while max(before, after) > reach:  # the padded axis still ends at a mirror
        value = _mirrored(value, axis, min(before, reach), min(after, reach), skipped)
        before, after = max(before - reach, 0), max(after - reach, 0)
        reach = (shape(value)[axis] - skipped) // period * period
    return _mirrored(value, axis, before, after, skipped)


def _wrapped(value: UOp, axis: int, before: int, after: int) -> UOp:
    """Pads an axis by repeating it as on a ring, several times if the padding is wide."""
    extent = shape(value)[axis]
    if isinstance(extent, Extent) or max(before, after) <= extent:
        head, tail = cut(value, axis, extent - before, extent), cut(value, axis, 0, after)
        return join([head, value, tail], axis)
    turns = -(-before // extent)
    begin, copies = turns * extent - before, turns + 1 - (-after // extent)
    again = merge_axes(insert_axis(value, axis, copies), axis)
    return cut(again, axis, begin, begin + before + extent + after)


def _mirrored(value: UOp, axis: int, before: int, after: int, skipped: int) -> UOp:
    """Mirrors an axis at both ends, by no more elements than it has; `skipped` elements at the edges are left out of the mirror image."""
    extent = shape(value)[axis]
    head = reverse(cut(value, axis, skipped, skipped + before), axis)
    tail = reverse(cut(value, axis, extent - skipped - after, extent - skipped), axis)
    return join([head, value, tail], axis)


def _repeat_slice(value: UOp, axis: int, position: int, count: int) -> UOp:
    wanted = list(shape(value))
    wanted[axis] = count
    return cut(value, axis, position, position + 1).expand(wanted)
