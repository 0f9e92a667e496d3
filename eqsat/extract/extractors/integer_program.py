"""Extraction as an integer program, for any solver.

A variable for each node (it is chosen) and for each class (it is needed). A class that is needed has one node. Of the nodes of a class that need
another class d, at most one is chosen, so all of them together are at most d: tighter than one row for each node. A class is needed only where a
chosen node needs it, which matters where costs are negative. Cycles are forbidden by rows that are added as they are found, since few of them matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True, eq=False)
class IntegerProgram:
    """Minimizes costs · v over 0 <= v <= 1 under rows. Variables: nodes, then classes.

    Attributes:
        problem: whose nodes all are usable.
        costs: of each variable.
        required: the classes that are needed.
        rows: the constraints but for cycles.
    """

    problem: Problem
    costs: NDArray[np.float64] = field(init=False)
    required: list[int] = field(init=False)
    rows: list[Row] = field(init=False)

    def __post_init__(self) -> None:
        problem = self.problem
        costs = np.concatenate([problem.node_cost, np.zeros(problem.class_count)])
        object.__setattr__(self, "costs", costs)
        object.__setattr__(self, "required", [self.class_column(root) for root in problem.roots.tolist()])
        object.__setattr__(
            self, "rows", [row for owner in range(problem.class_count) for row in self._rows_of(owner)]
        )

    def class_column(self, owner: int) -> int:
        """The variable of a class."""
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
        """The rows that forbid the classes of a loop to be needed without its support."""
        nodes = support(self.problem, loop)
        signs = [1] + [-1] * len(nodes)
        return [Row([self.class_column(owner), *nodes], signs, -INFINITE, 0) for owner in sorted(loop)]

    def choice(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The node of each class that whole values choose."""
        choice = np.full(self.problem.class_count, NOT_CHOSEN, np.int32)
        chosen = np.flatnonzero(values[: self.problem.node_count] > 0.5)
        choice[self.problem.node_class[chosen]] = chosen
        return choice

    def values(self, choice: NDArray[np.int32]) -> NDArray[np.float64]:
        """The variables that a choice stands for."""
        values = np.zeros(len(self.costs))
        owners = np.flatnonzero(choice != NOT_CHOSEN)
        values[choice[owners]] = 1
        values[self.problem.node_count + owners] = 1
        return values
