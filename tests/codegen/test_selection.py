"""Lanes at small strides are selected from whole loads: every stride, offset, dtype and number of lanes, to both ends of a buffer."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from eqsat.codegen import C, expand, render
from eqsat.codegen.expansion.selection import Cover
from eqsat.dtype import (
    FLOATS,
    INTS,
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int16,
    to_numpy,
    uint8,
)
from eqsat.machine import SELECTED, selected_strides
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, LOOP, UPCAST, Ranges, kernel, load, store

RANDOM = np.random.default_rng(0)
DTYPES = (bool_, *INTS, *FLOATS)
STRIDES = tuple(SELECTED)
OF_EACH_WIDTH = (
    bool_,
    uint8,
    int16,
    float16,
    bfloat16,
    float32,
    float64,
)  # one for each, and those that are stored as something else


def with_dtypes(cases: Sequence[tuple[int, ...]]) -> list[tuple[DType, *tuple[int, ...]]]:
    """Every case for a dtype of each width, and one of them for each other dtype: lanes are moved whatever their bits mean."""
    others = [dtype for dtype in DTYPES if dtype not in OF_EACH_WIDTH]
    return [
        *((dtype, *case) for dtype in OF_EACH_WIDTH for case in cases),
        *((dtype, *cases[number % len(cases)]) for number, dtype in enumerate(others)),
    ]


def strided(dtype: DType, lanes: int, groups: int, stride: int, offsets: list[int], size: int) -> UOp:
    """Output k is in[stride·i + offset k], by vectors; input k of as many elements as `size` says."""
    ranges = Ranges()
    outer, lane = ranges(groups, GLOBAL), ranges(lanes, UPCAST)
    position = outer * lanes + lane
    source = UOp.param(len(offsets), size, dtype)
    return kernel(
        "strided",
        *(
            store(
                UOp.param(number, groups * lanes, dtype),
                position,
                load(source, position * stride + offset),
                outer,
                lane,
            )
            for number, offset in enumerate(offsets)
        ),
    )


def of_parts(lanes: int, groups: int, stride: int, parts: Sequence[tuple[int, int]]) -> UOp:
    """Output k is in[stride·i + first] of input k, an array of its own; `parts` are first elements and sizes. One kernel costs less than many."""
    ranges = Ranges()
    outer, lane = ranges(groups, GLOBAL), ranges(lanes, UPCAST)
    position = outer * lanes + lane
    return kernel(
        "parts",
        *(
            store(
                UOp.param(number, groups * lanes, float32),
                position,
                load(UOp.param(len(parts) + number, size, float32), position * stride + first),
                outer,
                lane,
            )
            for number, (first, size) in enumerate(parts)
        ),
    )


def data(size: int, dtype: DType) -> np.ndarray:
    return (RANDOM.integers(0, 2 if dtype.is_bool else 100, size)).astype(to_numpy(dtype))


def vector_loads(sink: UOp) -> list[UOp]:
    return [node for node in toposort([sink]) if node.op is Op.LOAD and node.dtype.lanes > 1]


@pytest.mark.parametrize(
    ("dtype", "stride", "lanes"),
    with_dtypes([*product((2, 3, 4), (2, 4, 8, 16)), *product((5, 6, 8), (4, 16))]),
    ids=str,
)
def test_phases_of_a_buffer(stride: int, dtype: DType, lanes: int) -> None:
    """The first and the last element of the buffer are lanes."""
    size = 3 * lanes * stride
    sink = strided(dtype, lanes, 3, stride, list(range(stride)), size)
    values = data(size, dtype)
    found = check(sink, {stride: values})
    for offset, result in enumerate(found):
        np.testing.assert_array_equal(result, values[offset::stride])
    whole = stride if stride in selected_strides(dtype.itemsize) else 0
    assert len(vector_loads(expand(sink))) == whole, "phases share their loads"


AROUND = [(before, 0) for before in range(5)] + [(0, behind) for behind in range(1, 4)] + [(2, 1), (3, 3)]
"""Elements before the first that is read, and behind the last one."""


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("stride", [-1, *STRIDES, *(-stride for stride in STRIDES)])
def test_any_part_of_a_buffer(stride: int, lanes: int) -> None:
    """At offsets from the first element on, in buffers of any length from the last lane on."""
    span = abs(stride) * (2 * lanes - 1)
    parts = [
        (before if stride > 0 else before + span, before + span + 1 + behind) for before, behind in AROUND
    ]
    values = [data(size, float32) for _, size in parts]
    found = check(of_parts(lanes, 2, stride, parts), dict(enumerate(values, len(parts))))
    for (first, _), array, result in zip(parts, values, found, strict=True):
        np.testing.assert_array_equal(result, array[first + stride * np.arange(2 * lanes)])


@pytest.mark.parametrize("stride", STRIDES)
def test_windows_share_elements(stride: int) -> None:
    """The taps of a strided convolution."""
    size = 16 * 2 * stride + 5
    values = data(size, float32)
    found = check(strided(float32, 16, 2, stride, list(range(5)), size), {5: values})
    for offset, result in enumerate(found):
        np.testing.assert_array_equal(result, values[offset::stride][:32])


def padded(
    stride: int, parts: Sequence[tuple[int, int]], lanes: int, per_row: bool, otherwise: float = 7.0
) -> UOp:
    """out[row, i] = in[row, stride·i + offset] where that is inside a row of `size` elements, or else a constant; for each offset and size."""
    ranges = Ranges()
    row, outer, lane = ranges(3, GLOBAL), ranges(3, LOOP), ranges(lanes, UPCAST)
    position = outer * lanes + lane

    def stored(number: int, offset: int, size: int) -> UOp:
        read = position * stride + offset
        inside = (row >= 1) if per_row else (read >= 0) & (read < size)
        source = UOp.param(len(parts) + number, 3 * size, float32)
        value = load(source, row * size + read, inside, otherwise)
        target = UOp.param(number, 9 * lanes, float32)
        return store(target, row * (3 * lanes) + position, value, row, outer, lane)

    return kernel("padded", *(stored(number, *part) for number, part in enumerate(parts)))


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("stride", [*STRIDES, *(-stride for stride in STRIDES)])
def test_borders(stride: int, lanes: int) -> None:
    """Lanes outside of the gate have the alternative, and nothing is read for them."""
    reach = 3 * lanes * abs(stride)
    parts: list[tuple[int, int]] = []
    for missing in (1, stride + 1, lanes + 3):
        size, offset = reach - 2 * abs(missing), -abs(missing)
        parts.append((offset if stride > 0 else size + abs(missing) - 1, size))
    values = [data(3 * size, float32) for _, size in parts]
    results = check(padded(stride, parts, lanes, per_row=False), dict(enumerate(values, len(parts))))
    for (start, size), array, found in zip(parts, values, results, strict=True):
        read = start + stride * np.arange(3 * lanes)
        inside = (read >= 0) & (read < size)
        rows = array.reshape(3, size)[:, np.clip(read, 0, size - 1)]
        np.testing.assert_array_equal(found.reshape(3, -1), np.where(inside, rows, 7.0))


@pytest.mark.parametrize("stride", STRIDES)
def test_one_gate_for_all_lanes(stride: int) -> None:
    size = 24 * stride
    values = data(3 * size, float32)
    (found,) = check(padded(stride, [(stride - 1, size)], 8, per_row=True), {1: values})
    rows = values.reshape(3, size)[:, stride - 1 :: stride].copy()
    rows[0] = 7.0
    np.testing.assert_array_equal(found.reshape(3, -1), rows)


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("stride", [*STRIDES, *(-stride for stride in STRIDES)])
def test_whole_vectors_stay_inside_of_the_buffer(stride: int, lanes: int) -> None:
    """Where rows are read from the last to the first, the constant of an address says nothing about where the first element is."""
    span = abs(stride) * (lanes - 1)
    for row, rows in product(range(span + 1, span + abs(stride) + 2), (1, 2, 3)):
        outer = UOp.range(rows, 0)
        for position in (outer * row, (rows - 1) * row - outer * row):
            for before, behind in product(range(3), range(3)):
                size = (rows - 1) * row + span + 1 + before + behind
                address = UOp(Op.INDEX, float32, (UOp.param(0, size, float32), position + before))
                starts = Cover.of(address, stride, lanes, has_variables=False).starts
                assert before + min(starts) >= 0
                assert (rows - 1) * row + before + max(starts) + lanes <= size


def test_what_the_kernel_writes_is_read_element_by_element() -> None:
    """Around the lanes that are read, other work-items may write."""
    ranges = Ranges()
    outer, lane = ranges(4, GLOBAL), ranges(8, UPCAST)
    buffer, position = UOp.param(0, 64, float32), outer * 8 + lane
    sink = kernel("odd", store(buffer, position * 2 + 1, load(buffer, position * 2), outer, lane))
    assert not vector_loads(expand(sink))


def test_what_the_kernel_writes_is_read_backwards_element_by_element() -> None:
    """Lanes waited for the vector of them all, and that for its lanes, without end."""
    lane = Ranges()(8, UPCAST)
    buffer = UOp.param(0, 64, float32)
    assert not vector_loads(
        expand(kernel("behind", store(buffer, lane + 32, load(buffer, lane * -1 + 7), lane)))
    )


def test_c_has_no_vectors_to_select_from() -> None:
    source = render(strided(float32, 8, 2, 3, [0, 1, 2], 48), C).source
    assert "out0[offset2] = in0[offset1 + 3];" in source
