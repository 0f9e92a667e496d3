"""What a profile says is what happened."""

import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.report import STEPS
from eqsat.rules import FLOATS, Rewrite, Topic, Value, rewrite
from eqsat.rules.library import LIBRARY


def graph():
    a, b, c = (eq.variable(name, 0, 99) for name in "abc")
    return (a * 33 + b * 2 + c * 5 - a * 33) // 4 * 4 + (b - b % 4)


def test_every_rule_and_step_has_a_row():
    profile = eq.profile(graph())
    assert {work.name for work in profile.rules} == {rule.name for rule in eq.Plan().admitted}
    assert tuple(work.name for work in profile.steps) == STEPS
    assert [work.seconds for work in profile.rules] == sorted(
        (work.seconds for work in profile.rules), reverse=True
    )


def test_the_rows_add_up():
    profile = eq.profile(graph())
    assert sum(work.rows for work in (*profile.rules, *profile.steps)) == profile.report.rows


def test_the_rule_that_did_it_is_named_and_the_others_never_fired():
    topic = Topic("twice")

    @topic.rule(FLOATS)
    def twice_is_a_sum(x: Value) -> Rewrite:
        """Twice a value is its sum with itself."""
        return rewrite(x * 2.0, x + x)

    @topic.rule(FLOATS)
    def thrice_is_a_sum(x: Value) -> Rewrite:
        """Three times a value is a sum."""
        return rewrite(x * 3.0, x + x + x)

    x = eq.UOp.param(0, 1, eq.float32).reshape(())
    profile = eq.profile(x * 2.0, eq.Plan(rules=topic.ruleset))
    first = profile.rules[0] if profile.rules[0].matches else profile.rules[1]
    assert (first.name, first.matches, first.rows > 0, first.last_useful) == ("twice_is_a_sum", 1, True, 1)
    assert profile.never_fired == ("thrice_is_a_sum",)
    assert profile.dominating == ("twice_is_a_sum",)


def test_a_profiled_saturation_finds_the_same():
    rules = eq.Plan().admitted
    plain, profiled = saturate([graph()], rules), saturate([graph()], rules, profile=True)
    assert plain.profile is None
    assert profiled.report.stop is plain.report.stop
    assert profiled.report.classes == plain.report.classes


def test_a_spent_budget_says_what_to_try():
    report = eq.profile(graph(), eq.Plan(budget=eq.Budget(iterations=1))).report
    assert report.explanation.startswith("the budget of iterations was spent; ")
    assert report.explanation.endswith("raise `Budget(iterations=…)`")


@pytest.mark.parametrize("name", ["rules", "banned", "responsible"])
def test_the_library_is_not_to_blame(name):
    report = saturate([graph()], LIBRARY).report
    assert bool(getattr(report, name)) == (name == "rules")
