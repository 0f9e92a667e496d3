"""Comparisons of integers. What bounds alone decide is decided by the theory of linear forms."""

from __future__ import annotations

from eqsat.rules.pattern import Const, Value, hi, lo
from eqsat.rules.rule import BOOL, INDEX, INTEGERS, Rewrite, Topic, rewrite

comparisons = Topic("comparisons")


@comparisons.rule(INTEGERS)
def nothing_is_less_than_itself(x: Value) -> Rewrite:
    """No number is less than itself."""
    return rewrite(x < x, False)


@comparisons.rule(INTEGERS | BOOL)
def nothing_differs_from_itself(x: Value) -> Rewrite:
    """No integer or bool differs from itself."""
    return rewrite(x.ne(x), False)


@comparisons.rule(INDEX)
def multiples_below_a_multiple(x: Value, y: Value, c: Const, d: Const) -> Rewrite:
    """Below a multiple of c, a multiple of c and a rest smaller than c compare as the multiple does."""
    guard = (c > 1) & (d % c == 0) & (lo(y) >= 0) & (hi(y) < c)
    return rewrite(x * c + y < d, x < d // c, where=guard)


@comparisons.rule(INDEX)
def multiple_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A multiple is below a constant where its factor is below the quotient, rounded up."""
    return rewrite(x * c < d, x < (d * -1) // c * -1, where=c > 1)


@comparisons.rule(INDEX)
def quotient_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A quotient is below d where the dividend is below d times the divisor."""
    return rewrite(x // c < d, x < d * c, where=c > 0)


@comparisons.rule(INDEX)
def constant_below_quotient(x: Value, c: Const, d: Const) -> Rewrite:
    """A quotient is above d where the dividend reaches d + 1 times the divisor."""
    return rewrite(x // c > d, x > d * c + c - 1, where=c > 0)


@comparisons.rule(INTEGERS)
def stricter_of_two_upper_bounds(x: Value, c: Const, d: Const) -> Rewrite:
    """Below both of two constants is below the lesser."""
    return rewrite((x < c) & (x < d), x < c, where=c <= d)


@comparisons.rule(INTEGERS)
def looser_of_two_upper_bounds(x: Value, c: Const, d: Const) -> Rewrite:
    """Below one of two constants is below the greater."""
    return rewrite((x < c) | (x < d), x < d, where=c <= d)
