"""Finds the cheapest graph of an e-graph, as a plan defines costs."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.report import Report
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import ScheduleError, SpecError
from eqsat.extents import is_dynamic
from eqsat.extract import Extraction, Problem
from eqsat.extract.answers import extract_by
from eqsat.extract.bounds.lower_bound import lower_bound
from eqsat.machine import Machine
from eqsat.ops import REDUCE_OPS, Op, Stage
from eqsat.pipeline.planning.place import placed
from eqsat.pipeline.planning.plan import Plan
from eqsat.pipeline.planning.requirements import require_no_calls_by_name
from eqsat.rules import RuleSet
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement import Effort, KernelPrices, Placed, chosen_nodes, extract_kernels
from eqsat.schedule.plan import holding
from eqsat.spec import require_uop, verify
from eqsat.uop import UOp, toposort

# Most e-nodes of an e-graph from which kernels are extracted. From a larger one, the cheapest graph is extracted first.
MOST_NODES = 2000

IN_PARTS = frozenset({
    "split_for_few_cores", "split_for_few_cores_of_floats", "split_for_many_cores", "split_for_many_cores_of_floats",
    "split_long", "split_long_of_floats", "split_floats_unevenly_add", "split_floats_unevenly_mul",
    *(f"split_unevenly_{op.name.lower()}" for op in REDUCE_OPS),
    "exponentials_below_greatest_in_parts", "products_of_deviations_in_parts",
})  # fmt: skip
"""The rules that split reductions into parts. They do not hold for axes whose extents only calls know: some parts would have no elements."""


@runtime_checkable
class Chosen(Protocol):
    """A graph that was chosen among equal ones, as `optimize` returns it."""

    @property
    def uop(self) -> UOp:
        """The graph."""
        ...


class Cheapest(NamedTuple):
    """The cheapest graph, the chosen e-nodes, the e-graph, and the report of the saturation; for a program also the kernels that compute it."""

    uop: UOp
    extraction: Extraction
    snapshot: Snapshot
    report: Report
    kernels: Placed | None


@lru_cache(16)
def rules_of_dims(rules: RuleSet) -> RuleSet:
    """The rules that hold for axes whose extents only calls know."""
    return RuleSet(tuple(rule for rule in rules if rule.name not in IN_PARTS))


def cheapest(graph: UOp, plan: Plan, rules: RuleSet | None = None) -> Cheapest:
    """The cheapest graph that saturation proves equal to an array program, or to a kernel before or after expansion.

    If the plan has no cost model, a program costs the seconds that its kernels are predicted to take. `rules` are the rules to apply; None for all
    that the plan admits.

    Raises:
        SpecError: the graph is not legal at one of these stages.
        DeviceError: the plan has no cost model of its own, and names a device that does not exist.
    """
    require_legal(graph)
    saturation = saturate([graph], rules or plan.admitted, plan.budget)
    snapshot = saturation.snapshot
    kernels = _kernels(graph, snapshot, plan) if _is_program(graph) and plan.cost is None else None
    if kernels is None:
        best, extraction = cheapest_in(snapshot, plan)
    else:
        extraction = _computed_by(kernels, plan)
        (best,) = snapshot.build(extraction.choice)
    return Cheapest(best, extraction, snapshot, saturation.report, kernels)


def cheapest_in(snapshot: Snapshot, plan: Plan) -> tuple[UOp, Extraction]:
    """The cheapest graph of an e-graph with one root, by the plan's cost model, and the chosen e-nodes.

    Raises:
        ExtractionError: there is no finite-cost graph, or a model or an extractor of a user returned something that is not valid.
    """
    extraction = extract_by(plan.extractor, Problem.from_snapshot(snapshot, plan.model))
    (best,) = snapshot.build(extraction.choice)
    return best, extraction


def _is_program(graph: UOp) -> bool:
    """Whether kernels can be chosen for a graph as it is: a SINK of arrays without variables, in modern operations only."""
    nodes = graph.toposort()
    if graph.op is not Op.SINK or any(node.op in (Op.DEFINE_VAR, Op.BUFFER) for node in nodes):
        return False
    try:
        return any(node.op is Op.PARAM for node in nodes) and modernize(graph) is graph
    except SpecError:
        return False


def _kernels(graph: UOp, snapshot: Snapshot, plan: Plan) -> Placed | None:
    """The kernels that are predicted to compute a program fastest; None if the e-graph is too large."""
    if len(snapshot.terms) > MOST_NODES:
        return None

    def chosen(machine: Machine) -> Placed:
        return extract_kernels(snapshot, KernelPrices(holding(graph, machine)), Effort(gap=plan.gap))

    device = plan.usable_device
    if device is None:
        return chosen(plan.machine)
    return placed(
        graph,
        device,
        chosen,
        lambda found: [each.draft.choice.best_seconds for each in found.kernels],
        lambda found: found.lower_bound,
    )[0]


def _computed_by(kernels: Placed, plan: Plan) -> Extraction:
    """The e-nodes that kernels compute, as a choice in the extraction problem with the plan's cost model."""
    problem = Problem.from_snapshot(kernels.graph.snapshot, plan.model)
    choice = np.array(chosen_nodes(kernels), np.int32)
    return Extraction.from_choice(problem, choice, lower_bound(problem), 0.0)


def require_legal(graph: UOp) -> None:
    """Checks that a graph is an array program, or a kernel before or after expansion."""
    require_uop(graph)
    require_no_calls_by_name(graph)
    try:
        verify(graph, Stage.ARRAY)
    except SpecError:
        if any(is_dynamic(node.shape) for node in toposort([graph])):
            raise ScheduleError(
                "graphs are optimized apart from compiling for extents that are known, not for dims; compile it, or trace the function for one shape"
            ) from None
        for stage in (Stage.KERNEL, Stage.EXPANDED):
            with suppress(SpecError):
                verify(graph, stage)
                return
        raise
