"""Exact extractors equal brute force; what they say on the way is true."""

import math
import time
from dataclasses import fields, replace
from functools import partial

import networkx as nx
import numpy as np
import pytest

from eqsat.errors import ExtractionError
from eqsat.extract import (
    EXTRACTORS,
    Beam,
    BottomUp,
    CpSat,
    Extraction,
    LocalSearch,
    Milp,
    Portfolio,
    Problem,
    TreeDecomposition,
)
from eqsat.extract.extractors.elimination import eliminate
from eqsat.extract.extractors.foundedness import support, unfounded_loops
from tests.extract.problems import drawn_unit, large_problem, optimum, random_problem

EXACT = [Milp(), CpSat(), Portfolio()]
LIMITED = [each for each in EXTRACTORS.values() if "seconds" in {field.name for field in fields(each)}]


def entangled_problem(seed, classes=9, negative=False):
    """Classes with several nodes over several children each, which no reduction decides; cyclic."""
    draw = np.random.default_rng(seed)
    draws = [
        (owner, draw.integers(0 if number else classes, classes + 4, 2))
        for owner in range(classes)
        for number in range(3)
    ]
    # The first of each class needs leaves only
    nodes = [(owner, sorted(set(row.tolist()))) for owner, row in draws]
    leaves = range(classes, classes + 4)
    costs = draw.integers(-3 if negative else 1, 9, len(nodes) + 4).tolist()
    return Problem.build(
        costs, [owner for owner, _ in nodes] + [*leaves], [row for _, row in nodes] + [[]] * 4, roots=[0, 1],
        class_count=classes + 4,
    )  # fmt: skip


@pytest.mark.parametrize("extractor", EXACT, ids=lambda extractor: extractor.name)
@pytest.mark.parametrize("negative", [False, True], ids=["costs-from-zero", "negative-costs"])
def test_exact_extractors_equal_brute_force(extractor, negative):
    for seed in range(250):  # with both signs, 500 problems
        problem = random_problem(seed, negative=negative)
        _, best = optimum(problem)
        if math.isinf(best):
            with pytest.raises(ExtractionError, match="no finite acyclic term"):
                extractor.extract(problem)
            continue
        found = extractor.extract(problem)
        found.validate()
        assert found.dag_cost == pytest.approx(best), seed
        assert found.optimal, seed


@pytest.mark.parametrize("spread", [0, 6], ids=["alike", "cheap-and-dear"])
@pytest.mark.parametrize("negative", [False, True], ids=["costs-from-zero", "negative-costs"])
def test_in_any_unit_proofs_are_true_and_exact_extractors_find_them(negative, spread):
    for seed in range(80):
        make = random_problem if seed % 2 else partial(entangled_problem, classes=6)
        problem = drawn_unit(make(seed, negative=negative), seed, spread=spread)
        _, best = optimum(problem)
        if math.isinf(best):
            continue
        for extractor in EXTRACTORS.values():
            found = extractor.extract(problem)
            found.validate()
            assert found.lower_bound <= best + found.rounding, (seed, extractor.name)
            assert found.dag_cost <= best + found.rounding or not found.optimal, (seed, extractor.name)
            assert found.optimal or extractor not in EXACT, (seed, extractor.name)


@pytest.mark.parametrize("extractor", EXACT, ids=lambda extractor: extractor.name)
def test_costs_of_a_tenth_of_a_nanosecond_are_not_rounding_errors(extractor):
    problem = Problem.build(
        [5e-10, 1e-10, 5.5e-10, 1e-10, 5.5e-10], [0, 1, 1, 2, 2], [[], [0], [], [0], []], roots=[1, 2]
    )
    found = extractor.extract(problem)
    assert found.dag_cost == pytest.approx(7e-10, abs=0)
    assert found.optimal
    quick = BottomUp().extract(problem)
    assert (quick.optimal, quick.gap) == (False, 0.5)


def test_a_node_too_dear_for_any_choice_does_not_round_the_others():
    problem = entangled_problem(2, 8)
    owners = np.append(problem.node_class, np.arange(8)).astype(np.int32)
    dear = Problem.build(
        [*(problem.node_cost * math.pi), *[1e18] * 8], owners, [*problem.child_rows, *[[]] * 8], problem.roots
    )
    for extractor in EXACT:
        found = extractor.extract(dear)
        assert found.optimal, extractor.name
        assert found.dag_cost == pytest.approx(math.pi * Milp().extract(problem).dag_cost)


@pytest.mark.parametrize("negative", [False, True], ids=["costs-from-zero", "negative-costs"])
def test_exact_extractors_agree_where_reductions_leave_something(negative):
    for seed in range(12):
        problem = entangled_problem(seed, 7, negative=negative)
        _, best = optimum(problem)
        if math.isinf(best):
            continue
        for extractor in EXACT:
            found = extractor.extract(problem)
            assert found.dag_cost == pytest.approx(best), (seed, extractor.name)
            assert found.optimal, (seed, extractor.name)
        for heuristic in (Beam(), LocalSearch(), TreeDecomposition()):
            found = heuristic.extract(problem)
            found.validate()
            assert found.lower_bound <= best + 1e-9 <= found.dag_cost + 2e-9, (seed, heuristic.name)


def test_progress_only_gets_better_and_ends_at_the_result():
    told = []
    problem = entangled_problem(3, 14)
    found = Milp(listener=told.append).extract(problem)
    costs, bounds = [each.dag_cost for each in told], [each.lower_bound for each in told]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert (costs[-1], bounds[-1]) == (found.dag_cost, found.lower_bound)


def test_without_time_the_greedy_choice_comes_back_with_its_bound():
    problem = entangled_problem(5, 14)
    for extractor in (
        Milp(seconds=1e-9),
        LocalSearch(seconds=1e-9),
        Beam(seconds=1e-9),
        TreeDecomposition(seconds=1e-9),
    ):
        found = extractor.extract(problem)
        found.validate()
        assert found.lower_bound <= found.dag_cost


@pytest.mark.parametrize("extractor", LIMITED, ids=lambda extractor: extractor.name)
def test_an_extractor_stops_at_its_limit(extractor):
    start = time.process_time()
    found = replace(extractor, seconds=0.5).extract(large_problem(2_500))
    assert time.process_time() - start < 3  # of the processor, which other programs do not share
    found.validate()


def test_a_tree_decomposition_is_given_up_when_time_is_up():
    path = {0: {1}, 1: {0, 2}, 2: {1}}
    late = iter([False, True])
    assert eliminate(path, 1, is_late=lambda: next(late)) is None


def test_elimination_finds_the_widths_of_networkx():
    for seed in range(100):
        draw = np.random.default_rng(seed)
        vertices = int(draw.integers(2, 60))
        graph = nx.gnm_random_graph(vertices, int(draw.integers(2 * vertices)), seed=seed)
        width, _ = nx.algorithms.approximation.treewidth_min_fill_in(graph)
        for limit in (width, width - 1):
            order = eliminate({vertex: set(graph[vertex]) for vertex in graph}, limit, is_late=lambda: False)
            assert order is None if limit < width else max(map(len, order.values())) == width, seed


def test_costs_that_are_no_decimal_numbers_keep_a_true_bound():
    problem = entangled_problem(2, 8)
    odd = Problem.build(
        problem.node_cost * math.pi,
        problem.node_class,
        problem.child_rows,
        problem.roots,
        class_count=problem.class_count,
    )
    exact, found = Milp().extract(odd), CpSat().extract(odd)
    assert found.lower_bound <= exact.dag_cost + 1e-6
    assert found.dag_cost == pytest.approx(exact.dag_cost)


def chain_of_choices(length):
    """Class k is written over k - 1 or k - 2; the classes hang together, but any three neighbours cut them apart."""
    rows = [(0, [], 5), (1, [], 7)]
    for owner in range(2, length):
        rows += [
            (owner, [owner - 1], owner * 7 % 5 + 1),
            (owner, [owner - 2], owner * 3 % 7 + 1),
            (owner, [owner - 1, owner - 2], 1),
        ]
    owners, children, costs = zip(*rows, strict=True)
    return Problem.build(costs, owners, children, roots=[length - 1, length - 2])


def test_a_tree_decomposition_proves_a_chain_of_choices():
    problem = chain_of_choices(60)
    found = TreeDecomposition().extract(problem)
    assert found.optimal
    assert found.dag_cost == Milp().extract(problem).dag_cost


def test_the_portfolio_proves_a_long_chain_of_choices():
    assert Portfolio(seconds=5).extract(chain_of_choices(2_000)).optimal


def test_unfounded_loops_and_their_support():
    problem = Problem.build([1, 1, 1, 9], [0, 1, 2, 2], [[1], [2], [0], []], roots=[0])
    assert unfounded_loops(problem, np.array([0, 1, 2], np.int32)) == [frozenset({0, 1, 2})]
    assert unfounded_loops(problem, np.array([0, 1, 3], np.int32)) == []
    assert support(problem, frozenset({0, 1, 2})) == [3]


def test_local_search_leaves_a_hollow_that_greedy_stays_in():
    # Greedy writes each class by its own leaf; sharing the dear one pays only if many do.
    many = 12
    costs = [10.0] + [1.0] * many + [0.0] * many + [0.0] * many
    classes = [0, *range(1, many + 1), *range(many + 1, 2 * many + 1), *range(many + 1, 2 * many + 1)]
    children = [[]] + [[]] * many + [[leaf] for leaf in range(1, many + 1)] + [[0]] * many
    problem = Problem.build(costs, classes, children, roots=range(many + 1, 2 * many + 1))
    assert Milp().extract(problem).dag_cost == 10
    assert LocalSearch().extract(problem).dag_cost == 10


def test_results_repeat():
    problem = entangled_problem(8, 14)
    for extractor in (LocalSearch(), Beam(), Milp(), TreeDecomposition(), Portfolio()):
        one, other = (extractor.extract(problem) for _ in range(2))
        assert np.array_equal(one.choice, other.choice), extractor.name


def test_a_choice_is_never_worse_than_the_greedy_one_or_the_cheapest_tree():
    from eqsat.extract import GreedyDag

    for seed in range(40):
        problem = entangled_problem(seed, 10)
        try:
            quick = min(each.extract(problem).dag_cost for each in (GreedyDag(), BottomUp()))
        except ExtractionError:
            continue
        for extractor in (
            Beam(),
            LocalSearch(swaps=20),
            TreeDecomposition(),
            Portfolio(),
            Portfolio(seconds=1e-9),
        ):
            found: Extraction = extractor.extract(problem)
            assert found.dag_cost <= quick, (seed, extractor.name)
