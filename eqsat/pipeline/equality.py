"""Decides whether two graphs are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eqsat.ops import Stage
from eqsat.pipeline.planning.plan import Plan, as_plan
from eqsat.spec import require_uop, verify
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.explain import Limits
    from eqsat.proof.equality import Proved, Refuted, Unknown


def prove_equal(
    one: UOp, other: UOp, plan: Plan | None = None, limits: Limits | None = None
) -> Proved | Refuted | Unknown:
    """Decides whether two graphs are equal wherever both have values, with the rules that the plan admits.

    `Proved` holds a replayed chain of rules, `Refuted` holds inputs on which the graphs differ, and `Unknown` holds the report of the
    saturation. If graphs differ by rounding alone, the answer is `Unknown`, and its note shows where; with `strict` it is `Refuted`, because
    each bit counts there. With `fast_math`, graphs are compared on numbers of moderate size only, where both are finite.

    Raises:
        SpecError: a graph is not legal at the array stage.
        DTypeError, ShapeError: the graphs have different dtypes or shapes.
    """
    from eqsat.explain import Limits
    from eqsat.proof.difference import Arithmetic
    from eqsat.proof.equality import decide_equality

    plan = as_plan(plan)
    for graph in (one, other):
        require_uop(graph)
        verify(graph, Stage.ARRAY)
    arithmetic = (
        Arithmetic.BITS if plan.strict else Arithmetic.REALS if plan.fast_math else Arithmetic.ROUNDED
    )
    return decide_equality(one, other, plan.admitted, plan.budget, Limits.of(limits), arithmetic)
