"""Intervals of results hold for every choice of operands, and are the least ones where operands are independent of each other and exact."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.dtype import bool_, index, int8, uint8
from eqsat.integers.bounds import GREATEST, LEAST, bounds, intervals_of
from eqsat.integers.intervals import hull, intersection, interval_of_result, multiply, square
from eqsat.ops import Op
from eqsat.reference import evaluate
from eqsat.uop import UOp

NUMBERS = (Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.FLOORDIV, Op.FLOORMOD, Op.IDIV, Op.MOD, Op.AND)  # fmt: skip
ENDS = st.tuples(st.integers(-7, 7), st.integers(-7, 7)).map(lambda ends: (min(ends), max(ends)))
TIGHT = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.FLOORDIV, Op.IDIV})


def results(op, dtype, operands):
    """All values of an operation on constants from these ranges, those without one left out."""
    for values in product(*(range(low, high + 1) for low, high in operands)):
        if op in (Op.FLOORDIV, Op.FLOORMOD, Op.IDIV, Op.MOD) and values[1] == 0:
            continue
        yield int(evaluate(UOp(op, dtype, tuple(UOp.const(dtype, value) for value in values)), {}))


@given(st.sampled_from(NUMBERS), st.sampled_from((index, int8)), ENDS, ENDS)
def test_an_interval_holds_all_results_and_little_else(op, dtype, one, other):
    found = list(results(op, dtype, (one, other)))
    low, high = interval_of_result(op, dtype, (one, other))
    assert all((low is None or low <= value) and (high is None or value <= high) for value in found)
    divides = op in (Op.FLOORDIV, Op.IDIV) and (other[0] <= 0 or one[0] == one[1])
    if op in TIGHT and found and not divides:
        assert (low, high) == (min(found), max(found))


@given(st.sampled_from((int8, uint8)), ENDS, st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_an_interval_holds_what_is_shifted_down(dtype, value, amounts):
    """Also by as many bits as there are, or more."""
    value = (max(0, value[0]), max(0, value[1])) if dtype is uint8 else value
    low, high = interval_of_result(Op.SHR, dtype, (value, (min(amounts), max(amounts))))
    assert all(
        low <= found <= high for found in results(Op.SHR, dtype, (value, (min(amounts), max(amounts))))
    )


@given(st.sampled_from((Op.ADD, Op.MUL, Op.SUB)), st.tuples(*[st.integers(0, 255)] * 4))
def test_what_may_wrap_has_the_interval_of_its_dtype(op, ends):
    one, other = (min(ends[:2]), max(ends[:2])), (min(ends[2:]), max(ends[2:]))
    exact = interval_of_result(op, index, (one, other))
    fits = exact[0] >= 0 and exact[1] <= 255
    assert interval_of_result(op, uint8, (one, other)) == (exact if fits else (0, 255))


@pytest.mark.parametrize("op", [Op.ADD, Op.MUL, Op.AND, Op.OR])
@pytest.mark.parametrize("one", [(0, 0), (1, 1), (0, 1)])
@pytest.mark.parametrize("other", [(0, 0), (1, 1), (0, 1)])
def test_bools(op, one, other):
    found = list(results(op, bool_, (one, other)))
    assert interval_of_result(op, bool_, (one, other)) == (min(found), max(found))


@given(ENDS, ENDS, st.integers(-8, 8))
def test_union_and_intersection(one, other, value):
    inside = [low <= value <= high for low, high in (one, other)]
    low, high = intersection(one, other)
    assert (low <= value <= high) == all(inside)
    low, high = hull(one, other)
    assert low <= value <= high or not any(inside)


def test_open_ends():
    assert multiply((0, None), (2, 3)) == (0, None)
    assert multiply((None, 5), (-2, -2)) == (-10, None)
    assert multiply((None, 5), (0, 1)) == (None, None)
    assert multiply((None, None), (0, 0)) == (0, 0)
    assert square((-3, None)) == (0, None)
    assert interval_of_result(Op.FLOORMOD, index, [(None, None), (3, 8)]) == (0, 7)


def test_bounds_of_terms():
    i, j = UOp.variable("i", -3, 5), UOp.range(7, 0)
    assert bounds(i * i) == (0, 25)
    assert bounds((i + j) // 4) == (-1, 2)
    assert bounds(UOp(Op.LOAD, index, (UOp.param(0, 4, index).replace(),))) == (LEAST, GREATEST)
    wide = UOp.variable("w", -100, 100, int8)
    assert intervals_of([wide * wide])[wide * wide] == (-128, 127)
