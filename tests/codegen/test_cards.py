"""What graphics cards are spared: 64-bit positions, vectors element by element, and loads of what lies side by side."""

from __future__ import annotations

import re

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, expand, linearize, render, render_source
from eqsat.dtype import DType, bfloat16, bool_, float16, float32, float64, index, int32, int64, uint8
from eqsat.ops import Op
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, LOCAL, REDUCE, UNROLL, UPCAST, Ranges, kernel, load, reduced, store

RANDOM = np.random.default_rng(0)


def copied(dtype: DType, size: int, copies: int, shift: int = 0, stride: int = 1) -> UOp:
    """So many elements side by side by each work-item, from `shift` on, of which each is the sum with the next."""
    ranges = Ranges()
    place, copy = ranges(size // copies, GLOBAL), ranges(copies, UNROLL)
    source, target = UOp.param(1, size * stride + shift + 1, dtype), UOp.param(0, size, dtype)
    value = load(source, (place * copies + copy) * stride + shift)
    return kernel("copied", store(target, place * copies + copy, value.alu(Op.ADD, value), place, copy))


def source_of(made: UOp) -> str:
    """For a card; of kernels that nobody runs: of some 2³¹ elements, or on what a call would have to bring."""
    return render_source(linearize(expand(made)), made.arg.name, OPENCL_GPU)


def loads_in(source: str) -> list[str]:
    return re.findall(r"__global const \w+ \*\)|in0\[", source.split("__kernel")[1])


PLACES = [(0, 1), (1, 1), (2, 1), (4, 1), (0, 2)]  # shifts and strides


@pytest.mark.parametrize(
    ("dtype", "copies", "shift", "stride"),
    [
        (dtype, copies, *place)
        for dtype in (float32, int64)
        for copies in (2, 3, 4, 6, 16)
        for place in PLACES[:4]
    ]
    + [
        (dtype, copies, *place)
        for dtype, copies in ((bfloat16, 16), (uint8, 16), (uint8, 6))
        for place in PLACES
    ]
    + [(float32, 4, *PLACES[4]), (int64, 2, *PLACES[4])],
    ids=str,
)
def test_scalars_side_by_side_are_one_vector_where_it_is_aligned(
    dtype: DType, copies: int, shift: int, stride: int
) -> None:
    """Vectors depend on copies and shifts: all are tried for two dtypes, others and strides with one or two numbers of copies."""
    made = copied(dtype, copies * 5, copies, shift, stride)
    values = RANDOM.integers(0, 50, copies * 5 * stride + shift + 1)
    check(made, {1: values}, rtol=1e-2 if dtype.bits == 16 else 1e-6, target=OPENCL_GPU)
    source = render(made, OPENCL_GPU).source
    assert len(loads_in(source)) == _loads(copies, shift, stride, OPENCL_GPU.aligned_bytes // dtype.itemsize)
    assert "*)(" not in render(made, OPENCL_CPU).source


def _loads(copies: int, shift: int, stride: int, most: int) -> int:
    """The fewest loads of vectors of a power of two of elements, each at a multiple of its lanes whatever the work-item."""
    if stride > 1:
        return copies
    count, left = 0, set(range(shift, shift + copies))
    lanes = most
    while lanes > 1:
        for start in range(0, shift + copies, lanes):
            if copies % lanes == 0 and left.issuperset(range(start, start + lanes)):
                left -= set(range(start, start + lanes))
                count += 1
        lanes //= 2
    return count + len(left)


def test_gated_loads_masks_and_what_the_kernel_writes_are_loaded_one_by_one() -> None:
    ranges = Ranges()
    place, copy = ranges(4, GLOBAL), ranges(4, UNROLL)
    at, end = place * 4 + copy, UOp.const(index, 13)
    gated = load(UOp.param(1, 16, float32), at, gate=at.alu(Op.CMPLT, end), otherwise=3)
    made = kernel("gated", store(UOp.param(0, 16, float32), at, gated, place, copy))
    check(made, {1: np.arange(16)}, target=OPENCL_GPU)
    assert "float4" not in render(made, OPENCL_GPU).source
    own = UOp.param(0, 16, float32)
    doubled = kernel("doubled", store(own, at, load(own, at).alu(Op.ADD, load(own, at)), place, copy))
    assert "float4" not in source_of(doubled)
    assert "int4" in render(copied(int32, 16, 4), OPENCL_GPU).source
    flags = kernel(
        "flags", store(UOp.param(0, 16, bool_), at, load(UOp.param(1, 16, bool_), at), place, copy)
    )
    check(flags, {1: RANDOM.integers(0, 2, 16)}, target=OPENCL_GPU)


@pytest.mark.parametrize("dtype", [float32, float64, uint8, float16], ids=str)
@pytest.mark.parametrize("lanes", [2, 3, 4, 8])
@pytest.mark.parametrize("shift", [0, 1, 2])
def test_vectors_are_whole_where_they_are_aligned(dtype: DType, lanes: int, shift: int) -> None:
    ranges = Ranges()
    place, lane = ranges(3, GLOBAL), ranges(lanes, UPCAST)
    at = place * 2 * lanes + lane
    size = lanes * 6 + 2
    source, target = UOp.param(1, size, dtype), UOp.param(0, size, dtype)
    made = kernel("moved", store(target, at + shift, load(source, at + shift), place, lane))
    check(made, {1: RANDOM.integers(0, 50, size)}, target=OPENCL_GPU)
    text = render(made, OPENCL_GPU).source.split("__kernel")[1]
    whole = min(lanes, OPENCL_GPU.aligned_bytes // dtype.itemsize)
    is_power = lanes != 3  # vectors of three lanes are as large as those of four
    assert ("vload" not in text) == (is_power and shift % whole == 0)
    assert ("vstore" not in text) == (is_power and shift % lanes == 0 and lanes == whole)


def test_positions_take_32_bits_where_these_are_enough() -> None:
    ranges = Ranges()
    row, step = ranges(64, GLOBAL), ranges(8, REDUCE)

    def totals(stride: int) -> str:
        value = load(UOp.param(1, 63 * stride + 8, float32), row * stride + step)
        made = kernel("totals", store(UOp.param(0, 64, float32), row, reduced(Op.ADD, value, step), row))
        return source_of(made)

    assert "long" not in totals(8)
    assert "long" not in totals((2**31 - 8) // 63)
    assert "int gid0" not in totals(2**31 // 63 + 1)
    assert "const long gid0" in totals(2**31 // 63 + 1)


def test_positions_that_are_read_keep_their_width() -> None:
    """Labels of 64 bits, and variables, which calls give in 64."""
    ranges = Ranges()
    place = ranges(8, GLOBAL)
    for dtype, written in ((int64, "long"), (int32, "int")):
        label = load(UOp.param(1, 8, dtype), place).cast(index)
        made = kernel(
            "taken", store(UOp.param(0, 8, float32), place, load(UOp.param(2, 9, float32), label), place)
        )
        check(made, {1: RANDOM.integers(0, 9, 8), 2: np.arange(9)}, target=OPENCL_GPU)
        assert f"const {written} gid0" in render(made, OPENCL_GPU).source
    first = UOp.variable("first", 0, 8)
    moved = kernel(
        "moved", store(UOp.param(0, 8, float32), place, load(UOp.param(1, 16, float32), place + first), place)
    )
    assert "const long first_" in render(moved, OPENCL_GPU).source
    assert "const long gid0" in render(moved, OPENCL_GPU).source


def test_compilers_are_told_the_items_of_a_group() -> None:
    """Of which the kernel itself makes use; others may be launched in groups of any size."""
    ranges = Ranges()
    group, item = ranges(4, GLOBAL), ranges(8, LOCAL)
    at = group * 8 + item
    made = kernel(
        "moved", store(UOp.param(0, 32, float32), at, load(UOp.param(1, 32, float32), at), group, item)
    )
    assert "__attribute__((reqd_work_group_size(8, 1, 1)))" in render(made, OPENCL_GPU).source
    assert "reqd_work_group_size" not in render(made, OPENCL_CPU).source
    assert "reqd_work_group_size" not in render(copied(float32, 64, 4), OPENCL_GPU).source
