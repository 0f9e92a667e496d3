"""Plausible rules that are wrong are all refuted, by programs that show it."""

import contextlib
import io

import pytest

from eqsat.proof import verify
from tests.rules.planted import WRONG


@pytest.mark.parametrize("rule", WRONG.rules, ids=lambda rule: rule.name)
def test_a_wrong_rule_is_refuted_by_a_program_that_shows_it(rule):
    report = verify([rule], cache=None)
    assert report.refuted > 0
    counterexample = report.rows[0].counterexample
    assert counterexample.text.startswith(f"{rule.name} on ")
    left, right = run(counterexample.code)
    assert left != right


def run(code):
    """What the program says of the left side and of the right side."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    left, _, right = printed.getvalue().partition("right: ")
    return left.removeprefix("left: ").strip(), right.strip()
