"""The result of an extractor: a choice, its tree cost and DAG cost, and a lower bound. Also its reports of progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eqsat.errors import ExtractionError
from eqsat.extract.problem.problem import Integers, Problem

LARGEST = 1e300  # tree costs grow exponentially with depth; they saturate here, before float64 overflows
NOT_CHOSEN = -1
TOLERANCE = 1e-9  # relative; costs are sums of up to 1e5 terms in any order


@dataclass(frozen=True, slots=True)
class Progress:
    """A report of an extractor while it improves its choice.

    Attributes:
        seconds: wall time since the start.
        dag_cost: of the best choice so far.
        lower_bound: no choice has a smaller DAG cost.
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
        tree_cost: of the roots' terms, shared terms paid at each use; saturates at 1e300.
        dag_cost: of the chosen nodes, each counted once.
        lower_bound: no valid choice has a smaller DAG cost.
        seconds: time spent, the bound included.
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
            ExtractionError: the choice is not valid: it misses a class that is needed, or a class needs itself.
        """
        order = chosen_classes(problem, choice)
        reached = np.full(problem.class_count, NOT_CHOSEN, np.int32)
        reached[order] = choice[order]
        tree, dag = _costs(problem, reached, order)
        if dag < lower_bound <= dag + _rounding(dag):
            lower_bound = dag
        return Extraction(problem, reached, tree, dag, lower_bound, seconds)

    @property
    def gap(self) -> float:
        """The part of the DAG cost that a cheaper choice could save at most; 0 if the choice is proved optimal."""
        difference = self.dag_cost - self.lower_bound
        return 0.0 if self.optimal else difference / max(abs(self.dag_cost), TOLERANCE)

    @property
    def optimal(self) -> bool:
        """Whether the bound proves that no choice has a smaller DAG cost."""
        return self.dag_cost - self.lower_bound <= _rounding(self.dag_cost)

    def validate(self) -> None:
        """Recomputes everything from the choice, and checks it.

        Raises:
            ExtractionError: a class that is needed has no node or another class's, a class needs itself, a class is chosen
                that nothing needs, or a cost is not what the choice costs.
        """
        order = chosen_classes(self.problem, self.choice)
        unneeded = set(np.flatnonzero(self.choice != NOT_CHOSEN).tolist()) - set(order)
        if unneeded:
            raise ExtractionError(
                f"class {self._name(min(unneeded))} is chosen but no root reaches it; drop it"
            )
        tree, dag = _costs(self.problem, self.choice, order)
        for name, stated, actual in (("tree", self.tree_cost, tree), ("DAG", self.dag_cost, dag)):
            if abs(stated - actual) > _rounding(actual):
                raise ExtractionError(
                    f"the {name} cost is stated as {stated}, but it is {actual}; recompute it"
                )
        if self.lower_bound > dag + _rounding(dag):
            raise ExtractionError(
                f"the lower bound {self.lower_bound} is above this choice's cost {dag}; the bound is wrong"
            )

    def _name(self, owner: int) -> str:
        return repr(self.problem.class_names[owner])


def _rounding(cost: float) -> float:
    """The largest difference between sums of the same costs in different orders."""
    return TOLERANCE * max(1.0, abs(cost))


def chosen_classes(problem: Problem, choice: Integers) -> list[int]:
    """The classes that the roots reach through `choice`, each after the classes it needs.

    Raises:
        ExtractionError: a needed class has no node, or one of another class, or needs itself.
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


def _costs(problem: Problem, choice: Integers, order: list[int]) -> tuple[float, float]:
    """The tree cost and the DAG cost of a choice."""
    chosen: list[int] = choice.tolist()
    own: list[float] = problem.node_cost.tolist()
    tree = dict[int, float]()
    for owner in order:
        node = chosen[owner]
        total = own[node]
        for child in problem.child_rows[node]:
            total += tree[child]
        tree[owner] = min(max(total, -LARGEST), LARGEST)
    roots = sum(tree[root] for root in problem.roots.tolist())
    return min(max(roots, -LARGEST), LARGEST), float(np.sum(problem.node_cost[choice[order]]))
