"""Reduces extraction problems: applies the reductions until none finds anything.

- *unreachable*: removes classes that the roots do not reach, and nodes that are in no finite acyclic term.
- *cyclic*: removes nodes that require their own class.
- *dominated*: removes a node if another node of its class costs no more and requires no class that it does not require. A node requires its
  children and all classes that they require. With negative costs, requiring more may pay, so only nodes with the same children are compared.
- *needed*: removes edges to classes that the roots require, since these are chosen anyway. Edges that may close a cycle stay.
- *single*: removes classes with one node. A root is decided. A node that costs nothing, or that only one class needs, is merged into the nodes
  that need it.

The remaining problem is split into parts that have no class in common; each can be solved by itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from eqsat.errors import ExtractionError
from eqsat.extract.problem.cheapest_first import require_roots, settle
from eqsat.extract.problem.node_usage import find_node_usage
from eqsat.extract.problem.problem import Integers, Problem, require_problem
from eqsat.extract.problem.result import NOT_CHOSEN
from eqsat.extract.reductions.components import components, cyclic_components
from eqsat.extract.reductions.graph import Graph
from eqsat.extract.reductions.required_classes import RequiredClasses, find_required_classes


@dataclass(frozen=True, slots=True)
class Step:
    """The number of nodes that one reduction removed; for `needed`, the number of edges."""

    name: str
    removed: int


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """An independent part of a problem.

    Attributes:
        problem: the part as a problem, with renumbered classes and nodes.
        classes: the original number of each class.
        nodes: the original number of each node.
    """

    problem: Problem
    classes: Integers
    nodes: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """A reduced problem. The optimum of the original is `offset` plus the sum of the parts' optima.

    Attributes:
        original: the problem that was reduced.
        parts: independent problems, largest first.
        fixed: the node of each decided class.
        offset: the cost of the decided classes.
        steps: the number of nodes or edges that each reduction removed.
    """

    original: Problem
    parts: tuple[Part, ...]
    fixed: dict[int, int]
    offset: float
    steps: tuple[Step, ...]

    def expand(self, choices: Sequence[Integers]) -> Integers:
        """Joins a choice for each part to a choice for the original problem."""
        choice = np.full(self.original.class_count, NOT_CHOSEN, np.int32)
        for owner, node in self.fixed.items():
            choice[owner] = node
        for part, chosen in zip(self.parts, choices, strict=True):
            reached = chosen != NOT_CHOSEN
            choice[part.classes[reached]] = part.nodes[chosen[reached]]
        return choice


def reduce_problem(
    problem: Problem, only: Collection[str] | None = None, seconds: float = math.inf
) -> Reduction:
    """Applies all reductions, or those named in `only`, until none finds anything. After `seconds`, it begins no other reduction.

    Raises:
        ExtractionError: a root has no finite acyclic term, or there is no reduction of one of the names.
    """
    require_problem(problem)
    if unknown := sorted(set(only or ()) - set(REDUCTIONS)):
        raise ExtractionError(f"no reduction is named {unknown[0]!r}; there are {', '.join(REDUCTIONS)}")
    reducing = _Reducing(problem, REDUCTIONS if only is None else only)
    reducing.run(time.perf_counter() + seconds)
    return reducing.result()


@dataclass(slots=True)
class _Reducing:
    problem: Problem
    admitted: Collection[str]
    graph: Graph = field(init=False)
    removed: dict[str, int] = field(init=False)
    order: list[int] = field(init=False)
    needed: RequiredClasses = field(init=False)
    has_negative: bool = field(init=False)

    def __post_init__(self) -> None:
        usable = self.problem.usage.usable
        roots: list[int] = self.problem.roots.tolist()
        if not all(self.problem.usable_nodes[root] for root in roots):
            require_roots(self.problem, settle(self.problem, lambda node: 0.0, lambda owner, node: None))
        self.graph = Graph(self.problem)
        self.removed = {"unreachable": self.problem.node_count - sum(usable), **dict.fromkeys(REDUCTIONS, 0)}
        self.has_negative = min((self.graph.costs[node] for node in np.flatnonzero(usable)), default=0.0) < 0
        self.trim()

    def run(self, deadline: float) -> None:
        admitted = [name for name in REDUCTIONS if name in self.admitted]
        while sum(self.apply(name) for name in admitted if time.perf_counter() < deadline):
            pass

    def apply(self, name: str) -> int:
        """Applies one reduction, and returns the number of removed nodes. Edges do not count, because no reduction waits for them alone."""
        removed = REDUCTIONS[name](self)
        self.removed[name] += removed
        if removed:
            self.trim()
        return removed if name != "needed" else 0

    def trim(self) -> None:
        """Removes nodes that no finite acyclic term contains any more, and classes that the roots do not reach any more."""
        graph = self.graph
        alive = [False] * len(graph.costs)
        for node in chain.from_iterable(graph.nodes):
            alive[node] = True
        use = find_node_usage(graph.owners, alive, [list(row) for row in graph.rows], len(graph.nodes))
        for owner, nodes in enumerate(graph.nodes):
            graph.nodes[owner] = [node for node in nodes if use.usable[node]]
        self.order = graph.classes()
        reached = set(self.order)
        for owner in range(len(graph.nodes)):
            if owner not in reached:
                graph.nodes[owner] = []
        self.removed["unreachable"] += sum(alive) - sum(map(len, graph.nodes))
        self.needed = find_required_classes(graph, self.order)

    def remove_cyclic(self) -> int:
        graph, needed = self.graph, self.needed
        return sum(
            graph.keep(
                owner,
                [n for n in graph.nodes[owner] if not needed.of_node(graph.rows[n]) & needed.bit[owner]],
            )
            for owner in self.order
        )

    def remove_dominated(self) -> int:
        return sum(self.graph.keep(owner, self._undominated(owner)) for owner in self.order)

    def _undominated(self, owner: int) -> list[int]:
        graph, needed = self.graph, self.needed
        nodes = [
            (needed.of_node(graph.rows[node]), needed.direct(graph.rows[node]), node)
            for node in graph.nodes[owner]
        ]
        nodes.sort(key=lambda each: (graph.costs[each[2]], each[0].bit_count(), each[2]))
        kept: dict[int, int] = {}
        for everything, direct, node in nodes:
            if direct in kept:
                continue
            others = ~everything
            if self.has_negative or all(rival & others for rival in kept):
                kept[direct] = node
        return sorted(kept.values())

    def drop_needed_edges(self) -> int:
        graph, removed = self.graph, 0
        bits = self.needed.of_node(frozenset(graph.roots))
        graph.roots |= {owner for owner in self.order if bits & self.needed.bit[owner]}
        parts = cyclic_components(graph, self.order)
        component = {owner: number for number, part in enumerate(parts) for owner in part}
        for owner in self.order:
            for node in graph.nodes[owner]:
                row = graph.rows[node]
                kept = frozenset(
                    child for child in row if child not in graph.roots or component[child] == component[owner]
                )
                removed += len(row) - len(kept)
                graph.rows[node] = kept
        return removed

    def collapse_single(self) -> int:
        graph, users, removed = self.graph, self.graph.users(self.order), 0
        for owner in self.order:
            if len(graph.nodes[owner]) != 1:
                continue
            (node,) = graph.nodes[owner]
            using = {
                user for user in users[owner] if owner in graph.rows[user] and graph.nodes[graph.owners[user]]
            }
            if owner in graph.roots:
                if using:
                    continue
                graph.roots |= graph.rows[node]
                graph.roots.discard(owner)
                graph.offset += graph.costs[node]
            elif graph.costs[node] == 0 or len({graph.owners[user] for user in using}) == 1:
                for user in using:
                    graph.costs[user] += graph.costs[node]
                    graph.rows[user] = (graph.rows[user] - {owner}) | graph.rows[node]
                    for child in graph.rows[node]:
                        users[child].append(user)
            else:
                continue
            graph.fixed[owner] = node
            graph.nodes[owner] = []
            removed += 1
        return removed

    def result(self) -> Reduction:
        graph = self.graph
        parts = [self._part(classes) for classes in components(graph, self.order)]
        parts.sort(key=lambda part: -part.problem.node_count)
        steps = tuple(Step(name, count) for name, count in self.removed.items())
        return Reduction(self.problem, tuple(parts), dict(graph.fixed), graph.offset, steps)

    def _part(self, classes: Sequence[int]) -> Part:
        graph, problem = self.graph, self.problem
        number = {owner: place for place, owner in enumerate(classes)}
        nodes = [node for owner in classes for node in graph.nodes[owner]]
        small = Problem.build(
            [graph.costs[node] for node in nodes],
            [number[graph.owners[node]] for node in nodes],
            [sorted(number[child] for child in graph.rows[node]) for node in nodes],
            sorted(number[root] for root in graph.roots.intersection(classes)),
            class_count=len(classes),
            labels=[problem.labels[node] for node in nodes],
            node_names=[problem.node_names[node] for node in nodes],
            class_names=[problem.class_names[owner] for owner in classes],
        )
        return Part(small, np.array(classes, np.int32), np.array(nodes, np.int32))


REDUCTIONS: dict[str, Callable[[_Reducing], int]] = {
    "cyclic": _Reducing.remove_cyclic,
    "dominated": _Reducing.remove_dominated,
    "needed": _Reducing.drop_needed_edges,
    "single": _Reducing.collapse_single,
}
