"""Elements that several work-items or several STOREs write: refused by the spec where that is sure, by the reference where it happens."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from eqsat import float32
from eqsat.codegen import expand
from eqsat.dtype import bool_, index, int32, void
from eqsat.errors import EvaluationError, SpecError
from eqsat.ops import AxisType, KernelInfo, Op, Stage
from eqsat.reference import evaluate_kernel
from eqsat.spec import races, verify
from eqsat.uop import UOp
from tests.codegen.device import check

ITEMS = [AxisType.GLOBAL, AxisType.THREAD, AxisType.LOCAL, AxisType.WARP]
LOOPS = [AxisType.LOOP, AxisType.UNROLL]


def load(slot, place, size=8, dtype=float32):
    return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (UOp.param(slot, size, dtype), place)),))


def store(place, value, *after, size=8, gate=None):
    address = (UOp.param(0, size, value.dtype), place) + ((gate,) if gate is not None else ())
    return UOp(Op.STORE, void, (UOp(Op.INDEX, value.dtype, address), value, *after))


def kernel(*stores):
    return UOp.sink(*stores, arg=KernelInfo("stores"))


def done(sink):
    """What a legal kernel stores, as does the reference."""
    verify(sink, Stage.KERNEL)
    (found, *_) = check(sink, {1: np.arange(8, dtype=np.float32)}, rtol=0)
    expected = np.zeros(8, np.float32)
    for each in (sink, expand(sink)):
        verify(each, Stage.EXPANDED if each is not sink else Stage.KERNEL)
        evaluate_kernel(each, [expected, np.arange(8, dtype=np.float32)])
        assert np.array_equal(found, expected)
    return found.tolist()


def run(sink, **more):
    result = np.full(8, -1, np.float32)
    evaluate_kernel(
        sink, [result, np.arange(8, dtype=np.float32), more.get("indices", np.arange(8, dtype=np.int32))]
    )
    return result.tolist()


@pytest.mark.parametrize("axis", ITEMS)
@pytest.mark.parametrize(
    "place",
    [
        lambda i: i % 4,
        lambda i: i // 2,
        lambda i: i // 4 * 4,
        lambda i: UOp.const(index, 3),
    ],
    ids=["remainder", "quotient", "steps", "constant"],
)
def test_work_items_that_share_an_element_are_refused(axis, place):
    i = UOp.range(8, 0, axis)
    sink = kernel(store(place(i), load(1, i), i))
    with pytest.raises(SpecError, match="give each a place"):
        verify(sink, Stage.KERNEL)
    with pytest.raises(EvaluationError, match="in several work-items"):
        run(sink)


@pytest.mark.parametrize("most", [1 << 14, 4])
def test_places_that_are_as_many_but_meet_are_told_where_each_is_looked_at(most, monkeypatch):
    monkeypatch.setattr(races, "_MOST_POINTS", most)
    i = UOp.range(8, 0, AxisType.GLOBAL)
    with (
        pytest.raises(SpecError, match="several work-items store to element 0") if most > 4 else nullcontext()
    ):
        verify(kernel(store(i * 2 % 8, load(1, i), i)), Stage.KERNEL)
    with pytest.raises(EvaluationError, match="to element 0 in several work-items"):
        run(kernel(store(i * 2 % 8, load(1, i), i)))


@pytest.mark.parametrize("axis", LOOPS)
def test_iterations_in_order_may_share_an_element(axis):
    i = UOp.range(8, 0, axis)
    sink = kernel(store(i % 4, load(1, i), i))
    verify(sink, Stage.KERNEL)
    assert run(sink) == [4, 5, 6, 7, -1, -1, -1, -1]


@pytest.mark.parametrize("axis", ITEMS)
def test_ranges_that_a_place_does_not_vary_with_are_named(axis):
    i, other = UOp.range(8, 3, axis), UOp.range(2, 4, AxisType.LOOP)
    with pytest.raises(
        SpecError, match=f"each iteration of {axis.name} range 3 stores its own value at the same place"
    ):
        verify(kernel(store(other, load(1, i), i, other)), Stage.KERNEL)


@pytest.mark.parametrize("axis", ITEMS)
def test_what_varies_with_no_work_item_is_stored_by_one(axis):
    i, r = UOp.range(8, 0, axis), UOp.range(8, 1, AxisType.REDUCE)
    total = UOp(Op.REDUCE, float32, (load(1, r), r), Op.ADD)
    alone = kernel(store(UOp.const(index, 2), total, i))
    verify(alone, Stage.KERNEL)
    (found,) = check(alone, {1: np.arange(8, dtype=np.float32)})
    assert found[2] == run(alone)[2] == 28


@pytest.mark.parametrize("axis", ITEMS)
def test_places_of_two_axes_are_counted_together(axis):
    i, j = UOp.range(4, 0, axis), UOp.range(4, 1, AxisType.LOOP)
    apart, meeting = store(i * 2 + j % 2, load(1, i), i, j), store((i + j) % 3, load(1, i), i, j)
    verify(kernel(apart), Stage.KERNEL)
    assert run(kernel(apart)) == [0, 0, 1, 1, 2, 2, 3, 3]
    with pytest.raises(SpecError, match="several work-items store to element 0"):
        verify(kernel(meeting), Stage.KERNEL)


@pytest.mark.parametrize(
    ("indices", "meets"),
    [([0, 1, 2, 3, 4, 5, 6, 7], False), ([7, 6, 5, 4, 3, 2, 1, 0], False), ([0, 1, 2, 3, 4, 5, 6, 6], True)],
)
def test_places_that_data_gives_are_checked_by_the_reference(indices, meets):
    i = UOp.range(8, 0, AxisType.GLOBAL)
    place = load(2, i, dtype=int32).cast(index)
    sink = kernel(store(place, load(1, i), i))
    verify(sink, Stage.KERNEL)
    indices = np.array(indices, np.int32)
    if meets:
        with pytest.raises(EvaluationError, match="element 6"):
            run(sink, indices=indices)
        return
    assert run(sink, indices=indices) == np.argsort(indices).tolist()


def test_gates_choose_the_work_item_that_stores():
    i = UOp.range(8, 0, AxisType.LOCAL)
    chosen = kernel(store(UOp.const(index, 3), load(1, i), i, gate=i.eq(5)))
    several = kernel(store(UOp.const(index, 3), load(1, i), i, gate=i < 2))
    verify(chosen, Stage.KERNEL)
    with pytest.raises(SpecError, match="several work-items store to element 3"):
        verify(several, Stage.KERNEL)
    assert run(chosen)[3] == 5
    with pytest.raises(EvaluationError, match="in several work-items"):
        run(several)


def test_two_stores_to_one_element_in_loops_of_their_own_wait_for_each_other():
    i, j = (UOp.range(8, number, AxisType.LOOP) for number in range(2))
    first = store(i, load(1, i), i)
    second = store(j, load(1, j) * 2.0, j)
    with pytest.raises(SpecError, match="neither comes first"):
        verify(kernel(first, second), Stage.KERNEL)
    with pytest.raises(EvaluationError, match="neither comes first"):
        run(kernel(first, second))
    buffer = UOp.param(0, 8, float32)
    later = UOp(Op.INDEX, float32, (UOp(Op.AFTER, buffer.dtype, (buffer, first)), j))
    ordered = kernel(first, UOp(Op.STORE, void, (later, load(1, j) * 2.0, j)))
    assert run(ordered) == [0, 2, 4, 6, 8, 10, 12, 14]


@pytest.mark.parametrize("axis", [*ITEMS, *LOOPS])
def test_two_stores_in_the_same_loops_follow_each_other(axis):
    i = UOp.range(8, 0, axis)
    first, second = store(i, load(1, i), i), store(i, load(1, i) * 2.0, i)
    assert done(kernel(first, second)) == [0, 2, 4, 6, 8, 10, 12, 14]
    assert done(kernel(second, first)) == [0, 1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("axis", [*ITEMS, *LOOPS])
def test_two_stores_to_one_element_in_other_iterations_of_one_loop(axis):
    """Element i is stored to in iteration i, and by the other STORE in iteration i - 1. Copies of one STORE are all made before those of the next."""
    i = UOp.range(7, 0, axis)
    sink = kernel(store(i + 1, load(1, i) * 2.0, i), store(i, load(1, i), i))
    if axis in ITEMS:
        with pytest.raises(SpecError, match="in other work-items"):
            verify(sink, Stage.KERNEL)
        with pytest.raises(EvaluationError, match="in other work-items"):
            run(sink)
        return
    assert done(sink) == [0, 1, 2, 3, 4, 5, 6, 12]
    back = kernel(store(i, load(1, i) * 2.0, i), store(i + 1, load(1, i), i))
    assert done(back) == ([0, 2, 4, 6, 8, 10, 12, 6] if axis is AxisType.LOOP else [0, 0, 1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("axis", ITEMS)
def test_a_store_by_any_work_item_and_one_by_each_meet_in_others(axis):
    i = UOp.range(8, 0, axis)
    sink = kernel(store(i, load(1, i), i), store(UOp.const(index, 3), UOp.const(float32, 1.0), i))
    with pytest.raises(SpecError, match="in other work-items"):
        verify(sink, Stage.KERNEL)
    with pytest.raises(EvaluationError, match="in other work-items"):
        run(sink)


def test_what_is_abreast_is_stored_in_each_iteration():
    """Copies and lanes are inside the loops, whatever their numbers."""
    lane, copy, loop = UOp.range(2, 0, AxisType.UPCAST), UOp.range(2, 1, AxisType.UNROLL), UOp.range(3, 2)
    for abreast in (lane, copy):
        sink = kernel(store(abreast + loop, load(1, abreast * 4 + loop), abreast, loop))
        assert done(sink)[:4] == [0, 1, 2, 6]
    both = kernel(store((lane + copy) % 3, load(1, lane * 4 + copy), lane, copy))
    assert done(both)[:3] == [0, 1, 5]


def test_of_stores_that_are_the_same_the_last_counts():
    """A SINK cannot hold one STORE twice, but copies of two may be one."""
    i = UOp.range(2, 0, AxisType.UNROLL)
    place = UOp.const(index, 0)
    first, second = store(place, load(1, i + 2), i), store(place, load(1, i // 2 + 2), i, gate=i < 5)
    assert done(kernel(first, second))[0] == 2


def test_two_stores_to_parts_of_a_buffer_need_no_order():
    i, j = UOp.range(3, 0, AxisType.GLOBAL), UOp.range(5, 1, AxisType.LOOP)
    sink = kernel(store(i, load(1, i), i), store(j + 3, load(1, j), j))
    verify(sink, Stage.KERNEL)
    assert run(sink) == [0, 1, 2, 0, 1, 2, 3, 4]


def test_two_stores_under_gates_that_exclude_each_other_need_no_order():
    i = UOp.range(8, 0, AxisType.GLOBAL)
    low = i < 3
    high = UOp(Op.XOR, bool_, (low, UOp.const(bool_, True)))
    sink = kernel(store(i, load(1, i), i, gate=low), store(i, load(1, i) * 2.0, i, gate=high))
    verify(sink, Stage.KERNEL)
    assert run(sink) == [0, 1, 2, 6, 8, 10, 12, 14]


@pytest.mark.parametrize("axis", ITEMS)
def test_a_single_work_item_needs_no_place(axis):
    i = UOp.range(1, 0, axis)
    sink = kernel(store(UOp.const(index, 3), load(1, i + 6), i))
    verify(sink, Stage.KERNEL)
    assert run(sink)[3] == 6


@pytest.mark.parametrize("axis", [AxisType.LOOP, AxisType.UNROLL])
@pytest.mark.parametrize(
    "place", [lambda i: UOp.const(index, 1), lambda i: i % 2], ids=["constant", "remainder"]
)
def test_what_a_loop_stores_is_read_in_the_same_iteration(place, axis):
    """Copies are all stored before any is read."""
    i, kept = UOp.range(8, 0, axis), UOp.param(2, 2, float32)
    first = UOp(Op.STORE, void, (UOp(Op.INDEX, float32, (kept, place(i))), load(1, i)))
    again = UOp(
        Op.LOAD, float32, (UOp(Op.INDEX, float32, (UOp(Op.AFTER, kept.dtype, (kept, first)), place(i))),)
    )
    (found, _) = check(kernel(store(i, again, i)), {1: np.arange(8, dtype=np.float32)}, rtol=0)
    last = [7] * 8 if place(i).op is Op.CONST else [6, 7] * 4
    assert found.tolist() == (list(range(8)) if axis is AxisType.LOOP else last)


def vector(*elements, place=0, first=0.0, loops=()):
    """A STORE of four lanes from a place on, or to elements here and there, in some loops."""
    address = [
        UOp(Op.INDEX, float32, (UOp.param(0, 8, float32), UOp.const(index, each)))
        for each in elements or (place,)
    ]
    value = UOp(
        Op.VCONST,
        float32.vec(len(elements) or 4),
        (),
        tuple(first + lane for lane in range(len(elements) or 4)),
    )
    joined = UOp(Op.PTRCAT, value.dtype, tuple(address)) if elements else address[0]
    return UOp(Op.STORE, void, (joined, value, *loops))


@pytest.mark.parametrize(("element", "meets"), [(3, False), (4, True), (7, True)])
def test_a_vector_is_stored_to_all_its_elements(element, meets):
    """Four lanes from 4 on."""
    sink = kernel(
        vector(place=4),
        UOp(
            Op.STORE,
            void,
            (
                UOp(Op.INDEX, float32, (UOp.param(2, 8, float32), UOp.const(index, 0))),
                load(0, UOp.const(index, element)),
            ),
        ),
    )
    with pytest.raises(SpecError, match="neither comes first") if meets else nullcontext():
        verify(sink, Stage.KERNEL)


@pytest.mark.parametrize(("others", "meets"), [((1, 3), True), ((5, 7), False)])
def test_addresses_here_and_there_are_places(others, meets):
    own = UOp.range(2, 0, AxisType.LOOP)
    with pytest.raises(SpecError, match="stores to the same place") if meets else nullcontext():
        verify(kernel(vector(1, 3), vector(*others, first=5.0, loops=[own])), Stage.EXPANDED)


def test_any_number_of_ranges_tells_where_a_store_is():
    single = [UOp.range(1, number, AxisType.LOOP) for number in range(80)]
    i, place = UOp.range(8, 99, AxisType.GLOBAL), UOp.const(index, 0)
    for each in single:
        place = place + each % 2
    verify(kernel(store(place + i * 3 % 8, load(1, i), *single, i)), Stage.KERNEL)
    with pytest.raises(SpecError, match="several work-items store to element 0"):
        verify(kernel(store(place + i % 4, load(1, i), *single, i)), Stage.KERNEL)


def test_quotients_by_zero_under_gates_that_are_false_are_no_places():
    i = UOp.range(8, 0, AxisType.GLOBAL)
    verify(kernel(store(i % 4 // (i // 4), load(1, i), i, gate=i < 0)), Stage.KERNEL)


def test_addresses_of_bools_are_no_gates():
    buffer = UOp.param(0, 8, bool_)
    joined = UOp(
        Op.PTRCAT,
        bool_.vec(2),
        tuple(UOp(Op.INDEX, bool_, (buffer, UOp.const(index, place))) for place in (1, 3)),
    )
    true, other = (UOp(Op.VCONST, bool_.vec(2), (), (True, last)) for last in (True, False))
    first = UOp(Op.STORE, void, (joined, true))
    second = UOp(Op.STORE, void, (joined, other, UOp.range(2, 0, AxisType.LOOP)))
    with pytest.raises(SpecError, match="neither comes first"):
        verify(kernel(first, second), Stage.EXPANDED)


def test_coordinates_of_work_items_are_counted():
    item = UOp(Op.SPECIAL, index, (UOp.const(index, 8),), "gid0")
    verify(kernel(store(item * 3 % 8, load(1, item))), Stage.KERNEL)
    with pytest.raises(SpecError, match="several work-items store to element 0"):
        verify(kernel(store(item * 2 % 8, load(1, item))), Stage.KERNEL)
