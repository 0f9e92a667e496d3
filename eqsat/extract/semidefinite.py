"""A lower bound where all depends on choices between two nodes each, which share leaves in pairs: maximum cut, maximum 2-satisfiability.

The cost is then a quadratic form in signs, one for each choice. With unit vectors instead of signs it is a semidefinite program (Goemans and
Williamson, "Improved approximation algorithms for maximum cut and satisfiability problems", 1995), which is solved one vector after the other
(Wang, Chang and Kolter, "The mixing method", 2018). The vectors say what to subtract from the diagonal; the least eigenvalue of the rest then
proves a bound, however well the program was solved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np

from eqsat.extract.parts import Incumbent
from eqsat.extract.problem import Floats, Integers, Problem
from eqsat.extract.result import NOT_CHOSEN

MOST_CHOICES = 1_000  # eigenvalues take cubic time
_LOOK = 10  # sweeps between two looks at the clock
_STEADY = 1e-9  # relative change of the cost within these, at which it has settled
_MARGIN = 1e-9  # of all costs together, for rounding errors

Literal = tuple[int, int]  # a choice, and the sign that it has where the node is chosen


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticForm:
    """constant + x @ matrix @ x, for signs x.

    Attributes:
        matrix: symmetric, its diagonal zero; its first row stands for the sign that is always 1.
    """

    matrix: Floats
    constant: float

    def relaxed(self) -> Iterator[Floats]:
        """Unit vectors in place of signs, as rows, for which the form gets less and less."""
        size = len(self.matrix)
        rank = min(
            size, ceil((2 * size) ** 0.5) + 1
        )  # enough that no local minimum is worse than the least (Barvinok; Pataki)
        vectors = np.random.default_rng(0).standard_normal((size, rank))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        while True:
            for place, row in enumerate(self.matrix):
                pull = row @ vectors
                if (length := np.linalg.norm(pull)) > 0:
                    vectors[place] = pull / -length
            yield vectors

    def at(self, vectors: Floats) -> float:
        """The value of the form at unit vectors."""
        return self.constant + float(np.sum(vectors * (self.matrix @ vectors)))

    def bound(self, vectors: Floats) -> float:
        """What no signs go below; the better the vectors, the greater."""
        diagonal = -np.linalg.norm(self.matrix @ vectors, axis=1)
        least = float(np.linalg.eigvalsh(self.matrix - np.diag(diagonal))[0])
        return self.constant + float(diagonal.sum()) + len(diagonal) * min(0.0, least)


def raise_bound_by_relaxation(part: Incumbent) -> None:
    """Raises the lower bound of a part of this form; does nothing to other parts."""
    form = quadratic_form(part.problem)
    if form is None:
        return
    before = np.inf
    for sweep, vectors in enumerate(form.relaxed()):
        if sweep % _LOOK == _LOOK - 1:
            value = form.at(vectors)
            if part.seconds_left <= 0 or before - value <= _STEADY * abs(value):
                part.raise_bound(proved_bound(part.problem, form.bound(vectors)))
                return
            before = value


def proved_bound(problem: Problem, bound: float) -> float:
    """What no choice costs less than, if a bound was computed: without what rounding errors may have added; whole costs have whole sums."""
    bound -= _MARGIN * float(np.abs(problem.node_cost[np.isfinite(problem.node_cost)]).sum())
    return float(ceil(bound)) if has_whole_costs(problem) else bound


def has_whole_costs(problem: Problem) -> bool:
    """Whether all costs are whole numbers."""
    return np.array_equal(problem.node_cost, np.rint(problem.node_cost))


def choice_of(problem: Problem, signs: Floats) -> Integers:
    """The choice that signs stand for: the first node of a root, or the second; the only node of other classes."""
    usable = problem.usage.usable
    nodes = [[node for node in found if usable[node]] for found in problem.nodes_by_class]
    choice = np.array([found[0] if found else NOT_CHOSEN for found in nodes], np.int32)
    for root, sign in zip(problem.roots.tolist(), signs[1:], strict=True):
        choice[root] = nodes[root][0 if sign > 0 else 1]
    return choice


def quadratic_form(problem: Problem) -> QuadraticForm | None:
    """The cost of all choices as a quadratic form; None if the problem has not the form for that.

    Each root has two nodes, and all their children are classes of one node without children, each of which at most two choices share.
    """
    usable, distinct = problem.usage.usable, problem.usage.distinct
    nodes = [[node for node in found if usable[node]] for found in problem.nodes_by_class]
    roots: list[int] = problem.roots.tolist()
    if len(roots) > MOST_CHOICES or any(len(nodes[root]) != 2 for root in roots):
        return None
    literals: dict[int, Literal] = {
        node: (choice, sign)
        for choice, root in enumerate(roots, start=1)
        for node, sign in zip(nodes[root], (1, -1), strict=True)
    }
    shared: dict[int, list[Literal]] = {}
    for node, literal in literals.items():
        for child in distinct[node]:
            if len(nodes[child]) != 1 or distinct[nodes[child][0]]:
                return None
            shared.setdefault(child, []).append(literal)
    matrix = np.zeros((len(roots) + 1, len(roots) + 1))
    constant = 0.0
    terms = [*((float(problem.node_cost[node]), [literal]) for node, literal in literals.items()),
             *((float(problem.node_cost[nodes[child][0]]), found) for child, found in shared.items())]  # fmt: skip
    for cost, found in terms:
        if len({choice for choice, _ in found}) < len(found) == 2:  # both nodes of one choice
            constant += cost
        elif len(found) == 1:
            constant += cost / 2
            matrix[0, found[0][0]] += found[0][1] * cost / 2
        elif len(found) == 2:
            (one, first), (other, second) = found
            constant += cost * 3 / 4
            matrix[0, one] += first * cost / 4
            matrix[0, other] += second * cost / 4
            matrix[one, other] -= first * second * cost / 4
        else:
            return None
    return QuadraticForm((matrix + matrix.T) / 2, constant)
