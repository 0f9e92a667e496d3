"""Minimizes a quadratic form over signs, with a proof: branch and bound on its semidefinite relaxation, which inequalities tighten.

The relaxation is solved in its dual: a diagonal and a weight for each inequality are subtracted from the matrix of the form, so that no
negative eigenvalue is left. Negative eigenvalues are penalized instead of forbidden, which makes the dual a smooth function (Malick and Roupin,
"On the bridge between combinatorial optimization and nonlinear optimization", 2013; Krislock, Malick and Roupin, "BiqCrunch", 2017). The least
eigenvalue then proves a bound, even if the dual was not solved exactly. Where inequalities raise the bound too little, the problem is split:
two signs are equal in one branch and opposite in the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.bounds.pairs.hypermetric import (
    Inequalities,
    different,
    violated_extensions,
    violated_triangles,
)
from eqsat.extract.bounds.pairs.semidefinite import (
    QuadraticForm,
    choice_of,
    proved_bound,
    quadratic_form,
)
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Floats, Problem

MOST_SIGNS = 300  # eigenvalues and triangle inequalities take cubic time
_STEPS = 35  # steps of the minimization between two searches for violated inequalities
_MOST_FOUND = 600  # the most inequalities of each kind that one search adds
_USED = 1e-6  # inequalities of smaller weight are dropped
_BLUR = 0.2  # the share of the gap between cost and bound by which the penalty may weaken the bound
_COOLING = 0.7  # the factor of the blur from one round to the next
_PATIENCE = 3  # branch if the wanted bound is more than this many gains of the last round away


@dataclass(slots=True, eq=False)
class Relaxation:
    """The relaxation of one branch, in which some signs follow others and the rest are free.

    Attributes:
        form: the cost as a function of the free signs.
        expansion: (signs, free signs); each row has one nonzero entry: 1 or -1 at the free sign that this sign follows.
        diagonal: is subtracted from the diagonal of the matrix.
        inequalities: the inequalities in use, as columns.
        weights: the factor of each inequality in the matrix that is subtracted; not negative.
        bound: a lower bound on the form in this branch.
        blur: the amount by which the penalty may weaken the bound.
        gain: the amount by which the last round raised the bound.
        rounds: the number of rounds so far.
        products: inner products of unit vectors that nearly solve the relaxation; the identity before the first round.
    """

    form: QuadraticForm
    expansion: Floats
    diagonal: Floats
    inequalities: Inequalities
    weights: Floats
    bound: float
    blur: float
    gain: float = inf
    rounds: int = 0
    products: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.products = np.eye(len(self.form.matrix))

    @staticmethod
    def of(form: QuadraticForm) -> Relaxation:
        """The relaxation in which all signs are free, without inequalities."""
        size = len(form.matrix)
        least = float(np.linalg.eigvalsh(form.matrix)[0])
        return Relaxation(form, np.eye(size), np.full(size, least), np.zeros((size, 0), np.int8), np.zeros(0),
                          form.constant + size * least, -size * least)  # fmt: skip

    def tighten(self, best: float) -> None:
        """Runs one round: raises the bound, drops inequalities without weight and adds violated ones. `best` is the cost of the best known choice."""
        before = self.bound
        self.blur = max(_COOLING * self.blur, _BLUR * (best - self.bound))
        self._ascend()
        self.gain = self.bound - before
        self.rounds += 1
        used = self.weights > _USED
        kept = self.inequalities[:, used]
        triangles = violated_triangles(self.products, _MOST_FOUND)
        cliques = violated_extensions(self.products, np.hstack([kept, triangles]), _MOST_FOUND)
        found = np.hstack([kept, triangles, cliques])
        places = [place for place in different(found) if place >= kept.shape[1]]
        self.inequalities = np.hstack([kept, found[:, places]])
        self.weights = np.concatenate([self.weights[used], np.zeros(len(places))])

    def _ascend(self) -> None:
        """Maximizes the sum of the diagonal and the weights, less (negative eigenvalues)² / (2 * penalty)."""
        from scipy import optimize

        minimize: Any = optimize.minimize  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

        size = len(self.form.matrix)
        penalty = 2 * self.blur / size**2
        owner, cell, value = entries_of_squares(self.inequalities)

        def descend(dual: Floats) -> tuple[float, Floats]:
            rest = self.form.matrix.copy()
            rest -= np.bincount(cell, value * dual[size:][owner], size * size).reshape(size, size)
            rest.flat[:: size + 1] -= dual[:size]
            values, vectors = np.linalg.eigh(rest)
            total = float(dual.sum())
            self.bound = max(self.bound, self.form.constant + total + size * min(0.0, float(values[0])))
            negative = values < 0
            values, vectors = values[negative], vectors[:, negative]
            self.products = (vectors * (values / -penalty)) @ vectors.T
            squares = np.bincount(owner, value * self.products.ravel()[cell], len(self.weights))
            slope = np.concatenate([self.products.diagonal(), squares.astype(np.float64)]) - 1
            return float(values @ values) / (2 * penalty) - total, slope

        start = np.concatenate([self.diagonal, self.weights])
        limits = [(None, None)] * size + [(0, None)] * len(self.weights)
        found: Floats = minimize(
            descend, start, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": _STEPS}
        ).x
        self.diagonal, self.weights = found[:size], found[size:]
        length = np.sqrt(np.maximum(self.products.diagonal(), 1e-9))
        self.products = self.products / np.outer(length, length)

    def branches(self) -> Iterator[Relaxation]:
        """Splits the branch: two signs are equal in one half and opposite in the other. Takes a pair with large entries and an uncertain product."""
        weight = np.abs(self.form.matrix).sum(axis=1)
        doubt = np.triu(1 + (1 - self.products**2) * np.minimum.outer(weight, weight), 1)
        one, other = np.unravel_index(int(doubt.argmax()), doubt.shape)
        for sign in (1, -1):
            fold = np.delete(np.eye(len(weight)), other, axis=1)
            fold[other] = sign * fold[one]
            matrix = fold.T @ self.form.matrix @ fold
            own = matrix.diagonal().copy()
            np.fill_diagonal(matrix, 0)
            yield Relaxation(
                QuadraticForm(matrix, self.form.constant + float(own.sum())),
                self.expansion @ fold,
                np.abs(fold).T @ self.diagonal - own,
                (fold.T @ self.inequalities).astype(np.int8),
                self.weights,
                self.bound,
                self.blur,
            )

    def rounded(self) -> Floats:
        """Signs near to the solution of the relaxation, for all roots; the first one is 1."""
        nearest = np.linalg.eigh(self.products)[1][:, -1]
        signs = self.expansion @ np.where(nearest < 0, -1.0, 1.0)
        return signs * signs[0]


def entries_of_squares(inequalities: Inequalities) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """The nonzero entries of b bᵀ for each column b, as three arrays: the index of the column, the place in the flat matrix, the value."""
    size, count = inequalities.shape
    owner, place = np.nonzero(inequalities.T)
    sign = inequalities.T[owner, place].astype(np.float64)
    entries = np.bincount(owner, minlength=count)
    start = np.cumsum(entries) - entries
    repeats = entries[owner]
    first = np.repeat(np.arange(len(owner)), repeats)
    second = start[owner[first]] + np.arange(len(first)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return owner[first], place[first] * size + place[second], sign[first] * sign[second]


def is_branched(problem: Problem) -> bool:
    """Whether the cost is a quadratic form in signs that is small enough for branch and bound."""
    return _form(problem) is not None


def branch_on_signs(part: Incumbent) -> None:
    """Finds and proves the best choice of a part that `is_branched`, or raises its bound until the time is over; does nothing to other parts."""
    from threadpoolctl import threadpool_limits

    form = _form(part.problem)
    if form is not None:
        with threadpool_limits(1):  # on matrices this small, threads would mostly wait for each other
            _branch(part, form)


def _form(problem: Problem) -> QuadraticForm | None:
    form = quadratic_form(problem)
    return form if form is not None and len(form.matrix) <= MOST_SIGNS else None


def _branch(part: Incumbent, form: QuadraticForm) -> None:
    """Repeatedly takes the branch with the least bound, and tightens it, or splits it if tightening helps too little."""
    step = part.problem.grain  # different costs differ by at least this
    left: list[Relaxation] = [Relaxation.of(form)]
    while left and part.seconds_left > 0:
        lowest = min(left, key=lambda each: each.bound)
        missing = part.dag_cost - step - lowest.bound
        if lowest.rounds < 2 or lowest.gain * _PATIENCE >= missing > 0:
            lowest.tighten(part.dag_cost)
            changed = [lowest]
        else:
            left.remove(lowest)
            changed = list(lowest.branches())
            left += [each for each in changed if len(each.form.matrix) > 1]
        for each in changed:
            part.offer(choice_of(part.problem, each.rounded()))
        left = [each for each in left if proved_bound(part.problem, each.bound) < part.dag_cost]
        part.raise_bound(min([part.dag_cost, *(proved_bound(part.problem, each.bound) for each in left)]))
