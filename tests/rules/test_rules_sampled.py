"""Every declared rule holds on samples, for every dtype of its domain; and wrong rules do not."""

import pytest

from tests.rules.library import rules
from tests.rules.planted import wrong
from tests.rules.sampling import sample


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: f"{rule.topic}.{rule.name}".replace(" ", "-"))
def test_a_rule_holds_on_samples(rule):
    for dtype in sorted(rule.domain, key=str):
        verdict = sample(rule, dtype, draws=8)
        assert not verdict.counterexample, verdict.counterexample
        assert verdict.elements > 0, (
            f"no sample on {dtype} satisfied the guard; teach tests/rules/draw.py to draw one"
        )


@pytest.mark.parametrize("rule", wrong.ruleset.rules, ids=lambda rule: rule.name)
def test_a_wrong_rule_is_refuted(rule):
    verdicts = (sample(rule, dtype) for dtype in sorted(rule.domain, key=str))
    assert any(verdict.counterexample for verdict in verdicts)


def test_names_are_unique_across_topics():
    names = [rule.name for rule in rules()]
    assert len(names) == len(set(names))


def test_a_counterexample_names_rule_values_and_inputs():
    rule = next(rule for rule in wrong.ruleset if rule.name == "adding_zero_keeps_bits")
    verdict = sample(rule, next(iter(sorted(rule.domain, key=str))))
    assert "adding_zero_keeps_bits on bfloat16" in verdict.counterexample
    assert "x = " in verdict.counterexample
