"""Scans in kernels: along lanes, copies and loops, across lanes, with and without the iteration itself; three ways."""

import numpy as np
import pytest

from eqsat.codegen import render
from eqsat.dtype import ALL, float32, index, int32
from eqsat.errors import CodegenError, SpecError
from eqsat.ops import REDUCE_OPS, Op
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, REDUCE, SCAN, Ranges, column_scan, kernel, load, row_scan, store

RANDOM = np.random.default_rng(0)
OPS = sorted(REDUCE_OPS, key=str)
DTYPES = [dtype for dtype in ALL if dtype is not index]


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(("lanes", "copies"), [(1, 1), (1, 3), (4, 1), (8, 2), (16, 1), (16, 6)])
def test_rows(lanes: int, copies: int, exclusive: bool) -> None:
    values = RANDOM.uniform(0.5, 1.5, (3, 96)).astype(np.float32)
    (found,) = check(row_scan(3, 96, Op.ADD, float32, lanes, copies, exclusive), {1: values}, rtol=1e-5)
    expected = np.cumsum(values, axis=1) - (values if exclusive else 0)
    np.testing.assert_allclose(found.reshape(3, 96), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("op", OPS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype, op: Op) -> None:
    values = RANDOM.integers(0, 2, (2, 32))
    check(row_scan(2, 32, op, dtype, 8, 2), {1: values}, rtol=0)
    check(column_scan(2, 32, op, dtype, 8, 2), {1: values}, rtol=0)


@pytest.mark.parametrize("op", [Op.MAX, Op.MIN])
def test_extremes_stay_nan_from_the_first_nan_on(op: Op) -> None:
    values = np.zeros((1, 64), np.float32)
    values[0, 21] = np.nan
    (found,) = check(row_scan(1, 64, op, float32, 8, 2), {1: values})
    assert np.isnan(found).nonzero()[0][0] == 21
    assert np.isnan(found[21:]).all()


def test_columns_carry_a_vector_each() -> None:
    values = RANDOM.integers(-9, 9, (7, 64))
    (found,) = check(column_scan(7, 64, Op.ADD, int32, 8, 2), {1: values})
    np.testing.assert_array_equal(found.reshape(7, 64), np.cumsum(values, axis=0))


def test_scans_along_one_loop_share_it() -> None:
    ranges = Ranges()
    row, step = ranges(4, GLOBAL), ranges(16, SCAN)
    value = load(UOp.param(1, 64, float32), row * 16 + step)
    total = UOp(Op.SCAN, float32, (value, step), (Op.ADD, False))
    again = UOp(Op.SCAN, float32, (total, step), (Op.ADD, False))
    both = kernel("twice", store(UOp.param(0, 64, float32), row * 16 + step, total * again, row, step))
    assert render(both).source.count("for (") == 1
    check(both, {1: RANDOM.random(64, np.float32)}, rtol=1e-5)


def test_a_reduction_in_each_iteration_is_scanned() -> None:
    ranges = Ranges()
    row, step, inner = ranges(4, GLOBAL), ranges(5, SCAN), ranges(3, REDUCE)
    value = load(UOp.param(1, 60, float32), (row * 5 + step) * 3 + inner)
    reduced = UOp(Op.REDUCE, float32, (value, inner), Op.MAX)
    total = UOp(Op.SCAN, float32, (reduced, step), (Op.ADD, False))
    sums = kernel("sums_of_maxima", store(UOp.param(0, 20, float32), row * 5 + step, total, row, step))
    check(sums, {1: RANDOM.random(60, np.float32)})


def test_a_scan_runs_around_no_other_loop() -> None:
    ranges = Ranges()
    step, inner = ranges(5, SCAN), ranges(3, REDUCE)
    value = load(UOp.param(1, 15, float32), step * 3 + inner)
    scanned = UOp(Op.SCAN, float32, (value, step), (Op.ADD, False))
    total = UOp(Op.REDUCE, float32, (scanned, inner), Op.MAX)
    with pytest.raises(SpecError, match="varies with REDUCE range 1"):
        render(kernel("crossed", store(UOp.param(0, 5, float32), step, total, step)))


def test_the_loops_of_a_scan_are_the_innermost() -> None:
    ranges = Ranges()
    step, other = ranges(5, SCAN), ranges(3, SCAN)
    value = load(UOp.param(1, 5, float32), step)
    scanned = UOp(Op.SCAN, float32, (value, step), (Op.ADD, False))
    columns = UOp(Op.SCAN, float32, (load(UOp.param(2, 3, float32), other), other), (Op.ADD, False))
    tangled = kernel(
        "tangled", store(UOp.param(0, 15, float32), step * 3 + other, scanned * columns, step, other)
    )
    check(tangled, {1: RANDOM.random(5, np.float32), 2: RANDOM.random(3, np.float32)})
    beside = UOp(Op.SCAN, float32, (value + load(UOp.param(2, 3, float32), other), step), (Op.ADD, False))
    with pytest.raises((SpecError, CodegenError), match="range 1|innermost"):
        render(kernel("around", store(UOp.param(0, 15, float32), step * 3 + other, beside, step, other)))
