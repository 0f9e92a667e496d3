"""Replaying trusts nothing: whatever is changed in an explanation, the step that no longer holds is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import eqsat as eq
from eqsat.errors import ExplanationError, ReplayError
from eqsat.explain import Explanation
from eqsat.rules.library import LIBRARY

i, j = eq.variable("i", 0, 15), eq.variable("j", 0, 15)
EXACT = eq.Plan().admitted


def document() -> dict[str, Any]:
    """An explanation with steps at different places, a theory step, and a lemma under a condition."""
    value = ((i * 4 + j % 4) // 4) % 8 + (j < 4).where(j // 4, 7)
    return json.loads(json.dumps(eq.explain_simplify(value).to_json()))


def test_json_brings_back_the_same_explanation():
    explanation = eq.explain_simplify(((i * 4 + j % 4) // 4) % 8 + (j < 4).where(j // 4, 7))
    again = Explanation.from_json(json.loads(json.dumps(explanation.to_json())), EXACT)
    assert again == explanation
    assert str(again) == str(explanation)
    assert again.replay() is explanation.after


def rename(step: dict[str, Any]) -> None:
    step["name"] = "modulo_twice"


def rename_to_nothing(step: dict[str, Any]) -> None:
    step["name"] = "no_such_rule"


def move(step: dict[str, Any]) -> None:
    step["position"] = [*step["position"], 0]


def move_nowhere(step: dict[str, Any]) -> None:
    step["position"] = [9]


def turn(step: dict[str, Any]) -> None:
    step["forwards"] = not step["forwards"]


def claim_nothing_changed(step: dict[str, Any]) -> None:
    step["after"] = step["before"]


def claim_another_start(step: dict[str, Any]) -> None:
    step["before"] = step["after"]


def bind_otherwise(step: dict[str, Any]) -> None:
    step["bindings"]["c"] = 5


def bind_too_little(step: dict[str, Any]) -> None:
    step["bindings"].popitem()


def bind_a_number(step: dict[str, Any]) -> None:
    step["bindings"]["x"] = 3


@pytest.mark.parametrize(
    "change",
    [rename, rename_to_nothing, move, move_nowhere, turn, claim_nothing_changed, claim_another_start, bind_otherwise,
     bind_too_little, bind_a_number],
)  # fmt: skip
def test_changed_rule_step_is_named(change: Callable[[dict[str, Any]], None]):
    changed = document()
    number = next(n for n, step in enumerate(changed["steps"]) if step["name"] == "divide_sum_with_multiples")
    change(changed["steps"][number])
    with pytest.raises(ReplayError, match=rf"^step {number} \("):
        Explanation.from_json(changed, EXACT).replay()


@pytest.mark.parametrize("change", [rename_to_nothing, move_nowhere, claim_nothing_changed])
def test_changed_theory_step_is_named(change: Callable[[dict[str, Any]], None]):
    changed = document()
    number = next(n for n, step in enumerate(changed["steps"]) if step["kind"] == "theory")
    change(changed["steps"][number])
    with pytest.raises(ReplayError, match=rf"^step {number} \("):
        Explanation.from_json(changed, EXACT).replay()


def test_lemma_does_not_hold_without_its_condition():
    changed = document()
    changed["lemmas"][0]["assuming"] = []
    with pytest.raises(ReplayError, match=r"^lemma 0, step 0 \(.*guard does not hold"):
        Explanation.from_json(changed, EXACT).replay()


def test_lemma_is_not_used_under_another_condition():
    changed = document()
    changed["lemmas"][0]["assuming"][0][1] = False
    with pytest.raises(ReplayError):
        Explanation.from_json(changed, EXACT).replay()


def test_lemma_does_not_use_itself():
    changed = document()
    use = dict(next(step for step in changed["steps"] if step["kind"] == "branch"))
    lemma = changed["lemmas"][0]
    lemma["steps"] = [
        {**use, "kind": "lemma", "position": [], "before": lemma["before"], "after": lemma["after"]}
    ]
    with pytest.raises(ReplayError, match="not proved before it"):
        Explanation.from_json(changed, EXACT).replay()


def test_other_result_is_refused():
    changed = document()
    changed["after"] = changed["before"]
    with pytest.raises(ReplayError, match="do not lead to the result"):
        Explanation.from_json(changed, EXACT).replay()


def test_dropped_step_is_noticed():
    changed = document()
    del changed["steps"][0]
    with pytest.raises(ReplayError):
        Explanation.from_json(changed, EXACT).replay()


def test_rule_that_is_no_longer_in_the_library_is_named():
    explanation = eq.explain_simplify((i * 4 + 3) // 4)
    fewer = Explanation.from_json(explanation.to_json(), LIBRARY.without("divide_sum_with_multiples"))
    with pytest.raises(
        ReplayError, match=r"divide_sum_with_multiples at the root\) does not hold: there is no such rule"
    ):
        fewer.replay()


@pytest.mark.parametrize(
    "damaged", [None, {}, [], {"version": 99}, {"version": 1, "terms": {}}, {"version": 1}]
)
def test_damaged_document_is_no_explanation(damaged: Any):
    with pytest.raises(ExplanationError, match=r"not an explanation|version"):
        Explanation.from_json(damaged)
