"""Expressions that share their parts are explained in time that grows with distinct nodes: written out, those here have 2⁴⁰ operations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import eqsat as eq
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.sums import HIGHEST_DEGREE, polynomial
from eqsat.explain import THEORIES, Explanation, explain_equality
from eqsat.explain.closure.tables import ENode, flattened, with_parts, written
from eqsat.integers.intervals import LARGEST
from eqsat.ops import Op
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp

LEVELS = 40
i, k = eq.variable("i", 0, 100), eq.variable("k", 0, 9)
byte = eq.variable("byte", 0, 100, eq.int8)


def nested(value: UOp, level: Callable[[UOp], UOp]) -> UOp:
    """A value in which each level uses the one below it more than once."""
    for _ in range(LEVELS):
        value = level(value)
    return value


def doubled(op: Op) -> Callable[[UOp], UOp]:
    return lambda value: value.alu(op, value)


def length(explanation: Explanation) -> int:
    return len(explanation.steps) + sum(len(lemma.steps) for lemma in explanation.lemmas)


@pytest.mark.parametrize(
    "op", [Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.MAX, Op.MIN], ids=lambda op: op.name
)
@pytest.mark.parametrize("value", [i & 7, byte & 7, i & k], ids=["index", "int8", "two"])
def test_nested_operations_are_explained(value: UOp, op: Op) -> None:
    explanation = eq.explain_simplify(nested(value, doubled(op)) + 1)
    assert explanation.replay() is explanation.after
    assert length(explanation) < 8 * LEVELS
    again = Explanation.from_json(explanation.to_json())
    assert str(again) == str(explanation)


@pytest.mark.parametrize(
    "level",
    [
        lambda value: (k < value).where(value + 1, value),
        lambda value: (value < 50).where(value.maximum(3), value),
        lambda value: (value & k) | (value & 3),
        lambda value: value.maximum(value + 1),
        lambda value: value * value % 7,
        lambda value: (value + k) * (value + 2),
    ],
    ids=["where", "condition", "masks", "max", "modulo", "product"],
)
def test_nests_of_several_operations_are_explained(level: Callable[[UOp], UOp]) -> None:
    explanation = eq.explain_simplify(nested(i & 7, level))
    assert explanation.replay() is explanation.after
    assert length(explanation) < 20 * LEVELS


def test_sums_that_share_the_two_before_are_explained() -> None:
    one, other = i & 7, k & 3
    for _ in range(LEVELS):
        one, other = one + other, one
    explanation = eq.explain_simplify(one)
    assert explanation.replay() is explanation.after
    assert length(explanation) < LEVELS


def test_equal_nests_are_connected() -> None:
    square = doubled(Op.MUL)
    explanation = explain_equality(nested(i + 0, square), nested(i, square), LIBRARY)
    assert explanation.replay() is explanation.after
    assert length(explanation) < 8 * LEVELS


def test_long_chains_are_taken_apart_as_far_as_nothing_is_shared() -> None:
    flat = sum((eq.variable(f"v{number}", 0, 9) for number in range(400)), i)
    assert len(flattened(flat)) == 401
    assert with_parts_as_they_are(flat) is flat
    doubles = nested(i, doubled(Op.ADD))
    shared = k + doubles
    assert flattened(shared) == (k, *doubles.src)
    assert with_parts_as_they_are(shared) is shared


def with_parts_as_they_are(term: UOp) -> UOp:
    ((_, _, parts), *_) = written(term)
    return with_parts(ENode(term, parts), parts)


def test_numbers_stay_small() -> None:
    squares = nested(k, doubled(Op.MUL))
    assert all(len(monomial) <= HIGHEST_DEGREE for monomial in polynomial(squares))
    ((low, high),) = Bounds().of([squares + 1])
    assert low == 1
    assert high is None or high <= LARGEST
    assert not THEORIES["all points"].check(squares, squares + 0, Bounds())
