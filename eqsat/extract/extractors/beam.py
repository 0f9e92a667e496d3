"""Beam search: retains several candidate terms for each class."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from typing import ClassVar, NamedTuple

import numpy as np

from eqsat.extract.extractors.bit_sets import indices_of, weight
from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.problem.cheapest_first import settle
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.result import NOT_CHOSEN, Listener


class Candidate(NamedTuple):
    """A candidate term of a class.

    Attributes:
        cost: the sum of the costs of its nodes, each counted once.
        nodes: its nodes, as a bit set.
        classes: the classes of the nodes, as a bit set; there are as many as nodes, since a term has one node for each class.
    """

    cost: float
    nodes: int
    classes: int


@dataclass(frozen=True)
class Beam(ByComponent):
    """Minimizes the DAG cost like `GreedyDag`, but retains the `width` cheapest candidate terms of each class.

    A node tries all combinations of its children's candidates that agree on the node of every class.

    >>> from eqsat.extract import Problem
    >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
    >>> Beam().extract(shared).dag_cost
    9.0

    Attributes:
        width: the number of candidates that each class retains.
        seconds: limit of wall time; parts of the problem for which there is no time keep the greedy choice.
        listener: is called whenever the choice improves.
    """

    width: int = 4
    seconds: float = 60.0
    listener: Listener | None = None
    name: ClassVar[str] = "beam"

    def improve(self, part: Incumbent) -> None:
        """Improves the choice of one part."""
        _Search(part, self.width).run()


class _OutOfTimeError(Exception):
    """The deadline of a part has passed."""


class _Search:
    def __init__(self, part: Incumbent, width: int) -> None:
        self.part = part
        self.problem = part.problem
        self.width = width
        self.costs = part.problem.node_cost
        self.owners: list[int] = part.problem.node_class.tolist()
        self.of_node: dict[int, list[Candidate]] = {}
        self.of_class: dict[int, list[Candidate]] = {}

    def run(self) -> None:
        try:
            settle(self.problem, self.evaluate, self.accept)
            joined = self.join([Candidate(0.0, 0, 0)], self.problem.roots.tolist())
        except _OutOfTimeError:
            return
        for candidate in joined[:1]:
            choice = np.full(self.problem.class_count, NOT_CHOSEN, np.int32)
            nodes = indices_of(candidate.nodes)
            choice[self.problem.node_class[nodes]] = nodes
            self.part.offer(choice)

    def evaluate(self, node: int) -> float:
        if self.part.seconds_left <= 0:
            raise _OutOfTimeError
        own = Candidate(float(self.costs[node]), 1 << node, 1 << self.owners[node])
        self.of_node[node] = self.join([own], self.problem.usage.distinct[node])
        return self.of_node[node][0].cost if self.of_node[node] else np.inf

    def accept(self, owner: int, node: int) -> None:
        known = [each for own in self.problem.nodes_by_class[owner] for each in self.of_node.pop(own, ())]
        self.of_class[owner] = nsmallest(self.width, known)

    def join(self, candidates: list[Candidate], children: tuple[int, ...] | list[int]) -> list[Candidate]:
        """The cheapest unions of a candidate with one candidate of each child."""
        for child in children:
            joined = {
                union
                for one in candidates
                for other in self.of_class[child]
                if (union := self.union(one, other)) is not None
            }
            candidates = nsmallest(self.width, joined)
        return candidates

    def union(self, one: Candidate, other: Candidate) -> Candidate | None:
        """The union of two terms; None if they choose different nodes for a class."""
        nodes, classes = one.nodes | other.nodes, one.classes | other.classes
        if nodes.bit_count() != classes.bit_count():
            return None
        shared = one.nodes & other.nodes
        return Candidate(one.cost + other.cost - weight(shared, self.costs), nodes, classes)
