"""One cell of a comparison: one graph, one cost model, one extractor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import fsum
from typing import Any

from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import EqsatError
from eqsat.extract import CostModel, Extraction, Extractor, Node, Problem, Value
from eqsat.extract.answers import checked_extraction
from eqsat.extract.costs.protocol import cost_of
from eqsat.graph_files.serialize import to_json
from eqsat.ops import Op
from eqsat.runtime import Device, get_device, machine_of
from eqsat.schedule.plan import schedule
from eqsat.uop import UOp

SPREADING = frozenset({Op.RESHAPE, Op.EXPAND})  # operations that copy a constant along axes


@dataclass(frozen=True, slots=True)
class Row:
    """The result of one extractor for one graph under one cost model. A figure that does not exist is None.

    Attributes:
        graph: the name of the graph.
        cost_model: the name of the cost model; "file" for the costs of a file.
        extractor: the name of the extractor.
        unit: the unit of the costs.
        predicted: the model's cost of the extracted graph itself, with each of its UOps counted once. It is below the DAG cost if the extracted
            terms of different classes are the same UOp. It may differ from the DAG cost if a sum of many terms was one e-node.
        tree_cost: cost of the choice, with shared terms counted as often as they occur.
        dag_cost: cost of the choice, with each node counted once.
        lower_bound: no choice has a smaller DAG cost.
        gap: the most that a cheaper choice could save, relative to the DAG cost; if costs are negative, to the greater magnitude of DAG cost
            and lower bound.
        optimal: whether the bound proves that no choice costs less.
        seconds: the time of the extraction.
        nodes: the number of nodes of the e-graph.
        classes: the number of classes of the e-graph.
        kernels: the number of kernels in the schedule of the extracted graph; None for a file, and for a graph without a schedule.
        program: a digest of the extracted program; rows with the same digest ran the same program.
        run_seconds: median time of one call of the compiled program.
        error: what went wrong; empty if nothing did.
        unscheduled: why the extracted graph has no schedule, if it has none.
    """

    graph: str
    cost_model: str
    extractor: str
    unit: str = ""
    predicted: float | None = None
    tree_cost: float | None = None
    dag_cost: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    optimal: bool | None = None
    seconds: float | None = None
    nodes: int | None = None
    classes: int | None = None
    kernels: int | None = None
    program: str = ""
    run_seconds: float | None = None
    error: str = ""
    unscheduled: str = ""


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of a cell.

    Attributes:
        figures: fields of its row.
        graph: the extracted graph; None for a file.
    """

    figures: dict[str, Any]
    graph: UOp | None


def solve_problem(problem: Problem, extractor: Extractor) -> Solution:
    """Extracts from a problem that has costs of its own.

    Raises:
        ExtractionError: there is no solution, or the extractor's answer is not valid.
    """
    found = checked_extraction(extractor, problem)
    return Solution({**_figures(found), "predicted": found.dag_cost}, None)


def solve_snapshot(
    snapshot: Snapshot, model: CostModel, extractor: Extractor, device: str | int | Device | None
) -> Solution:
    """Extracts from an e-graph under a cost model, and schedules the extracted graph.

    Raises:
        ExtractionError: there is no solution, the extractor's answer is not valid, or a cost of the model is not a number.
    """
    found = checked_extraction(extractor, Problem.from_snapshot(snapshot, model))
    (graph,) = snapshot.build(found.choice)
    kernels, unscheduled = count_kernels(graph, device)
    figures = {
        **_figures(found),
        "predicted": predict(graph, model),
        "kernels": kernels,
        "unscheduled": unscheduled,
        "program": _digest(json.dumps(to_json([graph])).encode()),
    }
    return Solution(figures, graph)


def predict_all(graphs: Sequence[UOp], model: CostModel) -> list[float]:
    """The cost of each graph by a cost model."""
    return [predict(graph, model) for graph in graphs]


def predict(graph: UOp, model: CostModel) -> float:
    """The cost of a graph by a cost model, with each UOp counted once. A constant that is copied along axes counts as a constant, as in the e-graph.

    >>> from eqsat.extract import OperationCount
    >>> x = UOp.variable("x", 0, 9)
    >>> predict(UOp.sink((x + 1) * (x + 1)), OperationCount())
    2.0
    """
    constants: dict[UOp, UOp] = {}
    counted: dict[UOp, Node] = {}
    for node in graph.toposort():
        if node.op is Op.CONST or (node.op in SPREADING and node.src[0] in constants):
            constants[node] = node if node.op is Op.CONST else constants[node.src[0]]
            continue
        for source in node.src:
            if source in constants:
                counted[source] = Node(Op.CONST, source.dtype, constants[source].arg, source.shape, ())
        operands = tuple(Value(source.dtype, source.shape) for source in node.src)
        counted[node] = Node(node.op, node.dtype, node.arg, node.shape, operands)
    return fsum(cost_of(model, node) for node in counted.values())


@lru_cache(64)
def count_kernels(graph: UOp, device: str | int | Device | None) -> tuple[int | None, str]:
    """(the number of kernels in the schedule of a graph, ""); (None, the reason) if it cannot be scheduled, or there is no device to schedule for."""
    try:
        return len(schedule(graph, machine_of(get_device(device))).kernels), ""
    except EqsatError as error:
        return None, str(error)


def _figures(found: Extraction) -> dict[str, Any]:
    return {
        "tree_cost": found.tree_cost,
        "dag_cost": found.dag_cost,
        "lower_bound": found.lower_bound,
        "gap": found.gap,
        "optimal": found.optimal,
        "seconds": found.seconds,
        "nodes": found.problem.node_count,
        "classes": found.problem.class_count,
        "program": _digest(found.choice.tobytes()),
    }


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:12]
