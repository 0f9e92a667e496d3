"""What rules about loads, vectors and gates make of kernels is explained, and the chains replay."""

from __future__ import annotations

import json

import pytest

import eqsat as eq
from eqsat.dtype import float32
from eqsat.errors import ExplanationError, ReplayError
from eqsat.explain import Explanation, explain_equality
from eqsat.ops import Op
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp
from tests.rules.test_kernel_rules import CASES, best, expanded_kernel, lanes_of, load, vector

INPUT = UOp.param(0, 64, float32)
PLACE = UOp.variable("i", 0, 15) * 4


@pytest.mark.parametrize("name", CASES)
def test_steps_between_loads_and_vectors(name: str) -> None:
    start, _ = CASES[name]
    goal = best(start)
    explanation = explain_equality(start, goal, LIBRARY)
    assert explanation.replay() is goal
    again = Explanation.from_json(json.loads(json.dumps(explanation.to_json())))
    assert again == explanation
    assert again.replay() is goal


def test_lanes_become_a_wide_load() -> None:
    kernel = expanded_kernel()
    optimized = eq.optimize(kernel)
    explanation = optimized.explain()
    assert explanation.replay() is optimized.uop
    names = {step.name for step in explanation.steps}
    assert {"open_gate", "neighbours", "neighbouring_vectors", "vectors_of_functions_sqrt"} <= names
    assert eq.explain_simplify(kernel).after is eq.simplify(kernel)


def test_elements_apart_are_no_wide_load() -> None:
    apart = vector(load(INPUT, PLACE), load(INPUT, PLACE + 2))
    with pytest.raises(ExplanationError):
        explain_equality(apart, load(INPUT, PLACE, lanes=2), LIBRARY)


def test_another_lane_is_refused() -> None:
    start = lanes_of(vector(load(INPUT, PLACE), load(INPUT, PLACE + 1)), 1)
    explanation = explain_equality(start, load(INPUT, PLACE + 1), LIBRARY)
    document = json.loads(json.dumps(explanation.to_json()))
    step = next(step for step in document["steps"] if step["name"] == "second_lane_of_two")
    step["name"] = "first_lane_of_two"
    with pytest.raises(ReplayError, match="first_lane_of_two"):
        Explanation.from_json(document).replay()


def test_steps_are_readable() -> None:
    start = UOp(Op.GEP, float32, (load(INPUT, PLACE, lanes=4).alu(Op.SQRT),), (2,))
    explanation = explain_equality(start, lanes_of(load(INPUT, PLACE, lanes=4), 2).alu(Op.SQRT), LIBRARY)
    assert "lanes_of_function_sqrt" in str(explanation)
    assert "gep(load(" in str(explanation)
