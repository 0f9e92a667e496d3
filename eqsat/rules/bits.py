"""Bitwise operations and shifts of fixed-width integers."""

from __future__ import annotations

from eqsat.rules.pattern import Const, Value
from eqsat.rules.rule import INTS, Rewrite, Topic, rewrite

bits = Topic("bits")


@bits.rule(INTS)
def exclusive_or_with_itself(x: Value) -> Rewrite:
    """Equal bits differ nowhere."""
    return rewrite(x ^ x, 0)


@bits.rule(INTS)
def shift_left_by_nothing(x: Value) -> Rewrite:
    """A shift by zero moves nothing."""
    return rewrite(x << 0, x)


@bits.rule(INTS)
def shift_right_by_nothing(x: Value) -> Rewrite:
    """A shift by zero moves nothing."""
    return rewrite(x >> 0, x)


@bits.rule(INTS)
def shift_right_twice(x: Value, c: Const, d: Const) -> Rewrite:
    """Two shifts to the right are one, while it stays within the width."""
    return rewrite(x >> c >> d, x >> (c + d), where=(c >= 0) & (d >= 0) & (c + d < 8))


@bits.rule(INTS)
def and_absorbs_or_of_bits(x: Value, y: Value) -> Rewrite:
    """Bits that are kept include those that were there."""
    return rewrite(x & (x | y), x)


@bits.rule(INTS)
def or_absorbs_and_of_bits(x: Value, y: Value) -> Rewrite:
    """Bits that are added were there already."""
    return rewrite(x | (x & y), x)
