"""Local search: improves a choice by changing the e-node of one e-class at a time, and accepts a worse change now and then."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import numpy as np

from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.greedy_dag import greedy_choice
from eqsat.extract.extractors.incremental_choice import IncrementalChoice
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Integers
from eqsat.extract.problem.result import NOT_CHOSEN, Listener

ROUNDS = 4  # the number of rounds of cooling; each begins with the best choice, in which some classes get random nodes
DESTROYED = 0.05  # the share of the classes that get random nodes
HOTTEST = 1.0  # the first temperature, in mean costs of a node: a loss of this size is accepted now and then
COLDEST = 0.02  # the last temperature, in mean costs of a node
LAG = (
    0.05  # share of a round's time by which the swaps may be late until the clock says how far the cooling is
)
LOOK = 256  # the number of swaps between two checks of the clock


@dataclass(frozen=True)
class LocalSearch(ByComponent):
    """Minimizes the DAG cost by simulated annealing over single swaps, starting from the greedy choice.

    >>> from eqsat.extract import Problem
    >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
    >>> LocalSearch().extract(shared).dag_cost
    9.0

    Attributes:
        swaps: the number of tried swaps for each node of a part.
        seconds: limit of wall time; if it ends the search, the result depends on the speed of the machine.
        seed: the seed of the random numbers.
        listener: is called whenever the choice improves.
    """

    swaps: int = 400
    seconds: float = 60.0
    seed: int = 0
    listener: Listener | None = None
    name: ClassVar[str] = "local-search"

    def improve(self, part: Incumbent) -> None:
        """Improves the choice of one part."""
        draw, fallback = Random(self.seed), greedy_choice(part.problem)
        steps = self.swaps * part.problem.node_count // ROUNDS
        for done in range(ROUNDS):
            if part.seconds_left <= 0 or part.is_optimal:
                return
            with part.within(1 / (ROUNDS - done)):
                _Annealing(part, draw, fallback).run(steps)


class _Annealing:
    """One round of simulated annealing."""

    def __init__(self, part: Incumbent, draw: Random, fallback: Integers) -> None:
        problem = part.problem
        self.part = part
        self.draw = draw
        kept = part.choice != NOT_CHOSEN
        self.policy = IncrementalChoice(problem, np.where(kept, part.choice, fallback))
        rows = enumerate(problem.usable_nodes)
        self.alternatives = {owner: nodes for owner, nodes in rows if len(nodes) > 1}
        self.owners = list(self.alternatives)
        costs = np.abs(problem.node_cost[np.isfinite(problem.node_cost) & (problem.node_cost != 0)])
        self.scale = float(costs.mean()) if len(costs) else 1.0

    def run(self, steps: int) -> None:
        if not self.owners:
            return
        for _ in range(int(len(self.owners) * DESTROYED)):
            self.swap(math.inf)
        allotted = self.part.seconds_left
        wanted = self.part.dag_cost - self.part.rounding
        temperature = self.scale * HOTTEST
        for step in range(steps):
            if step % LOOK == 0:
                left = self.part.seconds_left
                if left <= 0:
                    return
                # If the time does not suffice for all steps, cools down by the clock; else the clock changes nothing
                done = max(step / steps, 1 - (1 + LAG) * left / allotted)
                temperature = self.scale * HOTTEST * (COLDEST / HOTTEST) ** done
            self.swap(temperature)
            if self.policy.cost < wanted:
                self.part.offer(self.policy.choice())
                if self.part.is_optimal:
                    return
                wanted = self.part.dag_cost - self.part.rounding

    def swap(self, temperature: float) -> None:
        """Tries one random swap. The higher the temperature, the likelier a loss is accepted."""
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
