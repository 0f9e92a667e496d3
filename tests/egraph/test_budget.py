"""Saturation ends when its budget is spent, whatever the rules, and says why."""

import json
import subprocess
import sys
from itertools import pairwise
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget, StopReason
from eqsat.rules.language.pattern import Value, where
from eqsat.rules.language.rule import FLOATS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const, pure
from eqsat.rules.library import LIBRARY
from eqsat.simplification.simplify import simplify_scalars
from eqsat.uop import UOp
from tests.egraph.explosions import BUDGETS, TOPICS

MOST_BYTES = 1 << 30


def outcomes(topic: str, budget: str) -> dict[str, dict[str, Any]]:
    """What became of the topic's rules in each phase, in another process."""
    command = [sys.executable, "-m", "tests.egraph.explosions", topic, budget]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("topic", TOPICS)
def test_exploding_rules_end_in_time(topic: str) -> None:
    for outcome in outcomes(topic, "seconds").values():
        assert outcome["stop"] in (
            "seconds",
            "saturated",
        )  # what matches too often is left out, after which little may be left
        assert outcome["seconds"] < 2 * BUDGETS["seconds"].seconds + 0.5
        assert outcome["bytes"] < MOST_BYTES
        assert outcome["responsible"]


@pytest.mark.parametrize("topic", ["distributing", "crossing", "picking"])
def test_exploding_rules_end_within_their_memory(topic: str) -> None:
    for outcome in outcomes(topic, "memory").values():
        assert outcome["responsible"]
        assert outcome["grown"] < 2 * BUDGETS["memory"].memory << 20


@pytest.mark.parametrize("topic", ["distributing", "contradicting"])
def test_exploding_rules_end_at_the_number_of_nodes(topic: str) -> None:
    for outcome in outcomes(topic, "nodes").values():
        assert outcome["stop"] == "nodes"
        assert outcome["rows"] < 20 * BUDGETS["nodes"].nodes
        assert outcome["bytes"] < MOST_BYTES


@pytest.mark.parametrize("topic", ["growing", "shifting"])
def test_growth_without_end_ends_after_its_iterations(topic: str) -> None:
    for outcome in outcomes(topic, "iterations").values():
        assert (outcome["stop"], outcome["iterations"]) == ("iterations", 8)


def test_explorations_are_counted() -> None:
    assert outcomes("growing", "default")["explore"]["stop"] == "explored"


def test_nothing_to_learn_is_saturated() -> None:
    a = eq.variable("a", 0, 9)
    assert saturate([a + a], LIBRARY).report.stop is StopReason.SATURATED


def test_what_was_learned_before_the_budget_was_spent_is_kept() -> None:
    a = eq.variable("a", 0, 9)
    value = (a * 64 + 3) // 64
    spent = saturate([value], LIBRARY, Budget(iterations=1))
    assert spent.report.stop is StopReason.ITERATIONS
    (written,) = spent.snapshot.build(spent.snapshot.class_start[:-1])
    assert eq.evaluate(written, {"a": 5}) == 5


def test_no_time_at_all_gives_the_graph_back() -> None:
    a = eq.variable("a", 0, 9)
    spent = saturate([(a + 1) * 2], LIBRARY, Budget(seconds=0.0))
    assert spent.report.stop is StopReason.SECONDS
    assert eq.simplify(a + 0) is a  # and the engine is as it was


@pytest.mark.parametrize("limit", ["nodes", "iterations", "seconds", "matches", "explorations", "memory"])
@pytest.mark.parametrize("wrong", [True, np.True_, -1, "3", float("nan")])
def test_what_is_no_limit_is_an_error(limit: str, wrong: object) -> None:
    with pytest.raises(eq.ScheduleError, match=f"a budget limits {limit} by an? (number|integer) from 0 on"):
        Budget(**{limit: wrong})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("budget", "stop"),
    [(Budget(nodes=100), StopReason.NODES), (Budget(seconds=0.0), StopReason.SECONDS)],
)
def test_graph_above_the_budget_comes_back_as_it_is(budget: Budget, stop: StopReason) -> None:
    graph = UOp.sink(
        *(eq.variable(f"v{number}", 0, 9) + UOp.range(number + 1, number) for number in range(200))
    )
    spent = saturate([graph], LIBRARY, budget)
    assert spent.report.stop is stop
    assert spent.report.iterations == 0
    assert spent.snapshot.build(spent.snapshot.class_start[:-1]) == [graph]


def test_equalities_hold_also_above_the_budget() -> None:
    a, b, c = (eq.variable(name, 0, 9) for name in "abc")
    snapshot = saturate([a * 2], LIBRARY, Budget(seconds=0.0), [(a, b + 1), (a, c)]).snapshot
    found = {term.arg[0] for term in snapshot.terms if term.op is eq.Op.DEFINE_VAR}
    assert found == {"a", "b", "c"}
    (owner,) = (start for start, end in pairwise(snapshot.class_start.tolist()) if end - start == 3)
    assert {snapshot.terms[node].op for node in range(owner, owner + 3)} == {eq.Op.DEFINE_VAR, eq.Op.ADD}
    assert snapshot.build(snapshot.class_start[:-1]) == [a * 2]


def test_equal_copies_do_not_multiply() -> None:
    """Constants that were not folded yet made copies in one class, and rules on three operands took each triple of them: 6·10⁹."""
    pooled = eq.avg_pool1d(eq.full((6,), float("inf"), dtype="float32"), 4, stride=1)
    report = eq.optimize(eq.logical_xor(eq.round(pooled), pooled).uop.sink()).report
    assert (report.stop, report.rows < 1000) == (StopReason.SATURATED, True)


@pytest.mark.parametrize(("size", "are_equal"), [(3, True), (0, False)])
def test_copies_are_equal_where_what_is_copied_is(size: int, are_equal: bool) -> None:
    """Of no elements all copies are equal, and that says nothing."""
    x, y = (UOp.param(slot, 1, eq.float32) for slot in range(2))
    copies = [each.expand((size,)) for each in (x, y)]
    found = saturate([x, y, *copies], LIBRARY, equalities=[(copies[0], copies[1])]).snapshot
    assert (found.root_classes[0] == found.root_classes[1]) == are_equal


def test_movements_that_lose_nothing_are_equal_where_what_they_move_is() -> None:
    x, y = (UOp.param(slot, 6, eq.float32).reshape((2, 3)) for slot in range(2))

    def are_equal(moved: UOp, other: UOp) -> bool:
        first, second = saturate([x, y], LIBRARY, equalities=[(moved, other)]).snapshot.root_classes
        return first == second

    assert are_equal(x.reshape((3, 2)), y.reshape((3, 2)))
    assert are_equal(x.permute((1, 0)), y.permute((1, 0)))
    assert are_equal(x.flip((True, False)), y.flip((True, False)))
    assert are_equal(x.pad(((0, 1), (2, 0))), y.pad(((0, 1), (2, 0))))
    assert not are_equal(x.shrink(((0, 1), (0, 3))), y.shrink(((0, 1), (0, 3))))


def nothing(*_: object) -> list[object]:
    return []


def test_run_that_calls_functions_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if no forecast saw it coming: 120 ways to write each of three operands, 1.7 million calls. The next graph finds a new e-graph."""
    monkeypatch.setattr("eqsat.egraph.search.loop._Search.suspects", nothing)
    topic = Topic("calling")

    @pure
    def is_none(first: float, second: float, third: float) -> bool:
        return first + second + third < 0

    @topic.rule(FLOATS)
    def sums_are_chosen(x: Value, y: Value, z: Value, c: Const, d: Const, k: Const) -> Rewrite:
        """Never applies."""
        return rewrite(
            where(x + c < 0.0, y + d, z + k), where(x + c < 0.0, z + k, y + d), where=is_none(c, d, k)
        )

    sides = [UOp.param(slot, 1, eq.float32) for slot in range(3)]
    root = (sides[0] < 0.0).where(sides[1], sides[2])
    sums = [(sides[slot % 3], UOp.param(slot, 1, eq.float32) + float(slot)) for slot in range(3, 363)]
    report = saturate([root], topic.ruleset, Budget(nodes=10**6, seconds=1.0), sums).report
    assert (report.stop, report.responsible) == (StopReason.SECONDS, ("sums_are_chosen",))
    assert saturate([root], topic.ruleset).report.stop is StopReason.SATURATED


LARGEST = (1 << 63) - 1
LIMITS = ("nodes", "iterations", "seconds", "matches", "explorations", "memory")


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("limit", [LARGEST, LARGEST - 1, LARGEST - 600, 1 << 62, 9.2e18, inf])
def test_a_budget_that_can_be_made_can_be_used(name: str, limit: Any) -> None:
    """The seconds that were left were rounded up to 2**63, which no budget has."""
    if isinstance(limit, float) and name in ("iterations", "explorations"):
        limit = LARGEST
    plan = eq.Plan(budget=Budget(**{name: limit}))
    graph = eq.trace(eq.exp, eq.spec((4,), eq.float32))
    eq.compile(graph, plan)
    eq.optimize(graph, plan)
    simplify_scalars([eq.variable("i", 0, 9) * 2 // 2 + 1], LIBRARY, plan.budget)


@pytest.mark.parametrize("limit", [LARGEST, float(1 << 62), inf, 0, 20, 0.5])
def test_seconds_until_a_deadline_are_no_more_than_there_were(limit: float) -> None:
    now, budget = perf_counter(), Budget(seconds=limit)
    left = budget.until(now + limit)
    assert 0 <= left.seconds <= limit
    assert left.nodes == budget.nodes
    assert budget.until(now - 1).seconds == 0
