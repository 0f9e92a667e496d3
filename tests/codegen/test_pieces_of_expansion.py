"""The pieces that expansion is made of, each with exactly what it gives."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen.expansion.access import (
    consecutive,
    scanned_copy,
    store_whole_or_parts,
    stores_of,
    whole_or_parts,
)
from eqsat.codegen.expansion.borders import ends_among, masked, parts_of
from eqsat.codegen.expansion.combining import combine_lanes, following, joining, members, result, starts
from eqsat.codegen.expansion.dependence import Dependence
from eqsat.codegen.expansion.lanes import (
    added,
    balanced,
    bounds_of,
    broadcast,
    combine,
    elementwise,
    fold,
    identity,
    pick,
    repeated,
    scanned_lanes,
    shifted,
    shuffled,
    vector_of,
)
from eqsat.codegen.expansion.selection import Cover, moved, select
from eqsat.codegen.expansion.strides import Strides
from eqsat.codegen.expansion.transposition import transpose
from eqsat.dtype import DType, bool_, float32, float64, index, int8, int16, int32, int64, uint8
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import AxisType, Op
from eqsat.reference import compute
from eqsat.uop import UOp, toposort
from tests.forms.form import after, argument, at, f, i, kernel, load, local, node, register, store

N = UOp.variable("n", 0, 9)
OUT, GIVEN = argument(0, 64), argument(1, 64)


def scalar(place: int = 0, dtype: DType = float32) -> UOp:
    return load(at(argument(1, 64, dtype), i(place)))


def vector(lanes: int = 4, place: int = 0, dtype: DType = float32) -> UOp:
    return load(at(argument(1, 64, dtype), i(place)), dtype=dtype.vec(lanes))


def constants(*values: float, dtype: DType = float32) -> UOp:
    return node(Op.VCONST, dtype.vec(len(values)), arg=values)


def joined(*lanes: UOp) -> UOp:
    return node(Op.VECTORIZE, lanes[0].dtype.scalar.vec(len(lanes)), *lanes)


def part(whole: UOp, *lanes: int) -> UOp:
    return node(Op.GEP, whole.dtype.scalar.vec(len(lanes)), whole, arg=lanes)


# vectors


def test_a_scalar_is_put_in_all_lanes():
    assert broadcast(scalar(), 1) is scalar()
    assert broadcast(vector(), 4) is vector()
    assert broadcast(f(2.0), 3) is constants(2.0, 2.0, 2.0)
    assert broadcast(scalar(), 2) is joined(scalar(), scalar())


def test_values_are_put_side_by_side():
    assert vector_of([scalar()]) is scalar()
    assert vector_of([f(1.0), f(2.0)]) is constants(1.0, 2.0)
    assert vector_of([f(1.0), scalar()]) is joined(f(1.0), scalar())
    assert vector_of([vector(2), vector(2, 2)]) is node(Op.CAT, float32.vec(4), vector(2), vector(2, 2))
    assert vector_of([vector(2), vector(2, 2), vector(4)]).dtype == float32.vec(8)


def test_lanes_are_picked():
    assert pick(scalar(), (0,)) is scalar()
    assert pick(vector(), (0, 1, 2, 3)) is vector()
    assert pick(vector(), (1,)) is part(vector(), 1)
    assert pick(vector(), (1, 0, 2, 3)) is part(vector(), 1, 0, 2, 3)
    assert pick(vector(), (0, 1)) is part(vector(), 0, 1)
    assert pick(joined(scalar(0), scalar(1)), (1,)) is scalar(1)
    assert pick(joined(scalar(0), scalar(1), scalar(2)), (2, 0)) is joined(scalar(2), scalar(0))
    assert pick(constants(1.0, 2.0, 3.0), (2,)) is f(3.0)
    assert pick(constants(1.0, 2.0, 3.0), (2, 1)) is constants(3.0, 2.0)


def test_lanes_of_two_whole_vectors_are_shuffled_and_others_joined():
    a, b = vector(2), vector(2, 2)
    both = node(Op.CAT, float32.vec(4), a, b)
    assert shuffled([(a, 0), (b, 0)]) is part(both, 0, 2)
    assert shuffled([(b, 1), (a, 0)]) is part(node(Op.CAT, float32.vec(4), b, a), 1, 2)
    assert shuffled([(a, 1), (a, 0)]) is joined(part(a, 1), part(a, 0))
    assert shuffled([(a, 0), (vector(4), 0)]) is joined(part(a, 0), part(vector(4), 0))
    assert shuffled([(a, 0), (constants(1.0, 2.0), 1)]) is joined(part(a, 0), f(2.0))
    assert shuffled([(a, 0), (joined(scalar(), scalar()), 1)]) is joined(part(a, 0), scalar())
    assert shuffled([(a, 0), (joined(scalar(), scalar(1)), 1)]) is part(
        node(Op.CAT, float32.vec(4), a, joined(scalar(), scalar(1))), 0, 3
    )
    less, more = a.alu(Op.CMPLT, b), b.alu(Op.CMPLT, a)
    assert shuffled([(less, 0), (more, 1)]) is joined(part(less, 0), part(more, 1))


def test_what_all_lanes_hold():
    assert repeated(joined(scalar(), scalar())) is scalar()
    assert repeated(joined(scalar(), scalar(1))) is None
    assert repeated(constants(2.0, 2.0)) is f(2.0)
    assert repeated(constants(2.0, 3.0)) is None
    assert repeated(constants(0.0, -0.0)) is None
    assert repeated(constants(float("nan"), float("nan"))) is UOp.const(float32, float("nan"))
    assert repeated(scalar()) is None
    assert repeated(part(vector(), 0, 0)) is None


BYTE = vector(4, 0, uint8)


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        (constants(3, -1, 2, dtype=index), (-1, 3)),
        (joined(N, N + 20), (0, 29)),
        (node(Op.CAT, index.vec(4), constants(1, 2, dtype=index), constants(-4, 0, dtype=index)), (-4, 2)),
        (part(constants(3, -1, dtype=index), 0), (-1, 3)),
        (BYTE, (0, 255)),
        (BYTE.cast(int32.vec(4)), (0, 255)),
        (BYTE.cast(int32.vec(4)) + constants(5, 5, 5, 5, dtype=int32), (5, 260)),
        (BYTE.alu(Op.SHR, constants(1, 1, 1, 1, dtype=uint8)), (0, 255)),
        (vector(4, 0, int8).alu(Op.SHR, constants(1, 1, 1, 1, dtype=int8)), (-128, 127)),
        (BYTE.alu(Op.MAX, constants(7, 7, 7, 7, dtype=uint8)), (7, 255)),
        (N * 2 + 1, (1, 19)),
    ],
    ids=repr,
)
def test_bounds_are_those_of_all_lanes(value, ends):
    assert bounds_of(value) == ends


def test_lanes_are_scanned_in_a_logarithm_of_steps():
    whole = vector()
    assert shifted(whole, 1, Op.ADD) is joined(f(0.0), part(whole, 0), part(whole, 1), part(whole, 2))
    assert shifted(whole, 3, Op.MUL) is joined(f(1.0), f(1.0), f(1.0), part(whole, 0))
    first = whole.alu(Op.ADD, shifted(whole, 1, Op.ADD))
    assert scanned_lanes(whole, Op.ADD) is first.alu(Op.ADD, shifted(first, 2, Op.ADD))
    assert scanned_lanes(scalar(), Op.ADD) is scalar()
    assert identity(scalar(), Op.ADD) is f(0.0)
    assert identity(vector(2, 0, int32), Op.MAX) is constants(int32.min, int32.min, dtype=int32)


def test_trees_are_balanced():
    def join(left: str, right: str) -> str:
        return f"({left}{right})"

    assert [balanced("abcdefg"[:count], join) for count in range(1, 8)] == [
        "a", "(ab)", "((ab)c)", "((ab)(cd))", "(((ab)(cd))e)", "(((ab)(cd))(ef))", "(((ab)(cd))((ef)g))",
    ]  # fmt: skip
    a, b, c = scalar(0), scalar(1), scalar(2)
    assert combine([a, b, c], Op.MUL) is (a * b) * c


def test_sums_of_scalars_and_vectors():
    places = constants(0, 1, 2, 3, dtype=index)
    assert added(N, []) is N
    assert added(i(0), [places]) is places
    assert added(i(3), [places]) is constants(3, 3, 3, 3, dtype=index).alu(Op.ADD, places)
    assert added(N, [places]) is joined(N, N, N, N).alu(Op.ADD, places)
    assert added(i(0), [places, places]) is places.alu(Op.ADD, places)


def test_operations_are_widened():
    a, whole = scalar(), vector()
    assert elementwise(a + a, [scalar(1), scalar(2)]) is scalar(1) + scalar(2)
    assert elementwise(a + a, [whole, a]) is whole.alu(Op.ADD, joined(a, a, a, a))
    assert elementwise(N + N, [i(2), i(3)]) is i(5)
    assert elementwise(a.cast(int32), [whole]) is whole.cast(int32.vec(4))
    assert elementwise(a.cast(float64), [whole]) is whole.cast(float64.vec(4))
    named = node(Op.SIN, float32, a, arg="small")
    assert elementwise(named, [whole]) is node(Op.SIN, float32.vec(4), whole, arg="small")


def test_positions_become_integers_part_by_part():
    places, cast = constants(0, 1, 2, 3, dtype=index), N.cast(int32)
    four = (cast,) * 4
    assert elementwise(cast, [joined(N, N, N, N)]) is joined(*four)
    assert elementwise(cast, [places]) is constants(0, 1, 2, 3, dtype=int32)
    wide = constants(0, 2**31, dtype=index)
    assert elementwise(cast, [wide]) is wide.cast(int32.vec(2))
    low = constants(-(2**31), 2**31 - 1, dtype=index)
    assert elementwise(cast, [low]) is constants(-(2**31), 2**31 - 1, dtype=int32)
    lower = constants(-(2**31) - 1, 0, dtype=index)
    assert elementwise(cast, [lower]) is lower.cast(int32.vec(2))
    both = joined(N, N, N, N).alu(Op.ADD, places)
    assert elementwise(cast, [both]) is joined(*four).alu(Op.ADD, constants(0, 1, 2, 3, dtype=int32))
    product = joined(N, N, N, N).alu(Op.MUL, places)
    assert elementwise(cast, [product]) is product.cast(int32.vec(4))
    same = vector(4, 0, int64)
    assert elementwise(cast, [same]) is same.cast(int32.vec(4))


@pytest.mark.parametrize(
    ("value", "folded"),
    [
        (N < 10, True),
        (N < 9, None),
        (N < 0, False),
        (N < 1, None),
        (node(Op.CMPLT, bool_, i(9), N), False),
        (node(Op.CMPLT, bool_, i(8), N), None),
        (node(Op.CMPLT, bool_, i(-1), N), True),
        (node(Op.FLOORDIV, index, i(-7), i(2)), -4),
        (node(Op.FLOORMOD, index, i(-7), i(2)), 1),
        (node(Op.FLOORDIV, index, i(7), i(0)), None),
        (node(Op.FLOORMOD, index, i(7), i(0)), None),
        (node(Op.ADD, index, i(7), i(0)), 7),
        (node(Op.MUL, index, i(7), i(3)), 21),
        (node(Op.MIN, index, i(7), i(3)), 3),
        (node(Op.MAX, index, i(7), i(3)), 7),
        (node(Op.SUB, index, i(7), i(3)), None),
        (node(Op.MUL, index, N, i(0)), 0),
        (node(Op.MUL, index, i(0), N), 0),
        (node(Op.MUL, index, N, i(2)), None),
        (node(Op.ADD, int32, *(UOp.const(int32, 1),) * 2), None),
    ],
    ids=repr,
)
def test_arithmetic_of_constants_is_folded(value, folded):
    assert fold(value) is (value if folded is None else UOp.const(value.dtype, folded))


# memory


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
    [(-1, True), (2, True), (3, True), (4, True), (-2, True), (5, False), (1, False), (0, False)],
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


# whole vectors around lanes


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


# reductions


PAIR = (scalar(0), scalar(1, int32))
OTHER = (scalar(2), scalar(3, int32))
STEP = UOp.range(4, 3, AxisType.REDUCE)
TOTAL = node(Op.REDUCE, float32, scalar(), STEP, arg=Op.MAX)
EXTREMES = [
    node(Op.ARGREDUCE, dtype, *PAIR, STEP, arg=(Op.MAX, member))
    for member, dtype in enumerate((float32, int32))
]


def test_what_is_accumulated_and_from_where():
    assert members(TOTAL) == (scalar(),)
    assert members(EXTREMES[0]) == PAIR
    assert starts(TOTAL) == (-np.inf,)
    assert starts(EXTREMES[1]) == (-np.inf, 0)
    assert starts(node(Op.ARGREDUCE, int32, scalar(0, int32), scalar(1, int32), STEP, arg=(Op.MIN, 0))) == (
        int32.max,
        0,
    )


def test_what_a_reduction_is_in_the_end():
    assert result(EXTREMES[0], PAIR, in_loops=False) is PAIR[0]
    assert result(EXTREMES[1], PAIR, in_loops=True) is PAIR[1]
    assert result(TOTAL, (scalar(5),), in_loops=True) is scalar(5)


NUMBERS = (-1.0, 0.0, 2.0, float("nan"))


def value_of(root: UOp, given: dict[UOp, object]) -> object:
    """By the meaning of each operation."""
    found: dict[UOp, object] = {}
    for each in toposort([root], set(given)):
        if each in given:
            found[each] = given[each]
        elif each.op is Op.CONST:
            found[each] = np.array(each.arg)
        else:
            found[each] = compute(each.op, each.dtype.scalar, *(found[source] for source in each.src))  # pyright: ignore
    return found[root]


@pytest.mark.parametrize("op", [Op.MAX, Op.MIN])
@pytest.mark.parametrize("other", NUMBERS)
@pytest.mark.parametrize("best", NUMBERS)
@pytest.mark.parametrize("places", [(1, 2), (2, 1)])
def test_the_better_of_two_pairs(op, best, other, places):
    """The extreme value, of equal ones the first; a NaN before all numbers, and the first of several."""
    reduction = EXTREMES[0].replace(arg=(op, 0))
    given = {
        PAIR[0]: np.float32(best), PAIR[1]: np.int32(places[0]), OTHER[0]: np.float32(other), OTHER[1]: np.int32(places[1]),
    }  # fmt: skip
    made = joining(reduction)(PAIR, OTHER)
    pairs = [(best, places[0]), (other, places[1])]
    expected = min(
        pairs,
        key=lambda pair: (
            (pair[0] == pair[0], -pair[0] if op is Op.MAX else pair[0], pair[1])
            if pair[0] == pair[0]
            else (False, 0, pair[1])
        ),
    )
    np.testing.assert_equal([float(value_of(each, given)) for each in made], list(map(float, expected)))  # pyright: ignore
    if places == (1, 2):
        made = following(reduction)(PAIR, OTHER)
        np.testing.assert_equal([float(value_of(each, given)) for each in made], list(map(float, expected)))  # pyright: ignore


def test_lanes_are_combined_half_by_half():
    whole = vector(4)
    halves = part(whole, 0, 1).alu(Op.MAX, part(whole, 2, 3))
    assert combine_lanes((whole,), joining(TOTAL)) == (part(halves, 0).alu(Op.MAX, part(halves, 1)),)
    three = vector(3)
    assert combine_lanes((three,), joining(TOTAL)) == (
        part(three, 0).alu(Op.MAX, part(three, 1)).alu(Op.MAX, part(three, 2)),
    )
    assert combine_lanes((scalar(),), joining(TOTAL)) == (scalar(),)


def test_copies_of_a_scan_go_on_from_those_before():
    a, b, c = scalar(0), scalar(1), scalar(2)
    walk = (UOp.range(4, 3, AxisType.SCAN),)
    assert scanned_copy([a, b, c], 0, (Op.ADD, False), (), False) is a
    assert scanned_copy([a, b, c], 2, (Op.ADD, False), (), False) is (a + b) + c
    assert scanned_copy([a, b, c], 2, (Op.ADD, True), (), False) is a + b
    assert scanned_copy([a, b, c], 0, (Op.ADD, True), (), False) is f(0.0)
    carried = node(Op.SCAN, float32, (a + b) + c, *walk, arg=(Op.ADD, True))
    assert scanned_copy([a, b, c], 0, (Op.ADD, False), walk, False) is carried + a
    assert scanned_copy([a, b, c], 1, (Op.ADD, True), walk, False) is carried + a
    assert scanned_copy([a, b, c], 1, (Op.ADD, False), walk, False) is (carried + a) + b
    one, two = vector(2, 0), vector(2, 2)
    parts = [scanned_lanes(each, Op.ADD) for each in (one, two)]
    last = part(parts[0], 1)
    assert scanned_copy([one, two], 0, (Op.ADD, False), (), True) is parts[0]
    assert scanned_copy([one, two], 1, (Op.ADD, False), (), True) is joined(last, last).alu(Op.ADD, parts[1])
    assert scanned_copy([one, two], 0, (Op.ADD, True), (), True) is shifted(parts[0], 1, Op.ADD)
    assert scanned_copy([one, two], 1, (Op.ADD, True), (), True) is joined(last, last).alu(
        Op.ADD, shifted(parts[1], 1, Op.ADD)
    )


# borders


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


# transposition


@pytest.mark.parametrize("dtype", [uint8, int16, int32, float64, float32], ids=str)
@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_squares_are_transposed_by_shuffles(dtype, size):
    """Each lane is followed to where it comes from; every vector of each round is a shuffle of two."""
    rows = [vector(size, row, dtype) for row in range(size)]

    def origin(made: UOp, lane: int) -> tuple[int, int]:
        while made not in rows:
            assert made.op is Op.GEP
            lane = made.arg[lane]
            made, lane = made.src[0].src[lane // size], lane % size
        return rows.index(made), lane

    columns = transpose(rows)
    assert [[origin(each, lane) for lane in range(size)] for each in columns] == [
        [(row, column) for row in range(size)] for column in range(size)
    ]
    shuffles = {each for each in toposort(columns) if each.op is Op.GEP}
    assert len(shuffles) == size * (size.bit_length() - 1)
