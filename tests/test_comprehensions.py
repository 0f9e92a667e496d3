"""Arrays of a formula: their elements are the formula, and their copies are the arrays that they copy."""

import random

import numpy as np
import pytest

import eqsat as eq
from eqsat.comprehensions import MOST_NODES, known_elements, written_out
from eqsat.dtype import float32, index, int64
from eqsat.ops import ALU, Op
from eqsat.uop import UOp

ROW, COLUMN = UOp.range(8, 0), UOp.range(4, 1)
X = UOp.param(0, 32, float32)
TABLE = X.reshape((8, 4))
DATA = {X: np.arange(32, dtype=np.float32)}
AT_ROW, AT_COLUMN = UOp.variable("i", 0, 7), UOp.variable("j", 0, 3)


def array_of(formula, *ranges):
    return UOp(Op.BUFFERIZE, formula.dtype, (formula, *ranges))


def element(array, *positions):
    return UOp(Op.INDEX, array.dtype, (array, *positions))


def operations(value):
    return {node.op for node in value.toposort()}


def simplified(value):
    """What a value is simplified to, with the steps replayed."""
    explanation = eq.explain_simplify(value)
    assert explanation.replay() is explanation.after
    return explanation.after


def test_the_positions_along_an_axis_are_positions():
    places = UOp.param(1, 5, index)
    assert simplified(element(UOp.iota(8), places)) is places
    assert simplified(element(UOp.iota(8), AT_ROW)) is AT_ROW


def test_an_element_at_its_own_ranges_is_the_formula():
    formula = ROW * 4 + COLUMN
    assert written_out(element(array_of(formula, ROW, COLUMN), ROW, COLUMN)) is formula


def test_ranges_change_places_with_positions():
    table = array_of(ROW * 10 + COLUMN, ROW, COLUMN)
    swapped = element(array_of(ROW * 10 + COLUMN, COLUMN, ROW), AT_COLUMN, AT_ROW)
    assert simplified(element(table, AT_ROW, AT_COLUMN)) is eq.simplify(AT_ROW * 10 + AT_COLUMN)
    assert simplified(swapped) is eq.simplify(AT_ROW * 10 + AT_COLUMN)
    assert simplified(element(table, AT_COLUMN, AT_COLUMN)) is eq.simplify(AT_COLUMN * 11)


def test_an_array_of_all_elements_of_another_is_that_one():
    whole = UOp.range(32, 2)
    assert simplified(array_of(element(X, whole), whole)) is X
    assert simplified(array_of(element(TABLE, ROW, COLUMN), ROW, COLUMN)) is TABLE
    assert simplified(array_of(element(TABLE, ROW, COLUMN), COLUMN, ROW)) is TABLE.permute((1, 0))


def test_storage_that_is_asked_for_twice_is_made_once():
    once = array_of(element(TABLE, ROW, COLUMN) * UOp.const(float32, 2.0), ROW, COLUMN)
    assert written_out(array_of(element(once, ROW, COLUMN), ROW, COLUMN)) is once


def test_what_is_no_copy_stays():
    part, double = UOp.range(4, 2), UOp.range(16, 3)
    assert written_out(array_of(element(TABLE, part, COLUMN), part, COLUMN)) is None
    assert written_out(array_of(element(TABLE, COLUMN * 2, COLUMN), COLUMN)) is None
    assert written_out(array_of(element(X, double), double)) is None
    other = UOp.range(8, 4)
    diagonal = array_of(element(array_of(ROW * 8 + other, other), ROW), ROW)
    assert written_out(diagonal) is None


def test_a_formula_with_ranges_of_its_own_is_not_written_out():
    total = UOp(Op.REDUCE, index, (ROW * COLUMN, COLUMN), Op.ADD)
    assert written_out(element(array_of(total, ROW), COLUMN)) is None


def test_a_large_formula_is_not_written_out():
    formula = ROW
    for number in range(MOST_NODES):
        formula = (formula + number) % 7
    assert written_out(element(array_of(formula, ROW), AT_ROW)) is None


def test_what_a_kernel_indexes_is_an_address():
    squares = array_of(ROW * ROW, ROW)
    load = UOp(Op.LOAD, index, (element(squares, AT_ROW),))
    assert known_elements(load.toposort()) == []


@pytest.mark.parametrize("seed", range(12))
def test_elements_agree_with_the_reference(seed):
    chance = random.Random(seed)
    formula: UOp = chance.choice([ROW * 4 + COLUMN, COLUMN - ROW, (ROW + COLUMN) % 3])
    if chance.random() < 0.5:
        formula = element(X, (ROW * 4 + COLUMN) % 32) * (formula.cast(float32) + UOp.const(float32, 0.5))
    array = array_of(formula, ROW, COLUMN)
    for _ in range(chance.randrange(4)):
        moved = [
            array.permute((1, 0)),
            array.cast(float32) + array.cast(float32),
            array.reshape((1, *array.shape)).reshape(array.shape),
        ]
        array = chance.choice(moved)
    places = [UOp.param(slot, 6, index) for slot in (1, 2)]
    value = element(array, *places)
    inputs = {
        place: np.random.default_rng(seed).integers(0, extent, 6)
        for place, extent in zip(places, array.shape, strict=True)
    }
    inputs |= DATA if X in value.toposort() else {}
    written = written_out(value)
    assert written is not None
    assert Op.BUFFERIZE not in operations(written)
    found = simplified(value)
    assert Op.BUFFERIZE not in operations(found)
    assert np.array_equal(eq.evaluate(found, inputs), eq.evaluate(value, inputs))


def test_an_array_program_that_takes_positions_gets_simpler():
    graph = eq.trace(lambda places: eq.take(eq.arange(8) * 3, places), eq.spec((4,), int64))
    best = eq.optimize(graph)
    assert Op.INDEX in operations(graph)
    assert not {Op.INDEX, Op.BUFFERIZE} & operations(best.uop)
    assert best.explain().replay() is best.uop
    places = np.array([0, 7, -1, 3])
    assert np.array_equal(eq.compile(graph)(places), np.arange(8)[places] * 3)
    assert len(operations(best.uop) & ALU) > 0
