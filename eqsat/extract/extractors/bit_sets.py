"""Bit sets: sets of small numbers as the bits of a Python integer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEW = 12  # up to this many members, summing them one by one is faster than NumPy


def indices_of(members: int) -> NDArray[np.intp]:
    """The members of a set, ascending.

    >>> indices_of(0b1011).tolist()
    [0, 1, 3]
    """
    width = (members.bit_length() + 7) // 8
    return np.flatnonzero(
        np.unpackbits(np.frombuffer(members.to_bytes(width, "little"), np.uint8), bitorder="little")
    )


def weight(members: int, weights: NDArray[np.float64]) -> float:
    """The sum of the weights of a set's members.

    >>> weight(0b101, np.array([1.0, 2.0, 4.0]))
    5.0
    """
    if members.bit_count() > FEW:
        return float(weights[indices_of(members)].sum())
    total = 0.0
    while members:
        lowest = members & -members
        total += float(weights[lowest.bit_length() - 1])
        members ^= lowest
    return total
