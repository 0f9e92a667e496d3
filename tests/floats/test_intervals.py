"""Bounds of results hold for whatever a device computes from operands within theirs."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.dtype import bfloat16, float16, float32, float64
from eqsat.floats.intervals import (
    ANYTHING,
    Bounds,
    bounds_of_result,
    hull,
    meet,
    of_integers,
    of_sum,
    rounded,
)
from eqsat.ops import ELEMENTARY_BINARY, ELEMENTARY_UNARY, Op
from eqsat.reference import evaluate
from eqsat.uop import UOp
from tests.codegen.functions import NUMPY, apply, near

POINTS = (
    0.0,
    1e-45,
    1.2e-38,
    1e-30,
    1e-3,
    0.3,
    0.5,
    0.99,
    1.0,
    1.5,
    2.0,
    20.0,
    90.0,
    800.0,
    6e4,
    1e20,
    3e38,
    inf,
)
NUMBERS = st.sampled_from(POINTS).flatmap(lambda size: st.sampled_from((size, -size)))
OPERATIONS = (
    Op.ADD, Op.SUB, Op.MUL, Op.MULACC, Op.FDIV, Op.RECIP, Op.NEG, Op.MAX, Op.MIN, Op.SQRT, *ELEMENTARY_UNARY, *ELEMENTARY_BINARY,
)  # fmt: skip
TERNARY, BINARY = {Op.MULACC}, {Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.MAX, Op.MIN, *ELEMENTARY_BINARY}


@st.composite
def operands(draw, dtype):
    """Bounds, with numbers of the dtype in them: the ends and what is between; NaN if they allow it."""
    with np.errstate(over="ignore"):
        ends = sorted(float(hold(draw(NUMBERS), dtype)) for _ in range(2))
        inner = [
            float(hold(value, dtype)) for value in draw(st.lists(NUMBERS | st.floats(-3, 3), max_size=6))
        ]
    bounds = Bounds(*ends, nan=draw(st.booleans()))
    values = [*ends, *(value for value in inner if ends[0] <= value <= ends[1]), *[-0.0] * (ends[0] == 0.0)]
    return bounds, [*values, *[nan] * bounds.nan]


def hold(value, dtype):
    """A number as the reference holds it in the dtype."""
    return evaluate(UOp.const(float64, value).cast(dtype), {})


def holds(bounds, results):
    numbers = results[~np.isnan(results)]
    return bool(np.all((bounds.low <= numbers) & (numbers <= bounds.high))) and (
        bounds.nan or numbers.size == results.size
    )


@given(st.data(), st.sampled_from(OPERATIONS), st.sampled_from((float32, float64, float16, bfloat16)))
def test_bounds_hold_all_results(data, op, dtype):
    count = 3 if op in TERNARY else 2 if op in BINARY else 1
    drawn = [data.draw(operands(dtype)) for _ in range(count)]
    variables = [UOp.param(slot, 1, dtype) for slot in range(count)]
    grid = np.meshgrid(*(np.array(values, np.float64) for _, values in drawn))
    held = [
        np.stack([np.asarray(hold(each, dtype)).reshape(1) for each in axis.reshape(-1)]) for axis in grid
    ]
    with np.errstate(all="ignore"):
        results = evaluate(UOp(op, dtype, tuple(variables)), dict(zip(variables, held, strict=True)))
    found = bounds_of_result(op, dtype, [bounds for bounds, _ in drawn])
    assert holds(found, np.asarray(results, np.float64)), (found, drawn)


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("op", ELEMENTARY_UNARY, ids=lambda op: op.name)
def test_bounds_hold_what_the_functions_of_devices_give(op, dtype):
    draw = np.random.default_rng(0)
    drawn = [draw.normal(0, scale, 1 << 12) for scale in (1e-30, 1, 10, 300)]
    edges = near([size for size in POINTS if size < 1e39], dtype, 8)
    values = np.concatenate([*drawn, edges, [-inf, inf]]).astype(NUMPY[dtype])
    values = np.sort(values[~np.isnan(values)])
    results = apply(op.name.lower(), dtype, values).astype(np.float64)
    for count in (3, 64, 2000):
        for start in range(0, values.size - count, count):
            part = values[start : start + count]
            bounds = Bounds(float(part[0]), float(part[-1]), nan=False)
            found = bounds_of_result(op, dtype, [bounds])
            assert holds(found, results[start : start + count]), (bounds, found)


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=1, max_size=40), st.randoms())
def test_bounds_of_sums_hold_in_any_order(terms, order):
    found = of_sum(float32, Bounds(min(terms), max(terms), nan=False), len(terms))
    order.shuffle(terms)
    with np.errstate(all="ignore"):
        total = np.float32(0)
        for term in terms:
            total = np.float32(total + np.float32(term))
    assert holds(found, np.array([total, np.sum(np.array(terms, np.float32))], np.float64))


def test_sums_of_what_is_not_negative_are_not_negative_and_no_nan():
    assert of_sum(float32, Bounds(0.0, 1.0, nan=False), 1000).inside(0.0, 1000.5)
    assert of_sum(float32, Bounds(0.5, 1.0, nan=False), 1000).inside(499.5, 1000.5)
    assert of_sum(float32, Bounds(0.0, inf, nan=False), 1000) == Bounds(0.0, inf, nan=False)
    assert of_sum(float32, Bounds(-1.0, inf, nan=False), 1000).nan
    assert of_sum(float32, Bounds(-1e38, 1e38, nan=False), 1000).nan
    assert of_sum(float16, Bounds(0.0, 1.0, nan=False), 1 << 20).high == inf


@pytest.mark.parametrize("dtype", [float16, bfloat16, float32, float64], ids=str)
def test_rounding_moves_ends_outward_but_not_across_zero(dtype):
    assert rounded(dtype, Bounds(0.0, 1.0, nan=False)).low == 0.0
    assert rounded(dtype, Bounds(1.0, 2.0, nan=False)).low < 1.0
    assert rounded(dtype, Bounds(-inf, inf, nan=True)) == ANYTHING
    small = 2.0**-1060 if dtype == float64 else 2.0**-140
    assert rounded(dtype, Bounds(small, 1.0, nan=False)).low == 0.0
    assert rounded(dtype, Bounds(-small, small, nan=False), 0).inside(-2e-4, 2e-4)


def test_integers_become_floats_without_nan():
    assert of_integers(float32, (0, 255)).inside(0.0, 255.01)
    assert of_integers(float16, (0, 1 << 20)).high == inf
    assert of_integers(float32, (None, 5)) == Bounds(-inf, inf, nan=False)


@given(st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS), NUMBERS)
def test_hull_and_meet(one, other, value):
    first, second = (Bounds(min(ends), max(ends), nan=ends[0] > 0) for ends in (one, other))
    inside = [each.low <= value <= each.high for each in (first, second)]
    joined, met = hull(first, second), meet(first, second)
    assert not any(inside) or joined.low <= value <= joined.high
    assert not all(inside) or met.low <= value <= met.high
    assert joined.nan == (first.nan or second.nan)
