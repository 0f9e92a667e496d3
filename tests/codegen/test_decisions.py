"""Decisions of expansion and linearization, each asked by itself."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen import expand, render
from eqsat.codegen.expansion.access import consecutive
from eqsat.codegen.expansion.dependence import Dependence
from eqsat.codegen.expansion.lanes import elementwise, fold
from eqsat.codegen.expansion.narrowing import narrow
from eqsat.codegen.expansion.older_forms import modernize as modernize_kernel
from eqsat.codegen.expansion.strides import Strides
from eqsat.codegen.linearization.matrices import sums_of_products
from eqsat.codegen.linearization.older_forms import modernize
from eqsat.dtype import bool_, float32, index, int16, int32, int64, uint8, void
from eqsat.fragments import INSTRUCTIONS
from eqsat.integers.linear import affine_forms
from eqsat.integers.narrowing import OPERATIONS
from eqsat.ops import AxisType, Op, Stage
from eqsat.spec import verify
from eqsat.spec.sources import shuffle_of
from eqsat.uop import UOp, toposort
from tests.codegen.test_narrowing import bytes_with
from tests.codegen.test_parts_alone import run
from tests.forms.form import after, argument, at, f, i, kernel, load, node, program, register, store
from tests.spec.nodes import SMALL

GIVEN = UOp.param(1, 64, float32)
COPIES, LANES = UOp.range(4, 1, AxisType.UNROLL), UOp.range(4, 0, AxisType.UPCAST)
FOUR, PAIR = float32.vec(4), float32.vec(2)


def vector(lanes: int, number: int = 1) -> UOp:
    return load(at(argument(number, 8), i(0)), dtype=float32.vec(lanes))


@pytest.mark.parametrize(
    ("vectors", "dtype", "is_shuffle"),
    [
        ((vector(4), vector(4, 2)), FOUR, True),
        ((vector(2), vector(2, 2)), FOUR, False),
        ((vector(4), vector(4, 2)), PAIR, False),
        ((vector(4), vector(4, 2), vector(4, 3)), FOUR, False),
        ((vector(4),), FOUR, False),
    ],
)
def test_a_shuffle_has_lanes_of_two_vectors_as_wide_as_itself(vectors, dtype, is_shuffle):
    joined = node(Op.CAT, float32.vec(sum(each.dtype.lanes for each in vectors)), *vectors)
    found = shuffle_of(node(Op.GEP, dtype, joined, arg=tuple(range(dtype.lanes))))
    assert found == (vectors if is_shuffle else None)
    assert shuffle_of(joined) is None


def test_masks_are_not_shuffled():
    masks = [vector(4, number) < vector(4, number + 2) for number in (1, 2)]
    joined = node(Op.CAT, bool_.vec(8), *masks)
    assert shuffle_of(node(Op.GEP, bool_.vec(4), joined, arg=(0, 4, 1, 5))) is None


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("op", [Op.AND, Op.OR, Op.CMPNE])
def test_conditions_with_a_constant_are_simpler(op, constant):
    """The other condition, the constant, or the negation of the other one, which has no shorter form."""
    known, other = UOp.const(bool_, constant), load(at(argument(1, 8), i(0))) < f(1.0)
    expected = {Op.AND: other if constant else known, Op.OR: known if constant else other}
    for sources in ((known, other), (other, known)):
        made = node(op, bool_, *sources)
        assert fold(made) is expected.get(op, made if constant else other)
        assert fold(node(op, bool_, known, known)).arg == (constant if op is not Op.CMPNE else False)
    numbers = (
        node(op, bool_, i(3), UOp.variable("n", 0, 9))
        if op is Op.CMPNE
        else node(op, int32, *[UOp.const(int32, 1)] * 2)
    )
    assert fold(numbers) is numbers


def test_addresses_that_follow_each_other_have_no_gates_and_one_buffer():
    places = [at(GIVEN, i(place)) for place in range(3)]
    gate = load(places[0]) < f(1.0)
    assert consecutive(places)
    assert not consecutive([places[0], places[2]])
    assert not consecutive([at(GIVEN, i(place), gate) for place in range(3)])
    assert not consecutive([places[0], at(GIVEN, i(1), gate)])
    assert not consecutive([places[0], at(UOp.param(2, 64, float32), i(1))])


def row_of(address: UOp, *alternative: UOp, stores: tuple[UOp, ...] = ()) -> UOp | None:
    """The range along which a load in four lanes could load whole rows."""
    loaded = load(address, *alternative)
    order = toposort([loaded, *stores])
    return Strides.of_kernel(order, affine_forms(order), Dependence.of(order)).contiguous_copies(loaded, 4)


def test_rows_of_copies_are_loaded_whole_where_they_lie_side_by_side_under_one_gate():
    place, always = LANES * 8 + COPIES, UOp.variable("n", 0, 9) < 5
    assert row_of(at(GIVEN, place)) is COPIES
    assert row_of(at(GIVEN, place, always), f(0.0)) is COPIES
    anywhere = load(at(UOp.param(2, 8, int32), LANES)).cast(index)
    assert row_of(at(GIVEN, anywhere + COPIES)) is None, "lanes lie anywhere"
    assert row_of(at(GIVEN, LANES * 8 + COPIES * 2)) is None, "copies lie apart"
    assert row_of(at(GIVEN, LANES * 8 + COPIES + COPIES // 2)) is None, "copies lie anywhere"
    for gate in (LANES < 2, COPIES < 2):
        assert row_of(at(GIVEN, place, gate), f(0.0)) is None
    for other in (LANES, COPIES):
        assert row_of(at(GIVEN, place, always), other.cast(float32)) is None
    assert row_of(at(GIVEN, place), stores=(store(at(GIVEN, i(0)), f(1.0)),)) is None, "it may be written"
    short = UOp.range(3, 2, AxisType.UNROLL)
    assert row_of(at(GIVEN, LANES * 8 + short)) is None, "no multiple of the lanes"


def test_a_value_that_is_no_vector_of_a_range_has_lanes_of_its_own():
    text = node(Op.CUSTOM, float32, load(at(GIVEN, LANES)), arg="f({0})")
    expanded = expand(kernel(store(at(UOp.param(0, 4, float32), LANES), text, LANES)))
    assert sum(each.op is Op.CUSTOM for each in toposort([expanded])) == 4


@pytest.mark.parametrize("op", sorted(OPERATIONS, key=str), ids=str)
def test_operations_on_bytes_take_16_bits_if_all_that_is_involved_has_them(op):
    assert narrow(bytes_with(op, 3)) is not bytes_with(op, 3)
    assert narrow(bytes_with(op, 1 << 17)) is bytes_with(op, 1 << 17)


def test_what_was_converted_from_more_than_16_bits_stays_wide():
    for given, narrows in ((int16, True), (int64, False)):
        small = load(at(UOp.param(1, 4, given), i(0)), dtype=given.vec(4)) & node(
            Op.VCONST, given.vec(4), arg=(7,) * 4
        )
        made = small.cast(int32.vec(4)) + node(Op.VCONST, int32.vec(4), arg=(3,) * 4)
        sink = kernel(store(at(UOp.param(0, 4, uint8), i(0)), made.cast(uint8.vec(4))))
        assert (narrow(sink) is not sink) == narrows


def test_constants_of_indices_alone_are_converted_at_once():
    """Floats are truncated as the device does it."""
    like = node(Op.CAST, int32, UOp.const(float32, 1.0))
    for dtype, folded in ((index, True), (float32, False), (int64, False)):
        vector = node(Op.VCONST, dtype.vec(2), arg=(1, 2) if dtype is not float32 else (1.5, 2.5))
        assert elementwise(like, [vector]).op is (Op.VCONST if folded else Op.CAST)
    for dtype, apart in ((float32, False), (int64, False), (index, True)):
        values = [
            load(at(UOp.param(slot, 4, int64), i(0)), dtype=int64.vec(2)).cast(dtype.vec(2))
            for slot in (1, 2)
        ]
        total = node(Op.ADD, dtype.vec(2), *values)
        assert elementwise(like, [total]).op is (Op.ADD if apart else Op.CAST), (
            "sums of floats are not sums of integers"
        )
    least, beyond = (node(Op.VCONST, index.vec(2), arg=(value, 0)) for value in (int32.min, int32.min - 1))
    assert [elementwise(like, [each]).op for each in (least, beyond)] == [Op.VCONST, Op.CAST]
    most, beyond = (node(Op.VCONST, index.vec(2), arg=(0, value)) for value in (int32.max, int32.max + 1))
    assert [elementwise(like, [each]).op for each in (most, beyond)] == [Op.VCONST, Op.CAST]


@pytest.mark.parametrize("op", [Op.POW, Op.CMPLT])
def test_other_operations_on_bytes_stay_wide(op):
    dtype = bool_.vec(4) if op is Op.CMPLT else int32.vec(4)
    wide = load(at(UOp.param(1, 4, uint8), i(0)), dtype=uint8.vec(4)).cast(int32.vec(4))
    made = node(op, dtype, wide, node(Op.VCONST, int32.vec(4), arg=(2,) * 4)).cast(uint8.vec(4))
    sink = kernel(store(at(UOp.param(0, 4, uint8), i(0)), made))
    assert narrow(sink) is sink


def test_arguments_come_first_variables_by_name_and_then_work_items():
    last, first = UOp.variable("b", 1, 4), UOp.variable("a", 1, 4)
    rows, steps = UOp.range(last, 0, AxisType.GLOBAL), UOp.range(first, 1)
    made = render(
        kernel(store(at(UOp.param(0, 16, float32), rows * 4 + steps), f(1.0), rows, steps))
    ).linear.src
    assert [each.op for each in made[:4]] == [Op.DEFINE_GLOBAL, Op.DEFINE_VAR, Op.DEFINE_VAR, Op.SPECIAL]
    assert [each.arg[0] for each in made[1:3]] == ["a", "b"]


# registers


def test_a_register_that_a_gate_may_leave_alone_is_declared_before():
    kept, item = register(1), load(at(argument(1, 8), i(0)))
    first = store(at(kept, i(0)), f(2.0))
    second = store(at(kept, i(0), item < f(0.5)), f(3.0))
    for stores, expected in (((first, second), (3.0, 2.0)), ((second, first), (2.0, 2.0))):
        held = load(at(after(kept, *stores), i(0)))
        linear = program(*stores, store(at(argument(0, 8), i(0)), held))
        for value, left in zip((0.0, 1.0), expected, strict=True):
            assert run(linear, {1: np.full(8, value, np.float32)})[0] == left


def test_a_register_is_declared_by_its_first_store_whatever_that_stores():
    kept, item = register(1), load(at(argument(1, 8), i(0)))
    chosen = (item < f(0.5)).where(item, f(4.0))
    stored = store(at(kept, i(0)), chosen)
    linear = program(stored, store(at(argument(0, 8), i(0)), load(at(after(kept, stored), i(0)))))
    assert run(linear, {1: np.ones(8, np.float32)})[0] == 4.0
    assert "float acc0;" not in render(linear).source


def test_what_a_loop_overwrites_is_read_before_the_loop():
    kept, loop = register(1), UOp.range(3, 0)
    first = store(at(kept, i(0)), f(1.0))
    held = load(at(after(kept, first), i(0)))
    used = store(at(argument(0, 8), loop), held)
    changed = store(at(kept, i(0)), f(5.0))
    ended = node(Op.END, changed.dtype, changed, loop)
    linear = node(
        Op.LINEAR,
        changed.dtype,
        *dict.fromkeys((*program(first, held).src, *program(loop, used, changed).src, ended)),
    )
    assert run(linear, {})[:3].tolist() == [1, 1, 1]


def test_accumulators_become_registers_with_numbers_of_their_own():
    kept = register(2, number=3)
    total = node(Op.DEFINE_ACC, float32, f(0.0), arg=0)
    added = node(Op.ASSIGN, float32, total, f(1.0))
    linear = program(store(at(kept, i(1)), f(2.0)), store(at(argument(0, 8), i(0)), added))
    verify(modernize(linear), Stage.LINEAR)
    numbers = [each.arg[1] for each in modernize(linear).src if each.op is Op.DEFINE_REG]
    assert len(numbers) == len(set(numbers)) == 2


def test_a_loop_from_a_start_stays_in_the_loops_that_it_names():
    outer = node(Op.RANGE, index, i(2), i(5), arg=0)
    inner = node(Op.RANGE, index, i(1), i(3), outer, arg=1)
    stored = store(at(argument(0, 8), outer + inner), f(1.0))
    ended = node(Op.END, stored.dtype, stored, inner)
    linear = program(outer, inner, stored, ended, node(Op.END, stored.dtype, ended, outer))
    first, second = (each for each in modernize(linear).src if each.op is Op.RANGE)
    assert (first.src, second.src) == ((i(3),), (i(2), first))
    assert run(linear, {}).tolist() == [0, 0, 0, 1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("addend", "is_zero"),
    [(f(0.0), True), (f(2.0), False), (load(at(argument(3, 8), i(0))), False), (f(0.0) + f(0.0), False)],
)
def test_a_sum_becomes_the_addend_of_a_product_that_adds_to_zero(addend, is_zero):
    product = node(Op.WMMA, float32, f(1.0), f(1.0), addend, arg=SMALL)
    total = product + f(3.0)
    assert sums_of_products([product, total]) == ({total: product} if is_zero else {})
    assert sums_of_products([product, total, product * f(2.0)]) == {}, "it is read twice"


def test_a_loop_that_ends_before_its_start_has_no_iterations():
    loop = node(Op.RANGE, index, i(5), i(2), arg=0)
    stored = store(at(argument(0, 8), loop), f(1.0))
    linear = program(loop, stored, node(Op.END, stored.dtype, stored, loop))
    assert [each.src for each in modernize(linear).src if each.op is Op.RANGE] == [(i(0),)]


def test_products_have_local_memory_of_their_own():
    item = node(Op.SPECIAL, index, i(2), arg="lid0")
    values = [load(at(argument(number, 8), item)) for number in (1, 2, 3)]
    arg = ("any", (1, 2, 1), float32, float32, "OTHER", 2, (), (), (1, 1))
    first = node(Op.WMMA, float32, *values, arg=arg)
    second = node(Op.WMMA, float32, values[1], values[0], values[2], arg=arg)
    alone = modernize(program(store(at(argument(0, 8), item), first)))
    both = modernize(
        program(
            *(store(at(argument(0, 8), item + 4 * place), each) for place, each in enumerate((first, second)))
        )
    )
    memories = [sum(each.op is Op.DEFINE_LOCAL for each in made.src) for made in (alone, both)]
    assert memories[1] == 2 * memories[0] > 0


def test_only_items_of_a_group_share_products():
    """Groups of launches have local memory of their own, whichever group they are."""
    item = node(Op.SPECIAL, index, i(2), arg="lid0")
    group = node(Op.SPECIAL, index, i(3), arg="gidx0")
    arg = ("any", (1, 2, 1), float32, float32, "OTHER", 2, (), (), (1, 1))
    sizes: list[list[int]] = []
    for place in (item, group * 2 + item):
        values = [load(at(argument(number, 8), place)) for number in (1, 2, 3)]
        made = modernize(program(store(at(argument(0, 8), place), node(Op.WMMA, float32, *values, arg=arg))))
        sizes.append([each.dtype.size for each in made.src if each.op is Op.DEFINE_LOCAL])
    assert sizes[0] == sizes[1]


def test_threads_of_matrix_instructions_hold_the_same_by_one_digit_at_most():
    for row in INSTRUCTIONS:
        for fragment in row.fragments:
            assert sum(not digit.stride for digit in fragment.threads) <= 1


def test_a_barrier_that_waits_for_a_gated_store_stands_as_often_as_before():
    gate = load(at(argument(2, 8), i(0))) < f(1.0)
    first, second = store(at(argument(1, 8), i(0)), f(1.0), gate), store(at(argument(0, 8), i(0)), f(2.0))
    once = program(first, node(Op.BARRIER, void, first))
    barrier = once.src[-1]
    linear = node(Op.LINEAR, void, *dict.fromkeys((*once.src, *program(second).src)), barrier)
    verify(linear, Stage.LINEAR)
    ops = [each.op for each in modernize(linear).src if each.op in (Op.STORE, Op.BARRIER)]
    assert ops == [Op.STORE, Op.BARRIER, Op.STORE, Op.BARRIER]


def test_lanes_that_are_loaded_again_are_loaded_after_what_was_stored_between():
    def apart(*places: int) -> UOp:
        joined = node(Op.PTRCAT, float32.vec(2), *(at(argument(1, 8), i(place)) for place in places))
        return load(joined, dtype=float32.vec(2))

    def lane(vector: UOp) -> UOp:
        return node(Op.GEP, float32, vector, arg=(0,))

    stored = store(at(argument(1, 8), i(0)), f(5.0))
    before, later = (
        store(at(argument(0, 8), i(0)), lane(apart(0, 3))),
        store(at(argument(0, 8), i(1)), lane(apart(0, 5))),
    )
    written = [store(at(argument(1, 8), i(place)), f(1.0)) for place in (0, 3, 5)]
    assert run(program(*written, before, stored, later), {})[:2].tolist() == [1, 5]


def test_what_comes_after_stores_for_all_copies_and_lanes_is_no_copy():
    memory = register(4)
    for bound in (COPIES, LANES):
        waiting = after(memory, store(at(memory, bound), f(1.0)))
        found = Dependence.of(toposort([waiting]))
        assert (found.copies[waiting], waiting in found.lane) == ((), False)


def test_a_place_in_an_array_without_axes_is_its_only_one():
    scalar = node(Op.RESHAPE, float32, UOp.param(1, 1, float32), arg=())
    made = modernize_kernel(
        kernel(store(at(UOp.param(0, 1, float32), i(0)), load(node(Op.INDEX, float32, scalar))))
    )
    (loaded,) = (each for each in made.toposort() if each.op is Op.LOAD)
    assert loaded.src[0].src[1:] == (i(0),)
