"""Reductions keep the optimum: each of them alone and all together, against brute force; on real e-graphs, against exact search."""

import math

import numpy as np
import pytest

from eqsat.errors import ExtractionError
from eqsat.extract import Extraction, Milp, Problem, reduce_problem
from eqsat.extract.reductions import REDUCTIONS
from tests.extract.problems import drawn_unit, every_extraction, optimum, random_problem

SELECTIONS = [None, *([name] for name in REDUCTIONS)]


@pytest.mark.parametrize("only", SELECTIONS, ids=["all", *REDUCTIONS])
@pytest.mark.parametrize("negative", [False, True], ids=["costs-from-zero", "negative-costs"])
def test_the_optimum_stays(only, negative):
    for seed in range(150):
        problem = random_problem(seed, negative=negative)
        _, best = optimum(problem)
        if math.isinf(best):
            with pytest.raises(ExtractionError, match="no finite acyclic term"):
                reduce_problem(problem, only)
            continue
        reduction = reduce_problem(problem, only)
        parts = [
            min(every_extraction(part.problem), key=lambda found: found.dag_cost) for part in reduction.parts
        ]
        assert reduction.offset + sum(part.dag_cost for part in parts) == pytest.approx(best), seed
        choice = reduction.expand([part.choice for part in parts])
        assert Extraction.from_choice(problem, choice, -math.inf, 0.0).dag_cost == pytest.approx(best), seed


def test_each_reduction_finds_what_it_is_for():
    found = dict.fromkeys(["unreachable", *REDUCTIONS], 0)
    for seed in range(60):
        try:
            steps = reduce_problem(random_problem(seed)).steps
        except ExtractionError:
            continue
        for step in steps:
            found[step.name] += step.removed
    assert min(found.values()) > 0, found


def test_a_node_that_needs_more_is_dominated():
    problem = Problem.build([1, 1, 2, 2], [0, 1, 2, 2], [[], [0], [0], [1]], roots=[2])
    (dominated,) = [step for step in reduce_problem(problem).steps if step.name == "dominated"]
    assert dominated.removed == 1


def test_needing_more_may_pay_where_costs_are_negative():
    problem = Problem.build([0, -5, 2, 2], [0, 1, 2, 2], [[], [0], [0], [1]], roots=[2])
    reduction = reduce_problem(problem)
    parts = [
        min(every_extraction(part.problem), key=lambda found: found.dag_cost) for part in reduction.parts
    ]
    assert reduction.offset + sum(part.dag_cost for part in parts) == -3


def test_independent_choices_become_parts():
    costs, classes, children = [0.0], [0], [[1, 2]]
    for owner, base in ((1, 3), (2, 5)):  # two classes with a choice each, over shared leaves of their own
        costs += [1, 1, 2, 2]
        classes += [owner, owner, base, base + 1]
        children += [[base], [base + 1], [], []]
    problem = Problem.build(costs, classes, children, roots=[0])
    assert [part.problem.class_count for part in reduce_problem(problem, ["needed"]).parts].count(3) == 2


def test_a_power_of_two_times_all_costs_is_reduced_alike():
    for k in range(-60, 61):
        problem = drawn_unit(random_problem(k + 60, negative=k % 2 == 0), k + 60)
        if not math.isfinite(optimum(problem)[1]):
            continue
        one, other = reduce_problem(problem), reduce_problem(problem.scaled(k))
        assert (one.steps, one.fixed) == (other.steps, other.fixed), k
        assert other.offset == math.ldexp(one.offset, k)
        for a, b in zip(one.parts, other.parts, strict=True):
            assert np.array_equal(a.problem.scaled(k).node_cost, b.problem.node_cost)


def test_a_chain_of_50_000_classes_is_decided():
    depth = 50_000
    children = [[]] + [[level] for level in range(depth)]
    reduction = reduce_problem(Problem.build([1] * (depth + 1), range(depth + 1), children, roots=[depth]))
    assert reduction.parts == ()
    assert reduction.offset == depth + 1


def test_an_unknown_reduction_is_named():
    with pytest.raises(ExtractionError, match="no reduction is named 'magic'; there are cyclic, dominated"):
        reduce_problem(Problem.build([1], [0], [[]], roots=[0]), ["magic"])


def test_the_same_problem_reduces_to_the_same():
    one, other = (reduce_problem(random_problem(11)) for _ in range(2))
    assert one.steps == other.steps
    assert all(np.array_equal(a.nodes, b.nodes) for a, b in zip(one.parts, other.parts, strict=True))


def test_without_time_nothing_but_the_unreachable_goes():
    for seed in range(50):
        problem = random_problem(seed)
        _, best = optimum(problem)
        if not math.isfinite(best):
            continue
        reduction = reduce_problem(problem, seconds=0)
        assert {step.name for step in reduction.steps if step.removed} <= {"unreachable"}
        choices = [Milp().extract(part.problem).choice for part in reduction.parts]
        found = Extraction.from_choice(problem, reduction.expand(choices), -math.inf, 0.0)
        assert found.dag_cost == pytest.approx(best)
