"""Converts elements that a device stores otherwise than NumPy.

NumPy has no bfloat16. Such an element is a float32 on the host, and the upper half of its bits on the device.
"""

from __future__ import annotations

import numpy as np

from eqsat.dtype import DType, bfloat16, to_numpy

_QUIET = 0x0040  # a bit that keeps a NaN a NaN when its lower bits are cut off


def stored_dtype(dtype: DType) -> np.dtype:
    """NumPy's type of the bits of one element in device memory."""
    return np.dtype(np.uint16) if dtype == bfloat16 else to_numpy(dtype)


def to_stored(array: np.ndarray, dtype: DType) -> np.ndarray:
    """The array in the form of device memory; the array itself where that is the same.

    >>> from eqsat.dtype import bfloat16
    >>> [hex(bits) for bits in to_stored(np.float32([1.0, 1.00390625, 1.01171875]), bfloat16).tolist()]
    ['0x3f80', '0x3f80', '0x3f82']
    """
    if dtype != bfloat16:
        return array
    bits = array.astype(np.float32).view(np.uint32)
    rounded = (bits + (np.uint32(0x7FFF) + ((bits >> 16) & 1))) >> 16
    return np.where(np.isnan(array), (bits >> 16) | _QUIET, rounded).astype(np.uint16)


def from_stored(array: np.ndarray, dtype: DType) -> np.ndarray:
    """The inverse of `to_stored`: the array in NumPy's form."""
    return (array.astype(np.uint32) << 16).view(np.float32) if dtype == bfloat16 else array
