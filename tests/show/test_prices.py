"""Prices of the nodes that were not chosen, against all extractions of small problems."""

import math

import numpy as np
import pytest

from eqsat.extract import BottomUp, Portfolio, Problem
from eqsat.show import Price, find_prices
from eqsat.show.prices import runner_up
from tests.extract.problems import every_extraction, random_problem


def cheapest_with(problem, node):
    """The least DAG cost of an extraction that has a node, whatever else the node's class is needed for; inf if none has it."""
    owner = int(problem.node_class[node])
    rooted = Problem.from_arrays(
        problem.node_cost, problem.node_class, problem.child_start, problem.children,
        np.array([*problem.roots, owner], np.int32), class_count=problem.class_count,
    )  # fmt: skip
    return min(
        (found.dag_cost for found in every_extraction(rooted) if found.choice[owner] == node),
        default=math.inf,
    )


def can_be_extracted(problem):
    return all(
        any(problem.usage.usable[node] for node in problem.nodes_by_class[root]) for root in problem.roots
    )


PROBLEMS = [problem for problem in map(random_problem, range(80)) if can_be_extracted(problem)]


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("work", [{}, {"reducing": 0}, {"reducing": 0, "greedy": 0}])
def test_a_price_is_an_upper_bound_and_an_exact_one_the_least(problem, work):
    for node, price in find_prices(Portfolio().extract(problem), **work).items():
        least = cheapest_with(problem, node)
        assert price.cost >= least - 1e-9
        assert not price.exact or price.cost == pytest.approx(least)


def test_most_prices_of_small_problems_are_exact():
    prices = [price for problem in PROBLEMS for price in find_prices(Portfolio().extract(problem)).values()]
    assert len(prices) > 40
    assert sum(price.exact for price in prices) > 0.8 * len(prices)


def test_every_other_usable_node_of_an_extracted_class_has_a_price():
    problem = Problem.build([1, 4, 2, math.inf, 1], [0, 1, 1, 1, 2], [[], [0], [0], [0], []], roots=[1])
    assert set(find_prices(Portfolio().extract(problem))) == {1}


def test_a_cheaper_program_than_the_extracted_one_shows_in_the_prices():
    shared = Problem.build([5, 4, 4, 8, 8], [0, 1, 2, 1, 2], [[], [0], [0], [], []], roots=[1, 2])
    extraction = BottomUp().extract(shared)
    assert extraction.dag_cost == 16
    assert find_prices(extraction) == {1: Price(13.0, True), 2: Price(13.0, True)}


def test_a_node_that_would_need_itself_has_no_price_without_work_and_an_infinite_one_with_it():
    cyclic = Problem.build([1, 1, 0], [0, 1, 0], [[], [0], [1]], roots=[1])
    extraction = Portfolio().extract(cyclic)
    assert find_prices(extraction, reducing=0, greedy=0) == {}
    assert find_prices(extraction) == {2: Price(math.inf, exact=True)}


def test_the_runner_up_is_the_cheapest_and_never_an_impossible_node():
    prices = {1: Price(4.0, True), 2: Price(3.0, False), 3: Price(math.inf, True)}
    assert runner_up([1, 2, 3, 9], prices) == 2
    assert runner_up([3, 9], prices) is None
