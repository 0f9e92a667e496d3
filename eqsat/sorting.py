"""Sorting of NumPy arrays along the last axis. The host runs it for axes that are too long for a kernel.

The order is ascending, NaN is greater than all numbers, and zeros of both signs are equal. Equal elements keep the order of their positions.
NumPy's own stable sort does not use the processor's vectors, and takes 3 to 20 times as long as these functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
_HALF = 32  # bits of a position, below the value in a key
_POSITION = (1 << _HALF) - 1
_AT_ONCE = 1 << 15  # elements of which positions are found at once: their keys fit the second-level cache


def sorted_elements(x: Numbers) -> Numbers:
    """The elements in order."""
    made = np.sort(x, axis=-1, kind="stable" if x.itemsize == 1 else None)  # radix sort, or vectors
    if x.dtype.kind == "f":
        zeros = x[x == 0]
        if np.signbit(zeros).any():  # each row has as many zeros as before, and they are in its order
            made[made == 0] = zeros
    return made


def sorted_positions(x: Numbers) -> Numbers:
    """The int64 positions of the elements in order."""
    extent = x.shape[-1]
    is_narrow = x.itemsize == 1 or (x.dtype.kind in "iu" and x.itemsize == 2)  # NumPy has a radix sort
    if is_narrow or extent > _POSITION or not x.size:
        return np.argsort(x, axis=-1, kind="stable")
    rows = x.reshape(-1, extent)
    found = np.empty(rows.shape, np.int64)
    step = max(1, _AT_ONCE // extent)
    for first in range(0, len(rows), step):
        few = rows[first : first + step]
        values: Numbers = _ordered(few) if x.itemsize <= 4 else _places(few)
        keys = np.bitwise_or(np.left_shift(values.astype(np.int64), _HALF), np.arange(extent, dtype=np.int64))
        found[first : first + step] = np.sort(keys, axis=-1) & _POSITION
    return found.reshape(x.shape)


def _ordered(x: Numbers) -> Numbers:
    """Signed integers in the order of elements of at most 32 bits; all NaNs have the greatest, and zeros of both signs the same."""
    if x.dtype.kind != "f":
        return x if x.dtype.kind == "i" else (x ^ np.uint32(1 << 31)).view(np.int32)
    bits = (x.astype(np.float32) + np.float32(0)).view(np.int32)  # -0.0 + 0.0 is 0.0
    keys = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    is_nan = np.isnan(x)
    if is_nan.any():
        keys[is_nan] = np.iinfo(np.int32).max
    return keys


def _places(x: Numbers) -> Numbers:
    """For each element, how many different values are less; all NaNs are equal."""
    order = np.argsort(x, axis=-1)
    values = np.take_along_axis(x, order, axis=-1)
    before, after = values[:, :-1], values[:, 1:]
    places = np.zeros(x.shape, np.int64)
    steps = np.cumsum((before != after) & (before == before), axis=-1)
    np.put_along_axis(places, order[:, 1:], steps, axis=-1)
    return places
