"""Whether two graphs are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eqsat.ops import Op, Stage
from eqsat.pipeline.plan import Plan
from eqsat.spec import verify
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.explain import Limits
    from eqsat.proof.equality import Proved, Refuted, Unknown


def prove_equal(
    one: UOp, other: UOp, plan: Plan | None = None, limits: Limits | None = None
) -> Proved | Refuted | Unknown:
    """Whether two graphs are equal wherever both have values, by the rules that the plan admits.

    `Proved` has a chain of rules that was replayed, `Refuted` inputs on which the graphs differ, `Unknown` the report of the saturation. Floats
    differ by any bit; with `fast_math`, and where they are added up in an order that is left open, by more than rounding.

    Raises:
        SpecError: a graph is not legal at the array stage.
        DTypeError, ShapeError: the graphs have different dtypes or shapes.
    """
    from eqsat.explain import Limits
    from eqsat.proof.equality import decide_equality

    plan = plan or Plan()
    for graph in (one, other):
        verify(graph, Stage.ARRAY)
    reorders = any(node.op is Op.REDUCE_AXIS for side in (one, other) for node in side.toposort())
    loosely = plan.fast_math or (reorders and not plan.strict)
    return decide_equality(one, other, plan.admitted, plan.budget, limits or Limits(), over_the_reals=loosely)
