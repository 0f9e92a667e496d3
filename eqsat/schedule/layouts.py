"""How the elements of an array lie in memory, given its shape."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from eqsat.shape import Shape


def row_major_strides(shape: Sequence[int]) -> Shape:
    """Elements from one index to the next along each axis; the last axis varies fastest.

    >>> row_major_strides((8, 32, 2))
    (64, 2, 1)
    """
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def extents_of_memory(shape: Sequence[int]) -> list[int]:
    """The extents other than 1: arrays that differ only in axes of extent 1 lie in memory alike.

    >>> extents_of_memory((8, 1, 2))
    [8, 2]
    """
    return [extent for extent in shape if extent != 1]
