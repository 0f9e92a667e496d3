"""Bools. N-ary AND and OR are in normal form before these rules match: operands are a set, constants are folded, and implied operands are dropped."""

from __future__ import annotations

from eqsat.rules.language.pattern import Value
from eqsat.rules.language.rule import BOOL, Rewrite, Topic, rewrite

booleans = Topic("booleans")


@booleans.rule(BOOL)
def differs_from_false(b: Value) -> Rewrite:
    """A bool differs from False exactly where it is true."""
    return rewrite(b.ne(False), b)


@booleans.rule(BOOL)
def not_not(b: Value) -> Rewrite:
    """A bool that is negated twice is itself."""
    return rewrite(b.ne(True).ne(True), b)


@booleans.rule(BOOL)
def difference_undone(a: Value, b: Value) -> Rewrite:
    """Taking the exclusive or (`!=`) with the same bool twice gives the other bool."""
    return rewrite(a.ne(b).ne(a), b)
