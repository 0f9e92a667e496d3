"""Squares of lanes and copies are loaded by rows and transposed in registers: every dtype and number of lanes."""

import numpy as np
import pytest

from eqsat.codegen import OPENCL_GPU, C, expand, render
from eqsat.dtype import DType, float32, index, int32
from eqsat.ops import Op
from eqsat.spec.sources import shuffle_of
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, LOOP, UNROLL, UPCAST, Ranges, kernel, load, store
from tests.codegen.test_selection import DTYPES, data, vector_loads

LANES = (2, 4, 8, 16)


def transposed(dtype: DType, lanes: int, rows: int, columns: int, squares: int = 1, above: int = 0) -> UOp:
    """out[column, row] = in[row, column], 0 in the rows above; a work-item does `squares` squares of lanes side by side."""
    ranges = Ranges()
    width = lanes * squares
    group, outer = ranges(columns // width, GLOBAL), ranges(rows // lanes, LOOP)
    copy, lane = ranges(width, UNROLL), ranges(lanes, UPCAST)
    row, column = outer * lanes + lane, group * width + copy
    source, target = UOp.param(1, rows * columns, dtype), UOp.param(0, rows * columns, dtype)
    gate = None if not above else outer >= above // lanes
    value = load(source, row * columns + column, gate)
    return kernel("transposed", store(target, column * rows + row, value, group, outer, copy, lane))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_squares(dtype: DType, lanes: int) -> None:
    rows, columns = 2 * lanes, 5 * lanes
    values = data(rows * columns, dtype)
    sink = transposed(dtype, lanes, rows, columns)
    (found,) = check(sink, {1: values})
    np.testing.assert_array_equal(found.reshape(columns, rows), values.reshape(rows, columns).T)
    assert len(vector_loads(expand(sink))) == lanes, "each row of a square is loaded once"


@pytest.mark.parametrize("lanes", LANES)
def test_several_squares(lanes: int) -> None:
    rows, columns = 2 * lanes, 6 * lanes
    values = data(rows * columns, float32)
    (found,) = check(transposed(float32, lanes, rows, columns, squares=3), {1: values})
    np.testing.assert_array_equal(found.reshape(columns, rows), values.reshape(rows, columns).T)


@pytest.mark.parametrize("lanes", LANES)
def test_a_gate_that_a_square_has_in_common(lanes: int) -> None:
    rows, columns = 3 * lanes, 2 * lanes
    values = data(rows * columns, int32)
    (found,) = check(transposed(int32, lanes, rows, columns, above=lanes), {1: values})
    expected = values.reshape(rows, columns).copy()
    expected[:lanes] = 0
    np.testing.assert_array_equal(found.reshape(columns, rows), expected.T)


def test_three_lanes_are_no_square_that_halves() -> None:
    values = data(36, float32)
    (found,) = check(transposed(float32, 3, 6, 6), {1: values})
    np.testing.assert_array_equal(found.reshape(6, 6), values.reshape(6, 6).T)


def test_rows_that_lie_anywhere_are_loaded_lane_by_lane() -> None:
    """An index that was loaded may differ between copies in any way."""
    ranges = Ranges()
    copy, lane = ranges(4, UNROLL), ranges(4, UPCAST)
    table, positions = UOp.param(1, 64, float32), UOp.param(2, 16, int32)
    where = load(positions, lane * 4 + copy).cast(index)
    inside = (where >= 0) & (where < 61)
    value = load(table, where + copy, inside)
    sink = kernel("gather", store(UOp.param(0, 16, float32), copy * 4 + lane, value, copy, lane))
    places = np.random.default_rng(0).integers(0, 61, (4, 4)).astype(np.int32)
    values = np.arange(64, dtype=np.float32)
    (found,) = check(sink, {1: values, 2: places})
    np.testing.assert_array_equal(found.reshape(4, 4), values[places + np.arange(4)].T)


def test_what_the_kernel_writes_is_not_loaded_by_rows() -> None:
    ranges = Ranges()
    copy, lane = ranges(4, UNROLL), ranges(4, UPCAST)
    buffer = UOp.param(0, 32, float32)
    value = load(buffer, lane * 4 + copy)
    assert not vector_loads(expand(kernel("behind", store(buffer, copy * 4 + lane + 16, value, copy, lane))))


def test_without_shuffles_lanes_are_picked_one_by_one() -> None:
    sink, values = transposed(float32, 4, 8, 8), data(64, float32)
    assert "shuffle" not in render(sink, OPENCL_GPU).source + render(sink, C).source
    (found,) = check(sink, {1: values}, target=OPENCL_GPU)
    np.testing.assert_array_equal(found.reshape(8, 8), values.reshape(8, 8).T)


def test_a_shuffle_is_one_instruction_whatever_its_lanes() -> None:
    """A square of 16 rows has 64 shuffles of 16 lanes each."""
    order = render(transposed(float32, 16, 16, 16)).linear.src
    assert sum(node.op is Op.GEP for node in order) == 64
    assert sum(node.op is Op.CAT for node in order) == 32


def test_a_square_takes_one_shuffle_for_each_round_and_row() -> None:
    assert render(transposed(float32, 8, 8, 8)).source.count("__builtin_shufflevector") == 3 * 8


def test_shuffles_keep_within_128_bits_or_move_blocks_of_them() -> None:
    """These are what processors have one quick instruction for."""
    order = expand(transposed(float32, 16, 16, 16)).toposort()
    shuffles = [node for node in order if shuffle_of(node) is not None]
    assert len(shuffles) == 4 * 16
    for shuffle in shuffles:
        lanes = [lane % 16 for lane in shuffle.arg]
        blocks = all(
            lanes[start : start + 4] == list(range(lanes[start], lanes[start] + 4))
            for start in range(0, 16, 4)
        )
        inside = all(lane // 4 == place // 4 for place, lane in enumerate(lanes))
        assert blocks or inside
