"""The cheapest tree: each class takes the node whose term costs least if a shared term is paid at each use."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from eqsat.extract.bounds.lower_bound import lower_bound
from eqsat.extract.problem.cheapest_first import require_roots, settle
from eqsat.extract.problem.problem import Integers, Problem, require_problem
from eqsat.extract.problem.result import LARGEST, Extraction


@dataclass(frozen=True)
class BottomUp:
    """Minimizes the tree cost: a shared term is paid at each use.

    The result is exact for non-negative costs. With negative costs, it is exact if no class can need itself, and valid in any case.
    Takes near-linear time. Costs saturate at 1e300, which a chain of a thousand doublings reaches.
    """

    name: ClassVar[str] = "bottom-up"

    def extract(self, problem: Problem) -> Extraction:
        """Chooses one node for each class that the roots need.

        Raises:
            ExtractionError: a root has no finite acyclic term.

        >>> problem = Problem.build([1, 1, 9], [0, 1, 1], [[], [0], []], roots=[1])
        >>> BottomUp().extract(problem).tree_cost
        2.0
        """
        require_problem(problem)
        start = time.perf_counter()
        choice = cheapest_trees(problem)
        require_roots(problem, choice)
        return Extraction.from_choice(problem, choice, lower_bound(problem), time.perf_counter() - start)


def cheapest_trees(problem: Problem) -> Integers:
    """Chooses a node for every class that has a finite acyclic term, even if no root needs it; -1 for the others."""
    costs: list[float] = problem.node_cost.tolist()
    rows = problem.child_rows
    settled = [0.0] * problem.class_count

    def evaluate(node: int) -> float:
        total = costs[node]
        for child in rows[node]:
            total += settled[child]
        return min(max(total, -LARGEST), LARGEST)

    def accept(owner: int, node: int) -> None:
        settled[owner] = evaluate(node)

    return settle(problem, evaluate, accept)
