"""MAX and MIN of integers, where bounds or the operands themselves decide."""

from __future__ import annotations

from eqsat.rules.pattern import Value, hi, lo, maximum, minimum
from eqsat.rules.rule import INTEGERS, Rewrite, Topic, rewrite

extremes = Topic("extremes")


@extremes.rule(INTEGERS)
def greater_by_bounds(x: Value, y: Value) -> Rewrite:
    """What is never below the other is the greater."""
    return rewrite(maximum(x, y), x, where=lo(x) >= hi(y))


@extremes.rule(INTEGERS)
def lesser_by_bounds(x: Value, y: Value) -> Rewrite:
    """What is never above the other is the lesser."""
    return rewrite(minimum(x, y), x, where=hi(x) <= lo(y))


@extremes.rule(INTEGERS)
def maximum_absorbs_minimum(x: Value, y: Value) -> Rewrite:
    """The greater of a value and something not above it."""
    return rewrite(maximum(x, minimum(x, y)), x)


@extremes.rule(INTEGERS)
def minimum_absorbs_maximum(x: Value, y: Value) -> Rewrite:
    """The lesser of a value and something not below it."""
    return rewrite(minimum(x, maximum(x, y)), x)
