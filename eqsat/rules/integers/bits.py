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
    """A constant shifted to the right; None if the narrowest dtype, of 8 bits, has too few bits for the shift."""
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
    """A mask that covers all bits that a number can have changes nothing."""
    return rewrite(x & c, x, where=(lo(x) >= 0) & is_mask_over(c, hi(x)))


@bits.rule(INTS)
def shift_right_of_masked(x: Value, c: Const, d: Const) -> Rewrite:
    """Shifting masked bits to the right is masking the shifted bits with the shifted mask."""
    return rewrite((x & c) >> d, x >> d & shifted(c, d), where=d > 0)


@bits.rule(INTS)
def shift_left_by_nothing(x: Value) -> Rewrite:
    """A left shift by zero changes nothing."""
    return rewrite(x << 0, x)


@bits.rule(INTS)
def shift_left_multiplies(x: Value, c: Const) -> Rewrite:
    """A left shift by k multiplies by 2 to the k."""
    return rewrite(x << c, x * power_of_two(c, dtype_of(x)), where=c > 0)


@bits.rule(INTS)
def shift_right_by_nothing(x: Value) -> Rewrite:
    """A right shift by zero changes nothing."""
    return rewrite(x >> 0, x)


@bits.rule(INTS)
def shift_right_twice(x: Value, c: Const, d: Const) -> Rewrite:
    """Two right shifts are one, if the total is below 8, so that every dtype has enough bits."""
    return rewrite(x >> c >> d, x >> (c + d), where=(c >= 0) & (d >= 0) & (c + d < 8))


@bits.rule(INTS)
def multiply_by_shifted_one(x: Value, y: Value) -> Rewrite:
    """Multiplying by one shifted to the left is a left shift."""
    return rewrite(apply(Op.SHL, 1, y) * x, x << y)
