"""Costs of choices that interact in pairs, as quadratic forms, and the bound of their semidefinite relaxation."""

import itertools
import math

import numpy as np
import pytest

from eqsat.extract import Extraction, Portfolio, Problem
from eqsat.extract.bounds.pairs.semidefinite import quadratic_form, raise_bound_by_relaxation
from eqsat.extract.problem.incumbent import Incumbent
from tests.extract.problems import optimum


def pairs_problem(seed, choices=6, leaves=20, whole=True):
    """Choices between two nodes each, and leaves that one or two of these nodes need."""
    draw = np.random.default_rng(seed)
    rows = [[] for _ in range(2 * choices)]
    for leaf in range(leaves):
        for node in draw.choice(2 * choices, draw.integers(1, 3), replace=False):
            rows[node].append(choices + leaf)
    costs = draw.integers(-9, 6, 2 * choices + leaves) if whole else draw.normal(-1, 3, 2 * choices + leaves)
    owners = [node // 2 for node in range(2 * choices)] + [choices + leaf for leaf in range(leaves)]
    return Problem.build(costs.tolist(), owners, rows + [[]] * leaves, roots=range(choices))


def cut_problem(edges, vertices):
    """A vertex is on one of two sides; an edge with ends on both is worth 2, another one 1."""
    rows = [[vertices + 2 * number + side for number, edge in enumerate(edges) if vertex in edge]
            for vertex in range(vertices) for side in (0, 1)]  # fmt: skip
    leaves = 2 * len(edges)
    owners = [node // 2 for node in range(2 * vertices)] + [vertices + leaf for leaf in range(leaves)]
    return Problem.build(
        [0.0] * 2 * vertices + [-1.0] * leaves, owners, rows + [[]] * leaves, roots=range(vertices)
    )


def incumbent(problem):
    return Incumbent(problem, np.zeros(problem.class_count, np.int32), math.inf, -math.inf)


@pytest.mark.parametrize("whole", [True, False])
def test_the_form_is_the_cost_of_every_choice(whole):
    for seed in range(20):
        problem = pairs_problem(seed, choices=4, leaves=12, whole=whole)
        form = quadratic_form(problem)
        for signs in itertools.product((1, -1), repeat=4):
            chosen = [2 * number + (sign < 0) for number, sign in enumerate(signs)]
            choice = np.array([*chosen, *range(8, 20)], np.int32)
            found = Extraction.from_choice(problem, choice, -math.inf, 0.0)
            assert form.at(np.array([[1.0], *([sign] for sign in signs)])) == pytest.approx(found.dag_cost)


@pytest.mark.parametrize("whole", [True, False])
def test_the_bound_is_below_the_optimum_and_near(whole):
    gaps = []
    for seed in range(60):
        problem = pairs_problem(seed, whole=whole)
        part = incumbent(problem)
        raise_bound_by_relaxation(part)
        _, best = optimum(problem)
        assert part.lower_bound <= best + 1e-9
        gaps.append(best - part.lower_bound)
    assert np.median(gaps) < 0.5


@pytest.mark.parametrize("whole", [True, False])
def test_the_unit_of_the_costs_does_not_change_the_bound(whole):
    for k in range(-60, 61, 4):
        problem = pairs_problem(k + 60, whole=whole)
        one, other = incumbent(problem), incumbent(problem.scaled(k))
        raise_bound_by_relaxation(one)
        raise_bound_by_relaxation(other)
        assert math.ldexp(other.lower_bound, -k) == pytest.approx(one.lower_bound, rel=1e-9), k


def test_bad_vectors_give_a_bound_too():
    problem = pairs_problem(1)
    form = quadratic_form(problem)
    _, best = optimum(problem)
    for seed in range(20):
        vectors = np.random.default_rng(seed).standard_normal((7, 3))
        assert form.bound(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)) <= best


def test_a_greatest_cut_is_proved():
    """Of the graph of corners of a cube in six dimensions that differ in at least two of them: 992 of 1,824 edges."""
    edges = [(one, other) for one in range(64) for other in range(one) if (one ^ other).bit_count() > 1]
    found = Portfolio(seconds=20).extract(cut_problem(edges, 64))
    assert (found.dag_cost, found.optimal) == (-(1824 + 992), True)


@pytest.mark.parametrize(
    "problem",
    [
        Problem.build([0, 0, 1, 2, 3], [0, 0, 1, 1, 2], [[1], [2], [], [], []], roots=[0]),  # a child with two nodes
        Problem.build([0, 0, 1, 2], [0, 0, 1, 2], [[1], [2], [2], []], roots=[0]),  # a child with a child
        Problem.build([0, 0, 0, 1], [0, 0, 0, 1], [[1], [], []  , []], roots=[0]),  # a choice between three
        Problem.build([0] * 6 + [-1], [0, 0, 1, 1, 2, 2, 3], [[3], [], [3], [], [3], [], []], roots=[0, 1, 2]),  # shared by three
    ],
)  # fmt: skip
def test_other_problems_are_left_alone(problem):
    assert quadratic_form(problem) is None
    part = incumbent(problem)
    raise_bound_by_relaxation(part)
    assert part.lower_bound == -math.inf
