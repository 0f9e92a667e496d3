"""Optimizes what blocks compute: each region is one graph with several outputs, which is saturated and extracted as a whole."""

from __future__ import annotations

from dataclasses import replace

from eqsat.autobatch.regions import Region
from eqsat.extract import LoopAware
from eqsat.ops import ALU
from eqsat.pipeline.optimization import optimize
from eqsat.pipeline.plan import Plan
from eqsat.uop import toposort

_FEWEST = 2  # operations in which something may be saved


def optimized(region: Region, plan: Plan) -> Region:
    """The region with the cheapest graph that saturation proves equal, as `optimize` finds it; shared values are paid once."""
    operations = sum(node.op in ALU for node in toposort([region.graph]))
    if operations < _FEWEST:
        return region
    own = (
        plan
        if any(node.shape for node in region.graph.src)
        else replace(plan, cost=plan.cost or LoopAware.of(plan.machine))
    )
    return replace(region, graph=optimize(region.graph, own).uop)
