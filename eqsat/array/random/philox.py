"""Philox4x32-10, a function of a counter (four 32-bit words) and a key (two words) that gives four random words.

The multipliers, the increments of the key and the known answers in the tests come from the paper (Salmon et al., SC'11).
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.dtype import uint32, uint64
from eqsat.uop import UOp

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
INCREMENTS = 0x9E3779B9, 0xBB67AE85  # added to the key in each round: from the golden ratio and from √3 - 1

Block = tuple[UOp, UOp, UOp, UOp]


def block(counter: Block, key: tuple[UOp, UOp]) -> Block:
    """The four random words for a counter and a key; all words are uint32 of one shape."""
    first, second, third, fourth = counter
    left, right = key
    for _ in range(ROUNDS):
        high, low = _product(first, MULTIPLIERS[0])
        other_high, other_low = _product(third, MULTIPLIERS[1])
        first, second, third, fourth = other_high ^ second ^ left, other_low, high ^ fourth ^ right, low
        left, right = left + INCREMENTS[0], right + INCREMENTS[1]
    return first, second, third, fourth


def halves(wide: UOp) -> tuple[UOp, UOp]:
    """Splits a uint64 into its lower and its upper word."""
    return wide.cast(uint32), (wide >> 32).cast(uint32)


def joined(words: Sequence[UOp]) -> UOp:
    """Joins a lower and an upper word into a uint64."""
    low, high = words
    return low.cast(uint64) | (high.cast(uint64) << 32)


def _product(word: UOp, multiplier: int) -> tuple[UOp, UOp]:
    """The upper and the lower word of the 64-bit product of a word and a multiplier."""
    wide = word.cast(uint64) * multiplier
    return (wide >> 32).cast(uint32), wide.cast(uint32)
