"""Sorting along an axis: a network of exchanges for short axes, a step on the host for all others.

A network compares and exchanges the slices of the axis, at places that do not depend on the data. So it is part of the kernel around it,
vectorizes along other axes, and costs nothing for elements that nobody reads: the median of nine takes less than their order. It gets larger and
is compiled longer with each element of the axis, and so it is for short ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eqsat.array.nodes.calls import called
from eqsat.array.nodes.joining import stacked
from eqsat.array.nodes.operands import cast, dtype_of
from eqsat.array.nodes.searching import positions_by_searches
from eqsat.array.nodes.subscripts import gather, take_along
from eqsat.array.nodes.views import cut, move_axis, remove_axis, reverse, shape
from eqsat.custom import POSITIONS, SORTED, custom_named, greatest_named, ranked_named
from eqsat.dtype import DType, int8, int16, int32, int64, uint8
from eqsat.extents import Extent
from eqsat.uop import UOp, piece_at

MOST_SORTED = 16  # elements of the longest axis that a network sorts, which compiles for a second or two
MOST_MIDDLE = 32  # the same for medians and quantiles, which need fewer exchanges and no positions
MOST_RANKED = 8  # elements of a long axis that are found without sorting all
MOST_SEARCHES = 10  # greatest elements that are searched one after another; each compiles for half a second
_SIGNED = {8: int8, 16: int16, 32: int32, 64: int64}


def sorted_along(value: UOp, axis: int, *, descending: bool, stable: bool) -> UOp:
    """The elements in order along an axis. NaN is the greatest; zeros of both signs are equal, and keep their order if it is `stable`."""
    dtype = dtype_of(value)
    has_equals = dtype.is_float and stable  # only zeros are equal and yet differ
    if has_equals and _has_records(value, axis):
        return _elements_in(_sorted_records(value, axis, descending), axis, dtype)
    if has_equals or not _is_short(shape(value)[axis], MOST_SORTED):
        return _on_host(SORTED, value, axis, descending=descending)[0]
    found = _exchanged([_keys(each) for each in _slices(value, axis)])
    return _elements(stacked(found[::-1] if descending else found, axis), dtype)


def positions_along(value: UOp, axis: int, *, descending: bool) -> UOp:
    """The int64 positions of the elements in order along an axis; those of equal elements ascend."""
    extent = shape(value)[axis]
    if _has_records(value, axis):
        return _positions_in(_sorted_records(value, axis, descending), axis, extent, descending)
    (found,) = _on_host(POSITIONS, value, axis, descending=descending)
    return found * -1 + (extent - 1) if descending else found


def greatest_along(value: UOp, axis: int, count: int) -> tuple[UOp, UOp]:
    """The `count` greatest elements along an axis in descending order, and their int64 positions; those of equal elements ascend."""
    if _has_records(value, axis):
        records = _sorted_records(value, axis, True)[:count]
        found = _positions_in(records, axis, shape(value)[axis], True)
    elif count <= MOST_SEARCHES:
        found = positions_by_searches(value, axis, count)
    else:
        elements, found = _on_host(greatest_named(count), value, axis)
        return elements, found
    return take_along(value, found, axis), found


def elements_of_ranks(value: UOp, axis: int, ranks: Sequence[int | UOp]) -> list[UOp]:
    """The elements that have these ranks in the order along an axis, which disappears; NaN if an element of the axis is NaN.

    Ranks are numbers if the axis is short. Others may depend on dims, and may be values without axes, of dtype `index`.
    """
    extent = shape(value)[axis]
    if _is_short(extent, MOST_MIDDLE):
        found = _exchanged(_slices(value, axis))  # a NaN spreads to all that it is compared with
        return [found[rank] for rank in ranks if isinstance(rank, int)]
    numbers = [rank for rank in (*ranks, extent - 1) if isinstance(rank, int)]
    wanted = list(dict.fromkeys(numbers))
    if len(numbers) > len(ranks) and len(wanted) <= MOST_RANKED:
        (ordered,) = _on_host(ranked_named(wanted), value, axis)
        *found, greatest = (_at(ordered, axis, wanted.index(rank)) for rank in numbers)
    else:
        (ordered,) = _on_host(SORTED, value, axis)
        *found, greatest = (_at(ordered, axis, rank) for rank in (*ranks, extent - 1))
    return (
        [greatest.ne(greatest).where(greatest, each) for each in found] if dtype_of(value).is_float else found
    )


def _at(value: UOp, axis: int, place: int | UOp) -> UOp:
    """The elements at a place of an axis, which disappears."""
    if isinstance(place, UOp | Extent):
        return gather(value, {axis: place if isinstance(place, UOp) else UOp.extent(place)})
    return remove_axis(cut(value, axis, place, place + 1), axis)


def _is_short(extent: int, most: int) -> bool:
    return not isinstance(extent, Extent) and 0 < extent <= most


def _on_host(name: str, value: UOp, axis: int, *, descending: bool = False) -> list[UOp]:
    """What a function of the host gives along an axis. The descending order is the ascending one of the reversed axis, from its end."""
    last = len(shape(value)) - 1
    given = move_axis(value, axis, last)
    found = called(custom_named(name), [reverse(given, last) if descending else given])
    return [move_axis(reverse(each, last) if descending else each, last, axis) for each in found]


def _slices(value: UOp, axis: int) -> list[UOp]:
    return [remove_axis(piece_at(value, axis, place), axis) for place in range(shape(value)[axis])]


def _exchanged(values: Sequence[UOp]) -> list[UOp]:
    """The values in ascending order."""
    made = [cast(each, uint8) if dtype_of(each).is_bool else each for each in values]
    for low, high in exchanges(len(made)):
        made[low], made[high] = made[low].minimum(made[high]), made[low].maximum(made[high])
    return [cast(each, dtype_of(values[0])) for each in made]


def exchanges(count: int) -> Iterator[tuple[int, int]]:
    """The pairs of places that Batcher's odd-even merge sort compares and exchanges.

    Source: K. E. Batcher, Sorting networks and their applications, 1968; Knuth, The Art of Computer Programming 3, algorithm 5.2.2M.

    >>> list(exchanges(4))
    [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]
    """
    part = 1  # runs of so many places are in order
    while part < count:
        apart = part
        while apart >= 1:
            for first in range(apart % part, count - apart, 2 * apart):
                for place in range(first, min(first + apart, count - apart)):
                    if place // (2 * part) == (place + apart) // (2 * part):
                        yield place, place + apart
            apart //= 2
        part *= 2


def _has_records(value: UOp, axis: int) -> bool:
    """Whether the axis is short, and an element, its position and a bit fit into one integer."""
    return _is_short(shape(value)[axis], MOST_SORTED) and dtype_of(value).bits <= 32


def _sorted_records(value: UOp, axis: int, descending: bool) -> list[UOp]:
    """In order, an integer for each element: its key, below that its position (from the end if `descending`), and last whether it is -0.0.

    No two are equal, so their order is stable, though a network is not.
    """
    extent = shape(value)[axis]
    places = range(extent - 1, -1, -1) if descending else range(extent)
    found = _exchanged(
        [_record(each, place, extent) for each, place in zip(_slices(value, axis), places, strict=True)]
    )
    return found[::-1] if descending else found


def _record(value: UOp, place: int, extent: int) -> UOp:
    dtype = dtype_of(value)
    wide = int32 if dtype.bits <= 16 else int64
    keys = _keys(value + 0.0 if dtype.is_float else value)  # -0.0 + 0.0 is 0.0
    record = (keys.cast(wide) << _room(extent).bit_length()) | (2 * place)
    if dtype.is_float:
        signed = _SIGNED[dtype.bits]
        record = record | value.bitcast(signed).eq(int(signed.min)).cast(wide)
    return record


def _positions_in(records: list[UOp], axis: int, extent: int, descending: bool) -> UOp:
    """The int64 positions in records of an axis of this extent, along an axis of their own."""
    found = ((stacked(records, axis) >> 1) & (_room(extent) - 1)).cast(int64)
    return found * -1 + (extent - 1) if descending else found


def _room(extent: int) -> int:
    """How many positions a record has room for: a power of two."""
    return 1 << (extent - 1).bit_length()


def _elements_in(records: list[UOp], axis: int, dtype: DType) -> UOp:
    """The elements of a float dtype that the records of a whole axis stand for."""
    signed, made = _SIGNED[dtype.bits], stacked(records, axis)
    bits = _with_magnitude_flipped((made >> _room(len(records)).bit_length()).cast(signed))
    return (made & 1).eq(1).where(int(signed.min), bits).bitcast(dtype)


def _keys(value: UOp) -> UOp:
    """Integers in the order of the elements; those of all NaNs are equal."""
    dtype = dtype_of(value)
    if not dtype.is_float:
        return cast(value, uint8) if dtype.is_bool else value
    bits = value.bitcast(_SIGNED[dtype.bits])
    return value.ne(value).where(int(dtype_of(bits).max), _with_magnitude_flipped(bits))


def _elements(keys: UOp, dtype: DType) -> UOp:
    """The elements that have these keys."""
    return _with_magnitude_flipped(keys).bitcast(dtype) if dtype.is_float else cast(keys, dtype)


def _with_magnitude_flipped(bits: UOp) -> UOp:
    """The bits of floats as integers in their order, and back: of negative ones all bits but the sign are inverted."""
    return (bits < 0).where(bits ^ int(dtype_of(bits).max), bits)
