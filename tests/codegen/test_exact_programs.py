"""Kernels of a few nodes, and exactly what becomes of them."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen import expand, linearize, render_source
from eqsat.codegen.expansion.borders import lanes_where
from eqsat.codegen.expansion.interleaving import destination
from eqsat.codegen.expansion.lanes import broadcast
from eqsat.codegen.expansion.narrowing import _converted
from eqsat.codegen.expansion.older_forms import modernize as modernize_kernel
from eqsat.codegen.expansion.weaving import interleaved
from eqsat.codegen.linearization import matrices
from eqsat.codegen.linearization.loops import LoopNest, ended_by
from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.dtype import bool_, float32, index, int16, int32, void
from eqsat.errors import CodegenError
from eqsat.fragments import INSTRUCTIONS, Instruction
from eqsat.integers.narrowing import is_narrow
from eqsat.machine.prices import price
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp, toposort
from tests.codegen.test_parts_alone import run
from tests.forms.form import after, argument, at, f, i, kernel, load, local, node, program, register, store

OUT, GIVEN, TABLE = UOp.param(0, 64, float32), UOp.param(1, 64, float32), UOp.param(2, 64, int32)
ROW, STEP = UOp.range(4, 0, AxisType.LOOP), UOp.range(8, 1, AxisType.REDUCE)
TOTAL = node(Op.REDUCE, float32, load(at(GIVEN, ROW * 8 + STEP)), STEP, arg=Op.ADD)


def listed(linear: UOp) -> list[str]:
    """The operations of a linear program, loops and registers by their numbers."""
    return [
        f"{each.op.name} {each.arg[each.op is Op.DEFINE_REG]}" if each.op in (Op.RANGE, Op.DEFINE_REG) else each.op.name
        for each in linear.src
        if each.op not in (Op.CONST, Op.MUL, Op.INDEX)
    ]  # fmt: skip


def test_a_sum_is_kept_in_a_register_in_its_loop():
    assert listed(linearize(kernel(store(at(OUT, ROW), TOTAL, ROW)))) == [
        "DEFINE_GLOBAL", "DEFINE_GLOBAL", "RANGE 0", "DEFINE_REG 0", "STORE", "RANGE 1", "AFTER", "LOAD", "ADD", "LOAD",
        "ADD", "STORE", "END", "AFTER", "LOAD", "STORE", "END",
    ]  # fmt: skip


def test_registers_are_numbered_after_those_of_the_kernel():
    held = after(register(1, 5), store(at(register(1, 5), i(0)), f(2.0)))
    linear = linearize(kernel(store(at(OUT, ROW), TOTAL + load(at(held, i(0))), ROW)))
    assert sorted(each.arg for each in linear.src if each.op is Op.DEFINE_REG) == [(1, 5), (1, 6)]


# where stores go


@pytest.mark.parametrize(
    ("root", "is_plain"),
    [
        (store(at(OUT, ROW), f(1.0), ROW), True),
        (store(at(OUT, ROW, ROW < 3), f(1.0), ROW), False),
        (node(Op.STORE, void, at(OUT, ROW), f(1.0), ROW, arg=Op.ADD), False),
        (node(Op.END, void, store(at(OUT, ROW), f(1.0)), ROW), False),
        (store(node(Op.PTRCAT, float32, at(OUT, ROW)), f(1.0), ROW), False),
    ],
    ids=["plain", "gated", "combined", "ended", "of pointers"],
)
def test_plain_stores_of_a_buffer_belong_together(root, is_plain):
    assert destination(root) is (OUT if is_plain else root)


# loops


def nest(*statements: UOp) -> LoopNest:
    return LoopNest.of(toposort([kernel(*statements)]))


def test_a_value_is_in_the_loops_that_it_varies_with():
    stored = store(at(OUT, ROW), TOTAL, ROW)
    found = nest(stored)
    assert found.block_of(stored) == found.block_of(TOTAL) == found.block_of(ROW * 8) == (ROW,)
    assert found.body_of(TOTAL) == found.block_of(ROW * 8 + STEP) == (ROW, STEP)
    assert found.block_of(f(1.0)) == ()
    assert ended_by(TOTAL) == (STEP,)
    assert ended_by(stored) == (ROW,)


def test_what_is_shared_is_stored_in_loops_of_its_own():
    """In the loop around it, although that is of a reduction, which lies further in than others."""
    item = UOp.range(8, 2, AxisType.LOOP)
    kept = store(at(local(8), item), load(at(GIVEN, STEP * 8 + item)), item)
    total = node(Op.REDUCE, float32, load(at(after(local(8), kept), STEP)), STEP, arg=Op.ADD)
    stored = store(at(OUT, i(0)), total)
    found = nest(stored)
    assert found.block_of(kept) == (STEP, item)
    assert found.body_of(total) == (STEP,)
    assert found.block_of(stored) == ()


def test_a_scan_is_in_the_innermost_loop():
    step = UOp.range(8, 1, AxisType.SCAN)
    scanned = node(Op.SCAN, float32, load(at(GIVEN, ROW * 8 + step)), step, arg=(Op.ADD, False))
    found = nest(store(at(OUT, ROW * 8 + step), scanned, ROW, step))
    assert found.block_of(scanned) == (ROW,)
    assert found.body_of(scanned) == (ROW, step)
    assert ended_by(scanned) == (step,)


# positions


@pytest.mark.parametrize("scale", [1, 4])
def test_positions_that_are_looked_up_for_all_lanes(scale):
    lane = UOp.range(4, 1, AxisType.UPCAST)
    place = load(at(TABLE, ROW * 4 + lane)).cast(index) * scale + 2
    made = expand(kernel(store(at(OUT, ROW * 4 + lane), place.cast(float32), ROW, lane)))
    (stored,) = (each for each in made.toposort() if each.op is Op.STORE)
    looked_up = node(Op.CAST, index.vec(4), load(at(TABLE, ROW * 4), dtype=int32.vec(4)))
    start, scales = (node(Op.VCONST, index.vec(4), arg=(each,) * 4) for each in (2, scale))
    expected = start.alu(Op.ADD, looked_up if scale == 1 else looked_up.alu(Op.MUL, scales))
    assert stored.src[1] is node(Op.CAST, float32.vec(4), expected)


# text


def test_a_constant_is_added_as_it_is():
    item = node(Op.SPECIAL, index, i(8), arg="gid0")
    for constant, text in ((-1, "gid0 - 1"), (0, "gid0 + 0"), (1, "gid0 + 1")):
        place = node(Op.ADD, index, item, i(constant))
        source = render_source(program(item, store(at(argument(0, 8), place), f(1.0))), "moved")
        assert f"out0[{text}] = " in source


def test_a_value_made_of_a_loop_is_told():
    row = UOp.range(4, 0, AxisType.GLOBAL)
    assert nest_text(kernel(store(at(OUT, row), row.cast(float32) * 2.0, row))) == (
        "parallel i0 in 4:\n  out0[i0] = cast(i0) * 2"
    )


def test_bytes_are_no_positions():
    """A clamped part of a position is written beside its row; of a number of bytes, nothing is."""
    item = node(Op.SPECIAL, index, i(8), arg="gid0")
    moved = node(Op.POINTER_INDEX, float32, argument(1, 8), item.minimum(i(3)) * 4 + 4)
    linear = program(item, store(at(argument(0, 8), item), load(moved)))
    assert render_source(linear, "moved").count("[0]") == 1
    assert run(linear, {1: np.arange(8, dtype=np.float32)}).tolist() == [1, 2, 3, 4, 4, 4, 4, 4]


# interleaving


def constants(*values: float) -> UOp:
    return node(Op.VCONST, float32.vec(len(values)), arg=values)


def test_constants_are_woven_lane_by_lane():
    """With the operation that they are operands of: nothing is left to interleave."""
    whole = load(at(argument(1, 8), i(0)), dtype=float32.vec(2))
    other = load(at(argument(1, 8), i(2)), dtype=float32.vec(2))
    even = node(
        Op.VECTORIZE, float32.vec(2), *(node(Op.GEP, float32, each, arg=(0,)) for each in (whole, other))
    )
    odd = node(
        Op.VECTORIZE, float32.vec(2), *(node(Op.GEP, float32, each, arg=(1,)) for each in (whole, other))
    )
    assert interleaved([even + constants(1, 2), odd + constants(3, 4)]) == [
        whole + constants(1, 3),
        other + constants(2, 4),
    ]
    assert interleaved([even + constants(1, 2), odd * constants(3, 4)]) is None
    assert interleaved([even, odd]) == [whole, other]
    assert interleaved([whole, other]) is None


# prices, borders and bits


WRITTEN = [row for row in INSTRUCTIONS if row.text]


def product(row: Instruction, name: str, *more: object) -> UOp:
    """Of matrices that an instruction multiplies."""
    fragments = (
        node(Op.VCONST, dtype.vec(fragment.held), arg=(1.0,) * fragment.held)
        for dtype, fragment in zip((row.given, row.given, row.made), row.fragments, strict=True)
    )
    argument = (name, row.dims, row.given, row.made, row.devices[0], row.threads, *more)
    return node(Op.WMMA, row.made.vec(row.fragments[2].held), *fragments, arg=argument)


@pytest.mark.parametrize(("more", "is_taken"), [(-0.5, False), (0.0, False), (0.5, True)])
def test_an_instruction_must_cost_less_than_multiply_adds(monkeypatch, more, is_taken):
    row = WRITTEN[0]
    cost = price(Op.WMMA, row.made).cycles + more
    monkeypatch.setattr(matrices, "cycles_of_multiply_adds", lambda product: cost)
    assert matrices.instruction_for(product(row, "tf32"), {row.text}) == is_taken


@pytest.mark.parametrize("row", WRITTEN, ids=lambda row: row.text)
def test_an_instruction_does_one_tile_in_the_dtype_that_is_asked_for(row):
    assert matrices.instruction_for(product(row, "of tf32"), {row.text})
    assert matrices.instruction_for(product(row, "exactly"), {row.text}) == (row.given.itemsize < 4)
    assert not matrices.instruction_for(product(row, "of tf32"), {"another"})
    assert matrices.instruction_for(product(row, "of tf32", (), (), (1, 1)), {row.text})
    for grid in ((2, 1), (1, 2)):
        assert not matrices.instruction_for(product(row, "of tf32", (), (), grid), {row.text})
    elsewhere = product(row, "of tf32")
    other = elsewhere.replace(arg=(*elsewhere.arg[:4], "another", *elsewhere.arg[5:]))
    assert not matrices.instruction_for(other, {row.text})


@pytest.mark.parametrize(
    ("step", "most", "dtype"), [(1, 5, index), (1, 6, int32), (-2, 9, index), (-2, 10, int32)]
)
def test_masks_of_lanes_have_32_bits_where_those_are_enough(step, most, dtype):
    start = UOp.variable("n", 0, int32.max - most + 1)
    found = lanes_where(step, start, 4)
    assert found.src[1] is node(Op.VCONST, dtype.vec(4), arg=tuple(step * lane for lane in range(4)))
    below = start * -1 + -1
    assert found.src[0] is broadcast(below if dtype is index else below.cast(int32), 4)


def test_operands_of_narrow_lanes_are_constants_or_were_converted():
    narrow, wide = (load(at(argument(1, 8, dtype), i(0)), dtype=dtype.vec(4)) for dtype in (int16, int32))
    converted, again = narrow.cast(int32.vec(4)), wide.cast(int32.vec(4))
    three = node(Op.VCONST, int32.vec(4), arg=(3,) * 4)
    known = {
        **dict.fromkeys((wide, again), (-(1 << 31), (1 << 31) - 1)),
        converted: (-(1 << 15), (1 << 15) - 1),
        three: (3, 3),
    }
    assert [is_narrow(each, known) for each in (converted, three, wide, again)] == [True, True, False, False]
    assert _converted(three, int16.vec(4)) is node(Op.VCONST, int16.vec(4), arg=(3,) * 4)
    assert _converted(narrow.cast(int32.vec(4)), int16.vec(4)) is narrow
    assert _converted(wide, int16.vec(4)) is wide.cast(int16.vec(4))


# older forms


def test_what_is_no_store_keeps_its_end():
    barrier = node(Op.BARRIER, void)
    ended = node(Op.END, void, barrier, ROW)
    stored = store(at(OUT, ROW), f(1.0))
    made = modernize_kernel(kernel(ended, node(Op.END, void, node(Op.GROUP, void, stored, barrier), ROW)))
    assert made.src == (ended, node(Op.GROUP, void, store(at(OUT, ROW), f(1.0), ROW), ended))


# stores that combine


def test_two_stores_do_not_combine_at_one_place_in_one_iteration():
    first, second = (node(Op.STORE, void, at(OUT, ROW), f(value), ROW, arg=Op.ADD) for value in (1.0, 2.0))
    with pytest.raises(CodegenError, match="combines with what another store has just stored"):
        linearize(kernel(first, second))


def test_values_that_share_all_that_they_are_made_of_are_walked_once():
    """Of a ladder of so many steps there are 2 ** 60 ways down."""
    left, right = load(at(GIVEN, ROW * 8 + STEP)), load(at(GIVEN, STEP))
    for _ in range(60):
        left, right = left + right, left * right
    total = node(Op.REDUCE, float32, left, STEP, arg=Op.ADD)
    sink = kernel(store(at(OUT, ROW), total, ROW))
    linear = linearize(sink)
    assert sum(each.op is Op.ADD and each.dtype == float32 for each in linear.src) == 61
    assert nest_text(sink).endswith("sum0 += f(in0[i0, k0], in0[k0])\n  out0[i0] = sum0")
    assert len(render_source(linear, "ladder").splitlines()) > 120


@pytest.mark.parametrize("stride", [-1, 1, 2, 5])
def test_gates_that_are_known_are_gone(stride):
    """Lanes side by side, backward, taken out of whole loads, and one by one."""
    lane = UOp.range(4, 1, AxisType.UPCAST)
    place = lane * stride + 8
    values = {
        known: load(node(Op.INDEX, float32, GIVEN, place, UOp.const(bool_, known)), f(7.0))
        for known in (True, False)
    }
    made = {
        known: expand(kernel(store(at(OUT, lane), value, lane))).src[0].src[1]
        for known, value in values.items()
    }
    assert made[False] is node(Op.VCONST, float32.vec(4), arg=(7.0,) * 4)
    plain = expand(kernel(store(at(OUT, lane), load(at(GIVEN, place)), lane))).src[0].src[1]
    assert made[True] is plain
