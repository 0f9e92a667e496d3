"""Padding of arrays with their own elements.

Elements of a short row, such as the numbers of an axis or the channels of pixels, are joined from pieces, each of which is contiguous. Of long
rows the position is computed, once for all elements of a row.
"""

from __future__ import annotations

from math import prod

from eqsat.array.nodes.views import cut, reverse, shape
from eqsat.errors import ShapeError
from eqsat.extents import Extent
from eqsat.uop import UOp, join
from eqsat.uop.taking import taken

LONG_ROW = 16  # elements at one position of the axis, from which on they are read as a row


def framed_from_inside(value: UOp, axis: int, before: int, after: int, mode: str) -> UOp:
    """Pads one axis with the array's own elements.

    "edge" repeats the outermost element, "symmetric" mirrors the array including it, "reflect" mirrors the array without it, and "wrap"
    continues with the other end, as on a ring. The last three repeat the pattern where the padding is wide.

    Raises:
        ShapeError: the axis has no elements, or its extent depends on a dim and the padding may be wider.
    """
    extent = shape(value)[axis]
    if extent == 0:
        raise ShapeError(
            f'cannot pad axis {axis} of {shape(value)} in mode "{mode}": it has no element to repeat; use mode "constant"'
        )
    mode = "edge" if extent == 1 else mode
    reach = extent - int(mode == "reflect")
    is_wide = mode != "edge" and max(before, after) > reach
    if is_wide and isinstance(extent, Extent):
        raise ShapeError(
            f'cannot pad axis {axis} of extent {extent} by {(before, after)} in mode "{mode}"; at most {reach} fit'
        )
    row = prod(each.capacity if isinstance(each, Extent) else each for each in shape(value)[axis + 1 :])
    if not is_wide and row < LONG_ROW:
        head, tail = _ends(value, axis, before, after, mode)
        return join([head, value, tail], axis)
    places = UOp.iota(before + extent + after) - before
    return taken(value, axis, _inside(places, extent, mode, is_wide=is_wide))


def _ends(value: UOp, axis: int, before: int, after: int, mode: str) -> tuple[UOp, UOp]:
    """What comes before an array and after it; no more elements than it has."""
    extent = shape(value)[axis]
    match mode:
        case "edge":
            return _repeated(value, axis, 0, before), _repeated(value, axis, extent - 1, after)
        case "wrap":
            return cut(value, axis, extent - before, extent), cut(value, axis, 0, after)
        case _:
            skipped = int(mode == "reflect")
            head = cut(value, axis, skipped, skipped + before)
            tail = cut(value, axis, extent - skipped - after, extent - skipped)
            return reverse(head, axis), reverse(tail, axis)


def _repeated(value: UOp, axis: int, position: int, count: int) -> UOp:
    wanted = list(shape(value))
    wanted[axis] = count
    return cut(value, axis, position, position + 1).expand(wanted)


def _inside(places: UOp, extent: int, mode: str, *, is_wide: bool) -> UOp:
    """The positions of the elements that are at these places, counted from the first element of the array; wide padding has several periods."""
    if mode == "edge":
        return places.maximum(0).minimum(extent - 1)
    if mode == "wrap":
        return places % extent
    skipped = int(mode == "reflect")
    period = 2 * (extent - skipped)
    forward = places % period if is_wide else places.maximum(skipped - 1 - places)
    return forward.minimum(period - 1 + skipped - forward)
