"""The whole choice of kernels as one extraction problem of additive costs, for any extractor, and for files of the extraction gym.

Its classes are `stored` buffers, elements of e-classes `inline` in a kernel at an index map, and the `reads` of a buffer in a kernel. Its
nodes are e-nodes, LOADs, KERNELs, STOREs and PARAMs. The price of a kernel is no sum over its nodes, so the costs here are lower bounds: the
weighted sum of what a node needs at least of each resource. The least cost of a choice is then a lower bound of the seconds that any schedule
of the program is predicted to take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.extract import Problem
from eqsat.machine import Machine
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.cone import LOADED, READ, STAGED, Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.effort import Effort
from eqsat.schedule.placement.refinement import MICRO
from eqsat.schedule.placement.regions import regions

Weights = tuple[float, float, float]
EVEN: Weights = (1 / 3, 1 / 3, 1 / 3)
SPECIAL = {LOADED: "LOAD", READ: "READ", STAGED: "LOAD from local memory"}


class _Node(NamedTuple):
    """A node of the problem: its cost in microseconds, the class that it belongs to, its operands, and its operation."""

    cost: float
    owner: str
    children: list[str]
    label: str


def placed_problem(snapshot: Snapshot, machine: Machine, weights: Weights = EVEN) -> Problem:
    """The kernels of the SINK that is the only root of an e-graph, as an extraction problem; costs are microseconds.

    Args:
        snapshot: the e-graph.
        machine: the machine for which seconds are predicted.
        weights: the weights of arithmetic, access ports and memory. A kernel takes at least as long as the busiest of them, so weights that sum
            to 1 give lower bounds.

    Raises:
        ScheduleError: the e-graph holds something that is no array computation.
        ExtractionError: some kernel is too large.
    """
    graph = ArrayGraph(snapshot, machine)
    candidates = StorageCandidates(graph, Effort.candidates)
    cones = [cone for region in regions(ConeBuilder(graph, candidates)) for cone in region.cones]
    nodes = list(_nodes(graph, cones, weights))
    owners = {node.owner for node in nodes}
    inputs = dict.fromkeys(child for node in nodes for child in node.children if child not in owners)
    nodes += [_Node(0.0, name, [], "PARAM") for name in inputs]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(node.owner for node in nodes))}
    return Problem.build(
        [node.cost for node in nodes],
        [numbers[node.owner] for node in nodes],
        [[numbers[child] for child in node.children] for node in nodes],
        [numbers["program"]],
        labels=[node.label for node in nodes],
        class_names=list(numbers),
    )


def _nodes(graph: ArrayGraph, cones: Iterable[Cone], weights: Weights) -> Iterator[_Node]:
    """All nodes but the inputs."""
    wanted = [_stored(graph.buffer[c]) for c in graph.outputs if graph.sizes[c]]
    yield _Node(0.0, "program", wanted, "SINK")
    for number, cone in enumerate(cones):
        names = _class_names(number, cone)
        seconds = cone.launch + _weighted(cone.store_seconds, weights)
        roots = [names[root] for root in cone.roots]
        yield _Node(seconds * MICRO, f"kernel {number}", roots, "KERNEL")
        for c in cone.stores:
            yield _Node(0.0, _stored(graph.buffer[c]), [f"kernel {number}"], "STORE")
        for node, owner in enumerate(cone.owner):
            buffer, kind = cone.reads[node], cone.kinds[node]
            children = [_stored(buffer)] if buffer >= 0 else [names[each] for each in cone.rows[node]]
            label = SPECIAL.get(kind.node) or graph.term(kind.node).op.name
            cost = _weighted(cone.least_seconds[node].tolist(), weights) * MICRO
            yield _Node(cost, names[owner], children, label)


def _weighted(seconds: Iterable[float], weights: Weights) -> float:
    return sum(each * weight for each, weight in zip(seconds, weights, strict=True))


def _stored(buffer: int) -> str:
    return f"stored {buffer}"


def _class_names(number: int, cone: Cone) -> list[str]:
    """A name for each class of a kernel, from its e-class and index map, or from the buffer that is read."""
    return [
        f"reads of {c} in kernel {number}" if at == READ else f"inline {c} at {at} in kernel {number}"
        for c, at in cone.elements
    ]
