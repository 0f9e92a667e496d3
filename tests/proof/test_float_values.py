"""The floats on which claims are tried hold the ends of what each dtype represents, and what a constant carries there."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.dtype import FLOATS, bfloat16, float16, float32, uint16
from eqsat.ops import Op
from eqsat.proof.float_values import by_size, constants_of, edges, every_value, random_floats
from eqsat.reference.alu import compute
from eqsat.reference.number import hold, reinterpret
from eqsat.uop import UOp

dtypes = pytest.mark.parametrize("dtype", FLOATS, ids=str)


def finite(dtype):
    return [value for value in edges(dtype) if math.isfinite(value)]


def times(dtype, values, constant):
    return compute(Op.MUL, dtype, hold(np.array(values), dtype), hold(np.array(constant), dtype))


@dtypes
def test_edges_are_distinct_values_of_the_dtype_and_of_both_signs(dtype):
    values = finite(dtype)
    np.testing.assert_array_equal(hold(np.array(values), dtype).astype(np.float64), values)
    assert {-value for value in values} == set(values)
    assert len(set(values)) == len(values) - 1  # 0.0 is -0.0
    assert {math.inf, -math.inf} < set(edges(dtype))
    assert any(map(math.isnan, edges(dtype)))


@dtypes
def test_edges_hold_the_ends_of_the_range(dtype):
    values = set(finite(dtype))
    largest, least = max(values), min(value for value in values if value > 0)
    assert times(dtype, [largest], 1 + 2.0**-7) == math.inf
    assert times(dtype, [least], 0.5) == 0
    assert {2 * least, 3 * least} < values
    for divisor in (2, 4, 16):
        above = [value for value in values if times(dtype, [value], divisor) == math.inf]
        below = [value for value in values if 0 < value * divisor <= largest]
        assert above
        assert max(below) == largest / divisor


@dtypes
@given(st.integers(-6, 6), st.floats(1, 2, exclude_max=True))
def test_a_constant_brings_the_values_that_it_carries_over_the_ends(dtype, exponent, significand):
    constant = float(hold(np.array(significand * 2.0**exponent), dtype))
    values = np.array([value for value in edges(dtype, (constant,)) if 0 < value < math.inf])
    with np.errstate(all="ignore"):
        products = times(dtype, np.sort(values), constant)
    tops, sizes = np.flatnonzero(np.isinf(products)), np.sort(values)
    if constant > 1:  # the last product that is finite and the first that is not are of neighbours
        assert below_in(dtype, sizes[tops[0]]) == sizes[tops[0] - 1]
    else:  # likewise the last that is 0
        lost = np.flatnonzero(products == 0)
        assert constant > 0.5 or below_in(dtype, sizes[lost[-1] + 1]) == sizes[lost[-1]]


def below_in(dtype, value):
    if dtype == bfloat16:
        bits = reinterpret(hold(np.array([value]), dtype), dtype, uint16)
        return float(reinterpret(bits - np.uint16(1), uint16, dtype)[0])
    held = hold(np.array(value), dtype)
    return float(np.nextafter(held, held.dtype.type(0)))


@dtypes
def test_large_values_and_small_ones_meet_where_products_overflow_and_underflow(dtype):
    known, large, small = by_size(hold(np.array(edges(dtype)), dtype), dtype)
    assert len(known) == len(edges(dtype))
    with np.errstate(all="ignore"):
        assert np.isinf(large * np.float64(large.max())).all() or dtype not in (float16, float32)
    assert {0.0, *(-small[small > 0]), *small[small > 0]} == set(small.tolist())
    assert 10 < len(large) < len(known) / 2
    assert 10 < len(small) < len(known) / 2


@pytest.mark.parametrize("dtype", [float16, bfloat16], ids=str)
def test_every_value_of_16_bits_is_there_once(dtype):
    bits = reinterpret(every_value(dtype), dtype, uint16)
    assert sorted(bits.tolist()) == list(range(1 << 16))


@dtypes
def test_random_floats_have_all_exponents_and_are_the_same_for_the_same_seed(dtype):
    drawn = random_floats(dtype, 20_000, 1)
    np.testing.assert_array_equal(drawn, random_floats(dtype, 20_000, 1))
    numbers = drawn[np.isfinite(drawn) & (drawn != 0)].astype(np.float64)
    exponents = np.frexp(numbers)[1]
    assert len(set(exponents.tolist())) >= {float16: 30, bfloat16: 250, float32: 250}.get(dtype, 1900)
    assert abs(np.mean(numbers < 0) - 0.5) < 0.05


def test_constants_of_graphs_are_their_sizes():
    x = UOp.param(0, 4, float32)
    graph = (x * -3.0 + 0.5) * math.inf - x * 0.5
    assert constants_of([graph, x * 0.0]) == (0.5, 3.0)
