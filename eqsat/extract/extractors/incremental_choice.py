"""A choice that changes one e-class at a time and keeps its DAG cost up to date; local search works on it."""

from __future__ import annotations

import numpy as np

from eqsat.extract.problem.problem import Integers, Problem
from eqsat.extract.problem.result import NOT_CHOSEN
from eqsat.extract.reductions.components import cyclic_groups


class IncrementalChoice:
    """A node for each class, even for classes that no root needs. No class ever needs itself.

    Attributes:
        node: per class, its node; -1 if the class has no usable node.
        users: per class, the number of needed classes and roots that need it.
        cost: the DAG cost, which is the sum over the nodes of the needed classes.
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
            self._count(root, 1)

    def swap(self, owner: int, node: int) -> bool:
        """Changes the node of a class. If the class would then need itself, changes nothing and returns False."""
        if self.may_cycle and self._reaches(node, owner):
            return False
        before, self.node[owner] = self.node[owner], node
        if self.users[owner]:
            self.cost += self.costs[node] - self.costs[before]
            for child in self.rows[node]:
                self._count(child, 1)
            for child in self.rows[before]:
                self._count(child, -1)
        return True

    def choice(self) -> Integers:
        """The node of each needed class; -1 for the others."""
        needed = np.array(self.users) > 0
        return np.where(needed, np.array(self.node), NOT_CHOSEN).astype(np.int32)

    def _count(self, owner: int, change: int) -> None:
        """Adds `change`, which is 1 or -1, to the users of a class; if it begins or ceases to be needed, also to the users of its children."""
        stack = [owner]
        while stack:
            current = stack.pop()
            before = self.users[current]
            self.users[current] = before + change
            if not before or not before + change:
                self.cost += change * self.costs[self.node[current]]
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
