"""Finds the cheapest graph that saturation proves equal to a given one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.report import Report
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import ScheduleError, SpecError
from eqsat.extract import Extraction, Problem
from eqsat.ops import Op, Stage
from eqsat.pipeline.accounts import accounts
from eqsat.pipeline.compilation import drafts_of
from eqsat.pipeline.planning.cheapest import cheapest, rules_of_dims
from eqsat.pipeline.planning.plan import Plan, as_plan
from eqsat.rules.language.rule import RuleSet
from eqsat.schedule.placement import Placed
from eqsat.spec import require_uop, verify
from eqsat.specialization.capacities import Capacities
from eqsat.specialization.dynamic_extents import has_extents
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.egraph.search.report import Profile
    from eqsat.explain import Explanation, Limits
    from eqsat.show import Subject


def optimize(graph: UOp, plan: Plan | None = None) -> Optimized:
    """The cheapest graph that saturation proves equal to `graph`, an array program or a kernel before or after expansion.

    For an array program, the result is the graph that the cheapest kernels compute: those that are predicted to take the fewest seconds on the
    plan's device, with the greatest extents where only calls know some. `compile` minimizes the same seconds, but in a deep program layer by
    layer, so it may choose other kernels. The sum of the costs of e-nodes is minimized instead if the plan has a cost model of its own, if the
    graph has variables or is a kernel, or if the e-graph is large.

    Raises:
        SpecError: the graph is not legal at one of these stages.
        DeviceError: the plan has no cost model of its own, and names a device that does not exist.
    """
    plan = as_plan(plan)
    require_uop(graph)
    if has_extents(graph.toposort()):
        return _optimized_with_dims(graph, plan)
    found = cheapest(graph, plan)
    unit = plan.model.unit if found.kernels is None else "seconds"
    return Optimized(
        found.uop, found.report, found.extraction, graph, plan, found.snapshot, unit, found.kernels
    )


def _optimized_with_dims(graph: UOp, plan: Plan) -> Optimized:
    """Optimizes a graph with extents that only calls know: for the greatest extents, with the rules that hold for all extents."""
    capacities = Capacities.of(graph)
    found = cheapest(capacities.sized, plan, rules_of_dims(plan.admitted))
    unit = plan.model.unit if found.kernels is None else "seconds"
    best = capacities.restored(found.uop)
    return Optimized(
        best, found.report, found.extraction, graph, plan, found.snapshot, unit, found.kernels, capacities
    )


def profile(graph: UOp, plan: Plan | None = None) -> Profile:
    """Measures each rule while `graph` is saturated: its matches, new rows, seconds, and the last iteration in which it added something.

    It applies one rule after the other, so it takes longer than `optimize`.

    Raises:
        SpecError: the graph is not legal at the array stage.

    >>> i = UOp.variable("i", 0, 15)
    >>> found = profile((i * 64 + 3) // 64)
    >>> found.report.stop.value, len(found.rules) > len(found.never_fired)
    ('saturated', True)
    """
    plan = as_plan(plan)
    require_uop(graph)
    verify(graph, Stage.ARRAY)
    found = saturate([graph], plan.admitted, plan.budget, profile=True).profile
    assert found is not None, "it was asked for"
    return found


@dataclass(frozen=True, eq=False)
class Optimized:
    """The result of `optimize`.

    Attributes:
        uop: the extracted graph, which equals the given one by the plan's rules.
        report: the report of the saturation.
        extraction: the chosen e-nodes, with the extraction problem, by the plan's cost model.
        given: the graph before optimization.
        plan: the options.
        snapshot: the saturated e-graph. Its e-nodes and e-classes have the same numbers as in the problem.
        unit: the unit of the cost.
        kernels: the kernels that are predicted to compute the graph fastest, if they were chosen together with it.
        capacities: the numbers that stand for extents which only calls know, in the e-graph and in explanations.
    """

    uop: UOp
    report: Report
    extraction: Extraction
    given: UOp
    plan: Plan
    snapshot: Snapshot
    unit: str
    kernels: Placed | None = None
    capacities: Capacities | None = None

    @property
    def rules(self) -> RuleSet:
        """The rules that were applied."""
        return self.plan.admitted if self.capacities is None else rules_of_dims(self.plan.admitted)

    @property
    def cost(self) -> float:
        """The seconds that the kernels are predicted to take; if none were chosen, the sum of the costs of the e-nodes, each counted once."""
        return self.extraction.dag_cost if self.kernels is None else self.kernels.seconds

    @property
    def lower_bound(self) -> float:
        """A lower bound on the cost of all graphs in the e-graph."""
        return self.extraction.lower_bound if self.kernels is None else self.kernels.lower_bound

    @property
    def problem(self) -> Problem:
        """The extraction problem. Its method `save` writes it for other tools."""
        return self.extraction.problem

    def explain(self, limits: Limits | None = None) -> Explanation:
        """Finds a chain of rules from the given graph to `uop`, and replays it.

        Raises:
            ExplanationError: no chain was found within the limits.
        """
        from eqsat.explain import explain_equality  # imported only where it is used

        ends = self.given, self.uop
        before, after = ends if self.capacities is None else map(self.capacities.with_numbers, ends)
        found = explain_equality(before, after, self.rules, limits)
        found.replay()
        return found

    def show(self, path: str | os.PathLike[str] | None = None, *, browse: bool = False) -> Path:
        """Writes an HTML page that shows the e-graph, the chosen e-nodes, and the costs of other choices. Returns its path.

        Without `path` the page goes to a new temporary file. `browse` opens it in the user's browser.

        Raises:
            GraphFileError: the file cannot be written.
        """
        from eqsat.show import write_page

        return write_page(self.subject(), path, browse=browse)

    def subject(self, title: str = "e-graph") -> Subject:
        """The data that `show` displays."""
        from eqsat.show import Subject

        seconds = None if self.kernels is None else (self.kernels.seconds, self.kernels.lower_bound)
        unit = self.plan.model.unit
        return Subject(
            self.extraction, title, unit, self.snapshot, self.report, self.rules, seconds, self._accounts
        )

    def _accounts(self) -> list[dict[str, Any]]:
        """The accounts of the kernels that `compile` chooses for the given graph and plan; empty if the graph is no array program."""
        if not any(node.op in (Op.PARAM, Op.BUFFER) for node in self.given.toposort()):
            return []
        try:
            return [each.to_json() for each in accounts(drafts_of(self.given, self.plan))]
        except (ScheduleError, SpecError):
            return []

    def _repr_html_(self) -> str:
        from eqsat.show.summary import summary_html

        return summary_html(self.subject())
