"""Chains for scalar expressions: short, readable, and replayed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import eqsat as eq
from benchmarks.cases import UnsupportedError, read_graph
from eqsat.errors import ExplanationError
from eqsat.explain import Explanation, Limits, StepKind, explain_equality
from eqsat.explain.replay import replaced
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp
from tests import drawn as draws
from tests.cases import SYMBOLIC
from tests.egraph.expressions import Expression, expressions
from tests.lengthened import KINDS, lengthened

a, b, c, i, j, z = (eq.variable(name, 0, 100) for name in "abcijz")


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (a * 33 + b * 2 + c * 5 - a * 33, ["sums"]),
        ((a < b).where(a, b) + (a < b).where(b, a), ["opposite_choices_add_up"]),
        ((z // 10) * 10 + z % 10, ["quotient_and_remainder_recombine"]),
        ((i * 64 + 3) // 64, ["divide_sum_with_multiples", "bounds", "sums"]),
        (i + 0, ["zero_adds_nothing"]),
        ((i < 50) & (i < 30), ["limits"]),
        (i.maximum(-1), ["extremes"]),
    ],
)
def test_chain_names_what_was_done(value, names):
    explanation = eq.explain_simplify(value)
    assert [step.name for step in explanation.steps] == names
    assert explanation.replay() is eq.simplify(value)


bit = eq.variable("bit", 0, 1, eq.int8)
byte = eq.variable("byte", 0, 255, eq.uint8)


def shifted(value: UOp, amount: int) -> UOp:
    return value.alu(eq.Op.SHL, UOp.const(value.dtype, amount))


@pytest.mark.parametrize(
    "value",
    [
        (shifted(bit + bit, 0) & bit) & (shifted(bit + bit, 0) & bit),
        (byte.minimum(2) * 4 * 60 - 16) & 5,
        shifted(byte, 6) % 64,
    ],
)
def test_divisors_are_seen_however_a_sum_is_written(value):
    assert eq.explain_simplify(value).after is UOp.const(value.dtype, 0)


x, y = (UOp.param(slot, 1, eq.float32).reshape(()) for slot in range(2))
wide, other = (eq.variable(name, 0, 2**64 - 1, eq.uint64) for name in ("wide", "other"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (x + y / -1.0, x - y),
        (wide.alu(eq.Op.NEG) - other * 17, (other * 17 + wide) * (2**64 - 1)),
        ((wide % 8) | wide, wide),
        (((i % 1000 < 9) | (j < 4)) & (i < 9), i < 9),
        (((i % 4 < 9).logical_not().ne(True)).where(i, j) + j, i + j),
        ((i * 0 + i).maximum(i * 0 + 8) + 3, i.maximum(8) + 3),
        ((a // 15).maximum(b).ne(a // 15), a // 15 < b),
    ],
)  # fmt: skip
def test_equal_terms_are_connected(before, after):
    assert explain_equality(before, after, LIBRARY).replay() is after


@pytest.mark.parametrize("dtype", [eq.uint64, eq.index, eq.int8])
def test_choices_between_constants_are_explained(dtype):
    three, zero = (UOp.const(dtype, number) for number in (3, 0))
    assert eq.explain_simplify((i < 4).where(three, zero).ne(0)).after is (i < 4)
    assert eq.explain_simplify((i < 4).where(zero, three).ne(zero)).after is eq.simplify(
        (i < 4).logical_not()
    )


def test_nothing_to_explain_is_an_empty_chain():
    assert eq.explain_simplify(i) == Explanation(i, i, (), ())


def test_branch_is_a_lemma_under_its_condition():
    explanation = eq.explain_simplify((i < 4).where(i // 4, j))
    assert [step.kind for step in explanation.steps] == [StepKind.BRANCH]
    (lemma,) = explanation.lemmas
    assert lemma.assumptions == ((i < 4, True),)
    assert "lemma 0: i // 4 = 0, where i < 4" in str(explanation)


def test_condition_on_a_sum_bounds_the_sum():
    value = (i + j < 4).where((i + j) // 4, 7)
    explanation = eq.explain_simplify(value)
    assert explanation.replay() is explanation.after
    assert explanation.after.op is eq.Op.WHERE
    assert explanation.after.src[1] is UOp.const(eq.index, 0)


def test_gate_is_left_out_of_a_whole_result():
    anything = UOp(eq.Op.EMPTY, eq.index)
    value = (i < 4).where(i % 4, anything)
    explanation = eq.explain_simplify(value)
    assert [step.kind for step in explanation.steps] == [StepKind.GATE]
    assert explanation.after is i


def test_results_of_a_sink_are_explained_together():
    value = UOp.sink((i * 4 + 3) // 4, (j * 4 + 1) % 4, j)
    explanation = eq.explain_simplify(value)
    assert explanation.after is eq.simplify(value)
    assert {step.position[0] for step in explanation.steps} == {0, 1}


def test_subterm_that_occurs_often_is_proved_once():
    part = (i * 4 + j % 4) // 4
    value = part * part % 7
    for _ in range(20):
        value = value * value % 7
    explanation = eq.explain_simplify(value)
    assert sum(len(lemma.steps) for lemma in explanation.lemmas) + len(explanation.steps) < 200


def test_wrapping_is_respected():
    x, y = eq.variable("x", -128, 127, eq.int8), eq.variable("y", -128, 127, eq.int8)
    explanation = eq.explain_simplify(x * 100 + y + x * -100 - y)
    assert explanation.after is UOp.const(eq.int8, 0)
    with pytest.raises(ExplanationError, match="no chain of rules was found"):
        explain_equality(x * 2 // 2, x, LIBRARY)


def test_spent_limit_is_a_typed_error():
    value = ((i * 8 + j % 8) // 8) % 4
    with pytest.raises(ExplanationError, match="terms were made"):
        eq.explain_simplify(value, limits=Limits(rounds=0))


@settings(max_examples=60)
@given(expressions())
def test_every_step_from_generated_expressions_is_sound(drawn: Expression):
    """Where no chain is found, there are no steps; how often that may be is another test."""
    try:
        explanation = eq.explain_simplify(drawn.root)
    except ExplanationError:
        return
    term = drawn.root
    for step in explanation.steps:
        term = replaced(term, step.position, step.after)
        drawn.check(term)
    assert term is explanation.after


def test_drawn_expressions_are_explained():
    """Of nine thousand others, six have none."""
    assert [number for number in range(40) if not is_explained(draws.drawn(number))] == []


def is_explained(root: UOp) -> bool:
    """Whether a chain is found, which leads to what the root is simplified to."""
    try:
        return eq.explain_simplify(root).replay() is eq.simplify(root)
    except ExplanationError:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_lengthened_expressions_are_explained(kind):
    assert [number for number in range(6) if not is_explained(lengthened(kind, number).long)] == []


@pytest.mark.skipif(not SYMBOLIC.exists(), reason="the file of cases is not part of the project")
def test_cases_are_explained():
    cases = json.loads(SYMBOLIC.read_text())["cases"][::10]
    unexplained = []
    for case in cases:
        try:
            graph = read_graph(case["input"])
        except UnsupportedError:
            continue
        try:
            explanation = eq.explain_simplify(UOp.sink(*graph.roots))
        except ExplanationError:
            unexplained.append(case["id"])
        else:
            assert explanation.replay() is explanation.after
    assert unexplained == []
