"""The pieces that expand loads and stores, each with exactly what it gives."""

from __future__ import annotations

import pytest

from eqsat.codegen.expansion.access import (
    consecutive,
    store_whole_or_parts,
    stores_of,
    whole_or_parts,
)
from eqsat.codegen.expansion.borders import ends_among, masked, parts_of
from eqsat.codegen.expansion.dependence import Dependence
from eqsat.codegen.expansion.lanes import (
    fold,
)
from eqsat.codegen.expansion.selection import Cover, moved, select
from eqsat.codegen.expansion.strides import Strides
from eqsat.dtype import bool_, float32, index, int32
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp, toposort
from tests.codegen.pieces import GIVEN, OUT, N, constants, joined, part, vector
from tests.forms.form import after, at, f, i, kernel, load, local, register, store


def ranges_and_forms():
    lane, copy = UOp.range(4, 1, AxisType.UPCAST), UOp.range(8, 2, AxisType.UNROLL)
    row = UOp.range(8, 0, AxisType.GLOBAL)
    return row, lane, copy


ROW, LANE, COPY = ranges_and_forms()
LOOKED_UP = load(at(UOp.param(2, 64, int32), LANE)).cast(index)


def strides(*addresses: UOp, also: UOp = GIVEN) -> Strides:
    """Of a kernel that reads these addresses."""
    values = [load(each) if len(each.src) < 3 else load(each, f(0.0)) for each in addresses]
    stored = [store(at(UOp.param(9, 4096, float32), i(number)), each) for number, each in enumerate(values)]
    order = toposort([kernel(*stored)])
    return Strides.of_kernel(order, affine_forms(order), Dependence.of(order))


@pytest.mark.parametrize(
    ("place", "stride"),
    [
        (LANE, 1), (LANE * 3 + ROW, 3), (LANE * -1 + 3, -1), (ROW * 4, 0), (ROW * 4 + COPY, 0), (LOOKED_UP, None), (LOOKED_UP + LANE, None),
        ((LANE * 5) % 7, None), (LANE + (ROW * 5) % 7, 1),
    ],
    ids=repr,
)  # fmt: skip
def test_how_far_lanes_lie_apart(place, stride):
    address = at(GIVEN, place)
    assert strides(address).of(address) == stride


def test_lanes_under_gates_of_their_own_and_in_registers_have_no_stride():
    gated, apart = at(GIVEN, LANE, ROW < 3), at(GIVEN, LANE, LANE < 3)
    known = strides(gated, apart)
    assert known.of(gated) == 1
    assert known.of(apart) is None
    assert known.convex(apart) == 1
    assert known.convex(at(GIVEN, LANE)) is None
    held = at(register(4), LANE)
    assert strides(held).of(held) is None


@pytest.mark.parametrize(
    ("gate", "is_convex"),
    [
        (LANE < 3, True),
        ((LANE < 3) & (ROW < 2), True),
        ((LANE < 3) & (LANE * 2 > 1), True),
        ((LANE < 3).logical_not(), True),
        ((LANE < 3).alu(Op.OR, LANE < 1), False),
        (LANE.alu(Op.CMPNE, i(2)), False),
        (LANE.alu(Op.CMPNE, ROW), False),
        (LOOKED_UP < 3, False),
        (((LANE * 5) % 7) < 3, False),
        ((LANE < 3).alu(Op.CMPNE, ROW < 3), False),
        ((LANE < 3) & LANE.alu(Op.CMPNE, i(2)), False),
    ],
    ids=repr,
)
def test_which_gates_hold_between_two_lanes_for_which_they_hold(gate, is_convex):
    address = at(GIVEN, LANE, gate)
    assert strides(address).convex(address) == (1 if is_convex else None)


@pytest.mark.parametrize(
    ("stride", "is_taken"),
    [
        (-1, True),
        (2, True),
        (3, True),
        (4, True),
        (-2, True),
        (6, True),
        (7, False),
        (8, False),
        (1, False),
        (0, False),
    ],
)
def test_which_strides_are_taken_out_of_whole_loads(stride, is_taken):
    address = at(GIVEN, LANE)
    assert strides(address).is_selected(address, stride) == is_taken


def test_only_what_nothing_writes_is_loaded_beyond_its_lanes():
    held = local(8)
    kept = after(held, store(at(held, i(0)), f(1.0)))
    target = UOp.param(9, 4096, float32)
    addresses = [at(base, LANE) for base in (GIVEN, UOp.param(1, 64, float32), kept, target, held)]
    assert [strides(*addresses).is_only_read(each) for each in addresses] == [True, True, True, False, False]


BETWEEN = ((0, 0), (0, 2), (1, 1), (1, 3))  # lanes two apart, from the lowest to the highest


@pytest.mark.parametrize(
    ("place", "stride", "has_variables", "begins", "places"),
    [
        (i(0), 2, False, (0, 4), ((0, 0), (0, 2), (1, 0), (1, 2))),
        (i(0), 2, True, (0, 3), BETWEEN),
        (i(0), 3, False, (0, 4, 8), ((0, 0), (0, 3), (1, 2), (2, 1))),
        (i(0), 3, True, (0, 4, 6), ((0, 0), (0, 3), (1, 2), (2, 3))),
        (i(0), -1, False, (0,), ((0, 3), (0, 2), (0, 1), (0, 0))),
        (i(0), -2, False, (0, 4), ((1, 2), (1, 0), (0, 2), (0, 0))),
        (i(1), 2, False, (-1, 3), ((0, 1), (0, 3), (1, 1), (1, 3))),
        (i(5), 3, False, (-2, 2, 6), ((0, 2), (1, 1), (2, 0), (2, 3))),
        (i(56), 2, False, (0, 4), ((0, 0), (0, 2), (1, 0), (1, 2))),
        (i(57), 2, False, (-1, 3), ((0, 1), (0, 3), (1, 1), (1, 3))),
        (i(57), 3, False, (0, 4, 6), ((0, 0), (0, 3), (1, 2), (2, 3))),
        (i(58), 2, False, (0, 3), BETWEEN),
        (N * 2 + 1, 2, False, (-1, 3), ((0, 1), (0, 3), (1, 1), (1, 3))),
        (N * 2 + 38, 2, False, (0, 4), ((0, 0), (0, 2), (1, 0), (1, 2))),
        (N * 2 + 40, 2, False, (0, 3), BETWEEN),
        (N * 2 + -1, 2, False, (0, 3), BETWEEN),
    ],
)
def test_whole_vectors_around_lanes(place, stride, has_variables, begins, places):
    """From a multiple of the stride on where that is in the buffer, whose size is known."""
    assert Cover.of(at(GIVEN, place), stride, 4, has_variables) == Cover(begins, places)
    shared = Cover.of(at(local(64), place), stride, 4, has_variables)
    assert shared == Cover.of(at(GIVEN, place), stride, 4, has_variables=False)


def test_behind_a_gate_nothing_is_known_of_the_buffer():
    assert Cover.of(at(GIVEN, i(0), N < 3), 2, 4, has_variables=False) == Cover((0, 3), BETWEEN)


def test_addresses_are_moved():
    assert moved(at(GIVEN, i(3)), 2) is at(GIVEN, i(5))
    assert moved(at(GIVEN, N + 3), 2) is at(GIVEN, N + 5)
    assert moved(at(GIVEN, N + 3), -3) is at(GIVEN, N)
    assert moved(at(GIVEN, N * 2), 4) is at(GIVEN, N * 2 + 4)
    assert moved(at(GIVEN, N, N < 3), 1) is at(GIVEN, N + 1, N < 3)


def test_lanes_are_selected_out_of_vectors():
    a, b = vector(4), vector(4, 4)
    assert select([a], ((0, 0), (0, 1), (0, 2), (0, 3))) is a
    assert select([a], ((0, 3), (0, 2), (0, 1), (0, 0))) is joined(*(part(a, lane) for lane in (3, 2, 1, 0)))
    assert select([a, b], ((0, 1), (1, 2))) is joined(part(a, 1), part(b, 2))


def test_addresses_that_follow_each_other():
    places = [at(GIVEN, N + step) for step in range(3)]
    assert consecutive(places)
    assert consecutive(places[:1])
    assert not consecutive(places[::-1])
    assert not consecutive([places[0], places[2]])
    assert not consecutive([places[0], at(OUT, N + 1)])
    assert not consecutive([places[0], at(GIVEN, N + 1, N < 3)])


def test_stores_whose_gate_is_known():
    target = at(OUT, N)
    assert stores_of(target, f(1.0), ()) == [store(target, f(1.0))]
    assert stores_of(at(OUT, N, N < 3), f(1.0), (ROW,)) == [store(at(OUT, N, N < 3), f(1.0), ROW)]
    assert stores_of(at(OUT, N, UOp.const(bool_, True)), f(1.0), (ROW,)) == [store(target, f(1.0), ROW)]
    assert stores_of(at(OUT, N, UOp.const(bool_, False)), f(1.0), ()) == []


def test_rows_that_end_inside_are_stored_whole_or_lane_by_lane():
    targets = [at(OUT, each, each < 3) for each in (N, N + 1)]
    whole = (N < 3).alu(Op.AND, N + 1 < 3)
    assert store_whole_or_parts(targets, vector(2), (ROW,)) == [
        store(at(OUT, N, whole), vector(2), ROW),
        store(at(OUT, N, (N < 3).alu(Op.AND, whole.logical_not())), part(vector(2), 0), ROW),
        store(at(OUT, N + 1, (N + 1 < 3).alu(Op.AND, whole.logical_not())), part(vector(2), 1), ROW),
    ]
    (stored,) = store_whole_or_parts(
        [at(OUT, each, UOp.const(bool_, True)) for each in (N, N + 1)], f(1.0), ()
    )
    assert stored is store(at(OUT, N), constants(1.0, 1.0))


def test_rows_that_end_inside_are_loaded_whole_or_lane_by_lane():
    addresses = [at(GIVEN, each, each < 3) for each in (N, N + 1)]
    lanes = [load(each, f(0.0)) for each in addresses]
    whole = (N < 3).alu(Op.AND, N + 1 < 3)
    found = whole_or_parts((addresses[0], addresses[1]), 1, lanes, has_variables=True)
    assert found is load(at(GIVEN, N, whole), joined(*lanes), dtype=float32.vec(2))
    closed = at(GIVEN, N, UOp.const(bool_, False))
    assert whole_or_parts((closed, addresses[1]), 1, lanes, has_variables=True) is joined(*lanes)
    opened = at(GIVEN, N, UOp.const(bool_, True))
    assert whole_or_parts((opened, addresses[1]), 1, lanes, has_variables=True) is load(
        at(GIVEN, N, N + 1 < 3), joined(*lanes), dtype=float32.vec(2)
    )
    assert whole_or_parts((opened, opened), 1, lanes, has_variables=True) is load(
        at(GIVEN, N), dtype=float32.vec(2)
    )


def test_conditions_of_gates_are_told_lane_by_lane():
    gate = (LANE + ROW < 5) & (ROW < 3) & (LANE * 2 < ROW).logical_not()
    order = toposort([gate])
    found = parts_of(gate, Dependence.of(order).lane, affine_forms(order))
    told = {condition: (start if start is None else start.build(), step) for condition, start, step in found}
    assert told == {
        LANE + ROW < 5: (Affine(4).plus(Affine.of(ROW), -1).build(), -1),
        ROW < 3: (None, 0),
        (LANE * 2 < ROW).logical_not(): (Affine.of(ROW).times(-1).build(), 2),
    }


def test_ends_are_conditions_on_the_position_itself():
    place = ROW * 4 + LANE
    conditions = [place < 13, place < N, LANE < 3, (place < 13).logical_not()]
    forms = affine_forms(toposort(conditions))
    assert ends_among(conditions, forms[place], forms) == conditions[:2]


def test_lanes_inside_are_taken_out_of_whole_loads():
    lanes = [load(at(GIVEN, each, each < 3), f(0.0)) for each in (N, N + 1)]
    zeros, whole = constants(0.0, 0.0), joined(*lanes)
    first = at(GIVEN, N, N < 3)
    gate = fold((N >= 0) & (N < 63))
    loaded = load(at(GIVEN, N, gate), whole, dtype=float32.vec(2))
    inside = vector(2).alu(Op.CMPLT, vector(2, 2))
    assert masked(first, [], [UOp.const(bool_, False)], lanes, zeros) is whole
    assert masked(first, [], [UOp.const(bool_, True)], lanes, zeros).op is Op.LOAD
    assert masked(first, [], [inside], lanes, zeros) is inside.where(loaded, zeros)
    row = ROW < 3
    assert masked(first, [], [row], lanes, zeros) is joined(row, row).where(loaded, zeros)
    both = masked(first, [], [inside, row], lanes, zeros)
    assert both.src[0] is inside.alu(Op.AND, joined(row, row))
