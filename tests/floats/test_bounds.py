"""Bounds of every node of a kernel hold, whatever its inputs are: NaN, infinities, subnormal numbers."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.dtype import bool_, float16, float32, float64, int32, uint8
from eqsat.floats.bounds import bounds_of
from eqsat.floats.intervals import ANYTHING, Bounds
from eqsat.ops import AxisType, Op
from eqsat.reference import evaluate
from eqsat.uop import UOp

VALUES = np.array(
    [0.0, -0.0, nan, inf, -inf, 1e-45, -1e-45, 1.2e-38, 3e38, -3e38, 1.0, -1.0, 0.1, 0.7, -0.7, 2.5, 60.0, -70.0, 90.0, -200.0, 1e6], np.float32
)  # fmt: skip
UNARY = (
    Op.NEG,
    Op.SQRT,
    Op.EXP,
    Op.EXP2,
    Op.LOG,
    Op.LOG1P,
    Op.SIN,
    Op.TANH,
    Op.ERF,
    Op.SIGMOID,
    Op.ATAN,
    Op.RECIP,
)
BINARY = (Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.FDIV, Op.POW)
ROW, OTHER, LOOP = UOp.range(8, 0), UOp.range(8, 2), UOp.range(8, 1, AxisType.REDUCE)
X, Y = UOp.param(0, 64, float32), UOp.param(1, 64, float32)


def load(memory, *place):
    """An element; a second place is the gate."""
    return UOp(Op.LOAD, memory.dtype, (UOp(Op.INDEX, memory.dtype, (memory, *place)),))


def loaded(memory, row, column):
    return load(memory, row * 8 + column)


def one(dtype=float32, slot=0):
    """A number of which nothing is known."""
    return load(UOp.param(slot, 64, dtype), ROW)


def found(node, **known):
    return bounds_of([node], **known)[node]


@st.composite
def graphs(draw):
    """An expression of two inputs: arithmetic, functions, choices, bools and integers as floats."""
    inputs = [one(slot=slot) for slot in range(2)]
    nodes = [
        *inputs,
        *(
            UOp.const(float32, value)
            for value in draw(st.lists(st.sampled_from((0.0, 1.0, -0.5, 88.0, 1e-40)), max_size=3))
        ),
    ]
    for _ in range(draw(st.integers(1, 12))):
        a, b, c = (draw(st.sampled_from(nodes)) for _ in range(3))
        kind = draw(st.sampled_from(("unary", "binary", "square", "integers", "half", "choice", "choice")))
        match kind:
            case "unary":
                made = UOp(draw(st.sampled_from(UNARY)), float32, (a,))
            case "binary":
                made = UOp(draw(st.sampled_from(BINARY)), float32, (a, b))
            case "square":
                made = a * draw(st.sampled_from((a, -a)))
            case "integers":
                made = (a < b).cast(draw(st.sampled_from((int32, float32)))).cast(float32)
            case "half":
                made = a.cast(float16).cast(float32)
            case _:
                test = draw(st.sampled_from((a < b, a.alu(Op.CMPNE, b), a.alu(Op.CMPNE, a))))
                test = draw(st.sampled_from((test, test.alu(Op.CMPNE, UOp.const(bool_, True)))))
                sides = st.sampled_from((c, a, b, -a, 0.0 - a, a + b, a * b))
                made = test.where(draw(sides), draw(sides))
        nodes.append(made)
    return inputs, nodes


@given(graphs())
def test_bounds_hold_for_every_node_and_input(drawn):
    inputs, nodes = drawn
    grid = np.meshgrid(VALUES, VALUES)
    data = {each: axis.reshape(-1) for each, axis in zip(inputs, grid, strict=True)}
    bounds = bounds_of(nodes)
    with np.errstate(all="ignore"):
        results = evaluate(nodes, data)
    for node, result in zip(nodes, results, strict=True):
        known, values = bounds[node], np.asarray(result, np.float64).reshape(-1)
        numbers = values[~np.isnan(values)]
        assert np.all((known.low <= numbers) & (numbers <= known.high)), (node, known)
        assert known.nan or numbers.size == values.size, (node, known)


def test_inputs_may_be_anything_and_integers_are_numbers():
    assert found(one()) == ANYTHING
    assert found(one(uint8).cast(float32)).inside(0.0, 255.01)
    assert not found(one(uint8).cast(float32)).nan
    assert found(ROW.cast(float32)).inside(0.0, 7.01)
    assert found((one() < 1.0).cast(float32)).inside(0.0, 1.01)


def test_a_clipped_number_may_still_be_nan():
    assert found(one().maximum(-2.0).minimum(3.0)) == Bounds(-2.0, 3.0, nan=True)


def test_choices_tell_of_what_they_compare():
    x, zero = one(), UOp.const(float32, 0.0)
    assert found((x < zero).where(-x, x)) == Bounds(0.0, inf, nan=True)
    assert found((zero < x).where(x, zero)) == Bounds(0.0, inf, nan=False)
    assert found((x < zero).where(zero, x)) == Bounds(0.0, inf, nan=True)
    assert not found(x.alu(Op.CMPNE, x).where(zero, x)).nan
    assert found(x.alu(Op.CMPNE, x).where(x, zero)).nan
    assert found((x < one(float32) * 2.0).where(x, zero)).nan is False


def test_a_failed_comparison_with_what_may_be_nan_tells_nothing():
    x, y = load(X, ROW), load(Y, ROW).maximum(1.0)
    assert found((x < y).where(UOp.const(float32, 5.0), x)) == ANYTHING


def test_squares_and_their_negatives_have_a_sign():
    x = one()
    assert found(x * x) == Bounds(0.0, inf, nan=True)
    assert found(-x * x) == Bounds(-inf, 0.0, nan=True)
    assert found(-x * -x).low == 0.0
    assert found(x * x.alu(Op.SQRT)).low == -inf


def test_a_number_less_the_maximum_of_its_row_is_not_positive():
    row = UOp(Op.REDUCE, float32, (loaded(X, ROW, LOOP), LOOP), Op.MAX)
    assert found(loaded(X, ROW, OTHER) - row) == Bounds(-inf, 0.0, nan=True)


@pytest.mark.parametrize(
    "less",
    [
        lambda row: loaded(Y, ROW, OTHER) - row,  # of other memory
        lambda row: loaded(X, OTHER, ROW) - row,  # a column
        lambda row: loaded(X, ROW, UOp.range(9, 3)) - row,  # beyond the row
        lambda row: loaded(X, ROW, OTHER) * 2.0 - row,  # twice the number
        lambda row: row - loaded(X, ROW, OTHER),
        lambda row: loaded(X, OTHER, UOp.range(8, 3)) - row,  # of another row
    ],
)
def test_other_differences_may_be_positive(less):
    row = UOp(Op.REDUCE, float32, (loaded(X, ROW, LOOP), LOOP), Op.MAX)
    assert found(less(row)) == ANYTHING


def test_a_computed_number_may_be_above_the_maximum_of_computed_numbers():
    """A product that becomes part of a multiply-add is not rounded; that of the maximum was."""
    row = UOp(Op.REDUCE, float32, (loaded(X, ROW, LOOP) * 0.3, LOOP), Op.MAX)
    assert found(loaded(X, ROW, OTHER) * 0.3 - row) == ANYTHING


def test_memory_has_the_bounds_of_what_is_stored_in_it():
    kept = UOp(Op.BUFFERIZE, float32, (one().alu(Op.EXP), ROW))
    assert found(load(kept, OTHER)).low == 0.0
    assert found(load(kept, OTHER, OTHER < 3)).low == 0.0
    known = {X: Bounds(2.0, 3.0, nan=False)}
    assert found(load(X, ROW), loaded=known) == Bounds(2.0, 3.0, nan=False)
    assert found(load(X, ROW, ROW < 3), loaded=known) == Bounds(0.0, 3.0, nan=False)


def test_sums_and_maxima_of_rows():
    squares = loaded(X, ROW, LOOP) * loaded(X, ROW, LOOP)
    assert found(UOp(Op.REDUCE, float32, (squares, LOOP), Op.ADD)) == Bounds(0.0, inf, nan=True)
    waves = UOp(Op.SIN, float32, (LOOP.cast(float32),))
    assert found(UOp(Op.REDUCE, float32, (waves, LOOP), Op.ADD)).inside(-8.1, 8.1)
    assert found(UOp(Op.REDUCE, float32, (waves, LOOP), Op.MAX)).inside(-1.01, 1.01)
    assert found(UOp(Op.REDUCE, float32, (waves, LOOP), Op.MUL)) == ANYTHING


def test_float64_is_computed_in_float64():
    assert found(one(float64).maximum(1e-300)).low == 1e-300
    assert found(one(float32).maximum(1e-40)).low == 0.0  # subnormal numbers may count as zero
