"""Stores at small strides, all phases of which a work-item does, are whole stores of interleaved vectors."""

from itertools import product

import numpy as np
import pytest

from eqsat.codegen import OPENCL_GPU, expand
from eqsat.codegen.expansion.weaving import interleaved
from eqsat.dtype import DType, float32, int32, uint8
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, UNROLL, UPCAST, Ranges, kernel, load, store
from tests.codegen.pieces import joined, part, vector
from tests.codegen.test_selection import data, with_dtypes

STRIDES = (2, 3, 4)
LANES = (2, 4, 8, 16)


def woven(
    dtype: DType, lanes: int, stride: int, phases: int, windows: int = 1, constant: bool = False
) -> UOp:
    """out[stride·i + phase] = in[phase, i] for so many phases, by `windows` vectors at once; phase 0 may be a constant."""
    ranges = Ranges()
    outer, window, phase = ranges(3, GLOBAL), ranges(windows, UNROLL), ranges(phases, UNROLL)
    lane = ranges(lanes, UPCAST)
    size = 3 * windows * lanes
    position = (outer * windows + window) * lanes + lane
    value = load(UOp.param(1, phases * size, dtype), phase * size + position)
    if constant:
        value = (phase < 1).where(UOp.const(dtype, 1), value)
    target = UOp.param(0, stride * size, dtype)
    return kernel("woven", store(target, position * stride + phase, value, outer, window, phase, lane))


def stored(sink: UOp) -> list[int]:
    """Lanes of each store."""
    return [node.src[1].dtype.lanes for node in toposort([expand(sink)]) if node.op is Op.STORE]


@pytest.mark.parametrize(("dtype", "stride", "lanes"), with_dtypes([*product(STRIDES, LANES)]), ids=str)
def test_all_phases(stride: int, dtype: DType, lanes: int) -> None:
    sink, values = woven(dtype, lanes, stride, stride), data(3 * lanes * stride, dtype)
    (found,) = check(sink, {1: values})
    np.testing.assert_array_equal(found.reshape(-1, stride), values.reshape(stride, -1).T)
    assert stored(sink) == [lanes] * stride


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("stride", STRIDES)
def test_several_windows_and_constants(stride: int, lanes: int) -> None:
    sink, values = (
        woven(float32, lanes, stride, stride, windows=2, constant=True),
        data(6 * lanes * stride, float32),
    )
    (found,) = check(sink, {1: values})
    expected = values.reshape(stride, -1).T.copy()
    expected[:, 0] = 1
    np.testing.assert_array_equal(found.reshape(-1, stride), expected)
    assert stored(sink) == [lanes] * stride * 2


def weighted(dtype: DType, lanes: int, factors: int) -> UOp:
    """out[3·i + c] = above[4·i + c]·above[4·i + 3] + below[3·i + c], and for the first `factors` values of c less by above[4·i + 3]."""
    ranges = Ranges()
    outer, phase, lane = ranges(3, GLOBAL), ranges(3, UNROLL), ranges(lanes, UPCAST)
    size, position = 3 * lanes, outer * lanes + lane
    above, below = UOp.param(1, 4 * size, dtype), UOp.param(2, 3 * size, dtype)
    weight = load(above, position * 4 + 3)
    value = load(above, position * 4 + phase) * weight + load(below, position * 3 + phase)
    if factors:
        value = (phase < factors).where(value - weight, value)
    return kernel(
        "weighted", store(UOp.param(0, 3 * size, dtype), position * 3 + phase, value, outer, phase, lane)
    )


@pytest.mark.parametrize("factors", [0, 1])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", [uint8, int32, float32], ids=str)
def test_channels_computed_alike_are_computed_in_the_order_of_memory(
    dtype: DType, lanes: int, factors: int
) -> None:
    """What is stored side by side is loaded so; one channel computed otherwise is put between the others at last."""
    sink, above, below = weighted(dtype, lanes, factors), data(12 * lanes, dtype), data(9 * lanes, dtype)
    (found,) = check(sink, {1: above, 2: below})
    pixels = above.reshape(-1, 4)
    expected = pixels[:, :3] * pixels[:, 3:] + below.reshape(-1, 3)
    expected[:, :factors] -= pixels[:, 3:]
    np.testing.assert_allclose(found.reshape(-1, 3), expected, rtol=1e-6)
    assert stored(sink) == [lanes] * 3
    (first, *_) = [node for node in toposort([expand(sink)]) if node.op is Op.STORE]
    assert first.src[1].op in ({Op.GEP, Op.VECTORIZE} if factors else {Op.ADD, Op.MULACC})


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", [uint8, int32, float32], ids=str)
def test_neighbouring_pixels_are_added_in_the_order_of_memory(dtype: DType, lanes: int) -> None:
    """out[3·i + c] = in[6·i + c] + in[6·i + 3 + c]: channels at stride 6, which is a step for pixels and one for channels."""
    ranges = Ranges()
    outer, phase, lane = ranges(3, GLOBAL), ranges(3, UNROLL), ranges(lanes, UPCAST)
    size, position = 3 * lanes, outer * lanes + lane
    source = UOp.param(1, 6 * size, dtype)
    value = load(source, position * 6 + phase) + load(source, position * 6 + 3 + phase)
    sink = kernel(
        "halved", store(UOp.param(0, 3 * size, dtype), position * 3 + phase, value, outer, phase, lane)
    )
    values = data(6 * size, dtype)
    (found,) = check(sink, {1: values})
    pixels = values.reshape(-1, 2, 3)
    np.testing.assert_array_equal(found.reshape(-1, 3), pixels[:, 0] + pixels[:, 1])
    (first, *_) = [node for node in toposort([expand(sink)]) if node.op is Op.STORE]
    assert first.src[1].op is Op.ADD


@pytest.mark.parametrize(
    ("apart", "is_woven"), [(0, True), (16, False)], ids=["of one pair", "of pairs apart"]
)
def test_lanes_of_more_than_three_vectors_are_interleaved_once_computed(apart: int, is_woven: bool) -> None:
    phases: list[UOp] = []
    for phase in range(3):
        first, second = vector(8, phase * apart), vector(8, phase * apart + 8)
        lanes = [part(each, lane) for each in (first, second) for lane in (0, 2, 4, 6)]
        phases.append(joined(*(lanes[(lane + phase) % 8] for lane in range(8))).alu(Op.SQRT))
    assert (interleaved(phases) is not None) == is_woven


@pytest.mark.parametrize("stride", STRIDES)
def test_gaps_are_not_written(stride: int) -> None:
    sink, values = woven(float32, 8, stride, stride - 1), data(24 * (stride - 1), float32)
    (found,) = check(sink, {1: values})
    expected = np.zeros((24, stride))
    expected[:, : stride - 1] = values.reshape(stride - 1, -1).T
    np.testing.assert_array_equal(found.reshape(-1, stride), expected)
    assert set(stored(sink)) == {1}


@pytest.mark.parametrize("gate_by_lane", [False, True])
def test_gated_stores_keep_their_gates(gate_by_lane: bool) -> None:
    ranges = Ranges()
    outer, phase, lane = ranges(3, GLOBAL), ranges(2, UNROLL), ranges(8, UPCAST)
    position = outer * 8 + lane
    gate = (position * 2 + phase < 37) if gate_by_lane else (outer >= 1)
    value = load(UOp.param(1, 48, float32), phase * 24 + position)
    target = UOp.param(0, 48, float32)
    sink = kernel("gated", store(target, position * 2 + phase, value, outer, phase, lane, gate=gate))
    values = data(48, float32)
    (found,) = check(sink, {1: values})
    expected = values.reshape(2, 24).T.reshape(-1).copy()
    expected[slice(37, None) if gate_by_lane else slice(16)] = 0
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("stride", STRIDES)
def test_without_shuffles_lanes_are_picked_one_by_one(stride: int) -> None:
    sink, values = woven(float32, 4, stride, stride), data(12 * stride, float32)
    (found,) = check(sink, {1: values}, target=OPENCL_GPU)
    np.testing.assert_array_equal(found.reshape(-1, stride), values.reshape(stride, -1).T)


@pytest.mark.parametrize(
    ("dtype", "lanes", "copies"),
    with_dtypes([(4, 4), (8, 4), (16, 8), (16, 16), (8, 12), (4, 2), (4, 6)]),
    ids=str,
)
def test_copies_side_by_side_in_each_lane_are_transposed(dtype: DType, lanes: int, copies: int) -> None:
    """As many as the greatest power of two, up to the lanes; what is left is stored lane by lane."""
    ranges = Ranges()
    outer, copy, lane = ranges(3, GLOBAL), ranges(copies, UNROLL), ranges(lanes, UPCAST)
    size, width = 3 * lanes * copies, 3 * copies
    row, column = lane, outer * copies + copy
    value = load(UOp.param(1, size, dtype), column * lanes + row)
    sink = kernel("turned", store(UOp.param(0, size, dtype), row * width + column, value, outer, copy, lane))
    values = data(size, dtype)
    (found,) = check(sink, {1: values})
    np.testing.assert_array_equal(found.reshape(lanes, width), values.reshape(width, lanes).T)
    square = min(lanes, 1 << (copies.bit_length() - 1))
    whole = copies // square * lanes if square >= 4 else 0
    left = copies % square if square >= 4 else copies
    assert sorted(stored(sink)) == sorted(
        [square] * whole + [4] * (left // 4 * lanes) + [1] * (left % 4 * lanes)
    )


def test_rows_of_different_lengths_apart_are_not_transposed() -> None:
    ranges = Ranges()
    copy, lane = ranges(4, UNROLL), ranges(4, UPCAST)
    target, value = UOp.param(0, 64, float32), load(UOp.param(1, 16, float32), copy * 4 + lane)
    values = data(16, float32)
    apart = kernel("apart", store(target, lane * (copy + 7) + copy * 8, value, copy, lane))
    assert stored(apart) == [1] * 16
    (found,) = check(apart, {1: values})
    expected = np.zeros(64, np.float32)
    for number, one in enumerate(values):
        expected[number % 4 * (number // 4 + 7) + number // 4 * 8] = one
    written = expected != 0
    np.testing.assert_array_equal(found[written], expected[written])


@pytest.mark.parametrize("end", [1, 3, 4])
def test_transposed_rows_are_stored_under_the_gate_of_their_lane(end: int) -> None:
    ranges = Ranges()
    copy, lane = ranges(4, UNROLL), ranges(4, UPCAST)
    value = load(UOp.param(1, 16, float32), copy * 4 + lane)
    place = lane * 8 + copy
    sink = kernel("rows", store(UOp.param(0, 32, float32), place, value, copy, lane, gate=lane < end))
    assert stored(sink) == [4] * end
    values = data(16, float32)
    (found,) = check(sink, {1: values})
    np.testing.assert_array_equal(found.reshape(4, 8)[:end, :4], values.reshape(4, 4).T[:end])


def test_transposed_rows_that_end_inside_are_stored_whole_or_in_parts() -> None:
    """Gates of copies hold all where that of the last one does; those that follow no order are kept for each element."""
    ranges = Ranges()
    outer, copy, lane = ranges(3, GLOBAL), ranges(4, UNROLL), ranges(4, UPCAST)
    column = outer * 4 + copy
    value = load(UOp.param(1, 48, float32), column * 4 + lane)
    target = UOp.param(0, 64, float32)
    sink = kernel("rows", store(target, lane * 16 + column, value, outer, copy, lane, gate=column < 10))
    assert sorted(stored(sink)) == [1] * 16 + [4] * 4
    values = data(48, float32)
    (found,) = check(sink, {1: values})
    np.testing.assert_array_equal(found.reshape(4, 16)[:, :10], values.reshape(12, 4).T[:, :10])
    unordered = store(target, lane * 16 + column, value, outer, copy, lane, gate=(column * 7) % 5 < 3)
    assert stored(kernel("unordered", unordered)) == [1] * 16
