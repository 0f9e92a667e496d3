"""Subscripts `x[…]`: integers and slices become movement, integer arrays become a gather.

The axes that arrays of subscripts select are placed by NumPy's rule. If the arrays are next to each other, their
common shape stands at the position of the first of them; otherwise it comes first. An integer beside an array counts as an array.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import prod
from operator import index as as_index
from types import EllipsisType
from typing import SupportsIndex

from eqsat.array.nodes.operands import broadcast_shapes, cast, dtype_of
from eqsat.array.nodes.views import cut, insert_axis, positions, remove_axis, reverse, shape, stride
from eqsat.array.realize import evaluate
from eqsat.dtype import index, int64, uint64
from eqsat.errors import IndexingError, ShapeError, brief
from eqsat.extents import Extent, is_dynamic, quotient
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from eqsat.uop.taking import taken

Selection = SupportsIndex | slice | UOp | None
Subscript = Selection | EllipsisType

_MOST_KNOWN = 1 << 16  # the greatest number of positions that are range-checked while a graph is built


def subscript(value: UOp, key: Sequence[Subscript]) -> UOp:
    """The elements that the subscripts select; axes without a subscript are selected whole.

    Raises:
        IndexingError: there are more subscripts than axes, an integer is out of range, or an array holds floats or bools.
    """
    gathers: dict[int, UOp] = {}
    axis = 0
    selections = _without_ellipsis(value, key)
    for item in selections:
        match item:
            case None:
                value = insert_axis(value, axis)
                axis += 1
            case slice():
                value = _slice(value, axis, item)
                axis += 1
            case UOp():
                gathers[axis] = _positions_from(item)
                _require_in_range(item, shape(value)[axis], axis, shape(value))
                axis += 1
            case _:
                value = _pick(value, axis, as_index(item))
    return gather(value, gathers, _place_of_gathered(key, selections)) if gathers else value


def gather(value: UOp, subscripts: dict[int, UOp], first: int | None = None) -> UOp:
    """The elements at positions given by integer arrays that broadcast, one for each selected axis; the other axes stay whole.

    Negative positions count from the end; the element at a position out of range is zero. The gathered axes follow the first `first` whole axes
    of the result, or by default stand in place of the first selected axis.
    """
    whole = shape(value)
    common = broadcast_shapes("index by arrays of shapes", *(shape(item) for item in subscripts.values()))
    first = min(subscripts) if first is None else first
    kept = [axis for axis in range(len(whole)) if axis not in subscripts]
    before, after = [whole[axis] for axis in kept[:first]], [whole[axis] for axis in kept[first:]]
    result = (*before, *common, *after)
    indices: list[UOp] = []
    for axis, extent in enumerate(whole):
        if axis in subscripts:
            located = _wrap_negative(subscripts[axis].broadcast(common), extent)
            indices.append(located.reshape((1,) * len(before) + common + (1,) * len(after)).expand(result))
        else:
            place = kept.index(axis)
            place += len(common) if place >= first else 0
            indices.append(positions(UOp.full(result, index, 0), place))
    return UOp(Op.INDEX, dtype_of(value), (value, *indices))


def take_along(value: UOp, subscripts: UOp, axis: int) -> UOp:
    """The elements of `value` at the same index as in `subscripts`, except that the index along `axis` is the subscript."""
    _require_in_range(_positions_from(subscripts), shape(value)[axis], axis, shape(value))
    located = _wrap_negative(subscripts, shape(value)[axis])
    indices = [located if other == axis else positions(located, other) for other in range(len(shape(value)))]
    return UOp(Op.INDEX, dtype_of(value), (value, *indices))


def _without_ellipsis(value: UOp, key: Sequence[Subscript]) -> list[Selection]:
    rank, used = len(shape(value)), sum(item is not None and item is not Ellipsis for item in key)
    ellipses = [place for place, item in enumerate(key) if item is Ellipsis]
    if used > rank:
        raise IndexingError(
            f"cannot use {used} subscripts on an array of {rank} axes {shape(value)}; drop {used - rank}"
        )
    if len(ellipses) > 1:
        raise IndexingError("cannot use '...' more than once in a subscript; write ':' for the other axes")
    selections: list[Selection] = [item for item in key if not isinstance(item, EllipsisType)]
    whole: list[Selection] = [slice(None)] * (rank - used)
    place = ellipses[0] if ellipses else len(key)
    return [*selections[:place], *whole, *selections[place:]]


def _slice(value: UOp, axis: int, item: slice) -> UOp:
    extent = shape(value)[axis]
    if isinstance(extent, Extent):
        return _slice_where_calls_know(value, axis, extent, item)
    try:
        chosen = range(extent)[item]
    except (TypeError, ValueError) as error:
        raise IndexingError(
            f"cannot take {brief(item)} of axis {axis}: {error}; slices have integers"
        ) from error
    if chosen.step > 0 or not chosen:
        return (
            stride(value, axis, chosen.start, len(chosen), max(chosen.step, 1))
            if chosen
            else cut(value, axis, 0, 0)
        )
    return stride(reverse(value, axis), axis, extent - 1 - chosen.start, len(chosen), -chosen.step)


def _slice_where_calls_know(value: UOp, axis: int, extent: Extent, item: slice) -> UOp:
    """A slice of an axis whose extent depends on a dim: a window if the step is 1, else a gather of positions."""
    step = 1 if item.step is None else as_index(item.step)
    if step == 0:
        raise IndexingError("a slice has a step of 1 or more, or of -1 or less, not 0")
    if step > 0:
        begin, end = (_end_within(extent, each, item) for each in (item.start or 0, item.stop))
    else:  # backwards from place `first` to just before place `last`
        first = extent - 1 if item.start is None else _counted_from_start(extent, item.start)
        last = -1 if item.stop is None else _counted_from_start(extent, item.stop)
        begin, end = (_end_within(extent, each, item) for each in (last + 1, first + 1))
    if not begin <= end:
        return cut(value, axis, 0, 0)
    if step == 1:
        return cut(value, axis, begin, end)
    count = quotient(end - begin + abs(step) - 1, abs(step))
    return taken(value, axis, UOp.iota(count) * step + (begin if step > 0 else end - 1))


def _counted_from_start(extent: Extent, place: int) -> int:
    return extent + place if not isinstance(place, Extent) and place < 0 else place


def _end_within(extent: Extent, end: int | None, item: slice) -> int:
    """A bound of a slice as a position from 0 to `extent`; refuses bounds that may lie outside for some values of the dims."""
    place = extent if end is None else _counted_from_start(extent, end)
    with suppress(ShapeError):
        if 0 <= place <= extent:
            return place
    raise IndexingError(
        f"cannot tell where {item} ends on an axis of extent {extent}, which has {extent.least} elements at least: take no more than these, choose "
        f"other bounds, or take elements by an array of positions, as x[eqsat.arange(...)]"
    )


def _pick(value: UOp, axis: int, position: int) -> UOp:
    extent = shape(value)[axis]
    if isinstance(extent, Extent) and -extent.least <= position < 0:
        return gather(value, {axis: UOp.extent(extent + position)})
    if isinstance(extent, Extent) and not 0 <= position < extent.least:
        raise IndexingError(
            f"index {brief(position)} may be out of range for axis {axis} of {shape(value)}, which has {extent.least} elements at least; "
            f"use {-extent.least}..{extent.least - 1}, or choose other bounds"
        )
    if not isinstance(extent, Extent) and not -extent <= position < extent:
        raise IndexingError(
            f"index {brief(position)} is out of range for axis {axis} of {shape(value)}; use {-extent}..{extent - 1}"
        )
    place = position if isinstance(extent, Extent) else position % extent
    return remove_axis(cut(value, axis, place, place + 1), axis)


def _positions_from(item: UOp) -> UOp:
    dtype = dtype_of(item)
    if dtype.is_bool:
        raise IndexingError(
            "a mask selects a number of elements that is not known beforehand; use where(mask, x, 0)"
        )
    if not dtype.is_int and not dtype.is_index:
        raise IndexingError(
            f"cannot index by {dtype}; convert the subscripts with astype to an integer dtype"
        )
    return item


def _require_in_range(item: UOp, extent: int, axis: int, whole: tuple[int, ...]) -> None:
    """Refuses positions out of range if they are known before the program runs."""
    is_known = not any(
        node.op in (Op.PARAM, Op.DEFINE_VAR) or is_dynamic(node.shape) for node in toposort([item])
    )
    is_known &= not isinstance(extent, Extent)
    if not is_known or not 0 < prod(shape(item)) <= _MOST_KNOWN:
        return
    known = evaluate([item])[0]
    wrong = known[(known < -extent) | (known >= extent)]
    if wrong.size:
        raise IndexingError(
            f"index {wrong.flat[0]} is out of range for axis {axis} of {whole}; use {-extent}..{extent - 1}"
        )


def _wrap_negative(item: UOp, extent: int) -> UOp:
    if dtype_of(item) == uint64:  # values in its upper half do not fit an index
        item = item.minimum(int64.max)
    located = cast(item, index)
    return (located < 0).where(located + extent, located) if dtype_of(item).is_signed else located


def _place_of_gathered(key: Sequence[Subscript], selections: Sequence[Selection]) -> int:
    """The number of whole axes before the gathered ones in the result, by NumPy's rule, in which integers beside arrays count as arrays.

    Arrays are adjacent if no slice, `None` or `...` stands between them, even if `...` stands for no axis.
    """
    arrays = [place for place, item in enumerate(key) if _selects_positions(item)]
    is_adjacent = arrays[-1] - arrays[0] == len(arrays) - 1
    return (
        next(place for place, item in enumerate(selections) if _selects_positions(item)) if is_adjacent else 0
    )


def _selects_positions(item: Subscript) -> bool:
    return item is not None and item is not Ellipsis and not isinstance(item, slice)
