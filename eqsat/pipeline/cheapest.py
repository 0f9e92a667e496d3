"""The cheapest graph of an e-graph, under a plan."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple, Protocol, runtime_checkable

from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.report import Report
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import SpecError
from eqsat.extract import Extraction, Problem
from eqsat.ops import Stage
from eqsat.pipeline.plan import Plan
from eqsat.spec import verify
from eqsat.uop import UOp


@runtime_checkable
class Chosen(Protocol):
    """A graph that was chosen among equal ones, as `optimize` gives it."""

    @property
    def uop(self) -> UOp:
        """The graph."""
        ...


class Cheapest(NamedTuple):
    """The cheapest graph, how it was found in which e-graph, and how saturation ended."""

    uop: UOp
    extraction: Extraction
    snapshot: Snapshot
    report: Report


def cheapest(graph: UOp, plan: Plan) -> Cheapest:
    """The cheapest graph that saturation proves equal to an array program, or to a kernel before or after expansion.

    Raises:
        SpecError: the graph is not legal at one of these stages.
        DeviceError: the plan has no cost model of its own, and names a device that does not exist.
    """
    require_legal(graph)
    saturation = saturate([graph], plan.admitted, plan.budget)
    best, extraction = cheapest_in(saturation.snapshot, plan)
    return Cheapest(best, extraction, saturation.snapshot, saturation.report)


def cheapest_in(snapshot: Snapshot, plan: Plan) -> tuple[UOp, Extraction]:
    """The cheapest graph of an e-graph with one root, and how it was found."""
    extraction = plan.extractor.extract(Problem.from_snapshot(snapshot, plan.model))
    (best,) = snapshot.build(extraction.choice)
    return best, extraction


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
