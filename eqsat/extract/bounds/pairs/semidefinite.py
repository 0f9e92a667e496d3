"""A lower bound where all depends on choices between two nodes each, which share leaves in pairs: maximum cut, maximum 2-satisfiability.

The cost is then a quadratic form in signs, one for each choice. With unit vectors instead of signs it is a semidefinite program (Goemans and
Williamson, "Improved approximation algorithms for maximum cut and satisfiability problems", 1995), which is solved one vector after the other
(Wang, Chang and Kolter, "The mixing method", 2018). The vectors say what to subtract from the diagonal; the least eigenvalue of the rest then
proves a bound, however well the program was solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Floats, Integers, Problem
from eqsat.extract.problem.result import NOT_CHOSEN

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
    literals = _literals(problem)
    shared = _leaves(problem, literals)
    if not literals or shared is None or any(len(found) > 2 for found in shared.values()):
        return None
    costs: list[float] = problem.node_cost.tolist()
    matrix = np.zeros((len(problem.roots) + 1, len(problem.roots) + 1))
    constant = sum(_add(matrix, costs[node], [literal]) for node, literal in literals.items())
    constant += sum(_add(matrix, costs[leaf], found) for leaf, found in shared.items())
    return QuadraticForm((matrix + matrix.T) / 2, constant)


def _add(matrix: Floats, cost: float, literals: Sequence[Literal]) -> float:
    """Adds a cost that is paid where one of one or two literals is chosen; the constant part, which is not in the matrix."""
    (one, first), *others = literals
    if not others:
        matrix[0, one] += first * cost / 2
        return cost / 2
    ((other, second),) = others
    if one == other:  # both nodes of one choice
        return cost
    matrix[0, one] += first * cost / 4
    matrix[0, other] += second * cost / 4
    matrix[one, other] -= first * second * cost / 4
    return cost * 3 / 4


def _literals(problem: Problem) -> dict[int, Literal]:
    """The two nodes of each root as literals, choices counted from 1; none if a root has not two nodes."""
    nodes = [_usable(problem, root) for root in problem.roots.tolist()]
    if len(nodes) > MOST_CHOICES or any(len(pair) != 2 for pair in nodes):
        return {}
    return {
        node: (choice, sign)
        for choice, pair in enumerate(nodes, start=1)
        for node, sign in zip(pair, (1, -1), strict=True)
    }


def _leaves(problem: Problem, literals: Mapping[int, Literal]) -> dict[int, list[Literal]] | None:
    """The only nodes of the literals' children, and which literals need each; None if a child has a choice or children itself."""
    found: dict[int, list[Literal]] = {}
    for node, literal in literals.items():
        for child in problem.usage.distinct[node]:
            leaves = _usable(problem, child)
            if len(leaves) != 1 or problem.usage.distinct[leaves[0]]:
                return None
            found.setdefault(leaves[0], []).append(literal)
    return found


def _usable(problem: Problem, owner: int) -> list[int]:
    return [node for node in problem.nodes_by_class[owner] if problem.usage.usable[node]]
