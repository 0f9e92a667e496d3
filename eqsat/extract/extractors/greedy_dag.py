"""A greedy heuristic for the DAG cost: each class takes the node whose term costs least if shared nodes are paid once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from eqsat.extract.bounds.lower_bound import lower_bound
from eqsat.extract.extractors.bit_sets import weight
from eqsat.extract.problem.cheapest_first import require_roots, settle
from eqsat.extract.problem.problem import Integers, Problem, require_problem
from eqsat.extract.problem.result import Extraction


@dataclass(frozen=True)
class GreedyDag:
    """Minimizes the DAG cost class by class: the cost of a term is the cost of the *set* of its nodes, each counted once.

    This is a heuristic: it does not see which nodes a class shares with terms elsewhere in the program. The choice is valid on every problem.
    A set is a Python integer with one bit for each class, in the order in which classes are settled. A set that no unsettled class can
    need is dropped, because all sets of a chain 50,000 deep would take 150 MB.
    """

    name: ClassVar[str] = "greedy-dag"

    def extract(self, problem: Problem) -> Extraction:
        """Chooses one node for each class that the roots need.

        Raises:
            ExtractionError: a root has no finite acyclic term.

        >>> shared = Problem.build([5, 1, 3, 3, 9], [0, 1, 2, 2, 2], [[], [0, 0], [0], [1], []], roots=[1, 2])
        >>> GreedyDag().extract(shared).dag_cost
        9.0
        """
        require_problem(problem)
        start = time.perf_counter()
        choice = greedy_choice(problem)
        require_roots(problem, choice)
        return Extraction.from_choice(problem, choice, lower_bound(problem), time.perf_counter() - start)


def greedy_choice(problem: Problem) -> Integers:
    """Chooses a node for every class that has a finite acyclic term, even if no root needs it; -1 for the others."""
    sets = _CostSets(problem)
    return settle(problem, sets.evaluate, sets.accept)


class _CostSets:
    """For each settled class, the set of classes that its term uses, and the cost of the set."""

    def __init__(self, problem: Problem) -> None:
        self.node_cost: list[float] = problem.node_cost.tolist()
        self.rows = problem.child_rows
        self.usage = problem.usage
        self.nodes = problem.usable_nodes
        self.waiting = [len(parents) for parents in problem.usage.parents]
        self.members = [0] * problem.class_count
        self.total = [0.0] * problem.class_count
        self.position_cost = np.zeros(problem.class_count, np.float64)
        self.positions = 0

    def evaluate(self, node: int) -> float:
        return self._union(node)[1]

    def accept(self, owner: int, node: int) -> None:
        """Settles a class with a node: the set of the class is the union of its children's sets, and the class itself."""
        union, total = self._union(node)
        self.members[owner] = union | 1 << self.positions
        self.total[owner] = total
        self.position_cost[self.positions] = self.node_cost[node]
        self.positions += 1
        self._release_children(owner)

    def _release_children(self, owner: int) -> None:
        """Drops the sets of children that no unsettled class needs any more."""
        for node in self.nodes[owner]:
            for child in self.usage.distinct[node]:
                self.waiting[child] -= 1
                if not self.waiting[child]:
                    self.members[child] = 0

    def _union(self, node: int) -> tuple[int, float]:
        """The union of the children's sets, and the cost of the union and the node together."""
        row = self.rows[node]
        if not row:
            return 0, self.node_cost[node]
        largest = max(row, key=self.total.__getitem__)
        union = self.members[largest]
        for child in row:
            union |= self.members[child]
        total = self.total[largest] + self.node_cost[node]
        extra = union ^ self.members[largest]
        return union, total + weight(extra, self.position_cost) if extra else total
