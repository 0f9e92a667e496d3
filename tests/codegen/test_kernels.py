"""Whole kernels: vectors, copies, accumulators, gates and loop nests, three ways."""

import re
from dataclasses import replace

import numpy as np
import pytest

from eqsat.codegen import OPENCL_GPU, expand, linearize, render
from eqsat.codegen.expansion.expand import expand as expand_legal
from eqsat.dtype import DType, bool_, float16, float32, float64, index, int8, int32, uint16, void
from eqsat.errors import CodegenError, SpecError
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import (
    GLOBAL,
    LOCAL,
    LOOP,
    REDUCE,
    UNROLL,
    UPCAST,
    Ranges,
    elementwise,
    gather,
    kernel,
    load,
    masked_copy,
    matmul,
    reduced,
    row_sum,
    softmax,
    store,
)

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize(("unroll", "loop"), [(1, 1), (2, 2)])
def test_matmul_tile(lanes: int, unroll: int, loop: int) -> None:
    a, b = RANDOM.random((16, 24), np.float32), RANDOM.random((24, 64), np.float32)
    (found,) = check(matmul(16, 64, 24, 4, 2, lanes, unroll, loop), {1: a, 2: b})
    np.testing.assert_allclose(found.reshape(16, 64), a @ b, rtol=1e-5)


def test_matmul_loads_each_operand_of_a_tile_once_per_step() -> None:
    instructions = linearize(expand(matmul(16, 64, 24, 4, 2, 8))).src
    start = next(
        place
        for place, node in enumerate(instructions)
        if node.op is Op.RANGE and node.arg[1] is AxisType.REDUCE
    )
    body = instructions[
        start : next(place for place in range(start, len(instructions)) if instructions[place].op is Op.END)
    ]
    reads = [node for node in body if node.op is Op.LOAD and node.src[0].src[0].op is Op.DEFINE_GLOBAL]
    assert sorted(node.dtype.lanes for node in reads) == [1, 1, 1, 1, 8, 8]


@pytest.mark.parametrize("op", [Op.ADD, Op.MAX, Op.MIN, Op.MUL])
@pytest.mark.parametrize(("lanes", "copies"), [(8, 4), (4, 1), (16, 2)])
def test_row_reduction(op: Op, lanes: int, copies: int) -> None:
    values = RANDOM.uniform(0.5, 1.5, (6, 128)).astype(np.float32)
    check(row_sum(6, 128, op, float32, lanes, copies), {1: values}, rtol=1e-5)


@pytest.mark.parametrize("dtype", [bool_, int32, float16, float64], ids=str)
def test_row_maximum_of_other_dtypes(dtype) -> None:
    values = RANDOM.integers(0, 2 if dtype.is_bool else 100, (6, 128))
    check(row_sum(6, 128, Op.MAX, dtype, 8, 2), {1: values}, rtol=0)


def test_maximum_keeps_nan() -> None:
    values = np.zeros((2, 64), np.float32)
    values[0, 5] = values[1, 40] = np.nan
    (found,) = check(row_sum(2, 64, Op.MAX, float32, 8, 2), {1: values})
    assert np.isnan(found).all()


@pytest.mark.parametrize(("lanes", "copies"), [(8, 1), (16, 2)])
def test_softmax_in_three_loops(lanes: int, copies: int) -> None:
    values = RANDOM.normal(0, 3, (4, 64)).astype(np.float32)
    rendered = render(softmax(4, 64, lanes, copies))
    assert rendered.source.count("for (") == 3
    check(softmax(4, 64, lanes, copies), {1: values}, rtol=1e-5)


@pytest.mark.parametrize("gate_by_lane", [False, True])
@pytest.mark.parametrize("shift", [8, 5])
def test_masked_copy(gate_by_lane: bool, shift: int) -> None:
    values = RANDOM.random(64, np.float32)
    (found,) = check(masked_copy(64, shift, 8, gate_by_lane), {1: values})
    if gate_by_lane:
        np.testing.assert_array_equal(found, np.concatenate([np.full(shift, 7, np.float32), values[:-shift]]))


@pytest.mark.parametrize("lanes", [4, 8])
def test_gather(lanes: int) -> None:
    table, positions = RANDOM.random(10, np.float32), RANDOM.integers(-3, 13, 64).astype(np.int32)
    (found,) = check(gather(64, 10, lanes), {1: table, 2: positions})
    np.testing.assert_array_equal(
        found, np.where((positions >= 0) & (positions < 10), table[positions.clip(0, 9)], 0)
    )


def test_reversed_lanes_are_one_vector_load() -> None:
    ranges = Ranges()
    outer, lane = ranges(4, GLOBAL), ranges(8, UPCAST)
    position = outer * 8 + lane
    flipped = kernel(
        "flip_it",
        store(
            UOp.param(0, 32, float32),
            position,
            load(UOp.param(1, 32, float32), position * -1 + 31),
            outer,
            lane,
        ),
    )
    rendered = render(flipped)
    assert rendered.source.count("in0") == 3  # parameter, comment, and a single access
    (found,) = check(flipped, {1: np.arange(32)})
    np.testing.assert_array_equal(found, np.arange(32)[::-1])


@pytest.mark.parametrize("stride", [2, 3])
def test_strided_lanes_are_gathered_and_scattered(stride: int) -> None:
    ranges = Ranges()
    outer, lane = ranges(4, GLOBAL), ranges(4, UPCAST)
    position = (outer * 4 + lane) * stride
    sparse = kernel(
        "sparse_copy",
        store(
            UOp.param(0, 16 * stride, float32),
            position,
            load(UOp.param(1, 16 * stride, float32), position),
            outer,
            lane,
        ),
    )
    check(sparse, {1: RANDOM.random(16 * stride, np.float32)})


def test_a_value_of_the_lane_alone_is_a_vector_constant() -> None:
    ranges = Ranges()
    outer, lane = ranges(4, GLOBAL), ranges(8, UPCAST)
    position = outer * 8 + lane
    value = (position % 5).cast(float32) + lane.cast(float32)
    check(kernel("lane_numbers", store(UOp.param(0, 32, float32), position, value, outer, lane)), {})


def test_two_outputs_share_what_they_compute() -> None:
    ranges = Ranges()
    outer, lane = ranges(8, GLOBAL), ranges(8, UPCAST)
    position = outer * 8 + lane
    value = load(UOp.param(2, 64, float32), position).alu(Op.EXP2)
    both = kernel(
        "two_outputs",
        store(UOp.param(0, 64, float32), position, value, outer, lane),
        store(UOp.param(1, 64, float32), position, value * value, outer, lane),
    )
    assert render(both).source.count("= exp2_float8(") == 1
    check(both, {2: RANDOM.random(64, np.float32)})


def test_reductions_over_one_range_share_its_loop() -> None:
    ranges = Ranges()
    row, step = ranges(4, GLOBAL), ranges(16, REDUCE)
    value = load(UOp.param(2, 64, float32), row * 16 + step)
    stores = [
        store(UOp.param(slot, 4, float32), row, reduced(op, value, step), row)
        for slot, op in enumerate((Op.ADD, Op.MAX))
    ]
    moments = kernel("moments", *stores)
    assert render(moments).source.count("for (") == 1
    check(moments, {2: RANDOM.random(64, np.float32)})


def test_reductions_that_depend_on_each_other_cannot_share_a_loop() -> None:
    ranges = Ranges()
    row, step = ranges(4, GLOBAL), ranges(16, REDUCE)
    value = load(UOp.param(1, 64, float32), row * 16 + step)
    total = reduced(Op.ADD, value, step)
    again = reduced(Op.ADD, value - total, step)
    with pytest.raises(SpecError, match="already runs over range 1"):
        render(kernel("tangle", store(UOp.param(0, 4, float32), row, again, row)))


def test_nested_reduction_stays_inside_what_it_depends_on() -> None:
    ranges = Ranges()
    row, outer, inner = ranges(4, GLOBAL), ranges(3, REDUCE), ranges(5, REDUCE)
    inside = reduced(Op.MAX, load(UOp.param(1, 60, float32), (row * 3 + outer) * 5 + inner), inner)
    invariant = load(UOp.param(2, 4, float32), row).alu(Op.SQRT)
    total = reduced(Op.ADD, inside * invariant, outer)
    nested = kernel("nested", store(UOp.param(0, 4, float32), row, total, row))
    source = render(nested).source
    assert source.index("sqrt(") < source.index("for (")
    check(nested, {1: RANDOM.random(60, np.float32), 2: RANDOM.random(4, np.float32)})


def test_unrolled_reduction_without_a_loop() -> None:
    ranges = Ranges()
    row, copy, lane = ranges(4, GLOBAL), ranges(5, UNROLL), ranges(4, UPCAST)
    value = load(UOp.param(1, 80, float32), (row * 5 + copy) * 4 + lane)
    flat = kernel("flat_sum", store(UOp.param(0, 4, float32), row, reduced(Op.ADD, value, copy, lane), row))
    assert "for (" not in render(flat).source
    check(flat, {1: RANDOM.random(80, np.float32)})


def test_a_reduction_over_an_axis_it_does_not_vary_with_counts_every_iteration() -> None:
    ranges = Ranges()
    row, step, copy, lane = ranges(4, GLOBAL), ranges(3, REDUCE), ranges(2, UNROLL), ranges(4, UPCAST)
    total = reduced(Op.ADD, load(UOp.param(1, 4, float32), row), step, copy, lane)
    check(kernel("repeat", store(UOp.param(0, 4, float32), row, total, row)), {1: np.arange(4)})


def test_more_than_three_parallel_ranges_share_a_dimension() -> None:
    ranges = Ranges()
    axes = [ranges(extent, GLOBAL) for extent in (2, 3, 4, 5, 2)]
    position: UOp = axes[0]
    for axis, extent in zip(axes[1:], (3, 4, 5, 2), strict=True):
        position = position * extent + axis
    deep = kernel(
        "deep_copy",
        store(UOp.param(0, 240, float32), position, load(UOp.param(1, 240, float32), position), *axes),
    )
    assert render(deep).global_size == (2, 5, 24)
    check(deep, {1: np.arange(240)})


def test_a_store_that_lacks_a_parallel_range_happens_once() -> None:
    ranges = Ranges()
    row, column = ranges(4, GLOBAL), ranges(8, GLOBAL)
    copy = store(
        UOp.param(0, 32, float32),
        row * 8 + column,
        load(UOp.param(2, 32, float32), row * 8 + column),
        row,
        column,
    )
    first = store(UOp.param(1, 4, float32), row, load(UOp.param(2, 32, float32), row * 8), row)
    check(kernel("both_sizes", copy, first), {2: np.arange(32)})


def test_local_ranges_are_work_items_of_a_group() -> None:
    ranges = Ranges()
    group, item = ranges(4, GLOBAL), ranges(16, LOCAL)
    position = group * 16 + item
    grouped = kernel(
        "grouped",
        store(UOp.param(0, 64, float32), position, load(UOp.param(1, 64, float32), position), group, item),
    )
    rendered = render(grouped)
    assert (rendered.global_size, rendered.local_size) == ((64,), (16,))
    check(grouped, {1: np.arange(64)})


@pytest.mark.parametrize("dtype", [int8, uint16])
def test_a_gated_narrow_value_keeps_its_type(dtype: DType) -> None:
    """C promotes both sides of `?:` to int, and `max(char, int)` is ambiguous."""
    ranges = Ranges()
    step = ranges(3, REDUCE)
    value = load(UOp.param(1, 2, dtype), step, step < 2, 0)
    total = reduced(Op.MAX, value, step)
    check(
        kernel("padded_maximum", store(UOp.param(0, 1, dtype), UOp.const(index, 0), total)),
        {1: np.array([3, 7])},
    )


def test_gated_store() -> None:
    ranges = Ranges()
    outer, lane = ranges(5, GLOBAL), ranges(8, UPCAST)
    position = outer * 8 + lane
    value = load(UOp.param(1, 36, float32), position, position < 36)
    check(
        kernel(
            "tail_lanes", store(UOp.param(0, 36, float32), position, value, outer, lane, gate=position < 36)
        ),
        {1: np.arange(36)},
    )


def test_loop_over_tiles_inside_a_work_item() -> None:
    ranges = Ranges()
    group, walk, step = ranges(2, GLOBAL), ranges(3, LOOP), ranges(4, REDUCE)
    row = group * 3 + walk
    total = reduced(Op.ADD, load(UOp.param(1, 24, float32), row * 4 + step), step)
    check(kernel("walked", store(UOp.param(0, 6, float32), row, total, group, walk)), {1: np.arange(24)})


@pytest.mark.parametrize("lanes", [4, 8])
def test_portable_target_reads_vectors_by_functions(lanes: int) -> None:
    tile = matmul(16, 64, 24, 4, 2, lanes)
    portable = replace(OPENCL_GPU, aligned_bytes=0)
    assert f"vload{lanes}(0, " in render(tile, portable).source
    check(tile, {1: RANDOM.random((16, 24)), 2: RANDOM.random((24, 64))}, rtol=1e-5, target=portable)


# the seeds' own forms of expansion


def test_unroll_and_contract_gather_iterations_into_lanes() -> None:
    group = UOp.range(4, 0, GLOBAL)
    steps = UOp(Op.UNROLL, index, (UOp(Op.VCONST, index.vec(4), (), (0, 1, 2, 3)),), ((7, 4),))
    value = load(UOp.param(1, 16, float32), group * 4 + steps)
    vector = UOp(Op.CONTRACT, float32.vec(4), (value * value,), ((7, 4),))
    address = UOp(Op.INDEX, float32, (UOp.param(0, 16, float32), group * 4))
    seeds = kernel("seed_form", UOp(Op.STORE, void, (address, vector, group)))
    check(seeds, {1: np.arange(16)})


def test_pointers_that_follow_each_other_are_one_vector_access() -> None:
    group = UOp.range(4, 0, GLOBAL)
    source, target = UOp.param(1, 16, float32), UOp.param(0, 16, float32)

    def pointers(buffer: UOp, step: int) -> UOp:
        return UOp(
            Op.PTRCAT,
            float32,
            tuple(UOp(Op.INDEX, float32, (buffer, group * 4 + step * lane)) for lane in range(4)),
        )

    vector = UOp(Op.LOAD, float32.vec(4), (pointers(source, 1),))
    copy = expand_legal(kernel("pointer_copy", UOp(Op.STORE, void, (pointers(target, 1), vector, group))))
    assert [node.op for node in copy.toposort() if node.op in (Op.LOAD, Op.STORE)] == [Op.LOAD, Op.STORE]
    check(copy, {1: np.arange(16)})


def test_two_vector_axes_in_one_value_are_refused() -> None:
    ranges = Ranges()
    first, second = ranges(4, UPCAST), ranges(4, UPCAST)
    value = load(UOp.param(1, 16, float32), first * 4 + second)
    square = kernel("square", store(UOp.param(0, 16, float32), first * 4 + second, value, first, second))
    with pytest.raises(SpecError, match="ranges 0, 1"):
        expand(square)
    with pytest.raises(CodegenError, match=r"UPCAST ranges \[0, 1\]"):
        expand_legal(square)


def test_a_kernel_is_a_sink_of_stores() -> None:
    with pytest.raises(CodegenError, match="SINK of stores"):
        render(UOp.const(float32, 1.0))


@pytest.mark.parametrize("chains", [1, 2, 4])
def test_copies_share_as_many_accumulators_as_the_kernel_says(chains):
    sink = row_sum(16, 256, Op.ADD, float32, 8, 4)
    instructions = render(sink.replace(arg=KernelInfo("row_sum", chains=chains))).linear.src
    assert sum(node.op is Op.DEFINE_REG for node in instructions) == chains


@pytest.mark.parametrize(("group", "local"), [(1, 1), (7, 5), (20, 20), (64, 50)])
def test_groups_have_at_most_as_many_work_items_as_the_kernel_says(group, local):
    sink = elementwise([lambda a: a + 1.0], (float32,), 1000, 1)
    rendered = render(sink.replace(arg=KernelInfo("elementwise", group=group)))
    assert (rendered.global_size, rendered.local_size) == ((1000,), (local,))


def test_loops_stand_in_the_order_of_their_priorities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 001's table says which loop is outside; changing it changes the kernel."""

    def order() -> list[str]:
        loop, along = UOp.range(3, 1, AxisType.LOOP), UOp.range(5, 0, AxisType.SCAN)
        address = UOp(Op.INDEX, float32, (UOp.param(0, 15, float32), loop * 5 + along))
        store = UOp(Op.STORE, void, (address, UOp.const(float32, 1.0), loop, along))
        source = render(UOp.sink(store, arg=KernelInfo("both"))).source
        return re.findall(r"< (\d+); ", source)

    assert order() == ["3", "5"]
    monkeypatch.setattr(AxisType, "priority", property(lambda axis: -axis.value[1]))
    assert order() == ["5", "3"]


def test_a_kernel_without_parallel_ranges_is_one_work_item_of_one_dimension() -> None:
    rendered = render(
        kernel("one", store(UOp.param(0, 1, float32), UOp.const(index, 0), UOp.const(float32, 2.0)))
    )
    assert (rendered.global_size, rendered.local_size) == ((1,), (1,))
