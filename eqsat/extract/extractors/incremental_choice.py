"""A choice for every e-class that changes one e-class at a time and keeps its DAG cost up to date; local search works on it."""

from __future__ import annotations

import numpy as np

from eqsat.extract.problem.problem import Integers, Problem
from eqsat.extract.problem.result import NOT_CHOSEN
from eqsat.extract.reductions.components import cyclic_groups


class IncrementalChoice:
    """The node that each class would be written by, needed or not; no class ever needs itself.

    Attributes:
        node: per class; -1 where the class has no usable node.
        users: per class, how many needed classes (and roots) need it.
        cost: of the needed classes' nodes.
    """

    def __init__(self, problem: Problem, choice: Integers) -> None:
        self.rows = problem.usage.distinct
        self.costs: list[float] = problem.node_cost.tolist()
        self.node: list[int] = choice.tolist()
        self.users = [0] * problem.class_count
        self.cost = 0.0
        self.roots: list[int] = problem.roots.tolist()
        self.may_cycle = bool(cyclic_groups(problem))
        for root in self.roots:
            self._use(root)

    def is_needed(self, owner: int) -> bool:
        """Whether the extraction has a class."""
        return self.users[owner] > 0

    def swap(self, owner: int, node: int) -> bool:
        """Writes a class by another node; False, and nothing changed, where the class would then need itself."""
        if self.may_cycle and self._reaches(node, owner):
            return False
        before, self.node[owner] = self.node[owner], node
        if self.users[owner]:
            self.cost += self.costs[node] - self.costs[before]
            for child in self.rows[node]:
                self._use(child)
            for child in self.rows[before]:
                self._release(child)
        return True

    def choice(self) -> Integers:
        """The nodes of the classes that are needed."""
        needed = np.array(self.users) > 0
        return np.where(needed, np.array(self.node), NOT_CHOSEN).astype(np.int32)

    def _use(self, owner: int) -> None:
        stack = [owner]
        while stack:
            current = stack.pop()
            self.users[current] += 1
            if self.users[current] == 1:
                self.cost += self.costs[self.node[current]]
                stack += self.rows[self.node[current]]

    def _release(self, owner: int) -> None:
        stack = [owner]
        while stack:
            current = stack.pop()
            self.users[current] -= 1
            if not self.users[current]:
                self.cost -= self.costs[self.node[current]]
                stack += self.rows[self.node[current]]

    def _reaches(self, node: int, owner: int) -> bool:
        seen = set(self.rows[node])
        stack = list(seen)
        while stack:
            current = stack.pop()
            if current == owner:
                return True
            for child in self.rows[self.node[current]]:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return False
