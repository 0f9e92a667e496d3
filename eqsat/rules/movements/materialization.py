"""Materialization: drops requests to materialize a value that is materialized already, and marks that do not affect values.

Equalities about elements of BUFFERIZE, and about copies by it, are not stated as rules: the e-graph takes them from `eqsat.comprehensions`.
"""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.language.pattern import Value, apply, reshape
from eqsat.rules.language.rule import ANY, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Arg

materialization = Topic("materialization")


@materialization.rule(ANY)
def stored_twice(x: Value) -> Rewrite:
    """A value that is in row-major storage need not be stored again."""
    return rewrite(apply(Op.CONTIGUOUS, apply(Op.CONTIGUOUS, x)), apply(Op.CONTIGUOUS, x))


@materialization.rule(ANY)
def reshape_of_stored(x: Value, s: Arg) -> Rewrite:
    """Row-major storage of a reshaped value holds the same elements in the same order."""
    return rewrite(apply(Op.CONTIGUOUS, reshape(x, s)), reshape(apply(Op.CONTIGUOUS, x), s))


@materialization.rule(ANY, over=(Op.DETACH, Op.PRECAST, Op.NOOP, Op.CONTIGUOUS_BACKWARD))
def marker_is_identity(op: Op, x: Value) -> Rewrite:
    """{op} marks values for gradients, or for programs that are lowered step by step; it does not change the value."""
    return rewrite(apply(op, x), x)
