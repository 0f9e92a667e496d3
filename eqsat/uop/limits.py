"""Limits of the numbers in arguments of UOps, and so of what graph files and options may hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.extents import Extent, capacity

LARGEST = (1 << 63) - 1  # largest extent, size or position: indices are computed in 64 bits
MOST_BITS = 14_000  # bits of an index constant: about the 4,300 digits that Python reads in a JSON number
MOST_TOGETHER = 1 << 16  # accumulators of a reduction, and work-items of a work-group


def is_size(value: Any) -> bool:
    """Whether a value may be an extent, a size or a position: an integer from 0 to `LARGEST`."""
    return value.__class__ is int and 0 <= value <= LARGEST


def is_extent(value: Any) -> bool:
    """Whether a value may be the extent of an axis: a size or a dynamic extent."""
    return is_size(value) or (isinstance(value, Extent) and value.least >= 0 and capacity(value) <= LARGEST)


def plain(value: Any) -> Any:
    """A number of NumPy as Python's own number; anything else as it is."""
    number: Any = value
    return number.item() if isinstance(value, np.number) else value


def is_integer(value: Any) -> bool:
    """Whether a value is an integer that an argument may hold."""
    return value.__class__ is int and -LARGEST <= value <= LARGEST
