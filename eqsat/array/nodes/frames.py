"""Frames around arrays that are made of their own elements."""

from __future__ import annotations

from eqsat.array.nodes.views import cut, reverse, shape
from eqsat.errors import ShapeError
from eqsat.extents import Extent
from eqsat.uop import UOp, join


def framed_from_inside(value: UOp, axis: int, before: int, after: int, mode: str) -> UOp:
    """An axis in a frame of the array's own elements: of its "edge", or a mirror image with it ("symmetric") or without it ("reflect").

    Raises:
        ShapeError: the axis has no elements, or calls know how many and the frame may be wider than they are.
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
    while max(before, after) > reach:  # the ends stay where mirrors are
        value = _mirrored(value, axis, min(before, reach), min(after, reach), skipped)
        before, after = max(before - reach, 0), max(after - reach, 0)
        reach = (shape(value)[axis] - skipped) // period * period
    return _mirrored(value, axis, before, after, skipped)


def _mirrored(value: UOp, axis: int, before: int, after: int, skipped: int) -> UOp:
    """A frame no wider than there are elements to mirror, all but those skipped at the edges."""
    extent = shape(value)[axis]
    head = reverse(cut(value, axis, skipped, skipped + before), axis)
    tail = reverse(cut(value, axis, extent - skipped - after, extent - skipped), axis)
    return join([head, value, tail], axis)


def _repeat_slice(value: UOp, axis: int, position: int, count: int) -> UOp:
    wanted = list(shape(value))
    wanted[axis] = count
    return cut(value, axis, position, position + 1).expand(wanted)
