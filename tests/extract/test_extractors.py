"""Every extractor, against brute force on small e-graphs, and on large ones for speed and depth."""

import math
import time
from dataclasses import replace
from decimal import Decimal
from functools import partial

import numpy as np
import pytest

import eqsat as eq
from eqsat.errors import ExtractionError
from eqsat.extract import EXTRACTORS, BottomUp, Extraction, GreedyDag, Problem, lower_bound
from eqsat.extract.answers import checked_extraction
from tests.extract.problems import drawn_unit, optimum, random_problem
from tests.extract.test_exact import entangled_problem

SEEDS = range(120)
extractors = pytest.mark.parametrize("extractor", EXTRACTORS.values(), ids=list(EXTRACTORS))


@extractors
@pytest.mark.parametrize("negative", [False, True], ids=["costs-from-zero", "negative-costs"])
def test_an_extraction_is_valid_and_between_bound_and_optimum(extractor, negative):
    for seed in SEEDS:
        problem = random_problem(seed, negative=negative)
        tree, dag = optimum(problem)
        if math.isinf(dag):
            with pytest.raises(ExtractionError, match="no finite acyclic term"):
                extractor.extract(problem)
            assert lower_bound(problem) == math.inf
            continue
        found = extractor.extract(problem)
        found.validate()
        assert found.lower_bound <= dag + 1e-9, seed
        assert found.dag_cost >= dag - 1e-9, seed
        assert found.tree_cost >= tree - 1e-9, seed


def test_bottom_up_finds_the_cheapest_tree_of_costs_from_zero():
    for seed in SEEDS:
        problem = random_problem(seed)
        tree, _ = optimum(problem)
        if math.isfinite(tree):
            assert BottomUp().extract(problem).tree_cost == tree, seed


def test_bottom_up_finds_the_cheapest_tree_of_an_acyclic_problem_with_negative_costs():
    problem = Problem.build([1, -5, 2, 0], [0, 1, 1, 2], [[], [0], [], [1, 1]], roots=[2])
    assert BottomUp().extract(problem).tree_cost == -8


def test_greedy_dag_pays_a_shared_class_once():
    shared = Problem.build([10, 1, 1, 1, 15], [0, 1, 2, 3, 3], [[], [0], [0], [1, 2], []], roots=[3])
    assert BottomUp().extract(shared).dag_cost == 15
    assert GreedyDag().extract(shared).dag_cost == 13


@extractors
def test_the_same_problem_gives_the_same_choice(extractor):
    problem = random_problem(7)
    again = random_problem(7)
    assert np.array_equal(extractor.extract(problem).choice, extractor.extract(again).choice)


@extractors
def test_a_power_of_two_times_all_costs_changes_nothing_but_the_scale(extractor):
    for k in range(-60, 61, 5):  # each of the twelve kinds of problems twice
        make = random_problem if k % 2 else partial(entangled_problem, classes=7)
        problem = make(k + 60, negative=k % 4 < 2)
        if k % 3 == 0:
            problem = drawn_unit(problem, k + 60)
        if not math.isfinite(lower_bound(problem)):
            continue
        one, other = extractor.extract(problem), extractor.extract(problem.scaled(k))
        assert np.array_equal(one.choice, other.choice), k
        assert other.dag_cost == math.ldexp(one.dag_cost, k), k
        assert other.tree_cost == math.ldexp(one.tree_cost, k), k
        assert other.lower_bound == math.ldexp(one.lower_bound, k), k
        assert (other.gap, other.optimal) == (one.gap, one.optimal), k
        other.validate()


def test_a_power_of_two_times_all_costs_scales_the_quick_bound():
    for k in range(-60, 61):
        problem = random_problem(k + 60, negative=k % 2 == 0)
        assert lower_bound(problem.scaled(k)) == math.ldexp(lower_bound(problem), k), k


@pytest.fixture(scope="module")
def doublings():
    """A chain of 20,000 sums of a value and itself."""
    depth = 20_000
    children = [[]] + [[level, level] for level in range(depth)]
    return Problem.build([1] * (depth + 1), range(depth + 1), children, roots=[depth])


@extractors
def test_a_chain_of_20_000_doublings_is_extracted(extractor, doublings):
    found = extractor.extract(doublings)
    found.validate()
    assert found.dag_cost == doublings.class_count
    assert found.tree_cost == 1e300


@extractors
def test_a_thousand_bits_are_summed_as_one_set(extractor):
    leaves = 1_000
    children = [[]] * (2 * leaves) + [
        list(range(leaves)),
        list(range(leaves, 2 * leaves)),
        [2 * leaves, 2 * leaves + 1],
    ]
    problem = Problem.build([0.5] * len(children), range(len(children)), children, roots=[len(children) - 1])
    found = extractor.extract(problem)
    assert found.dag_cost == found.lower_bound == 0.5 * len(children)
    assert found.optimal


def test_10_000_nodes_take_less_than_half_a_second():
    draw = np.random.default_rng(3)
    classes = np.sort(draw.integers(0, 4_000, 10_000))
    children = [draw.integers(0, max(1, owner), min(owner, 2)).tolist() for owner in classes]
    problem = Problem.build(draw.integers(1, 20, 10_000), classes, children, roots=[int(classes[-1])])
    seconds = []
    for _ in range(3):  # the best of three: other processes share the machine
        start = time.perf_counter()
        BottomUp().extract(problem).validate()
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.5


@extractors
def test_costs_that_add_up_to_more_than_a_float_holds_are_refused(extractor):
    problem = Problem.build([1e308, 1e308, 1e308], [0, 1, 2], [[1, 2], [], []], roots=[0])
    with pytest.raises(ExtractionError, match="more than a float holds|finite"):
        extractor.extract(problem)


@extractors
def test_a_choice_does_not_cost_minus_infinity(extractor):
    """Before, this was extracted for minus infinity, which counted as optimal: the children exceed the range."""
    problem = Problem.build([-1e308, 1e308, -1e308], [0, 1, 2], [[], [0, 2], []], roots=[1])
    with pytest.raises(ExtractionError, match="more than a float holds"):
        extractor.extract(problem)


class Returns:
    """An extractor of a user's that changes what another one found."""

    name = "returns"

    def __init__(self, change):
        self.change = change

    def extract(self, problem):
        return self.change(BottomUp().extract(problem))


def with_choice(change):
    return lambda found: replace(found, choice=change(found.choice))


def with_bound(change):
    return lambda found: replace(found, lower_bound=change(found.dag_cost))


GRAPH = eq.trace(
    lambda x: eq.exp(x) * 2 / eq.sum(eq.exp(x), axis=1, keepdims=True), eq.spec((8, 8), eq.float32)
)
ANOTHER = Problem.build([1.0], [0], [[]], roots=[0])
WRONG = {
    "text": (lambda found: "x", "it is 'x'; return an Extraction"),
    "nothing": (lambda found: None, "it is None; return an Extraction"),
    "class": (lambda found: Extraction, "it is .*Extraction.*; return an Extraction"),
    "choice alone": (lambda found: found.choice, "it is array.*; return an Extraction"),
    "of another problem": (lambda found: BottomUp().extract(ANOTHER), r"the choice has the shape \(1,\)"),
    "list": (with_choice(list), "give an array of integers"),
    "floats": (with_choice(lambda choice: choice.astype(float)), "give an array of integers"),
    "no choice": (with_choice(lambda choice: None), "the choice is None"),
    "one too few": (with_choice(lambda choice: choice[:-1]), "give one node for each class"),
    "two axes": (with_choice(lambda choice: choice[None]), "give one node for each class"),
    "no nodes": (with_choice(lambda choice: np.full_like(choice, -1)), "is needed but its choice is -1"),
    "beyond the nodes": (with_choice(lambda choice: np.full_like(choice, 10**6)), "its choice is 1000000"),
    "another class's nodes": (with_choice(lambda choice: choice[::-1].copy()), "is needed but its choice is"),
    "bound above the cost": (with_bound(lambda cost: cost * 10), "lower bound .* is above this choice's cost"),
    "endless bound": (with_bound(lambda cost: math.inf), "lower bound inf is above"),
    "bound that is NaN": (with_bound(lambda cost: math.nan), "the lower bound is nan; give a number"),
    "bound by name": (with_bound(str), "the lower bound is '.*'; give a number"),
    "no bound": (with_bound(lambda cost: None), "the lower bound is None"),
    "complex bound": (with_bound(complex), "the lower bound is .*j"),
    "bound of many digits": (with_bound(lambda cost: -(10**400)), "the lower bound is -1000"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_what_an_extractor_of_a_user_returns_is_checked(change, message):
    plan = eq.Plan(cost=eq.OperationCount(), extractor=Returns(change))
    for use in (eq.optimize, eq.compile):
        with pytest.raises(ExtractionError, match=f"Returns returns no valid extraction: .*{message}"):
            use(GRAPH, plan)


@pytest.mark.parametrize(
    "bound", [lambda cost: -math.inf, lambda cost: 0, np.float32, Decimal, lambda cost: cost * (1 + 1e-12)]
)
def test_costs_of_an_extractor_of_a_user_are_computed_again(bound):
    own = Returns(
        lambda found: replace(
            found, tree_cost=-1.0, dag_cost="x", seconds=None, lower_bound=bound(found.dag_cost)
        )
    )
    best = eq.optimize(GRAPH, eq.Plan(cost=eq.OperationCount(), extractor=BottomUp()))
    found = eq.optimize(GRAPH, eq.Plan(cost=eq.OperationCount(), extractor=own))
    assert (found.cost, found.extraction.tree_cost, found.uop) == (
        best.cost,
        best.extraction.tree_cost,
        best.uop,
    )
    assert type(found.lower_bound) is float
    assert found.lower_bound <= found.cost
    assert found.extraction.seconds > 0


def test_a_choice_of_a_forbidden_node_is_not_valid():
    problem = Problem.build([math.inf, 1.0], [0, 0], [[], []], roots=[0])
    forbidden = Returns(with_choice(np.zeros_like))
    with pytest.raises(
        ExtractionError, match="the choice costs inf; choose nodes whose costs add up to a finite number"
    ):
        checked_extraction(forbidden, problem)


@pytest.mark.parametrize("name", ["tree_cost", "dag_cost", "lower_bound"])
def test_an_extraction_with_nan_is_not_valid(name):
    with pytest.raises(ExtractionError, match="nan"):
        replace(BottomUp().extract(ANOTHER), **{name: math.nan}).validate()
