"""From a graph to the cheapest one that saturation proves equal to it."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.report import Report
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import SpecError
from eqsat.extract import Extraction, Problem
from eqsat.ops import Stage
from eqsat.pipeline.plan import Plan
from eqsat.rules.language.rule import RuleSet
from eqsat.spec import verify
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.egraph.search.report import Profile
    from eqsat.explain import Explanation, Limits
    from eqsat.show import Subject


def optimize(graph: UOp, plan: Plan | None = None) -> Optimized:
    """The cheapest graph that saturation proves equal to `graph`, an array program or a kernel before or after expansion.

    Raises:
        SpecError: the graph is not legal at one of these stages.
        DeviceError: the plan has no cost model of its own, and names a device that there is not.
    """
    plan = plan or Plan()
    require_legal(graph)
    model = plan.model
    saturation = saturate([graph], plan.admitted, plan.budget)
    extraction = plan.extractor.extract(Problem.from_snapshot(saturation.snapshot, model))
    (best,) = saturation.snapshot.build(extraction.choice)
    return Optimized(
        best, saturation.report, extraction, graph, plan.admitted, saturation.snapshot, model.unit
    )


def profile(graph: UOp, plan: Plan | None = None) -> Profile:
    """What each rule does while `graph` is saturated: matches, rows, seconds, the last iteration in which it was of use.

    Rules are applied one after the other, so this takes longer than `optimize`.

    Raises:
        SpecError: the graph is not legal at the array stage.

    >>> i = UOp.variable("i", 0, 15)
    >>> found = profile((i * 64 + 3) // 64)
    >>> found.report.stop.value, len(found.rules) > len(found.never_fired)
    ('saturated', True)
    """
    plan = plan or Plan()
    verify(graph, Stage.ARRAY)
    found = saturate([graph], plan.admitted, plan.budget, profile=True).profile
    assert found is not None, "it was asked for"
    return found


@dataclass(frozen=True, eq=False)
class Optimized:
    """What `optimize` found.

    Attributes:
        uop: the extracted graph, equal to the one given under the plan's rules.
        report: how saturation went.
        extraction: the choice behind `uop`, with the problem it solves.
        given: the graph that was optimized.
        rules: those that were applied.
        snapshot: the e-graph, whose nodes and classes are those of the problem.
        unit: of the cost.
    """

    uop: UOp
    report: Report
    extraction: Extraction
    given: UOp
    rules: RuleSet
    snapshot: Snapshot
    unit: str

    @property
    def cost(self) -> float:
        """Of the extracted graph, each node counted once, in the unit of the plan's cost model."""
        return self.extraction.dag_cost

    @property
    def lower_bound(self) -> float:
        """No graph that the e-graph holds costs less."""
        return self.extraction.lower_bound

    @property
    def problem(self) -> Problem:
        """The extraction problem; `save` it for other tools."""
        return self.extraction.problem

    def explain(self, limits: Limits | None = None) -> Explanation:
        """The chain of rules from the given graph to `uop`, found when asked for, and replayed.

        Raises:
            ExplanationError: none was found within the limits.
        """
        from eqsat.explain import explain_equality  # as the e-graph, only where it is used

        found = explain_equality(self.given, self.uop, self.rules, limits)
        found.replay()
        return found

    def show(self, path: str | os.PathLike[str] | None = None, *, browse: bool = False) -> Path:
        """Writes a page of HTML that shows the e-graph, the choice, and what other choices would cost; gives its path.

        Without `path` it goes to a new temporary file. `browse` opens it in the user's browser.

        Raises:
            GraphFileError: the file cannot be written.
        """
        from eqsat.show import write_page

        return write_page(self.subject(), path, browse=browse)

    def subject(self, title: str = "e-graph") -> Subject:
        """What `show` is about."""
        from eqsat.show import Subject

        return Subject(self.extraction, title, self.unit, self.snapshot, self.report, self.rules)

    def _repr_html_(self) -> str:
        from eqsat.show.summary import summary_html

        return summary_html(self.subject())


def require_legal(graph: UOp) -> None:
    """Checks that a graph is an array program, or a kernel before or after expansion."""
    try:
        verify(graph, Stage.ARRAY)
    except SpecError:
        for stage in (Stage.KERNEL, Stage.EXPANDED):
            with suppress(SpecError):
                verify(graph, stage)
                return
        raise
