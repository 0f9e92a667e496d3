"""Questions about expressions: their simplest form, why it is that, and what is known of their values."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from eqsat.egraph.saturate import facts_of
from eqsat.extract import OperationCount
from eqsat.integers.facts import Facts
from eqsat.ops import ALU, Op, Stage
from eqsat.pipeline.optimization import optimize, require_legal
from eqsat.pipeline.plan import Plan
from eqsat.rules.language.rule import RuleSet
from eqsat.simplification.simplify import simplify_scalars
from eqsat.spec import verify
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.explain import Explanation, Limits


def simplify(value: UOp, rules: RuleSet | None = None) -> UOp:
    """The equal expression with the fewest operations that saturation finds; of a SINK, its sources together.

    Products and sums of floats are not contracted: the result is rounded as `value` is. Scalars are also simplified under the conditions of
    choices. An EMPTY scalar is a value that does not matter: the result is equal wherever  `value` does not depend on one. Kernels, before
    or after expansion, are simplified as a whole; indices as the gates of their loads allow.

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
    """Why `simplify` gives what it gives: the chain of rules from `value` to its result, which is the explanation's `after`, replayed.

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
    """What saturation finds out about an integer, wherever it has a value: bounds, a divisor with its remainder, bits.

    >>> i = UOp.variable("i", 0, 10)
    >>> facts(i * 12 + 8)
    Facts(lo=8, hi=128, divisor=12, remainder=8, zeros=-253, ones=0)

    Raises:
        SpecError: the expression is not legal at the array stage.
    """
    plan = Plan(rules=rules)
    verify(value, Stage.ARRAY)
    return facts_of([value], plan.admitted, plan.budget)[0]
