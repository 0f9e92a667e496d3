"""Philox4x32-10: four words of 32 bits from a counter of four words and a key of two.

The multipliers and the constants that the key is increased by are those of the paper (Salmon et al., SC'11); so are the known answers in the tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.dtype import uint32, uint64
from eqsat.uop import UOp

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
INCREMENTS = 0x9E3779B9, 0xBB67AE85  # of the key: from the golden ratio and from √3 - 1

Block = tuple[UOp, UOp, UOp, UOp]


def block(counter: Block, key: tuple[UOp, UOp]) -> Block:
    """The four words of a counter under a key; all are uint32 of one shape."""
    first, second, third, fourth = counter
    left, right = key
    for _ in range(ROUNDS):
        high, low = _product(first, MULTIPLIERS[0])
        other_high, other_low = _product(third, MULTIPLIERS[1])
        first, second, third, fourth = other_high ^ second ^ left, other_low, high ^ fourth ^ right, low
        left, right = left + INCREMENTS[0], right + INCREMENTS[1]
    return first, second, third, fourth


def halves(wide: UOp) -> tuple[UOp, UOp]:
    """The lower and the upper word of a uint64."""
    return wide.cast(uint32), (wide >> 32).cast(uint32)


def joined(words: Sequence[UOp]) -> UOp:
    """The uint64 of a lower and an upper word."""
    low, high = words
    return low.cast(uint64) | (high.cast(uint64) << 32)


def _product(word: UOp, multiplier: int) -> tuple[UOp, UOp]:
    """The upper and the lower word of a product."""
    wide = word.cast(uint64) * multiplier
    return (wide >> 32).cast(uint32), wide.cast(uint32)
