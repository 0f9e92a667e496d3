"""Sums and products of integers. The theory of polynomials collects like terms and constants; these rules state the remaining equations."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.language.pattern import Value, apply
from eqsat.rules.language.rule import INTEGERS, Rewrite, Topic, rewrite

sums = Topic("sums")


@sums.rule(INTEGERS)
def zero_adds_nothing(x: Value) -> Rewrite:
    """Adding zero changes nothing."""
    return rewrite(x + 0, x)


@sums.rule(INTEGERS)
def one_multiplies_to_the_same(x: Value) -> Rewrite:
    """Multiplying by one changes nothing."""
    return rewrite(x * 1, x)


@sums.rule(INTEGERS)
def zero_multiplies_to_nothing(x: Value) -> Rewrite:
    """A number times zero is zero."""
    return rewrite(x * 0, 0)


@sums.rule(INTEGERS)
def difference_is_a_sum(x: Value, y: Value) -> Rewrite:
    """Subtracting a number adds its negative."""
    return rewrite(apply(Op.SUB, x, y), x + y * -1)


@sums.rule(INTEGERS)
def negative_is_a_product(x: Value) -> Rewrite:
    """The negative is the product with minus one."""
    return rewrite(apply(Op.NEG, x), x * -1)


@sums.rule(INTEGERS)
def complement_is_a_difference(x: Value) -> Rewrite:
    """Flipping all bits negates a number and subtracts one."""
    return rewrite(x ^ -1, x * -1 + -1)
