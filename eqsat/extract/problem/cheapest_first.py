"""Gives every class a node, cheapest first: the loop that the bottom-up extractors share.

This is Knuth's generalization of Dijkstra's algorithm ("A generalization of Dijkstra's algorithm", 1977) to graphs whose edges need all
their sources. A node is evaluated once, when the classes of all its children are settled. The cheapest evaluated node settles its class;
among nodes of equal cost, the first one does. So a class never needs itself. If all nodes of a class are evaluated, the class is settled at
once, whatever its cost; this keeps the result right on the acyclic part of a problem with negative costs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from eqsat.errors import ExtractionError
from eqsat.extract.problem.problem import Integers, Problem

UNEXTRACTABLE = -1


def settle(
    problem: Problem, evaluate: Callable[[int], float], accept: Callable[[int, int], None]
) -> Integers:
    """Returns the settled node of each class; -1 for a class without a finite acyclic term.

    `evaluate(node)` returns the cost of a node whose children are all settled; it is called at most once for each node.
    `accept(owner, node)` is called with each decision. If a node never costs less than one of its children, each class gets its
    cheapest node.
    """
    return _Settling(problem).run(evaluate, accept)


class _Settling:
    """The state of one run: how many children each node waits for, and the best candidate of each class."""

    def __init__(self, problem: Problem) -> None:
        use = problem.usage
        usable = use.usable
        self.owner: list[int] = problem.node_class.tolist()
        self.waiting, self.parents = use.waiting.copy(), use.parents
        self.unevaluated = [0] * problem.class_count
        for node, owner in enumerate(self.owner):
            self.unevaluated[owner] += usable[node]
        self.best = [np.inf] * problem.class_count
        self.candidate = [UNEXTRACTABLE] * problem.class_count
        self.settled = [False] * problem.class_count
        self.ready = [node for node, count in enumerate(self.waiting) if usable[node] and not count]
        self.heap: list[tuple[float, int]] = []
        self.complete: list[int] = []

    def run(self, evaluate: Callable[[int], float], accept: Callable[[int, int], None]) -> Integers:
        self._evaluate_ready(evaluate)
        while self.complete or self.heap:
            owner = self.complete.pop() if self.complete else self.owner[heapq.heappop(self.heap)[1]]
            if self.settled[owner]:
                continue
            self.settled[owner] = True
            accept(owner, self.candidate[owner])
            for parent in self.parents[owner]:
                self.waiting[parent] -= 1
                if not self.waiting[parent]:
                    self.ready.append(parent)
            self._evaluate_ready(evaluate)
        return np.array(self.candidate, np.int32)

    def _evaluate_ready(self, evaluate: Callable[[int], float]) -> None:
        for node in self.ready:
            owner = self.owner[node]
            self.unevaluated[owner] -= 1
            if self.settled[owner]:
                continue
            cost = evaluate(node)
            rival = self.candidate[owner]
            if (
                rival == UNEXTRACTABLE
                or cost < self.best[owner]
                or (cost == self.best[owner] and node < rival)
            ):
                self.best[owner], self.candidate[owner] = cost, node
                heapq.heappush(self.heap, (cost, node))
            if not self.unevaluated[owner]:
                self.complete.append(owner)
        self.ready.clear()


def require_roots(problem: Problem, choice: Integers) -> None:
    """Checks that every root has a node.

    Raises:
        ExtractionError: a root has no finite acyclic term.
    """
    roots: list[int] = problem.roots.tolist()
    missing = [root for root in roots if choice[root] == UNEXTRACTABLE]
    if missing:
        name: str = problem.class_names[missing[0]]
        nodes: list[int] = problem.nodes_by_class[missing[0]]
        labels = (
            ", ".join(sorted({problem.labels[node] or problem.node_names[node] for node in nodes})[:5])
            or "none"
        )
        raise ExtractionError(
            f"root class {name!r} has no finite acyclic term (its nodes: {labels});"
            " each costs inf, needs itself, or needs a class that has none: allow another operation in the cost model"
        )
