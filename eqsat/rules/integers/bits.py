"""Bitwise operations and shifts of fixed-width integers."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.conversions.lossless import power_of_two
from eqsat.rules.language.facts import dtype_of, hi, lo
from eqsat.rules.language.pattern import Value, apply
from eqsat.rules.language.rule import INTS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const, pure

bits = Topic("bits")


@pure
def shifted(bits: int, amount: int) -> int | None:
    """The bits of a constant moved to the right, within the width of every dtype."""
    return bits >> amount if 0 <= amount < 8 else None


@pure
def is_mask_over(mask: int, greatest: int) -> bool:
    """Whether a mask keeps all bits of the numbers from zero to `greatest`.

    >>> is_mask_over(7, 5), is_mask_over(6, 5)
    (True, False)
    """
    covering = (1 << greatest.bit_length()) - 1
    return mask & covering == covering


@bits.rule(INTS)
def mask_keeps_all(x: Value, c: Const) -> Rewrite:
    """A mask over all bits that a number can have changes nothing."""
    return rewrite(x & c, x, where=(lo(x) >= 0) & is_mask_over(c, hi(x)))


@bits.rule(INTS)
def shift_right_of_masked(x: Value, c: Const, d: Const) -> Rewrite:
    """Moving masked bits moves the mask."""
    return rewrite((x & c) >> d, x >> d & shifted(c, d), where=d > 0)


@bits.rule(INTS)
def shift_left_by_nothing(x: Value) -> Rewrite:
    """A shift by zero moves nothing."""
    return rewrite(x << 0, x)


@bits.rule(INTS)
def shift_left_multiplies(x: Value, c: Const) -> Rewrite:
    """Moving the bits to the left by k multiplies by 2 to the k."""
    return rewrite(x << c, x * power_of_two(c, dtype_of(x)), where=c > 0)


@bits.rule(INTS)
def shift_right_by_nothing(x: Value) -> Rewrite:
    """A shift by zero moves nothing."""
    return rewrite(x >> 0, x)


@bits.rule(INTS)
def shift_right_twice(x: Value, c: Const, d: Const) -> Rewrite:
    """Two shifts to the right are one, while it stays within the width."""
    return rewrite(x >> c >> d, x >> (c + d), where=(c >= 0) & (d >= 0) & (c + d < 8))


@bits.rule(INTS)
def multiply_by_shifted_one(x: Value, y: Value) -> Rewrite:
    """One moved to the left is the power of two that a shift multiplies by."""
    return rewrite(apply(Op.SHL, 1, y) * x, x << y)
