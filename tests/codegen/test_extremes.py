"""Reductions of pairs: extremes and their positions, along lanes, copies and loops, three ways."""

import numpy as np
import pytest

from eqsat.codegen import render
from eqsat.dtype import ALL, DType, bfloat16, float32, index, int32, to_numpy
from eqsat.errors import SpecError
from eqsat.ops import Op, Stage
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, REDUCE, Ranges, column_extreme, kernel, load, row_extreme, store

RANDOM = np.random.default_rng(0)
EXTREMES = (Op.MAX, Op.MIN)
DTYPES = [dtype for dtype in ALL if dtype is not index]


def drawn(dtype: DType, shape: tuple[int, int]) -> np.ndarray:
    """Few values, so that many are equal; of floats, also zeros of both signs, infinities, and a NaN in half of the rows and columns."""
    if not dtype.is_float:
        return RANDOM.choice(np.array([dtype.min, dtype.min, dtype.max, 0, 1], to_numpy(dtype)), shape)
    values = RANDOM.choice([-np.inf, -np.inf, -1.5, -0.0, 0.0, 2.0, np.inf], shape)
    values[::2, ::2][RANDOM.random(values[::2, ::2].shape) < 0.1] = np.nan
    return values.astype(np.float32 if dtype is bfloat16 else to_numpy(dtype))


def check_positions(found: np.ndarray, values: np.ndarray, op: Op, axis: int) -> None:
    find = np.argmax if op is Op.MAX else np.argmin
    np.testing.assert_array_equal(found, find(values, axis=axis))


@pytest.mark.parametrize("op", EXTREMES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype: DType, op: Op) -> None:
    values = drawn(dtype, (6, 64))
    check_positions(check(row_extreme(6, 64, op, dtype, 8, 2), {2: values})[1], values, op, 1)
    check_positions(check(column_extreme(6, 64, op, dtype, 8, 2), {2: values})[1], values, op, 0)


@pytest.mark.parametrize("op", EXTREMES, ids=str)
@pytest.mark.parametrize(("lanes", "copies"), [(1, 1), (1, 3), (4, 1), (8, 2), (16, 6), (16, 3), (4, 24)])
def test_lanes_and_copies(lanes: int, copies: int, op: Op) -> None:
    values = drawn(float32, (40, 96))
    check_positions(check(row_extreme(40, 96, op, float32, lanes, copies), {2: values})[1], values, op, 1)


@pytest.mark.parametrize("op", EXTREMES, ids=str)
def test_rows_of_one_value_have_it_at_0(op: Op) -> None:
    for value in (-np.inf, np.inf, np.nan, 0.0):
        values = np.full((2, 64), value, np.float32)
        assert check(row_extreme(2, 64, op, float32, 8, 2), {2: values})[1].tolist() == [0, 0]


def test_both_members_are_accumulated_in_one_loop() -> None:
    source = render(row_extreme(16, 256, Op.MAX, float32, 8, 2)).source
    assert source.count("for (") == 1
    assert source.count("= (float8)(-INFINITY)") == source.count("= (int8)(0)")


@pytest.mark.parametrize(
    ("arg", "places", "told"),
    [
        ((Op.ADD, 1), int32, "MAX or MIN"),
        ((Op.MAX, 2), int32, "MAX or MIN"),
        ((Op.MAX, 1), float32, "integer for each element"),
    ],
)
def test_what_is_no_pair_is_refused(arg: tuple[Op, int], places: DType, told: str) -> None:
    ranges = Ranges()
    row, step = ranges(4, GLOBAL), ranges(16, REDUCE)
    pair = (load(UOp.param(1, 64, float32), row * 16 + step), step.cast(places), step)
    found = UOp(Op.ARGREDUCE, places, pair, arg)
    with pytest.raises(SpecError, match=told):
        verify(kernel("wrong", store(UOp.param(0, 4, places), row, found, row)), Stage.KERNEL)
