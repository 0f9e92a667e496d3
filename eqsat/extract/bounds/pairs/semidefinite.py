"""Computes a lower bound for problems in which each root has two nodes and at most two choices share a leaf: maximum cut, maximum 2-satisfiability.

The cost of a choice is then a quadratic form in signs, one sign for each root. With unit vectors instead of signs, minimizing it is a semidefinite
program (Goemans and Williamson, "Improved approximation algorithms for maximum cut and satisfiability problems", 1995), which is solved by
updating one vector at a time (Wang, Chang and Kolter, "The mixing method", 2018). From the vectors follows a diagonal matrix to subtract from the
matrix. The least eigenvalue of the difference then proves a bound, even if the program was not solved exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from eqsat.extract.problem.incumbent import Incumbent, safe_bound
from eqsat.extract.problem.problem import Floats, Integers, Problem
from eqsat.extract.problem.result import NOT_CHOSEN

MOST_CHOICES = 1_000  # computing eigenvalues takes cubic time
_LOOK = 10  # sweeps between two checks of the clock
_STEADY = 1e-9  # stop if the cost changes by less than this between two checks, relative to the magnitudes that it sums
_MARGIN = 1e-9  # subtracted from bounds for rounding errors, relative to the sum of all costs

Literal = tuple[int, int]  # for a node: the number of its choice, and the sign with which it is chosen


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticForm:
    """The function constant + x @ matrix @ x of a vector x of signs.

    Attributes:
        matrix: symmetric, with a zero diagonal; row 0 belongs to a sign that is always 1.
    """

    matrix: Floats
    constant: float

    def relaxed(self) -> Iterator[Floats]:
        """Minimizes the form over unit vectors in place of signs; yields them as rows after each sweep, in one array that is updated in place."""
        size = len(self.matrix)
        # At this rank, no local minimum is worse than the global one (Barvinok; Pataki)
        rank = min(size, ceil((2 * size) ** 0.5) + 1)
        vectors = np.random.default_rng(0).standard_normal((size, rank))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        while True:
            for place, row in enumerate(self.matrix):
                pull = row @ vectors
                if (length := np.linalg.norm(pull)) > 0:
                    vectors[place] = pull / -length
            yield vectors

    def at(self, vectors: Floats) -> float:
        """The value of the form with the rows of `vectors` in place of signs."""
        return self.constant + float(np.sum(vectors * (self.matrix @ vectors)))

    def bound(self, vectors: Floats) -> float:
        """A lower bound on the form over all signs; the better the vectors solve the relaxation, the greater it is."""
        diagonal = -np.linalg.norm(self.matrix @ vectors, axis=1)
        least = float(np.linalg.eigvalsh(self.matrix - np.diag(diagonal))[0])
        return self.constant + float(diagonal.sum()) + len(diagonal) * min(0.0, least)


def raise_bound_by_relaxation(part: Incumbent) -> None:
    """Raises the lower bound of a part whose cost is a `quadratic_form`; does nothing to other parts."""
    form = quadratic_form(part.problem)
    if form is None:
        return
    before = np.inf
    steady = _STEADY * (abs(form.constant) + float(np.abs(form.matrix).sum()))
    for sweep, vectors in enumerate(form.relaxed()):
        if sweep % _LOOK == _LOOK - 1:
            value = form.at(vectors)
            if part.seconds_left <= 0 or before - value <= steady:
                part.raise_bound(proved_bound(part.problem, form.bound(vectors)))
                return
            before = value


def proved_bound(problem: Problem, bound: float) -> float:
    """Makes a computed lower bound safe against rounding errors."""
    costs = problem.node_cost[np.isfinite(problem.node_cost)]
    return safe_bound(problem, bound, _MARGIN * float(np.abs(costs).sum()))


def choice_of(problem: Problem, signs: Floats) -> Integers:
    """Turns signs into a choice: a root takes its first node for 1 and its second for -1; any other class takes its only node."""
    nodes = problem.usable_nodes
    choice = np.array([found[0] if found else NOT_CHOSEN for found in nodes], np.int32)
    for root, sign in zip(problem.roots.tolist(), signs[1:], strict=True):
        choice[root] = nodes[root][0 if sign > 0 else 1]
    return choice


def quadratic_form(problem: Problem) -> QuadraticForm | None:
    """Writes the cost of a choice as a quadratic form in signs; returns None if the problem is not of the right kind.

    Each root must have two nodes. All their children must be classes with one node, which has no children, and at most two nodes may share a child.
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
    """Adds a cost that is paid if at least one of the one or two literals is chosen. Returns the constant part, which is not in the matrix."""
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
    """The two nodes of each root as literals, choices counted from 1. Empty if some root does not have two nodes, or if there are too many roots."""
    roots: list[int] = problem.roots.tolist()
    nodes = [problem.usable_nodes[root] for root in roots]
    if len(nodes) > MOST_CHOICES or any(len(pair) != 2 for pair in nodes):
        return {}
    return {
        node: (choice, sign)
        for choice, pair in enumerate(nodes, start=1)
        for node, sign in zip(pair, (1, -1), strict=True)
    }


def _leaves(problem: Problem, literals: Mapping[int, Literal]) -> dict[int, list[Literal]] | None:
    """Maps the only node of each child class to the literals that need it. Returns None if a child class has a choice, or its node has children."""
    found: dict[int, list[Literal]] = {}
    for node, literal in literals.items():
        for child in problem.usage.distinct[node]:
            leaves = problem.usable_nodes[child]
            if len(leaves) != 1 or problem.usage.distinct[leaves[0]]:
                return None
            found.setdefault(leaves[0], []).append(literal)
    return found
