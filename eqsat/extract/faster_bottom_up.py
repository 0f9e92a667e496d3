"""The cheapest tree by a worklist: a class that became cheaper wakes the nodes that need it."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from eqsat.extract.bottom_up import cheapest_trees
from eqsat.extract.bound import lower_bound
from eqsat.extract.problem import Integers, Problem
from eqsat.extract.result import LARGEST, NOT_CHOSEN, Extraction
from eqsat.extract.settle import require_roots


@dataclass(frozen=True)
class FasterBottomUp:
    """Minimizes the tree cost as `BottomUp`, visiting nodes in the order in which their children get cheaper.

    Exact for costs from zero up; with negative costs, where a cycle could become cheaper for ever, it is `BottomUp`. The extraction-gym
    collection's extractor of this name works this way.
    """

    name: ClassVar[str] = "faster-bottom-up"

    def extract(self, problem: Problem) -> Extraction:
        """One node per class that the roots need.

        Raises:
            ExtractionError: a root has no finite acyclic term.

        >>> problem = Problem.build([1, 1, 9], [0, 1, 1], [[], [0], []], roots=[1])
        >>> FasterBottomUp().extract(problem).tree_cost
        2.0
        """
        start = time.perf_counter()
        choice = _cheapest(problem)
        require_roots(problem, choice)
        return Extraction.from_choice(problem, choice, lower_bound(problem), time.perf_counter() - start)


def _cheapest(problem: Problem) -> Integers:
    use, rows = problem.usage, problem.child_rows
    costs: list[float] = problem.node_cost.tolist()
    owners: list[int] = problem.node_class.tolist()
    if min((cost for cost, usable in zip(costs, use.usable, strict=True) if usable), default=0.0) < 0:
        return cheapest_trees(problem)
    best = [math.inf] * problem.class_count
    choice = np.full(problem.class_count, NOT_CHOSEN, np.int32)
    unknown = use.waiting.copy()  # children without a cost yet
    queue = deque(node for node, count in enumerate(unknown) if use.usable[node] and not count)
    queued = set(queue)
    while queue:
        node = queue.popleft()
        queued.discard(node)
        total = min(costs[node] + sum(best[child] for child in rows[node]), LARGEST)
        owner = owners[node]
        if total >= best[owner]:
            continue
        is_new = math.isinf(best[owner])
        best[owner] = total
        choice[owner] = node
        for parent in use.parents[owner]:
            unknown[parent] -= is_new
            if not unknown[parent] and parent not in queued:
                queue.append(parent)
                queued.add(parent)
    return choice
