"""Kernels whose gates, copies and loops lie otherwise than those of the scheduler: each is wrong if one condition of code generation is missing."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen.linearization.barriers import with_barriers
from eqsat.codegen.linearization.loops import LoopNest
from eqsat.dtype import bool_, float32, index, void
from eqsat.errors import CodegenError
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp, toposort
from tests.codegen.device import check
from tests.forms.form import argument, at, f, i, kernel, load, local, node, program, store

ROW, STEPS = UOp.range(2, 0, AxisType.LOOP), UOp.range(3, 1, AxisType.REDUCE)
LANES = UOp.range(8, 0, AxisType.UPCAST)
SQUARE = np.arange(64, dtype=np.float32)


def total(value: UOp, *ranges: UOp) -> UOp:
    return node(Op.REDUCE, float32, value, *ranges, arg=Op.ADD)


def gated(place: UOp, gate: UOp) -> UOp:
    """What lies at a place of a buffer of 64 where a gate holds, and 0 elsewhere."""
    return node(Op.LOAD, float32, node(Op.INDEX, float32, UOp.param(1, 64, float32), place, gate), f(0.0))


def test_a_gate_that_holds_at_both_ends_need_not_hold_between():
    stored = store(at(UOp.param(0, 8, float32), LANES), gated(LANES, (LANES % 5) < 3), LANES)
    (found,) = check(kernel(stored), {1: SQUARE + 1})
    assert found.tolist() == [1, 2, 3, 0, 0, 6, 7, 8]


@pytest.mark.parametrize("negated", [False, True], ids=["below", "not below"])
def test_a_gate_whose_sides_move_by_the_same_steps(negated):
    """The lane is in both sides of an inequality, and not in what tells whether it holds."""
    row = UOp.range(4, 1, AxisType.GLOBAL)
    bound = LANES + row > LANES + 2
    gate = (bound.logical_not() if negated else bound) & (LANES < 5)
    stored = store(at(UOp.param(0, 32, float32), row * 8 + LANES), gated(row * 8 + LANES, gate), LANES, row)
    (found,) = check(kernel(stored), {1: SQUARE})
    holds = (np.arange(4)[:, None] < 3 if negated else np.arange(4)[:, None] >= 3) & (np.arange(8) < 5)
    assert found.tolist() == (SQUARE[:32] * holds.ravel()).tolist()


@pytest.mark.parametrize(
    "op", [Op.OR, Op.XOR, Op.MIN, Op.MUL, Op.SUB, Op.CMPNE, Op.CMPLT], ids=lambda op: op.name
)
def test_a_gate_beside_a_constant_holds_where_it_says(op: Op) -> None:
    """Only `!= True` is the negation of an inequality; lanes reach over the end of an array in the second row."""
    row = UOp.range(2, 1, AxisType.GLOBAL)
    place = row * 8 + LANES
    gate = node(op, bool_, place < 13, UOp.const(bool_, True))
    stored = store(at(UOp.param(0, 16, float32), place), gated(place, gate), LANES, row)
    (found,) = check(kernel(stored), {1: SQUARE + 1})
    inside = np.arange(16) < 13
    holds = {Op.OR: inside | True, Op.MIN: inside, Op.MUL: inside}.get(op, ~inside)
    assert found.tolist() == ((np.arange(16) + 1) * holds).tolist()


@pytest.mark.parametrize("along", ["copies", "lanes"])
def test_copies_that_lie_side_by_side_have_gates_of_their_own(along):
    copies = UOp.range(8, 1, AxisType.UNROLL)
    gate = (copies if along == "copies" else LANES) < 5
    summed = total(gated(LANES * 8 + copies, gate), copies)
    (found,) = check(kernel(store(at(UOp.param(0, 8, float32), LANES), summed, LANES)), {1: SQUARE})
    kept = SQUARE.reshape(8, 8) * (np.arange(8) < 5 if along == "copies" else (np.arange(8) < 5)[:, None])
    assert found.tolist() == kept.sum(axis=1).tolist()


def test_one_value_fills_all_lanes_that_are_joined():
    joined = node(Op.CONTRACT, float32.vec(4), load(at(UOp.param(1, 8, float32), i(2))), arg=((7, 4),))
    (found,) = check(kernel(store(at(UOp.param(0, 4, float32), i(0)), joined)), {1: SQUARE[:8]})
    assert found.tolist() == [2, 2, 2, 2]


def test_copies_of_a_sum_go_on_from_each_other():
    copies = UOp.range(2, 2, AxisType.UNROLL)
    summed = total(load(at(UOp.param(1, 6, float32), STEPS * 2 + copies)), STEPS, copies)
    (found,) = check(kernel(store(at(UOp.param(0, 1, float32), i(0)), summed)), {1: SQUARE[:6]})
    assert found.tolist() == [15]


def test_what_reads_a_sum_of_constants_stands_in_the_loops_of_that_sum():
    """The sum varies with no row; but its loop is also that of another, which does."""
    counted = total(f(2.0), STEPS)
    summed = total(load(at(UOp.param(1, 6, float32), ROW * 3 + STEPS)), STEPS)
    stored = store(at(UOp.param(0, 2, float32), ROW), summed * (counted + f(1.0)), ROW)
    (found,) = check(kernel(stored), {1: SQUARE[:6]})
    assert found.tolist() == [21, 84]


def test_a_barrier_for_what_was_read_before_a_loop_is_before_the_loop():
    shared, item = local(4), node(Op.SPECIAL, index, i(2), arg="lid0")
    loaded = load(at(shared, i(0)))
    loop = node(Op.RANGE, index, i(4), arg=(0, AxisType.LOOP))
    filled = store(at(shared, loop), f(1.0))
    instructions = program(
        item,
        loaded,
        store(at(argument(0, 4), i(0)), loaded),
        loop,
        filled,
        node(Op.END, void, filled, loop),
    )
    found = [each.op for each in with_barriers(instructions.src)]
    assert found.count(Op.BARRIER) == 1
    assert found.index(Op.BARRIER) == found.index(Op.RANGE) - 1


def test_loops_that_lie_within_each_other_are_refused():
    rows, columns = UOp.range(2, 0, AxisType.REDUCE), UOp.range(3, 1, AxisType.REDUCE)
    element = node(Op.LOAD, float32, at(UOp.param(1, 8, float32), rows * 3 + columns))
    sums = [total(element, each) for each in (rows, columns)]
    nest = LoopNest.of(toposort(sums))
    for each in sums:
        with pytest.raises(CodegenError, match="loops 0, 1 of one value do not nest"):
            nest.block_of(each)


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_each_lane_has_its_own_alternative(lanes: int) -> None:
    """Lanes side by side under one gate, beside values that vary along them."""
    row, lane, size = UOp.range(4, 0), UOp.range(lanes, 1, AxisType.UPCAST), 4 * lanes
    place = row * lanes + lane
    other = load(at(UOp.param(2, size, float32), place))
    given = node(
        Op.LOAD, float32, node(Op.INDEX, float32, UOp.param(1, size, float32), place, row < 2), other
    )
    first, second = np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32) + 100
    (found,) = check(
        kernel(store(at(UOp.param(0, size, float32), place), given, row, lane)), {1: first, 2: second}, rtol=0
    )
    np.testing.assert_array_equal(found, np.where(np.arange(size) < 2 * lanes, first, second))
