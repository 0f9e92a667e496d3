"""Optimizes the regions of blocks: each is one graph with several outputs, which is saturated and extracted as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from eqsat.autobatch.regions import Region, is_scalar
from eqsat.dtype import DType
from eqsat.extract import LoopAware
from eqsat.ops import ALU, Op
from eqsat.pipeline.optimization import optimize
from eqsat.pipeline.planning.plan import Plan
from eqsat.rules.language.pattern import Node, Pattern
from eqsat.rules.language.rule import RuleSet
from eqsat.uop import toposort

if TYPE_CHECKING:
    from eqsat.explain import Explanation

_FEWEST = 2  # number of operations from which optimization may save some
_OF_SCALARS = ALU | {Op.CAST, Op.BITCAST}
_OF_KERNELS = frozenset({Op.INDEX, Op.LOAD, Op.GEP, Op.VECTORIZE, Op.CAT})  # not yet in graphs of arrays


def optimized(regions: Mapping[str, Region], plan: Plan) -> dict[str, Region]:
    """The regions with the cheapest graphs that `optimize` finds among those that saturation proves equal; a shared value is paid once.

    Rules about arrays or floats are left out if the program has none, because compiling rules takes longer than applying them.
    """
    plan = replace(plan, rules=_rules_for(regions, plan))
    return {name: _optimized(region, plan) for name, region in regions.items()}


def explained(
    before: Mapping[str, Region], after: Mapping[str, Region], plan: Plan
) -> dict[str, Explanation]:
    """For each region that changed, the explanation of why its optimized graph is equal; every explanation has been replayed.

    Raises:
        ExplanationError: no explanation was found.
    """
    from eqsat.explain import explain_equality  # imported late: seldom used

    rules = _rules_for(before, plan)
    found = {
        name: explain_equality(region.graph, after[name].graph, rules)
        for name, region in before.items()
        if region.graph is not after[name].graph
    }
    for each in found.values():
        each.replay()
    return found


def _rules_for(regions: Mapping[str, Region], plan: Plan) -> RuleSet:
    nodes = toposort([region.graph for region in regions.values()])
    return relevant(
        plan.admitted,
        has_arrays=not all(map(is_scalar, regions.values())),
        has_floats=any(isinstance(node.dtype, DType) and node.dtype.scalar.is_float for node in nodes),
    )


@lru_cache(16)
def relevant(rules: RuleSet, *, has_arrays: bool, has_floats: bool) -> RuleSet:
    """The rules that can match graphs of arrays, or of scalars.

    Without floats, rules for floats alone are left out, since no rule makes floats from other numbers.
    """

    def matches(root: Pattern) -> bool:
        ops = {part.op for part in _parts(root) if isinstance(part, Node)}
        return ops.isdisjoint(_OF_KERNELS) if has_arrays else ops <= _OF_SCALARS

    return RuleSet(
        tuple(
            rule
            for rule in rules
            if (matches(rule.left) or (rule.both_ways and matches(rule.right)))
            and (has_floats or not all(dtype.scalar.is_float for dtype in rule.domain))
        )
    )


def _parts(root: Pattern) -> Iterable[Pattern]:
    """A pattern and all patterns within it."""
    pending = [root]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Node):
            pending += part.src


def _optimized(region: Region, plan: Plan) -> Region:
    operations = sum(node.op in ALU for node in toposort([region.graph]))
    if operations < _FEWEST:
        return region
    are_scalars = not any(node.shape for node in region.graph.src)
    own = replace(plan, cost=plan.cost or LoopAware.of(plan.machine)) if are_scalars else plan
    return replace(region, graph=optimize(region.graph, own).uop)
