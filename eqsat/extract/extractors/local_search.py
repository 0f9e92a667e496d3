"""Local search: improves a choice by changing the e-node of one e-class at a time, and accepts a worse change now and then."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import numpy as np

from eqsat.extract.extractors.by_component import extract_by_parts
from eqsat.extract.extractors.greedy_dag import greedy_choice
from eqsat.extract.extractors.incremental_choice import IncrementalChoice
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.progress import Listener
from eqsat.extract.problem.result import NOT_CHOSEN, Extraction

ROUNDS = 4  # of cooling; each starts from the best choice, with a part of it destroyed
DESTROYED = 0.05  # of the classes
HOTTEST = 1.0  # of the mean cost of a node: a loss as large is taken now and then
COLDEST = 0.02
LOOK = 256  # swaps between two looks at the clock


@dataclass(frozen=True)
class LocalSearch:
    """Minimizes the DAG cost by simulated annealing over single swaps, starting from the greedy choice.

    Attributes:
        swaps: tried in every part of the problem, for each of its nodes.
        seconds: of wall time, at most; where it ends the search, the result depends on the machine.
        seed: of the random choices.
        listener: is told whenever the choice gets better.
    """

    swaps: int = 400
    seconds: float = 60.0
    seed: int = 0
    listener: Listener | None = None
    name: ClassVar[str] = "local-search"

    def extract(self, problem: Problem) -> Extraction:
        """One node per class that the roots need.

        Raises:
            ExtractionError: a root has no finite acyclic term.

        >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
        >>> LocalSearch().extract(shared).dag_cost
        9.0
        """
        return extract_by_parts(problem, self.improve, self.seconds, self.listener)

    def improve(self, part: Incumbent) -> None:
        """Improves one part."""
        draw = Random(self.seed)
        steps = self.swaps * part.problem.node_count // ROUNDS
        for _ in range(ROUNDS):
            if part.seconds_left <= 0 or part.is_optimal:
                return
            _Annealing(part, draw).run(steps)


class _Annealing:
    """One round of cooling."""

    def __init__(self, part: Incumbent, draw: Random) -> None:
        problem = part.problem
        self.part = part
        self.draw = draw
        kept = part.choice != NOT_CHOSEN
        self.policy = IncrementalChoice(problem, np.where(kept, part.choice, greedy_choice(problem)))
        usable = problem.usage.usable
        rows = [[node for node in nodes if usable[node]] for nodes in problem.nodes_by_class]
        self.alternatives = {owner: nodes for owner, nodes in enumerate(rows) if len(nodes) > 1}
        self.owners = list(self.alternatives)
        costs = np.abs(problem.node_cost[np.isfinite(problem.node_cost) & (problem.node_cost != 0)])
        self.scale = float(costs.mean()) if len(costs) else 1.0

    def run(self, steps: int) -> None:
        if not self.owners:
            return
        for _ in range(int(len(self.owners) * DESTROYED)):
            self.swap(math.inf)
        for step in range(steps):
            if step % LOOK == 0 and self.part.seconds_left <= 0:
                return
            self.swap(self.scale * HOTTEST * (COLDEST / HOTTEST) ** (step / steps))
            if self.policy.cost < self.part.dag_cost - 1e-9 * max(1.0, abs(self.part.dag_cost)):
                self.part.offer(self.policy.choice())
                if self.part.is_optimal:
                    return

    def swap(self, temperature: float) -> None:
        """Tries one swap; a loss is taken the sooner, the hotter it is."""
        policy, draw = self.policy, self.draw
        owner = self.owners[int(draw.random() * len(self.owners))]
        nodes = self.alternatives[owner]
        before, cost = policy.node[owner], policy.cost
        node = nodes[int(draw.random() * len(nodes))]
        if node == before or not policy.swap(owner, node):
            return
        loss = policy.cost - cost
        if loss > 0 and draw.random() >= math.exp(-loss / temperature):
            policy.swap(owner, before)
