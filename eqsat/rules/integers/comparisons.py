"""Comparisons of integers. Theories handle two cases: comparisons that bounds decide, and several comparisons of one value in an AND or OR."""

from __future__ import annotations

from eqsat.rules.language.facts import hi, lo
from eqsat.rules.language.pattern import Value
from eqsat.rules.language.rule import BOOL, INDEX, INTEGERS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const

comparisons = Topic("comparisons")


@comparisons.rule(INTEGERS)
def nothing_is_less_than_itself(x: Value) -> Rewrite:
    """No number is less than itself."""
    return rewrite(x < x, False)


@comparisons.rule(INTEGERS | BOOL)
def nothing_differs_from_itself(x: Value) -> Rewrite:
    """No integer or bool differs from itself."""
    return rewrite(x.ne(x), False)


# Constants are collected on one side.


@comparisons.rule(INDEX)
def constant_leaves_the_lesser(x: Value, c: Const, d: Const) -> Rewrite:
    """A constant that is added to the lesser side can be subtracted from the greater side."""
    return rewrite(x + c < d, x < d - c, where=c != 0)


@comparisons.rule(INDEX)
def constant_leaves_the_greater(x: Value, c: Const, d: Const) -> Rewrite:
    """A constant that is added to the greater side can be subtracted from the lesser side."""
    return rewrite(x + c > d, x > d - c, where=c != 0)


@comparisons.rule(INDEX)
def not_below_constant(x: Value, c: Const) -> Rewrite:
    """An index that is not below a constant is above the constant less one."""
    return rewrite(~(x < c), x > c - 1)


@comparisons.rule(INDEX)
def not_above_constant(x: Value, c: Const) -> Rewrite:
    """An index that is not above a constant is below the constant plus one."""
    return rewrite(~(x > c), x < c + 1)


@comparisons.rule(INDEX)
def negatives_compare_the_other_way(x: Value, y: Value) -> Rewrite:
    """Negating both sides reverses a comparison."""
    return rewrite(x * -1 < y * -1, y < x)


@comparisons.rule(INTEGERS)
def constant_leaves_the_compared(x: Value, c: Const, d: Const) -> Rewrite:
    """A constant that is added to one side of `!=` can be subtracted from the other side."""
    return rewrite((x + c).ne(d), x.ne(d - c), where=c != 0)


@comparisons.rule(INTEGERS)
def negative_differs_from_constant(x: Value, c: Const) -> Rewrite:
    """A negative differs from a constant where the number differs from the negated constant."""
    return rewrite((x * -1).ne(c), x.ne(c * -1))


# Terms on both sides.


@comparisons.rule(INDEX)
def sum_below_its_own_term(x: Value, y: Value) -> Rewrite:
    """A sum is below one of its terms where the rest is negative."""
    return rewrite(x + y < x, y < 0)


@comparisons.rule(INDEX)
def term_below_its_sum(x: Value, y: Value) -> Rewrite:
    """A term is below the sum where the rest is positive."""
    return rewrite(x < x + y, y > 0)


@comparisons.rule(INDEX)
def common_term_leaves_both_sides(x: Value, y: Value, z: Value) -> Rewrite:
    """A term that both sides of `<` have in common cancels."""
    return rewrite(x + y < x + z, y < z)


@comparisons.rule(INTEGERS)
def sum_differs_from_its_own_term(x: Value, y: Value) -> Rewrite:
    """A sum differs from one of its terms where the rest is not zero."""
    return rewrite((x + y).ne(x), y.ne(0))


@comparisons.rule(INTEGERS)
def common_term_cancels(x: Value, y: Value, z: Value) -> Rewrite:
    """A term that both sides of `!=` have in common cancels."""
    return rewrite((x + y).ne(x + z), y.ne(z))


# Multiples and quotients compared with a constant. Comparisons that bounds decide are left alone: where a number is its own quotient, the rules
# would go on for ever.


@comparisons.rule(INDEX)
def multiple_and_rest_below_constant(x: Value, y: Value, c: Const, d: Const) -> Rewrite:
    """A rest below the factor does not matter, if the constant less the rest has the same quotient for the least and the greatest rest."""
    guard = (c > 1) & (lo(y) >= 0) & (hi(y) < c) & ((lo(y) - d) // c == (hi(y) - d) // c)
    return rewrite(x * c + y < d, x < (lo(y) - d) // c * -1, where=guard)


@comparisons.rule(INDEX)
def multiple_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A multiple of x is below a constant where x is below the quotient, rounded up."""
    return rewrite(x * c < d, x < (d * -1) // c * -1, where=c > 1)


@comparisons.rule(INDEX)
def constant_below_multiple(x: Value, c: Const, d: Const) -> Rewrite:
    """A multiple of x is above a constant where x is above the quotient, rounded down."""
    return rewrite(x * c > d, x > d // c, where=c > 1)


@comparisons.rule(INDEX)
def negative_multiple_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A negative multiple of x is below a constant where x is above the quotient, rounded down."""
    return rewrite(x * c < d, x > (d * -1) // (c * -1), where=c < 0)


@comparisons.rule(INDEX)
def constant_below_negative_multiple(x: Value, c: Const, d: Const) -> Rewrite:
    """A negative multiple of x is above a constant where x is below the quotient, rounded up."""
    return rewrite(x * c > d, x < d // (c * -1) * -1, where=c < 0)


@comparisons.rule(INDEX)
def quotient_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A quotient is below d where the dividend is below d times the divisor."""
    return rewrite(x // c < d, x < d * c, where=(c > 0) & (lo(x) // c < d) & (hi(x) // c >= d))


@comparisons.rule(INDEX)
def constant_below_quotient(x: Value, c: Const, d: Const) -> Rewrite:
    """A quotient is above d where the dividend reaches d + 1 times the divisor."""
    return rewrite(x // c > d, x > d * c + c - 1, where=(c > 0) & (lo(x) // c <= d) & (hi(x) // c > d))


@comparisons.rule(INDEX)
def negative_quotient_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A quotient by a negative number is below d where the dividend is above d times the divisor."""
    return rewrite(x // c < d, x > d * c, where=(c < 0) & (lo(x) <= d * c) & (hi(x) > d * c))


@comparisons.rule(INDEX)
def constant_below_negative_quotient(x: Value, c: Const, d: Const) -> Rewrite:
    """A quotient by a negative number is above d where the dividend does not pass d + 1 times the divisor."""
    end = (d + 1) * c + 1
    return rewrite(x // c > d, x < end, where=(c < 0) & (lo(x) < end) & (hi(x) >= end))
