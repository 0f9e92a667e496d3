"""An e-graph that contradicts itself is not used: the graph comes back as it was written, and the report says why."""

from __future__ import annotations

import eqsat as eq
from eqsat.egraph.saturate import facts_of, saturate
from eqsat.egraph.search.budget import Budget, StopReason
from eqsat.integers.facts import ANYTHING
from eqsat.rules import INDEX, Rewrite, Topic, Value, rewrite
from eqsat.rules.library import LIBRARY
from eqsat.simplification.simplify import simplify_branches

i, j = eq.variable("i", 0, 9), eq.variable("j", 0, 3)
above = eq.variable("k", 5, 8)


def test_false_equality_is_not_used():
    found = saturate([(i + 2) * 1 + 3], LIBRARY, equalities=[(j, above)])
    assert found.report.stop is StopReason.SATURATED
    assert found.report.contradiction == "a number is at least 5 and at most 3"
    assert "what was taken as true never is" in found.report.explanation
    assert found.snapshot.build(found.snapshot.class_start[:-1]) == [(i + 2) * 1 + 3]


def test_constants_that_a_wrong_rule_makes_equal():
    topic = Topic("wrong")

    @topic.rule(INDEX)
    def one_more(x: Value) -> Rewrite:
        """False."""
        return rewrite(x % 4, 7)

    @topic.rule(INDEX)
    def one_less(x: Value) -> Rewrite:
        """False."""
        return rewrite(x % 4, 5)

    report = saturate([i % 4 + j], topic.ruleset).report
    assert report.contradiction in ("5 equals 7", "7 equals 5", "a number is at least 7 and at most 5")
    assert eq.simplify(i % 4 + j, rules=topic.ruleset) is i % 4 + j


def test_nothing_is_known_by_contradiction():
    assert facts_of([i + 1], LIBRARY, equalities=[(j, above)]) == [ANYTHING]


def test_condition_that_never_holds_says_nothing_about_other_branches():
    """Conditions of all branches are assumed in one e-graph; in chains of choices that were not simplified, some never hold."""
    value = i
    for level in range(20):
        value = (value < level % 17).where(value, value + 1)
    stage = simplify_branches([value], LIBRARY, Budget())
    assert stage is not None
    positions = range(10)
    assert [eq.evaluate(stage.values[0], {"i": position}) for position in positions] == [
        eq.evaluate(value, {"i": position}) for position in positions
    ]
