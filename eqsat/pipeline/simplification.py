"""Answers questions about expressions: their simplest form, an explanation of it, and facts about their values."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from eqsat.egraph.saturate import facts_of
from eqsat.extract import OperationCount
from eqsat.integers.facts import Facts
from eqsat.ops import ALU, Op, Stage
from eqsat.pipeline.optimization import optimize
from eqsat.pipeline.planning.cheapest import require_legal
from eqsat.pipeline.planning.plan import Plan
from eqsat.rules.language.rule import RuleSet
from eqsat.simplification.simplify import simplify_scalars
from eqsat.spec import require_uop, verify
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.explain import Explanation, Limits


def simplify(value: UOp, rules: RuleSet | None = None) -> UOp:
    """Finds the equal expression with the fewest operations. The sources of a SINK are simplified together and share operations.

    Products and sums of floats are not contracted, so the result is rounded like `value`. Branches of a WHERE are simplified under its
    condition. An EMPTY scalar is a value that nobody uses: the result equals `value` wherever `value` does not depend on one. Kernels, before
    or after expansion, are simplified as a whole; an index is simplified under the gate of its load.

    Raises:
        SpecError: the expression is legal neither at the array stage nor in a kernel.
    """
    plan = Plan(cost=OperationCount(), rules=rules, contract=False)
    require_legal(value)
    if _has_arrays(value):
        return optimize(value, plan).uop
    simplified = simplify_scalars(_results(value), plan.admitted, plan.budget).values
    return value.with_src(simplified) if value.op is Op.SINK else simplified[0]


def explain_simplify(value: UOp, rules: RuleSet | None = None, limits: Limits | None = None) -> Explanation:
    """Explains `simplify`: a replayed chain of rules from `value` to its simplified form, which is the explanation's `after`.

    Raises:
        SpecError: the expression is legal neither at the array stage nor in a kernel.
        ExplanationError: no chain was found within the limits.
    """
    from eqsat.explain import explain_simplification

    plan = Plan(cost=OperationCount(), rules=rules, contract=False)
    require_legal(value)
    if _has_arrays(value):
        return optimize(value, plan).explain(limits)
    simplified = simplify_scalars(_results(value), plan.admitted, plan.budget)
    found = explain_simplification(value, simplified, plan.admitted, limits)
    found.replay()
    return found


def _has_arrays(value: UOp) -> bool:
    nodes = [node for node in value.toposort() if node.op is not Op.PARAM]
    return any(node.shape and (node.op in ALU or prod(node.shape) > 1) for node in nodes)


def _results(value: UOp) -> tuple[UOp, ...]:
    return value.src if value.op is Op.SINK else (value,)


def facts(value: UOp, rules: RuleSet | None = None) -> Facts:
    """Finds facts about an integer expression: bounds, a divisor with its remainder, and known bits. They hold wherever it has a value.

    >>> i = UOp.variable("i", 0, 10)
    >>> facts(i * 12 + 8)
    Facts(lo=8, hi=128, divisor=12, remainder=8, zeros=-253, ones=0)

    Raises:
        SpecError: the expression is not legal at the array stage.
    """
    plan = Plan(rules=rules)
    require_uop(value)
    verify(value, Stage.ARRAY)
    return facts_of([value], plan.admitted, plan.budget)[0]
