"""Reductions of sub-groups: where the device has them, the items of one reduce without local memory; elsewhere all is as without.

PoCL 3.0 has none, so the function is written out for it here, by the definition: the sum over the items of one sub-group, for all of them.
"""

import re

import numpy as np
import pyopencl as cl
import pytest

from eqsat.codegen import (
    OPENCL_CPU,
    OPENCL_GPU,
    C,
    RenderedKernel,
    expand,
    linearize,
    render,
    with_sub_groups,
)
from eqsat.dtype import DType, float32, float64, int32, int64
from eqsat.ops import AxisType, Op
from eqsat.runtime.opencl.program import OPTIONS, compile_source
from eqsat.uop import UOp
from tests.codegen.device import check, queue
from tests.codegen.kernels import GLOBAL, LOCAL, LOOP, Ranges, kernel, load, reduced, store
from tests.codegen.test_groups import row_totals

DEVICE = with_sub_groups(OPENCL_GPU, 8)
RANDOM = np.random.default_rng(3)
CALL = re.compile(r"const (\w+) (\w+) = sub_group_reduce_(\w+)\((.*)\);")
EXTREME = re.compile(
    r"static inline \w+ sub_group_reduce_\w+\(const \w+ x\) {.*?^}\n", re.DOTALL | re.MULTILINE
)
COMBINED = {"add": "total + {0}", "max": "{0} > total ? {0} : total", "min": "{0} < total ? {0} : total"}
COMBINED |= {
    f"{extreme}_float32": f"isnan({{0}}) ? {{0}} : isnan(total) ? total : {COMBINED[extreme]}"
    for extreme in ("max", "min")
}


def written_out(rendered: RenderedKernel, size: int) -> str:
    """The source with each call written out: all items store, wait, and combine what those of their sub-group have stored."""
    memories: list[str] = []

    def write(match: re.Match[str]) -> str:
        kind, name, function, value = match.groups()
        memory = f"sub_group{len(memories)}"
        memories.append(f"    __local {kind} {memory}[{np.prod(rendered.local_size)}];\n")
        number = "(get_local_id(0) + get_local_size(0) * get_local_id(1))"
        element = f"{memory}[{number} / {size} * {size} + each]"
        return (
            f"barrier(CLK_LOCAL_MEM_FENCE); {memory}[{number}] = {value}; barrier(CLK_LOCAL_MEM_FENCE);\n"
            f"    {kind} {name} = {element.replace('each', '0')};\n"
            f"    for (int each = 1; each < {size}; each++) {{ {kind} total = {name}; {name} = {COMBINED[function].format(element)}; }}"
        )

    text = CALL.sub(write, EXTREME.sub("", rendered.source))
    assert "sub_group_reduce" not in text.split("__kernel")[1]
    head, _, body = text.partition(") {\n")
    return re.sub(
        r"#pragma OPENCL EXTENSION cl_khr_subgroups.*\n", "", f"{head}) {{\n{''.join(memories)}{body}"
    )


def run(graph: UOp, values: np.ndarray, size: int, results: int) -> np.ndarray:
    rendered = render(graph, with_sub_groups(OPENCL_GPU, size))
    assert CALL.search(rendered.source)
    context, flags = queue().context, cl.mem_flags
    found = np.zeros(results, values.dtype)
    given = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(values))
    made = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=found)
    function = getattr(compile_source(context, written_out(rendered, size), OPTIONS), rendered.name)
    function.set_args(*(made if each.written else given for each in rendered.arguments))
    cl.enqueue_nd_range_kernel(queue(), function, rendered.global_size, rendered.local_size)
    cl.enqueue_copy(queue(), found, made)
    return found


@pytest.mark.parametrize(("items", "size"), [(8, 8), (64, 8), (96, 32), (32, 32), (24, 4), (6, 2)])
@pytest.mark.parametrize(
    ("dtype", "numpy"), [(float32, np.float32), (float64, np.float64), (int64, np.int64)]
)
def test_sub_groups_reduce_first(items: int, size: int, dtype: DType, numpy: type) -> None:
    values = RANDOM.integers(-50, 50, (3, items * 2)).astype(numpy)
    found = run(row_totals(Op.ADD, dtype, items, 2), values, size, 3)
    np.testing.assert_array_equal(found, values.sum(axis=1))


def test_lanes_are_combined_before_items() -> None:
    values = RANDOM.integers(-50, 50, (3, 8 * 2 * 4)).astype(np.float32)
    np.testing.assert_array_equal(run(row_totals(Op.ADD, float32, 8, 2, 4), values, 8, 3), values.sum(axis=1))


@pytest.mark.parametrize(("op", "extreme"), [(Op.MAX, np.max), (Op.MIN, np.min)])
def test_extremes_of_integers_are_those_of_sub_groups(op: Op, extreme) -> None:
    values = RANDOM.integers(-50, 50, (3, 32)).astype(np.int32)
    np.testing.assert_array_equal(run(row_totals(op, int32, 16, 2), values, 8, 3), extreme(values, axis=1))


@pytest.mark.parametrize(("op", "extreme"), [(Op.MAX, np.max), (Op.MIN, np.min)])
def test_extremes_of_floats_are_those_of_sub_groups_and_keep_nan(op: Op, extreme) -> None:
    values = RANDOM.standard_normal((3, 32)).astype(np.float32)
    values[1, 9] = np.nan
    graph = row_totals(op, float32, 16, 2)
    np.testing.assert_array_equal(run(graph, values, 8, 3), extreme(values, axis=1))
    source = render(graph, DEVICE).source
    assert "return sub_group_any(isnan(x)) ? (float)NAN : found;" in source
    assert "double" not in source


def lanes_beside(kept: bool) -> UOp:
    """Rows that WARP lanes and groups of them sum together; if `kept`, each lane stores its element less the sum."""
    ranges = Ranges()
    row, part, lane = ranges(3, GLOBAL), ranges(4, AxisType.GROUP_REDUCE), ranges(8, AxisType.WARP)
    given = UOp.param(1, 96, float32)
    total = reduced(Op.ADD, load(given, (row * 4 + part) * 8 + lane), part, lane)
    if not kept:
        return kernel("lanes", store(UOp.param(0, 3, float32), row, total, row))
    group, own = ranges(4, LOCAL), ranges(8, AxisType.WARP)
    place = (row * 4 + group) * 8 + own
    return kernel(
        "lanes", store(UOp.param(0, 96, float32), place, load(given, place) - total, row, group, own)
    )


@pytest.mark.parametrize("kept", [False, True])
def test_a_range_of_lanes_is_reduced_by_a_sub_group_and_groups_by_rounds(kept: bool) -> None:
    values = RANDOM.integers(-50, 50, (3, 32)).astype(np.float32)
    total = values.sum(axis=1, keepdims=True)
    expected = (values - total if kept else total).reshape(-1)
    np.testing.assert_array_equal(run(lanes_beside(kept), values, 8, len(expected)), expected)
    (found,) = check(lanes_beside(kept), {1: values}, target=OPENCL_GPU)  # by rounds alone
    np.testing.assert_array_equal(found, expected)
    assert render(lanes_beside(kept), DEVICE).local_size == (8, 4)
    assert render(lanes_beside(kept), DEVICE).source.count("__local") == 1


def test_parts_of_lanes_are_apart_where_groups_reduce() -> None:
    """WARP lanes with results of their own each share their reduction with other items, not with each other."""
    ranges = Ranges()
    lane, part = ranges(4, AxisType.WARP), ranges(8, AxisType.GROUP_REDUCE)
    total = reduced(Op.ADD, load(UOp.param(1, 32, float32), part * 4 + lane), part)
    graph = kernel("columns", store(UOp.param(0, 4, float32), lane, total, lane))
    values = RANDOM.integers(-50, 50, (8, 4)).astype(np.float32)
    (found,) = check(graph, {1: values}, target=OPENCL_GPU)
    np.testing.assert_array_equal(found, values.sum(axis=0))


def test_one_thread_walks_the_lanes_that_a_sub_group_reduces() -> None:
    """In C, and where a kernel is expanded or put in order by itself, a reduced WARP range is a loop."""
    for text in (
        render(lanes_beside(False), C).source,
        render(linearize(expand(lanes_beside(False)))).source,
    ):
        assert "barrier" not in text
        assert text.count("for (") >= 2


def test_rows_of_items_beside_sub_groups() -> None:
    """Items of a second coordinate have sub-groups of their own."""
    rows, items = 4, 16
    ranges = Ranges()
    group, row, item = ranges(2, GLOBAL), ranges(rows, LOCAL), ranges(items, AxisType.GROUP_REDUCE)
    place = (group * rows + row) * items + item
    total = reduced(Op.ADD, load(UOp.param(1, 2 * rows * items, float32), place), item)
    graph = kernel("rows", store(UOp.param(0, 2 * rows, float32), group * rows + row, total, group, row))
    values = RANDOM.integers(-50, 50, (2 * rows, items)).astype(np.float32)
    np.testing.assert_array_equal(run(graph, values, 8, 2 * rows), values.sum(axis=1))


def lanes_of_columns() -> UOp:
    """Items reduce vectors of columns, whose lanes are results of their own."""
    ranges = Ranges()
    group, item, lane = ranges(2, GLOBAL), ranges(8, AxisType.GROUP_REDUCE), ranges(4, AxisType.UPCAST)
    value = load(UOp.param(1, 64, float32), item * 8 + group * 4 + lane)
    total = reduced(Op.ADD, value, item)
    return kernel("columns", store(UOp.param(0, 8, float32), group * 4 + lane, total, group, lane))


@pytest.mark.parametrize(
    ("graph", "why"),
    [
        (row_totals(Op.MUL, float32, 8, 2), "there is no product"),
        (row_totals(Op.ADD, float32, 12, 2), "items do not fill sub-groups"),
        (lanes_of_columns(), "vectors have no such function"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_local_memory_does_what_sub_groups_do_not(graph: UOp, why: str) -> None:
    rendered = render(graph, DEVICE)
    assert "sub_group" not in rendered.source
    assert rendered.source == render(graph, OPENCL_GPU).source


def test_a_group_of_one_sub_group_needs_no_local_memory() -> None:
    source = render(row_totals(Op.ADD, float32, 8, 2), DEVICE).source
    assert "__local" not in source
    assert "barrier" not in source


def test_no_item_is_missing_where_a_sub_group_reduces() -> None:
    """The call is a statement of the kernel itself, whatever is gated."""
    lines = render(row_totals(Op.ADD, float32, 64, 2), DEVICE).source.splitlines()
    (call,) = (line for line in lines if "sub_group_reduce_add" in line)
    assert call.startswith("    const float ")


def test_devices_without_sub_groups_have_work_items() -> None:
    """WARP ranges are coordinates of work-items, the fastest ones, whatever their number."""
    ranges = Ranges()
    warp, item, step = ranges(4, AxisType.WARP), ranges(3, LOCAL), ranges(2, LOOP)
    place = (item * 2 + step) * 4 + warp
    value = load(UOp.param(1, 24, float32), place)
    graph = kernel("copied", store(UOp.param(0, 24, float32), place, value + 1, item, step, warp))
    given = RANDOM.random(24, np.float32)
    (found,) = check(graph, {1: given}, target=OPENCL_CPU)
    np.testing.assert_array_equal(found, given + 1)
    rendered = render(graph, OPENCL_CPU)
    assert rendered.local_size == (4, 3)
