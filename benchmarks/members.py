"""Other extractions: the members of an e-graph that compute one function in different ways, with different kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf

import numpy as np

import eqsat as eq
from eqsat.array.data import collect_params
from eqsat.codegen import render
from eqsat.dtype import DType
from eqsat.extract import GreedyDag
from eqsat.runtime import Device, machine_of
from eqsat.schedule.draft import Drafts
from eqsat.schedule.plan import draft

PLAN = eq.Plan(fast_math=True)  # all rules, so that there are many members; results agree to rounding


def members(graph: eq.UOp, device: Device, most: int) -> list[tuple[eq.UOp, Drafts]]:
    """At most `most` extractions with their kernels, no two with the same source, spread evenly over the order of their predicted times."""
    found: dict[tuple[str, ...], tuple[eq.UOp, Drafts]] = {}
    for sink in dict.fromkeys(extractions(graph)):
        drafts = draft(dense(sink), machine_of(device))
        sources = tuple(render(kernel.ast).source for kernel in drafts.schedule().kernels)
        found.setdefault(sources, (sink, drafts))
    ordered = sorted(found.values(), key=lambda member: predicted(member[1]))
    places = np.unique(np.linspace(0, len(ordered) - 1, min(most, len(ordered))).astype(int)).tolist()
    return [ordered[place] for place in places]


def extractions(graph: eq.UOp) -> Iterator[eq.UOp]:
    """The extracted graph, the graph as written, and for every node that was not chosen a cheap graph that has it, if there is one."""
    best = eq.optimize(graph, PLAN)
    yield best.uop
    yield graph
    problem, choice = best.problem, best.extraction.choice
    for node, owner in enumerate(problem.node_class.tolist()):
        if choice[owner] in (-1, node):
            continue
        costs = problem.node_cost.copy()
        costs[[other for other in problem.nodes_by_class[owner] if other != node]] = inf
        with suppress(eq.ExtractionError):  # the node may need its own class
            found = GreedyDag().extract(replace(problem, node_cost=costs))
            yield best.snapshot.build(found.choice)[0]


def dense(sink: eq.UOp) -> eq.UOp:
    """The graph with its inputs numbered from 0; extraction may have dropped some."""
    mapping: dict[eq.UOp, eq.UOp] = {}
    for slot, node in enumerate(collect_params(sink)):
        assert isinstance(node.dtype, DType)
        mapping[node] = eq.UOp.param(slot, node.arg[1], node.dtype)
    return sink.substitute(mapping)


def predicted(drafts: Drafts) -> float:
    """The predicted seconds of all kernels, each with its quickest loops."""
    return sum(kernel.choice.best_seconds for kernel in drafts.kernels)
