"""Quadratic forms in signs, proved: against all choices, and on graphs that need inequalities or branches."""

import itertools
import math
import time

import numpy as np
import pytest

from eqsat.extract import GreedyDag, Portfolio, Problem
from eqsat.extract.bounds.pairs.semidefinite import choice_of, quadratic_form, raise_bound_by_relaxation
from eqsat.extract.bounds.pairs.sign_branching import (
    Relaxation,
    branch_on_signs,
    entries_of_squares,
    is_branched,
)
from eqsat.extract.problem.incumbent import Incumbent
from tests.extract.problems import optimum
from tests.extract.test_semidefinite import cut_problem, incumbent, pairs_problem


def greedy(problem, seconds=math.inf):
    found = GreedyDag().extract(problem)
    return Incumbent(problem, found.choice, found.dag_cost, -math.inf, time.perf_counter() + seconds)


def random_edges(seed, vertices, edges):
    pairs = list(itertools.combinations(range(vertices), 2))
    return [pairs[number] for number in np.random.default_rng(seed).choice(len(pairs), edges, replace=False)]


@pytest.mark.parametrize("whole", [True, False])
def test_the_best_choice_is_found_and_proved(whole):
    for seed in range(10):
        problem = pairs_problem(seed, whole=whole)
        part = greedy(problem)
        branch_on_signs(part)
        _, best = optimum(problem)
        assert part.dag_cost == pytest.approx(best)
        assert part.lower_bound == pytest.approx(best)


def test_greatest_cuts_are_found_and_proved():
    for seed in range(5):
        edges = random_edges(seed, 14, 40)
        part = greedy(cut_problem(edges, 14))
        branch_on_signs(part)
        sides = np.array(list(itertools.product((0, 1), repeat=13)))
        sides = np.hstack([np.zeros((len(sides), 1), int), sides])
        one, other = np.array(edges).T
        cut = int(np.max(np.sum(sides[:, one] != sides[:, other], axis=1)))
        assert part.is_optimal
        assert part.dag_cost == -(40 + cut)


def test_bounds_of_rounds_are_below_the_optimum():
    for seed in range(10):
        problem = pairs_problem(seed, whole=False)
        _, best = optimum(problem)
        relaxation = Relaxation.of(quadratic_form(problem))
        bounds = [relaxation.bound]
        for _ in range(10):
            relaxation.tighten(best)
            bounds.append(relaxation.bound)
        assert bounds == sorted(bounds)
        assert bounds[-1] <= best + 1e-9


def test_inequalities_raise_the_bound_without_branches():
    """Of four cycles of five, whose cuts the plain relaxation takes to be 4.52 instead of 4."""
    cycle = [(corner, (corner + 1) % 5) for corner in range(5)]
    problem = cut_problem(
        [(one + 5 * copy, other + 5 * copy) for copy in range(4) for one, other in cycle], 20
    )
    plain = incumbent(problem)
    raise_bound_by_relaxation(plain)
    relaxation = Relaxation.of(quadratic_form(problem))
    for _ in range(20):
        relaxation.tighten(-36)
    assert plain.lower_bound == -38
    assert -36.5 < relaxation.bound <= -36 + 1e-9


def test_signs_of_a_form_are_those_of_one_of_its_branches():
    form = quadratic_form(pairs_problem(3, choices=4))
    relaxation = Relaxation.of(form)
    relaxation.tighten(0.0)
    covered = []
    for branch in relaxation.branches():
        assert branch.bound == relaxation.bound
        for signs in itertools.product((1.0, -1.0), repeat=4):
            every = branch.expansion @ signs
            covered.append(tuple(every.tolist()))
            assert branch.form.at(np.array(signs)[:, None]) == pytest.approx(form.at(every[:, None]))
    assert set(covered) == set(itertools.product((1.0, -1.0), repeat=5))


def test_what_is_subtracted_stays_the_same_in_a_branch():
    relaxation = Relaxation.of(quadratic_form(pairs_problem(4)))
    for _ in range(5):
        relaxation.tighten(0.0)
    for branch in relaxation.branches():
        signs = np.where(np.arange(len(branch.form.matrix)) % 3, 1.0, -1.0)
        assert left_over(branch, signs) == pytest.approx(left_over(relaxation, branch.expansion @ signs))


def left_over(relaxation, signs):
    """The matrix at signs, without what the dual subtracts."""
    squares = (relaxation.inequalities.T @ signs) ** 2
    value = signs @ relaxation.form.matrix @ signs
    return value - relaxation.diagonal.sum() - relaxation.weights @ squares


def test_entries_are_those_of_the_products_of_vectors_with_themselves():
    vectors = np.array([[1, 0], [-1, 2], [0, -1], [1, 0]], np.int8)
    owner, cell, value = entries_of_squares(vectors)
    squares = np.zeros((2, 16))
    np.add.at(squares, (owner, cell), value)
    assert np.array_equal(squares[0], np.outer(vectors[:, 0], vectors[:, 0]).ravel())
    assert np.array_equal(squares[1], np.outer(vectors[:, 1], vectors[:, 1]).ravel())


def test_a_choice_is_what_its_signs_say():
    problem = pairs_problem(0, choices=3, leaves=4)
    assert choice_of(problem, np.array([1.0, 1.0, -1.0, -1.0])).tolist() == [0, 3, 5, 6, 7, 8, 9]


def test_forbidden_nodes_are_no_choice():
    problem = Problem.build(
        [math.inf, 1, 0, 0, 0, -3], [0, 0, 0, 1, 1, 2], [[], [2], [], [2], [], []], roots=[0, 1]
    )
    part = greedy(problem)
    branch_on_signs(part)
    assert part.dag_cost == part.lower_bound == optimum(problem)[1] == -3


def test_without_time_nothing_is_done():
    part = greedy(cut_problem(random_edges(0, 40, 200), 40), seconds=-1.0)
    branch_on_signs(part)
    assert part.lower_bound == -math.inf


def test_a_little_time_gives_a_bound():
    part = greedy(cut_problem(random_edges(0, 90, 400), 90), seconds=0.2)
    branch_on_signs(part)
    assert -800 <= part.lower_bound < part.dag_cost


def test_the_portfolio_proves_a_cut_that_the_plain_relaxation_leaves_open():
    problem = cut_problem(random_edges(1, 50, 200), 50)
    plain = incumbent(problem)
    raise_bound_by_relaxation(plain)
    found = Portfolio(seconds=60).extract(problem)
    assert found.optimal
    assert plain.lower_bound < found.dag_cost


def test_sparse_pairs_are_left_to_the_integer_program():
    """Branching would take longer than the test may."""
    assert Portfolio(seconds=10).extract(pairs_problem(5, choices=100, leaves=300, whole=False)).optimal


def test_other_problems_are_left_alone():
    part = greedy(Problem.build([0, 0, 0, 1], [0, 0, 0, 1], [[1], [], [], []], roots=[0]))
    assert not is_branched(part.problem)
    branch_on_signs(part)
    assert part.lower_bound == -math.inf
