"""Sets of small numbers as the bits of an integer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce


def bits_of(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, in ascending order.

    >>> list(bits_of(0b1011))
    [0, 1, 3]
    """
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def union(masks: Iterable[int]) -> int:
    """The union of sets.

    >>> bin(union([0b1, 0b1010]))
    '0b1011'
    """
    return reduce(int.__or__, masks, 0)
