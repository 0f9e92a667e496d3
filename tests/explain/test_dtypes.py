"""A rule is applied to the dtypes that it is about, not to whatever has the form of its left side."""

import pytest

import eqsat as eq
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.explain.dtypes import fits
from eqsat.explain.replay import rule_problem
from eqsat.explain.steps import Step, StepKind
from eqsat.ops import Op
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp

RULES = {rule.name: rule for rule in LIBRARY}
CONDITION = eq.variable("i", 0, 9) < 4
OTHER = eq.variable("j", 0, 9) < 2
NUMBER = eq.variable("x", 0, 1, eq.int8)


@pytest.mark.parametrize(("other", "expected"), [(OTHER, True), (NUMBER, False)])
def test_conditions_that_a_rule_returns_are_bools(other, expected):
    rule = RULES["choice_of_truth_or_another"]
    left = CONDITION.where(UOp.const(other.dtype, 1), other)
    assert fits(rule, {"c": CONDITION, "x": other}, left) is expected


def test_values_of_one_place_have_one_dtype():
    rule = RULES["negated_choice"]
    left = CONDITION.logical_not().where(NUMBER, NUMBER)
    assert fits(rule, {"c": CONDITION, "x": NUMBER, "y": NUMBER}, left)
    assert not fits(rule, {"c": CONDITION, "x": NUMBER, "y": OTHER}, left)


@pytest.mark.parametrize(("dtype", "expected"), [(eq.uint8, True), (eq.index, True), (eq.float32, False)])
def test_rule_about_constants_is_about_what_is_compared(dtype, expected):
    left = CONDITION.where(UOp.const(dtype, 3), UOp.const(dtype, 0)).ne(0)
    bindings = {"b": CONDITION, "c": 3, "d": 0}
    assert fits(RULES["choice_of_constants_differs_where_it_holds"], bindings, left) is expected


def test_replay_refuses_a_rule_of_bools_on_numbers():
    before = CONDITION.where(1, NUMBER)
    after = UOp(Op.OR, eq.int8, (CONDITION, NUMBER))
    bindings = {"c": CONDITION, "x": NUMBER}
    step = Step(StepKind.RULE, "choice_of_truth_or_another", True, (), before, after, bindings)
    assert rule_problem(RULES[step.name], step, Bounds()) == "the rule does not hold for this dtype"
