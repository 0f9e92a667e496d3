"""The subject of a page: an extraction, and facts about the e-graph from which it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eqsat.egraph.search.report import Report
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.extract.problem.result import Extraction
from eqsat.rules.language.rule import RuleSet


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What to show.

    Attributes:
        extraction: the choice, with the problem that it solves.
        title: the title of the page.
        unit: the unit of the costs, in words.
        snapshot: the e-graph, if eqsat saturated it; its nodes and classes are those of the problem.
        report: the report of the saturation, if eqsat saturated the e-graph.
        rules: the rules that saturation applied.
        seconds: the predicted time of the kernels that compute the extracted program, and a lower bound of it, if kernels were chosen along with
            the program; the costs of single nodes only estimate this time.
        kernels: returns accounts of the kernels of the program, as plain values; only the whole page calls it.
    """

    extraction: Extraction
    title: str = "e-graph"
    unit: str = ""
    snapshot: Snapshot | None = None
    report: Report | None = None
    rules: RuleSet = field(default_factory=RuleSet)
    seconds: tuple[float, float] | None = None
    kernels: Callable[[], Sequence[Mapping[str, Any]]] = tuple
