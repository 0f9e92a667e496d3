"""Which values get a variable: of programs of a few instructions, by what each is for."""

from __future__ import annotations

import pytest

from eqsat.codegen.rendering.placement import Placement, is_transparent
from eqsat.dtype import bool_, float32, index, void
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp
from tests.forms.form import after, argument, at, f, i, load, local, node, register, store

OUT, GIVEN, SHARED = argument(0, 64), argument(1, 64), local(8)
ITEM = node(Op.SPECIAL, index, i(8), arg="gid0")
LOOP = node(Op.RANGE, index, i(4), arg=(0, AxisType.LOOP))
A, B = load(at(GIVEN, i(0))), load(at(GIVEN, i(1)))
SINGLE, SEVERAL = register(1, 0), register(4, 1)
BARRIER = node(Op.BARRIER, void)


def listed(*steps: UOp) -> tuple[UOp, ...]:
    """A program of these, each after what it needs."""
    found: dict[UOp, None] = {}
    for step in steps:
        for each in step.toposort():
            found[each] = None
    return tuple(found)


def is_in_place(value: UOp, *steps: UOp) -> bool:
    return value in Placement(listed(*steps)).in_place


def end(last: UOp) -> UOp:
    return node(Op.END, void, last, LOOP)


def put(place: int, value: UOp) -> UOp:
    return store(at(OUT, i(place)), value)


TOTAL = A + B


def test_a_value_that_is_used_once_is_written_where_it_is_used():
    assert is_in_place(TOTAL, put(0, TOTAL))
    assert not is_in_place(TOTAL, put(0, TOTAL), put(1, TOTAL))
    assert not is_in_place(TOTAL, put(0, TOTAL * TOTAL))
    assert not is_in_place(TOTAL, TOTAL)


@pytest.mark.parametrize(
    ("value", "is_written"),
    [
        (node(Op.CUSTOM, float32, A, arg="f({0})"), False),
        (node(Op.CUSTOMI, float32, A, arg="f({0})"), True),
        (node(Op.CUSTOMI, float32, A, arg="f({0})") + B, True),
        (A.alu(Op.SQRT), True),
    ],
    ids=["statement", "expression", "sum", "root"],
)
def test_which_operations_are_written_where_they_are_used(value, is_written):
    assert is_in_place(value, put(0, value)) == is_written


def test_a_load_is_written_where_it_is_used_unless_something_is_stored_between():
    assert is_in_place(A, A, put(0, A))
    assert is_in_place(A, A, B, put(0, A + B))
    same = load(at(OUT, i(5)))
    assert is_in_place(same, same, put(0, same))
    assert not is_in_place(same, same, put(1, f(1.0)), put(0, same))
    assert is_in_place(A, A, put(1, f(1.0)), put(0, A))
    assert not is_in_place(A, A, put(0, A), put(1, A))
    total = same + f(1.0)
    assert not is_in_place(same, total, put(1, f(1.0)), put(0, total))


def test_what_other_items_store_may_be_there_after_a_barrier():
    shared = load(at(SHARED, i(0)))
    assert is_in_place(shared, shared, put(0, shared))
    assert not is_in_place(shared, shared, BARRIER, put(0, shared))
    assert is_in_place(A, A, BARRIER, put(0, A))


def test_a_register_is_read_again_and_again():
    held = load(at(SINGLE, i(0)))
    begun = store(at(SINGLE, i(0)), f(1.0))
    again = store(at(SINGLE, i(0)), f(2.0))
    assert is_in_place(held, begun, held, put(0, held), put(1, held))
    assert not is_in_place(held, begun, held, put(0, held), again, put(1, held))
    assert is_in_place(held, begun, held, put(0, held), put(1, held), again)


def test_what_a_loop_uses_stays_outside_of_it():
    value = A * B
    placed = store(at(OUT, LOOP), value)
    assert not is_in_place(value, value, LOOP, placed, end(placed))
    inside = load(at(GIVEN, LOOP)) * B
    placed = store(at(OUT, LOOP), inside)
    assert is_in_place(inside, B, LOOP, placed, end(placed))
    position = node(Op.MUL, index, ITEM, i(4))
    placed = store(at(OUT, node(Op.ADD, index, position, LOOP)), f(1.0))
    assert is_in_place(position, position, LOOP, placed, end(placed)), "positions cost nothing"
    loaded = load(at(GIVEN, i(9)))
    placed = store(at(OUT, LOOP), loaded)
    assert not is_in_place(loaded, loaded, LOOP, placed, end(placed))


def test_a_register_that_a_loop_changes_is_not_read_in_it_for_what_it_was():
    held = load(at(SINGLE, i(0)))
    begun = store(at(SINGLE, i(0)), f(1.0))
    placed = store(at(OUT, LOOP), held)
    changed = store(at(SINGLE, i(0)), f(2.0))
    assert is_in_place(held, begun, held, LOOP, placed, end(placed))
    assert not is_in_place(held, begun, held, LOOP, placed, changed, end(changed))
    assert is_in_place(held, begun, held, LOOP, placed, end(placed), changed)


def test_scalars_of_whole_vectors_and_names_count_for_each_use():
    lanes = node(Op.VECTORIZE, float32.vec(2), TOTAL, TOTAL)
    assert not is_in_place(TOTAL, store(at(OUT, i(0)), lanes), store(at(OUT, i(2)), lanes))
    vector = load(at(GIVEN, i(0)), dtype=float32.vec(2))
    summed = vector.alu(Op.ADD, vector)
    pair = node(Op.CAT, float32.vec(4), summed, load(at(GIVEN, i(2)), dtype=float32.vec(2)))
    assert not is_in_place(summed, store(at(OUT, i(0)), node(Op.GEP, float32.vec(2), pair, arg=(0, 2))))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (i(0), True), (node(Op.VCONST, float32.vec(2), arg=(1.0, 2.0)), True), (OUT, True), (SINGLE, True), (SHARED, True), (at(OUT, i(0)), True),
        (after(OUT, put(0, f(1.0))), True), (LOOP, True), (UOp.variable("n", 0, 3), True), (ITEM, False), (A, False), (TOTAL, False),
        (node(Op.VECTORIZE, float32.vec(2), A, A), True), (node(Op.VECTORIZE, float32.vec(2), A, B), False),
        (node(Op.GEP, float32, load(at(GIVEN, i(0)), dtype=float32.vec(2)), arg=(1,)), True),
        (node(Op.GEP, float32.vec(2), load(at(GIVEN, i(0)), dtype=float32.vec(4)), arg=(1, 0)), False),
        (node(Op.CAT, float32.vec(2), A, B), True), (node(Op.POINTER_INDEX, float32, OUT, i(4)), True), (node(Op.CAST, OUT.dtype, OUT), True),
        (put(0, A), False), (A < B, False), (UOp.const(bool_, True), True),
    ],
    ids=repr,
)  # fmt: skip
def test_names_numbers_and_lanes_never_get_a_variable(value, expected):
    assert is_transparent(value) == expected


def started(*steps: UOp) -> set[UOp]:
    return Placement(listed(*steps)).started_beside


def test_registers_that_their_first_store_declares():
    begun = store(at(SINGLE, i(0)), f(1.0))
    gated = store(at(SINGLE, i(0), A < B), f(1.0))
    assert started(SINGLE, begun) == {SINGLE}
    assert started(SINGLE, gated) == set()
    assert started(SINGLE, gated, begun) == set()
    assert started(SINGLE, begun, gated) == {SINGLE}
    assert started(SINGLE, load(at(SINGLE, i(0))), begun) == set()
    assert started(SINGLE, LOOP, begun, end(begun)) == set()
    assert started(LOOP, SINGLE, begun, end(begun)) == {SINGLE}
    assert started(put(0, A)) == set()
