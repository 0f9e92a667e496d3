"""What a page is about: an extraction, and what is known of the e-graph that it comes from."""

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
        extraction: the choice, with the problem it solves.
        title: of the page.
        unit: of the costs, in words.
        snapshot: the e-graph, where it is one of ours; its nodes and classes are those of the problem.
        report: how saturation went, likewise.
        rules: those that saturation applied.
        seconds: that the kernels which compute what was extracted are predicted to take, and a lower bound, where these were chosen with it;
            the costs of single nodes only estimate that.
        kernels: finds accounts of the kernels of the program, as plain values; asked for by the whole page alone.
    """

    extraction: Extraction
    title: str = "e-graph"
    unit: str = ""
    snapshot: Snapshot | None = None
    report: Report | None = None
    rules: RuleSet = field(default_factory=RuleSet)
    seconds: tuple[float, float] | None = None
    kernels: Callable[[], Sequence[Mapping[str, Any]]] = tuple
