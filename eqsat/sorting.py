"""Sorting of NumPy arrays along the last axis. The host runs it for axes that are too long for a kernel.

The order is ascending, NaN is greater than all numbers, and zeros of both signs are equal. Equal elements keep the order of their positions.
NumPy's own stable sort is a radix sort for integers of 8 and 16 bits, and does not use the processor's vectors for others. These functions find
the order of long axes by digits of 16 bits. For short ones they use its unstable sorts, which do, and mend the order of equal elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
_HALF = 32  # bits of a position, below the value in a key
_POSITION = (1 << _HALF) - 1
_AT_ONCE = 1 << 15  # elements of which positions are found at once: their keys fit the second-level cache
_FEW = 1 << 8  # elements of which NumPy's stable sort finds the positions before keys are made
_MOST_INSERTED = 16  # elements of the longest axis whose 64-bit elements NumPy's stable sort orders sooner
_LEAST_SEARCHED = (
    1 << 12
)  # elements of the shortest axis of which only candidates for the greatest are sorted
_SHORT_BYTES = 1 << 12  # bytes of the longest axis that is sorted as soon as the element of one rank is found
_LEAST_RANGED = 1 << 10  # elements of the least array of integers whose range is looked for
_LEAST_NARROWED = 1 << 8  # elements of the shortest axis that is sorted sooner in 32 bits than in 64
_LEAST_BY_DIGITS = 1 << 11  # elements of the shortest axis that a radix sort of 16 bits orders soonest
_LEAST_PLACED_BY_DIGITS = 1 << 9  # elements of the shortest axis of which it finds the positions soonest
_LEAST_OF_DIGITS = 1 << 11  # the same if there are several digits
_LEAST_COUNTED = 16  # times as many elements as values, from which on these are counted
_ZEROS = {4: np.zeros((), np.float32), 8: np.zeros((), np.float64)}
_LEAST_BITS = {4: -1 << 31, 8: -1 << 63}  # the bits of -0.0 as an integer, by bytes


def sorted_elements(x: Numbers) -> Numbers:
    """The elements in order.

    Halves are sorted as floats: NumPy 2.4 loses equal ones of long arrays on processors with AVX-512 that lack its instructions for halves.
    """
    if x.dtype == np.float16:
        return sorted_elements(x.astype(np.float32)).astype(np.float16)
    made = _sorted(x)
    if x.dtype.kind == "f" and _may_have_zeros(made) and _has_negative_zeros(x):
        made[made == 0] = x[x == 0]  # each row has as many zeros as before, and they are in its order
    return made


def _sorted(x: Numbers) -> Numbers:
    """The elements in order, except that zeros of both signs have any; no halves."""
    extent = x.shape[-1]
    by_digits = extent >= _LEAST_BY_DIGITS
    span = _span(x) if by_digits or (x.itemsize == 8 and extent >= _LEAST_NARROWED) else None
    if span is not None:
        least = x.min()
        if x.ndim == 1 and (span + 1) * _LEAST_COUNTED <= x.size:
            counts = np.bincount((x - least).astype(np.intp))
            return np.repeat(np.arange(span + 1).astype(x.dtype) + least, counts)
        by_digits &= span < 1 << 16
        if by_digits or (x.itemsize == 8 and span < 1 << 32):
            few_bits = (x - least).astype(np.uint16 if by_digits else np.uint32)
            few_bits.sort(axis=-1, kind="stable" if by_digits else None)
            return few_bits.astype(x.dtype) + least
    made = x.copy()
    if x.itemsize == 1 or (by_digits and x.itemsize == 2):
        made.sort(kind="stable")  # a radix sort
    else:
        made.sort()  # by vectors
    return made


def elements_of_ranks(x: Numbers, ranks: Sequence[int]) -> Numbers:
    """The elements that have these ranks in the order, along the last axis; of zeros of both signs, any.

    NumPy finds the element of one rank by vectors, but those of several ranks one by one. So they are looked for one after the other, each among
    the elements after the one before.
    """
    if x.dtype == np.float16:  # as in `sorted_elements`
        return elements_of_ranks(x.astype(np.float32), ranks).astype(np.float16)
    extent = x.shape[-1]
    if x.itemsize <= 2 or extent * x.itemsize <= _SHORT_BYTES:
        return _sorted(x).take(ranks, axis=-1)
    made, first = x.copy(), 0
    for rank in sorted({rank % extent for rank in ranks}):
        left = made[..., first:]
        if rank == extent - 1:
            made[..., rank] = left.max(axis=-1)
        else:
            left.partition(rank - first, axis=-1)
        first = rank + 1
    return made.take(ranks, axis=-1)


def _span(x: Numbers) -> int | None:
    """The greatest less the least of integers with more than 16 bits; None for others, and for too few to be worth it."""
    if x.dtype.kind not in "iu" or x.itemsize <= 2 or x.size < _LEAST_RANGED:
        return None
    return int(x.max()) - int(x.min())


def _may_have_zeros(ordered: Numbers) -> bool:
    """Whether an element may be zero. Zeros are looked for in a single row, which takes a fifth of the time of reading few elements."""
    if ordered.ndim > 1:
        return True
    place: Any = np.ndarray.searchsorted(ordered, _ZEROS[ordered.itemsize])
    return place < ordered.size and ordered[place] == 0


def _has_negative_zeros(x: Numbers) -> bool:
    """Whether an element is -0.0, whose bits are those of the least integer."""
    return bool(x.size) and np.minimum.reduce(x.view(f"i{x.itemsize}"), axis=None) == _LEAST_BITS[x.itemsize]


def sorted_positions(x: Numbers) -> Numbers:
    """The int64 positions of the elements in order."""
    extent = x.shape[-1]
    has_radix_sort = x.itemsize == 1 or (x.dtype.kind in "iu" and x.itemsize == 2)
    is_short = x.size <= _FEW or (extent <= _MOST_INSERTED and x.itemsize == 8)
    if has_radix_sort or is_short:
        return x.argsort(axis=-1, kind="stable")
    span = _span(x)
    if span is not None and span < 1 << 16 and extent >= _LEAST_PLACED_BY_DIGITS:
        return np.argsort((x - x.min()).astype(np.uint16), axis=-1, kind="stable")
    if extent >= _LEAST_OF_DIGITS:
        return np.stack([_by_digits(row) for row in x.reshape(-1, extent)]).reshape(x.shape)
    if span is not None and span < 1 << 31:
        least = x.min()
        if (span + 1) << extent.bit_length() <= 1 << 32:
            return _by_short_keys((x - least).astype(np.uint32))
        x = (x - least).astype(np.int32)
    rows = x.reshape(-1, extent)
    found = np.empty(rows.shape, np.int64)
    step = max(1, _AT_ONCE // extent)
    for first in range(0, len(rows), step):
        few = rows[first : first + step]
        found[first : first + step] = _by_keys(few) if x.itemsize <= 4 else _by_ranks(few)
    return found.reshape(x.shape)


def _by_digits(row: Numbers) -> Numbers:
    """The positions of the elements of a row, by a radix sort: from its lowest digit of 16 bits to its highest."""
    values = _ordered(row)
    least = values.min()
    span = int(values.max()) - int(least)
    keys = (values - least).view(f"u{values.itemsize}")
    order = keys.astype(np.uint16).argsort(kind="stable")
    for lower in range(16, span.bit_length(), 16):
        digits = (keys >> lower).astype(np.uint16)
        order = order[digits[order].argsort(kind="stable")]
    return order


def _by_keys(x: Numbers) -> Numbers:
    """The positions of elements of at most 32 bits: integers of value and position are sorted."""
    values: Numbers = np.left_shift(_ordered(x).astype(np.int64), _HALF)
    keys: Numbers = np.bitwise_or(values, np.arange(x.shape[-1], dtype=np.int64))
    keys.sort(axis=-1)
    return keys & _POSITION


def _by_short_keys(x: Numbers) -> Numbers:
    """The positions of elements that have room for a position above them, in 32 bits."""
    bits = np.uint32(x.shape[-1].bit_length())
    keys = x << bits
    keys |= np.arange(x.shape[-1], dtype=np.uint32)
    keys.sort(axis=-1)
    return (keys & ((np.uint32(1) << bits) - np.uint32(1))).astype(np.int64)


def _ordered(x: Numbers) -> Numbers:
    """Signed integers in the order of the elements, as wide as these; all NaNs have the greatest, and zeros of both signs the same."""
    if x.dtype == np.float16:
        x = x.astype(np.float32)
    least_bits = _LEAST_BITS[x.itemsize]
    if x.dtype.kind != "f":
        return x if x.dtype.kind == "i" else x.view(f"i{x.itemsize}") ^ least_bits
    bits = x.view(f"i{x.itemsize}")
    keys = bits ^ ((bits >> (8 * x.itemsize - 1)) & ~least_bits)
    keys += keys == -1  # this is -0.0
    is_nan = np.isnan(x)
    if is_nan.any():
        keys[is_nan] = ~least_bits
    return keys


def _by_ranks(x: Numbers) -> Numbers:
    """The positions of elements of 64 bits: they are sorted, and where elements are equal integers of rank and position are sorted again."""
    order = np.argsort(x, axis=-1)
    rows = np.arange(len(x), dtype=np.int64).reshape(-1, 1)
    values: Numbers = np.take(x, rows * x.shape[-1] + order)
    before, after = values[:, :-1], values[:, 1:]
    if (before < after).all():
        return order
    differs = (before != after) & (before == before)  # all NaNs are equal
    keys = np.zeros(x.shape, np.int64)
    np.cumsum(differs, axis=-1, out=keys[:, 1:])
    keys <<= _HALF
    keys |= order
    keys.sort(axis=-1)
    return keys & _POSITION


def greatest_elements(x: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """The `count` greatest elements in descending order, and their int64 positions; those of equal elements ascend. There are so many elements."""
    extent = x.shape[-1]
    if extent < max(_LEAST_SEARCHED, 4 * count):
        positions = _first_descending(x, count)
        return np.take_along_axis(x, positions, axis=-1), positions
    rows = x.reshape(-1, extent)
    found = np.empty((len(rows), count), x.dtype), np.empty((len(rows), count), np.int64)
    for row, elements, positions in zip(rows, *found, strict=True):
        candidates = candidates_of_greatest(row, count)
        chosen = candidates[_first_descending(row[candidates], count)]
        elements[:], positions[:] = row[chosen], chosen
    shape = (*x.shape[:-1], count)
    return found[0].reshape(shape), found[1].reshape(shape)


def _first_descending(x: Numbers, count: int) -> Numbers:
    """The positions of the `count` greatest elements, by sorting all. Descending is the ascending order of the reversed axis, from its end."""
    last = x.shape[-1] - 1
    return last - sorted_positions(np.ascontiguousarray(x[..., ::-1]))[..., : -count - 1 : -1]


def candidates_of_greatest(row: Numbers, count: int) -> Numbers:
    """Ascending positions of few elements of a row, among which its `count` greatest are.

    The row is read as groups, so many that the `count` greatest of their maxima bound what is wanted from below: fewer than `count` groups have
    elements above the least of these, and of elements equal to it the first `count` suffice. For n elements in sqrt(n * count) groups no more
    than about sqrt(n * count) remain.
    """
    if row.dtype == np.float16:
        row = row.astype(np.float32)  # which has vector instructions
    groups = isqrt(row.size * count)
    whole = row.size - row.size % groups
    maxima, rest = row[:whole].reshape(-1, groups).max(axis=0), row[whole:]
    maxima[: rest.size] = np.maximum(maxima[: rest.size], rest)
    bound = np.sort(maxima)[-count]
    if bound != bound:
        return np.flatnonzero(np.isnan(row))[:count]
    found = np.flatnonzero(~(row < bound))
    is_bound = row[found] == bound
    needed = ~is_bound
    needed[np.flatnonzero(is_bound)[:count]] = True
    return found[needed]
