"""Claims of small parts of code generation, each in a millisecond: what the texts, places and prices that larger tests rely on are by themselves."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf

import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, expand, linearize, render, with_sub_groups
from eqsat.codegen.expansion.dependence import WORK_ITEMS, nesting
from eqsat.codegen.expansion.expand import expand as expand_given
from eqsat.codegen.expansion.lanes import pick
from eqsat.codegen.expansion.older_forms import modernize as modernize_kernel
from eqsat.codegen.linearization.loops import _numbers
from eqsat.codegen.linearization.matrices import Product, cycles_of_multiply_adds, sums_of_products
from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.codegen.linearization.older_forms import modernize
from eqsat.codegen.linearization.sequential import sequential
from eqsat.codegen.rendering.code import Level, literal, unsupported
from eqsat.dtype import bool_, float32, float64, index, int16, int32, int64, uint32, uint64, void
from eqsat.errors import CodegenError
from eqsat.fragments import INSTRUCTIONS
from eqsat.integers.values import value_of
from eqsat.ops import REDUCES, TABLE, AxisType, Op, Stage
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.codegen.kernels import elementwise
from tests.codegen.test_groups import row_totals
from tests.forms.form import after, argument, at, f, i, kernel, load, local, node, program, store
from tests.spec.nodes import SMALL

PLACES = [at(argument(1, 8), i(lane)) for lane in range(4)]
TARGET = at(argument(0, 8), i(0))


@pytest.mark.parametrize(
    ("dtype", "text"), [(uint32, "7u"), (uint64, "7uL"), (int32, "7"), (int64, "7L"), (index, "7L")]
)
def test_literals_are_of_their_type(dtype, text):
    assert literal(7, dtype, OPENCL_CPU).text == text


@pytest.mark.parametrize(
    ("value", "dtype", "text", "level"),
    [
        (inf, float32, "INFINITY", Level.ATOM),
        (-inf, float32, "-INFINITY", Level.UNARY),
        (inf, float64, "(double)INFINITY", Level.UNARY),
        (-inf, float64, "-(double)INFINITY", Level.UNARY),
    ],
)
def test_infinities_bind_as_their_text_does(value, dtype, text, level):
    found = literal(value, dtype, OPENCL_CPU)
    assert (found.text, found.level) == (text, level)


@pytest.mark.parametrize("op", [Op.FLOORDIV, Op.FLOORMOD])
def test_a_division_by_zero_is_no_shift_or_mask(op):
    """It has no value, and may stand where it is not computed."""
    source = render(elementwise([lambda a: a.alu(op, a.like(0))], (int32,), 8, 1)).source
    assert re.search(r"= floor_\w+\(in0\[.*\], 0\)", source)


@pytest.mark.parametrize("lanes", [2, 4])
def test_lanes_are_shifted_by_a_vector(lanes):
    """C widens no int beside narrower lanes."""
    source = render(elementwise([lambda a: a.alu(Op.FLOORDIV, a.like(4))], (int16,), 8, lanes)).source
    assert f">> (short{lanes})(2)" in source


def test_an_operation_without_a_form_names_what_to_do():
    text = "XOR of float32, float32 has no form; cast the operands to a dtype that XOR is defined for"
    assert str(unsupported(f(1.0).alu(Op.XOR, f(2.0)))) == text


def test_truths_of_two_lanes_are_one_where_they_are_minus_one():
    sink = elementwise([lambda a: a.cast(float32)], (bool_,), 8, 2)
    assert "convert_float2(-" in render(sink).source


def test_all_lanes_in_order_are_the_vector():
    vector = load(node(Op.PTRCAT, float32, *PLACES), dtype=float32.vec(4))
    assert pick(vector, (0, 1, 2, 3)) is vector
    assert pick(vector, (1, 0, 2, 3)) is not vector


def test_one_thread_loads_from_each_pointer():
    joined = node(Op.PTRCAT, float32, *PLACES)
    target = node(Op.PTRCAT, float32, *(at(argument(0, 8), i(lane)) for lane in range(4)))
    made = sequential(kernel(store(target, load(joined, dtype=float32.vec(4))))).toposort()
    assert sum(each.op is Op.LOAD for each in made) == sum(each.op is Op.STORE for each in made) == 4


def test_two_lanes_that_nobody_can_tell_apart_are_refused():
    pair = node(Op.CUSTOM, float32.vec(2), load(PLACES[0]), arg="(float2)({0})")
    target = node(Op.PTRCAT, float32, *(at(argument(0, 8), i(lane)) for lane in range(2)))
    with pytest.raises(CodegenError, match="no lanes of its own"):
        sequential(kernel(store(target, pair)))
    two = load(node(Op.PTRCAT, float32, *PLACES[:2]), dtype=float32.vec(2))
    with pytest.raises(CodegenError, match="no lanes of its own"):
        sequential(kernel(store(TARGET, node(Op.CUSTOM, float32, two, arg="{0}.s0"))))


def test_a_scalar_is_stored_to_all_lanes():
    lane = UOp.range(4, 0, AxisType.UPCAST)
    made = expand_given(kernel(store(at(UOp.param(0, 4, float32), lane), f(2.0), lane)))
    (stored,) = (each for each in made.toposort() if each.op is Op.STORE)
    assert stored.src[1].dtype == float32.vec(4)


def test_a_load_of_a_buffer_and_a_place_is_one_of_the_place():
    place = at(argument(1, 8), i(3))
    made = modernize_kernel(kernel(store(TARGET, node(Op.LOAD, float32, argument(1, 8), place))))
    (loaded,) = (each for each in made.toposort() if each.op is Op.LOAD)
    assert loaded.src == (place,)


def test_a_scan_is_told_as_a_loop_with_what_it_keeps():
    step, row = UOp.range(4, 1, AxisType.SCAN), UOp.range(2, 0, AxisType.GLOBAL)
    place = row * 4 + step
    total = node(Op.SCAN, float32, load(at(UOp.param(1, 8, float32), place)), step, arg=(Op.ADD, False))
    text = nest_text(kernel(store(at(UOp.param(0, 8, float32), place), total, row, step)))
    assert [line.strip() for line in text.splitlines() if line.endswith(":")] == [
        "parallel i0 in 2:",
        "for k0 in 4:",
    ]
    assert "sum0 " in text, text


def test_a_formula_that_is_too_long_is_in_no_other():
    row = UOp.range(4, 0, AxisType.GLOBAL)
    values = [load(at(UOp.param(1, 64, float32), row * 16 + each)) for each in range(16)]
    long = values[0]
    for each in values[1:]:
        long = long * each
    text = nest_text(kernel(store(at(UOp.param(0, 4, float32), row), long + f(2.0), row)))
    assert "None" not in text
    assert "+ 2" not in text, text


def test_sizes_of_launches_count_items():
    rows = UOp.range(UOp.variable("n", 1, 9), 0, AxisType.GLOBAL)
    plain = render(kernel(store(at(UOp.param(0, 9, float32), rows), f(1.0), rows)))
    assert [value_of(size, {"n": 3}) for size in plain.sizes] == [3]
    item = UOp.range(4, 1, AxisType.LOCAL)
    grouped = render(kernel(store(at(UOp.param(0, 36, float32), rows * 4 + item), f(1.0), rows, item)))
    assert [value_of(size, {"n": 3}) for size in grouped.sizes] == [12]


def test_only_sums_of_products_are_accumulated():
    made = node(Op.WMMA, float32, f(1.0), f(1.0), f(0.0), arg=SMALL)
    total = made + f(3.0)
    assert sums_of_products([made, total]) == {total: made}
    assert sums_of_products([made, made * f(3.0)]) == {}


def test_more_rows_to_share_cost_more_than_their_products():
    """Each element of the fragments is stored once, and each product loads two."""
    dims, given, made = INSTRUCTIONS[0][1:4]
    assert cycles_of_multiply_adds(Product("mma", *dims, given, made, "CUDA", 32)) == 168.0
    alone = Product("mma", *dims, given, made, "CUDA", 1)
    assert cycles_of_multiply_adds(alone) < 32 * cycles_of_multiply_adds(replace(alone, threads=32))


def test_loops_are_told_by_their_numbers():
    assert _numbers([UOp.range(4, 3, AxisType.LOOP), UOp.range(4, 7, AxisType.REDUCE)]) == "3, 7"


@pytest.mark.parametrize("dtype", [int32, int64, uint32])
def test_sub_groups_find_the_greatest_integer(dtype):
    made = render(row_totals(Op.MAX, dtype, 8, 2), with_sub_groups(OPENCL_GPU, 8))
    assert "sub_group_reduce_max(" in made.source


# linear programs in older forms: what an instruction takes has been there before


def closed(linear: UOp) -> list[UOp]:
    """The instructions of a program, of which each takes what stands before it."""
    seen: set[UOp] = set()
    for each in linear.src:
        assert all(source in seen or not source.src for source in each.src), each
        seen.add(each)
    verify(linear, Stage.LINEAR)
    return list(linear.src)


def test_a_loop_from_a_start_is_ended_as_the_loop_that_it_became():
    loop = node(Op.RANGE, index, i(2), i(5), arg=0)
    stored = store(at(argument(0, 8), loop), f(1.0))
    made = closed(modernize(program(loop, stored, node(Op.END, void, stored, loop))))
    (counted,) = (each for each in made if each.op is Op.RANGE)
    assert counted.src[0] is i(3)
    (ended,) = (each for each in made if each.op is Op.END)
    assert ended.src[1] is counted


def test_loops_from_a_start_have_numbers_of_their_own():
    outer, one = UOp.range(3, 1), node(Op.RANGE, index, i(1), i(3), arg=0)
    other = node(Op.RANGE, index, i(2), i(4), arg=0)
    stored = store(at(argument(0, 8), outer + one + other), f(1.0))
    ends = [node(Op.END, void, stored, loop) for loop in (other, one, outer)]
    made = closed(modernize(program(outer, one, other, stored, *ends)))
    numbers = [each.arg[0] for each in made if each.op is Op.RANGE]
    assert len(set(numbers)) == len(numbers) == 3


def test_what_a_barrier_waits_for_is_the_store_that_an_older_one_became():
    gate = load(at(argument(2, 8), i(0))) < f(1.0)
    stored = store(TARGET, f(1.0), gate)
    barrier = node(Op.BARRIER, void, stored)
    made = closed(modernize(program(stored, barrier)))
    (waiting,) = (each for each in made if each.op is Op.BARRIER)
    assert waiting.src[0] in made


def test_joined_pointers_wait_for_what_they_come_after():
    memory = argument(1, 8)
    stored = store(at(memory, i(0)), f(1.0))
    joined = node(Op.PTRCAT, float32.vec(2), at(memory, i(0)), at(memory, i(5)))
    made = closed(
        modernize(program(stored, store(TARGET, load(node(Op.AFTER, joined.dtype, joined, stored)))))
    )
    loads = [each for each in made if each.op is Op.LOAD]
    assert len(loads) == 2
    assert all(any(below.op is Op.STORE for below in each.toposort()) for each in loads)


def test_items_wait_for_what_loops_in_loops_have_stored():
    item, outer, inner = UOp.range(4, 0, AxisType.LOCAL), UOp.range(2, 1), UOp.range(2, 2)
    memory = local(16)
    kept = store(
        at(memory, item * 4 + outer * 2 + inner),
        load(at(UOp.param(1, 16, float32), item * 4 + outer * 2 + inner)),
        outer,
        inner,
    )
    other = at(after(memory, kept), (item * -1 + 3) * 4)
    made = linearize(expand(kernel(store(at(UOp.param(0, 4, float32), item), load(other), item))))
    assert sum(each.op is Op.BARRIER for each in made.src) == 1


# the table


def test_instructions_load_what_a_store_combines_with():
    row = UOp.range(4, 0, AxisType.LOOP)
    added = node(Op.STORE, void, at(UOp.param(0, 4, float32), row), f(2.0), row, arg=Op.ADD)
    made = linearize(expand(kernel(added)))
    verify(made, Stage.LINEAR)
    assert {Op.LOAD, Op.ADD} <= {each.op for each in made.src}


def test_what_combines_over_ranges_that_it_ends():
    found = {op for op, row in TABLE.items() if row.range_start is not None and op.name.endswith("REDUCE")}
    assert found == REDUCES - {Op.ALLREDUCE}


def test_what_only_names_has_no_shape():
    assert node(Op.DEVICE, void, arg="CPU").shape is None


@pytest.mark.parametrize("axis", [AxisType.GLOBAL, AxisType.THREAD, AxisType.WARP, AxisType.LOCAL])
def test_loops_over_work_items_are_around_all_others(axis):
    """Whatever their numbers and priorities are: a launch is a loop around the kernel."""
    others = [each for each in AxisType if each not in WORK_ITEMS]
    assert len(others) == len(AxisType) - 4
    assert all(nesting(UOp.range(4, 9, axis)) < nesting(UOp.range(4, 0, each)) for each in others)
