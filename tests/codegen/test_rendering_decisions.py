"""Decisions of rendering and of the text of loop nests, each asked by itself."""

from __future__ import annotations

import re

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, render
from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.codegen.rendering.bools import between_zero_and
from eqsat.codegen.rendering.code import Level, literal, short_index
from eqsat.dtype import bool_, float32, index, int16, int32, int64
from eqsat.errors import CodegenError
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp
from tests.codegen.test_parts_alone import run
from tests.forms.form import argument, at, f, i, kernel, load, node, program, store

GIVEN = UOp.param(1, 64, float32)
COPIES, LANES = UOp.range(4, 1, AxisType.UNROLL), UOp.range(4, 0, AxisType.UPCAST)
FOUR, PAIR = float32.vec(4), float32.vec(2)


@pytest.mark.parametrize("op", [Op.CMPNE, Op.AND, Op.OR, Op.XOR])
def test_only_two_comparisons_are_one_between_zero_and_a_number(op):
    number, always = UOp.variable("n", -9, 9), UOp.const(bool_, value=True)
    high = number < 5
    negative = node(Op.CMPNE, bool_, number < 0, always)
    assert between_zero_and(node(Op.AND, bool_, negative, high)) == (number, i(5))
    sources = (number, i(0)) if op is Op.CMPNE else (number < 0, number < 3)
    other = node(Op.CMPNE, bool_, node(op, bool_, *sources), always)
    assert between_zero_and(node(Op.AND, bool_, other, high)) is None


def test_only_a_number_of_32_bits_is_known_to_be_below_a_positive_constant_by_one_comparison():
    """A bound that may be negative is a large one without its sign; fewer bits get their sign back in C."""

    def condition(number: UOp, end: UOp, *, least: int = 0, other: UOp | None = None) -> UOp:
        low = node(Op.CMPNE, bool_, number < least, UOp.const(bool_, value=True))
        return low & ((number if other is None else other) < end)

    number, bound = UOp.variable("n", -9, 9), UOp.variable("m", -9, 9)
    assert between_zero_and(condition(number, i(1))) == (number, i(1))
    for refused in (
        condition(number, bound),
        condition(number, i(-3)),
        condition(number, i(5), least=1),
        condition(number, i(5), other=bound),
    ):
        assert between_zero_and(refused) is None
    for dtype, told in ((int16, False), (int32, True), (int64, True), (float32, False)):
        loaded = load(at(UOp.param(1, 4, dtype), i(0)))
        assert (between_zero_and(condition(loaded, UOp.const(dtype, 5))) is not None) == told


@pytest.mark.parametrize(("op", "symbol"), [(Op.SHL, "<<"), (Op.SHR, ">>")])
def test_a_vector_of_one_constant_that_is_shifted_stays_a_vector(op, symbol):
    amounts = load(at(argument(1, 8, int64), i(0)), dtype=int64.vec(2)).cast(index.vec(2))
    shifted = node(op, index.vec(2), node(Op.VCONST, index.vec(2), arg=(64, 64)), amounts)
    linear = program(store(at(argument(0, 8, int64), i(0)), shifted.cast(int64.vec(2))))
    assert re.search(rf"\(long2\)\([^;]*\) {symbol} ", render(linear).source)
    expected = [128, 256] if op is Op.SHL else [32, 16]
    assert run(linear, {1: np.array([1, 2, 0, 0, 0, 0, 0, 0])})[:2].tolist() == expected


@pytest.mark.parametrize(("characters", "in_place"), [(90, True), (91, False)])
def test_an_expression_of_more_than_90_characters_has_a_variable(characters, in_place):
    text = f"{{0}} + 1.{'1' * (characters - len('in0[0] + 1.'))}"
    long = node(Op.CUSTOMI, float32, load(at(argument(1, 8), i(0))), arg=text)
    source = render(program(store(at(argument(0, 8), i(0)), long * f(2.0)))).source
    assert (f"= (in0[0] + 1.{'1' * 79}) * 2.0f;" in source) == in_place
    assert ("const float value" in source) != in_place


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-7, "-7"),
        (2**31 - 1, "2147483647"),
        (1 - 2**31, "-2147483647"),
        (2**31, "2147483648L"),
        (-(2**31), "-2147483648L"),
    ],
)
def test_an_index_beside_a_variable_is_told_to_be_long_only_where_it_must(value, text):
    found = short_index(value, OPENCL_CPU)
    assert (found.text, found.level) == (text, Level.ATOM if value >= 0 else Level.UNARY)


@pytest.mark.parametrize("dtype", [int32, int64, index])
def test_the_least_number_is_written_by_its_neighbour(dtype):
    found = literal(dtype.min, dtype, OPENCL_CPU)
    unit = "" if dtype is int32 else "L"
    assert (found.text, found.level) == (f"({dtype.min + 1}{unit} - 1)", Level.ATOM)
    for beyond in (dtype.min - 1, dtype.max + 1):
        with pytest.raises(CodegenError, match="has no place"):
            literal(beyond, dtype, OPENCL_CPU)


@pytest.mark.parametrize("bound", [LANES, COPIES], ids=["lanes", "copies"])
def test_a_store_is_told_with_all_that_it_varies_with(bound):
    """By its address, by its value, or because it writes for each."""
    out = UOp.param(0, 4, float32)
    stores = (
        store(at(out, bound), f(1.0)),
        store(at(out, i(0)), load(at(GIVEN, bound))),
        store(at(out, i(0)), f(1.0), bound),
    )
    for each in stores:
        line, _ = nest_text(kernel(each)).splitlines()
        assert line == ("vectorized v0 in 4:" if bound is LANES else "unrolled c0 in 4:")


@pytest.mark.parametrize("value", [1.5, 0.0, 1e-40])
def test_signs_of_floats_bind_as_they_do_in_c(value):
    assert literal(value, float32, OPENCL_CPU).level is Level.ATOM
    assert literal(-value, float32, OPENCL_CPU).level is Level.UNARY
