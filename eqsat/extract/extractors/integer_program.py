"""Writes an extraction problem as an integer program, for any solver.

There is a variable for each node (it is chosen) and for each class (it is needed). A needed class has one chosen node. At most one node of a class
is chosen, so the sum over its nodes that need another class d is at most d; this is tighter than one row for each node. A class is needed only if a
chosen node needs it, which matters if costs are negative. Rows that forbid cycles are added when solutions have cycles, because few of them matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.extractors.foundedness import Loop, support
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import NOT_CHOSEN

INFINITE = float("inf")


@dataclass(frozen=True, slots=True)
class Row:
    """lower <= sum of signs[k] * variable columns[k] <= upper; signs are 1 and -1."""

    columns: list[int]
    signs: list[int]
    lower: float
    upper: float


class IntegerProgram:
    """Minimizes costs @ v for 0 <= v <= 1, subject to the rows. The variables are the nodes, then the classes.

    Attributes:
        problem: the problem, whose nodes are all usable.
        costs: the cost of each variable.
        required: the variables of the roots' classes, which are 1.
        rows: the constraints, except those against cycles.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.costs = np.concatenate([problem.node_cost, np.zeros(problem.class_count)])
        self.required = [self.class_column(root) for root in problem.roots.tolist()]
        self.rows = [row for owner in range(problem.class_count) for row in self._rows_of(owner)]

    def class_column(self, owner: int) -> int:
        """The index of the variable of a class."""
        return self.problem.node_count + owner

    def _rows_of(self, owner: int) -> list[Row]:
        problem, column = self.problem, self.class_column(owner)
        nodes = problem.nodes_by_class[owner]
        rows = [Row([*nodes, column], [1] * len(nodes) + [-1], 0, 0)]
        needing: dict[int, list[int]] = {}
        for node in nodes:
            for child in problem.usage.distinct[node]:
                needing.setdefault(child, []).append(node)
        for child, members in needing.items():
            part = [column] if len(members) == len(nodes) else members
            rows.append(Row([self.class_column(child), *part], [1] + [-1] * len(part), 0, INFINITE))
        parents = problem.usage.parents[owner]
        if column not in self.required:
            rows.append(Row([column, *parents], [1] + [-1] * len(parents), -INFINITE, 0))
        return rows

    def founded(self, loop: Loop) -> list[Row]:
        """The rows which say that a class of the loop is needed only if a node of the loop's support is chosen."""
        nodes = support(self.problem, loop)
        signs = [1] + [-1] * len(nodes)
        return [Row([self.class_column(owner), *nodes], signs, -INFINITE, 0) for owner in sorted(loop)]

    def choice(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The choice that integer values of the variables stand for."""
        choice = np.full(self.problem.class_count, NOT_CHOSEN, np.int32)
        chosen = np.flatnonzero(values[: self.problem.node_count] > 0.5)
        choice[self.problem.node_class[chosen]] = chosen
        return choice

    def values(self, choice: NDArray[np.int32]) -> NDArray[np.float64]:
        """The values of the variables that stand for a choice."""
        values = np.zeros(len(self.costs))
        owners = np.flatnonzero(choice != NOT_CHOSEN)
        values[choice[owners]] = 1
        values[self.problem.node_count + owners] = 1
        return values
