"""The topics of reductions, and a decorator for rules that change the order of their elements.

Sums and products of integers, and extremes of any dtype, do not depend on the order. Sums and products of floats do: their rules stand in
`reduction_order`, so that a plan can admit them alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from eqsat.rules.language.facts import dtype_of
from eqsat.rules.language.pattern import Value
from eqsat.rules.language.rule import ANY, FLOATS, Phase, Rewrite, Soundness, Topic
from eqsat.rules.language.scalar import Arg, Scalar
from eqsat.rules.reductions.reduction_axes import is_folding, is_order_free

reduction = Topic("reduction")
reduction_order = Topic("reduction order")
reduction_algebra = Topic("reduction algebra")

Equation = Callable[..., Rewrite]


def in_any_order(phase: Phase = Phase.SIMPLIFY) -> Callable[[Equation], Equation]:
    """Declares an equation between reductions of the same elements in different orders; its first variables are `x` and `op`.

    The equation is exact where the order does not matter. For sums and products of floats it holds over the reals, and becomes a rule of its
    own in `reduction_order`, its name followed by `_of_floats`.
    """

    def declare(equation: Equation) -> Equation:
        @wraps(equation)
        def exactly(x: Value, op: Arg, *others: Arg) -> Rewrite:
            return also(equation(x, op, *others), is_order_free(op, dtype_of(x)))

        @wraps(equation)
        def of_floats(x: Value, op: Arg, *others: Arg) -> Rewrite:
            return also(equation(x, op, *others), is_folding(op))

        of_floats.__name__ = f"{equation.__name__}_of_floats"
        reduction.rule(ANY, phase=phase)(exactly)
        reduction_order.rule(FLOATS, soundness=Soundness.REAL, phase=phase)(of_floats)
        return equation

    return declare


def also(equation: Rewrite, guard: Scalar) -> Rewrite:
    """An equation under one more condition."""
    where = guard if equation.where is None else equation.where & guard
    return Rewrite(equation.left, equation.right, where, equation.both_ways)
