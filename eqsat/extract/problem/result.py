"""The result of an extractor: a choice, its tree cost and DAG cost, and a lower bound; also the reports of its progress."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eqsat.errors import ExtractionError
from eqsat.extract.problem.problem import Floats, Integers, Problem

LARGEST = 1e300  # tree costs grow exponentially with depth; they saturate here, before float64 overflows
NOT_CHOSEN = -1
TOLERANCE = 1e-9  # relative to the summed magnitudes of costs, whose sums have up to 1e5 terms in any order


@dataclass(frozen=True, slots=True)
class Progress:
    """A report of an extractor while it improves its choice.

    Attributes:
        seconds: wall time since the start.
        dag_cost: the DAG cost of the best choice so far.
        lower_bound: a lower bound on the DAG cost of every choice.
    """

    seconds: float
    dag_cost: float
    lower_bound: float


Listener = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Extraction:
    """A choice of nodes for a problem, and its cost.

    Attributes:
        problem: the problem that was solved.
        choice: (classes,) int32, the chosen node of each class that the roots reach, -1 elsewhere.
        tree_cost: the cost of the roots' terms if shared terms are paid at each use; saturates at 1e300.
        dag_cost: the cost of the chosen nodes, each counted once.
        lower_bound: a lower bound on the DAG cost of every valid choice.
        seconds: the time spent, including that for the bound.
    """

    problem: Problem
    choice: Integers
    tree_cost: float
    dag_cost: float
    lower_bound: float
    seconds: float

    @staticmethod
    def from_choice(problem: Problem, choice: Integers, lower_bound: float, seconds: float) -> Extraction:
        """Builds the extraction of a choice: drops classes that the roots do not reach, and computes the costs.

        If the lower bound is above the cost, but only by rounding, it is lowered to the cost.

        Raises:
            ExtractionError: the choice is not valid: it misses a class that is needed, or a class needs itself; or its negative costs add
                up to more than a float holds.
        """
        order = chosen_classes(problem, choice)
        reached = np.full(problem.class_count, NOT_CHOSEN, np.int32)
        reached[order] = choice[order]
        tree, dag = _costs(problem, problem.node_cost, reached, order)
        if not dag > -math.inf:
            raise ExtractionError(
                "negative costs add up to more than a float holds; divide all of them by one number"
            )
        found = Extraction(problem, reached, tree, dag, lower_bound, seconds)
        is_rounded = dag < lower_bound <= dag + found.rounding
        return replace(found, lower_bound=dag) if is_rounded else found

    @property
    def gap(self) -> float:
        """The most that a cheaper choice could save, relative to the greater magnitude of DAG cost and lower bound; 0 if the choice is optimal."""
        if self.optimal:
            return 0.0
        if np.isneginf(self.lower_bound):
            return np.inf
        return (self.dag_cost - self.lower_bound) / max(abs(self.dag_cost), abs(self.lower_bound))

    @property
    def optimal(self) -> bool:
        """Whether the bound proves that no choice has a smaller DAG cost."""
        return self.dag_cost - self.lower_bound <= self.rounding

    @cached_property
    def rounding(self) -> float:
        """The largest difference between sums of the chosen costs in different orders. It scales with the costs, so it fits every unit."""
        chosen = self.problem.node_cost[self.choice[self.choice != NOT_CHOSEN]]
        return float((TOLERANCE * np.abs(chosen)).sum())

    def validate(self) -> None:
        """Recomputes everything from the choice, and checks it.

        Raises:
            ExtractionError: a needed class has no node, or a node of another class; a class needs itself; a class is chosen
                that nothing needs; the cost is infinite; or a stated cost or the bound is wrong.
        """
        order = chosen_classes(self.problem, self.choice)
        unneeded = set(np.flatnonzero(self.choice != NOT_CHOSEN).tolist()) - set(order)
        if unneeded:
            raise ExtractionError(
                f"class {self._name(min(unneeded))} is chosen but no root reaches it; drop it"
            )
        costs = self.problem.node_cost
        tree, dag = _costs(self.problem, costs, self.choice, order)
        if not np.isfinite(dag):
            raise ExtractionError(
                f"the choice costs {dag}; choose nodes whose costs add up to a finite number"
            )
        tree_size, _ = _costs(self.problem, np.abs(costs), self.choice, order)
        for name, stated, actual, rounding in (
            ("tree", self.tree_cost, tree, TOLERANCE * tree_size),
            ("DAG", self.dag_cost, dag, self.rounding),
        ):
            if not abs(stated - actual) <= rounding:  # also if NaN is stated
                raise ExtractionError(
                    f"the {name} cost is stated as {stated}, but it is {actual}; recompute it"
                )
        if not self.lower_bound <= dag + self.rounding:
            raise ExtractionError(
                f"the lower bound {self.lower_bound} is above this choice's cost {dag}; the bound is wrong"
            )

    def _name(self, owner: int) -> str:
        return repr(self.problem.class_names[owner])


def chosen_classes(problem: Problem, choice: Integers) -> list[int]:
    """The classes that the roots reach through `choice`, each after the classes it needs.

    Raises:
        ExtractionError: a needed class has no node, has a node of another class, or needs itself.
    """
    chosen: list[int] = choice.tolist()
    done: dict[int, None] = {}
    open_classes: set[int] = set()
    roots: list[int] = problem.roots.tolist()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        owner, children_done = stack.pop()
        if children_done:
            open_classes.discard(owner)
            done[owner] = None
            continue
        if owner in done:
            continue
        if owner in open_classes:
            raise ExtractionError(
                f"class {problem.class_names[owner]!r} needs itself; choose another node on that cycle"
            )
        node = chosen[owner]
        if not 0 <= node < problem.node_count or problem.node_class[node] != owner:
            name = problem.class_names[owner]
            raise ExtractionError(
                f"class {name!r} is needed but its choice is {node}; choose one of its nodes"
            )
        open_classes.add(owner)
        stack.append((owner, True))
        stack.extend((child, False) for child in problem.child_rows[node] if child not in done)
    return list(done)


def _costs(problem: Problem, costs: Floats, choice: Integers, order: list[int]) -> tuple[float, float]:
    """The tree cost and the DAG cost of a choice, for the costs of nodes in `costs`."""
    chosen: list[int] = choice.tolist()
    own: list[float] = costs.tolist()
    tree = dict[int, float]()
    for owner in order:
        node = chosen[owner]
        total = own[node]
        for child in problem.child_rows[node]:
            total += tree[child]
        tree[owner] = min(max(total, -LARGEST), LARGEST)
    roots = sum(tree[root] for root in problem.roots.tolist())
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite sum is no cost of a choice
        dag = float(np.sum(costs[choice[order]]))
    return min(max(roots, -LARGEST), LARGEST), dag
