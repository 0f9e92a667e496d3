"""What single conditions of code generation are there for: each test fails without one of them."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen import OPENCL_NVIDIA, render
from eqsat.codegen.expansion.dependence import Dependence
from eqsat.codegen.expansion.strides import Strides
from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.codegen.linearization.older_forms import modernize
from eqsat.codegen.linearization.sequential import sequential
from eqsat.codegen.rendering.matrices import function
from eqsat.dtype import float32, float64, index, int64, void
from eqsat.errors import SpecError
from eqsat.fragments import INSTRUCTIONS
from eqsat.integers.conditions import gated
from eqsat.integers.linear import affine_forms
from eqsat.ops import AxisType, KernelInfo, Op, Stage
from eqsat.reference import run_linear
from eqsat.spec import verify
from eqsat.uop import UOp, toposort
from tests.codegen.device import buffers_of, check, on_device
from tests.forms.form import argument, at, f, i, kernel, load, node, pointer, program, store

OUT, GIVEN = UOp.param(0, 8, float32), UOp.param(1, 8, float32)
ITEM = UOp.range(4, 0, AxisType.LOCAL)


def test_the_first_lane_is_at_the_address_itself():
    place = at(OUT, i(0))
    wide = load(at(GIVEN, i(4)), dtype=float32.vec(2))
    made = sequential(kernel(store(place, wide))).toposort()
    stored = [each.src[0] for each in made if each.op is Op.STORE]
    assert stored[0] is place
    assert len(stored) == 2


def test_a_kernel_has_a_name_that_is_text():
    sink = UOp.sink(store(at(OUT, i(0)), f(1.0)), arg=KernelInfo(5))  # pyright: ignore[reportArgumentType]
    with pytest.raises(SpecError, match="has a name, not 5"):
        verify(sink, Stage.KERNEL)


@pytest.mark.parametrize("op", [Op.ADD, Op.MUL, Op.FLOORDIV, Op.FLOORMOD, Op.MIN, Op.MAX])
def test_as_many_items_as_a_launch_can_compute(op):
    item = node(Op.SPECIAL, index, node(op, index, UOp.variable("n", 1, 8), i(3)), arg="gid0")
    verify(program(store(at(argument(0, 64), item), f(1.0))), Stage.LINEAR)


def test_joined_copies_are_copies_no_more():
    copies = UOp.range(4, 3, AxisType.UNROLL)
    unrolled = node(Op.UNROLL, float32, load(at(GIVEN, copies)), arg=((3, 4),))
    joined = node(Op.CONTRACT, float32.vec(4), unrolled, arg=((3, 4),))
    plain = node(Op.CONTRACT, float32.vec(4), node(Op.UNROLL, float32, f(1.0), arg=((3, 4),)), arg=((3, 4),))
    found = Dependence.of(toposort([joined, plain]))
    assert found.copies[plain] == ()
    assert (3, 4) not in found.copies[joined]


def test_a_further_condition_is_added_to_a_gate():
    gate = load(at(GIVEN, i(0))) < f(1.0)
    address = gated(node(Op.INDEX, float32, OUT, ITEM, gate), [ITEM < 1])
    assert address.src[2] is gate & (ITEM < 1)
    assert gated(at(OUT, ITEM), [ITEM < 1]).src[2] is (ITEM < 1)


def test_masks_out_of_wide_comparisons_choose_wide_values():
    lanes = UOp.range(2, 0, AxisType.UPCAST)
    wide = load(at(UOp.param(1, 2, int64), lanes)), load(at(UOp.param(2, 2, int64), lanes))
    chosen = (wide[0] < wide[1]).where(UOp.const(float64, 1.0), 2.0)
    sink = kernel(store(at(UOp.param(0, 2, float64), lanes), chosen, lanes))
    (found,) = check(sink, {1: np.array([1, 1 << 40]), 2: np.array([2, 3])})
    assert found.tolist() == [1, 2]


def test_selected_lanes_of_masks_are_as_wide_as_the_masks():
    pair = int64.vec(2)
    first, second = (load(at(argument(number, 2, int64), i(0)), dtype=pair) for number in (1, 2))
    mask = first.alu(Op.CMPLT, second)
    swapped = node(
        Op.VECTORIZE, mask.dtype, *(node(Op.GEP, mask.dtype.scalar, mask, arg=(lane,)) for lane in (1, 0))
    )
    constant = node(Op.VCONST, float64.vec(2), arg=(1.0, 2.0))
    other = node(Op.VCONST, float64.vec(2), arg=(3.0, 4.0))
    chosen = node(Op.WHERE, float64.vec(2), swapped, constant, other)
    linear = program(store(at(argument(0, 2, float64), i(0)), chosen))
    found = run(linear, {1: np.array([1, 9]), 2: np.array([5, 5])})
    assert found.tolist() == [3, 2]


def test_a_gate_of_a_load_is_one_bool():
    bad = load(at(argument(1, 8), i(0)), f(0.0), i(1))
    with pytest.raises(SpecError, match="after the value for a false gate come one bool"):
        verify(program(store(at(argument(0, 8), i(0)), bad)), Stage.LINEAR)


def test_copies_are_told_before_lanes():
    copies, lanes = UOp.range(2, 1, AxisType.UNROLL), UOp.range(4, 0, AxisType.UPCAST)
    place = copies * 4 + lanes
    text = nest_text(kernel(store(at(OUT, place), load(at(GIVEN, place)), copies, lanes)))
    assert text.index("unrolled") < text.index("vectorized")


@pytest.mark.parametrize("row", [row for row in INSTRUCTIONS if row.text], ids=lambda row: row.text)
def test_text_of_matrix_instructions_is_balanced(row):
    text = function(row, OPENCL_NVIDIA)
    for opening, closing in ("()", "{}"):
        assert text.count(opening) == text.count(closing) > 0


def test_places_without_an_index_have_no_stride():
    moved = node(Op.POINTER_INDEX, argument(1, 8).dtype, argument(1, 8), i(4))
    order = toposort([moved])
    strides = Strides.of_kernel(order, {}, Dependence.of(order))
    assert strides.of(moved) is None
    lane = UOp.range(4, 0, AxisType.UPCAST)
    moved = node(Op.POINTER_INDEX, argument(1, 8).dtype, argument(1, 8), lane)
    order = toposort([moved])
    known = Strides.of_kernel(order, affine_forms([lane]), Dependence.of(order))
    assert known.of(moved) is None
    assert known.of(at(argument(1, 8), lane)) == 1


def test_names_of_work_items_stand_where_they_are_used():
    item = node(Op.SPECIAL, index, i(8), arg="gid0")
    source = render(program(item, store(at(argument(0, 8), item), load(at(argument(1, 8), item))))).source
    assert "gid0" in source
    assert source.count("get_global_id(0)") == 1
    assert "= gid0;" not in source


def test_two_instructions_that_become_one_are_one():
    vectors = [load(at(argument(1, 8), i(place)), dtype=float32.vec(2)) for place in (0, 4)]
    lanes = [node(Op.GEP, float32, each, arg=(lane,)) for each in vectors for lane in (0, 1)]
    joined, same = node(Op.CAT, float32.vec(4), *vectors), node(Op.VECTORIZE, float32.vec(4), *lanes)
    linear = program(
        *(store(at(argument(0, 8), i(place)), value) for place, value in ((0, same), (4, joined)))
    )
    found = run(linear, {1: np.arange(8, dtype=np.float32)})
    assert found.tolist() == [0, 1, 4, 5] * 2


@pytest.mark.parametrize(("inside", "barriers"), [(True, 2), (False, 1)])
def test_products_in_loops_wait_for_those_of_the_iteration_before(inside, barriers):
    item, loop = node(Op.SPECIAL, index, i(2), arg="lid0"), UOp.range(3, 0)
    a, b, c = (load(at(argument(number, 8), item)) for number in (1, 2, 3))
    product = node(
        Op.WMMA, float32, a, b, c, arg=("any", (1, 2, 1), float32, float32, "OTHER", 2, (), (), (1, 1))
    )
    stored, other = store(at(argument(0, 8), item), product), store(at(argument(4, 8), loop), f(1.0))
    ended = node(Op.END, void, stored if inside else other, loop)
    before = program(item, a, b, c).src
    rest = (
        (loop, *program(stored).src, ended)
        if inside
        else (*program(loop, other).src, ended, *program(stored).src)
    )
    made = modernize(node(Op.LINEAR, void, *dict.fromkeys((*before, *rest))))
    assert sum(each.op is Op.BARRIER for each in made.src) == barriers


def run(linear: UOp, inputs: dict[int, np.ndarray]) -> np.ndarray:
    """What a linear program leaves in its first argument, on the device as by the interpreter."""
    rendered = render(linear)
    interpreted = buffers_of(rendered, inputs)
    run_linear(linear, interpreted, rendered.global_size, rendered.local_size)
    found = on_device(rendered, inputs)[0]
    np.testing.assert_array_equal(found, interpreted[0])
    return found


def test_a_pointer_that_is_cast_is_the_same_memory():
    """A pointer to fewer elements is no value of its own: what is loaded and stored through it is in the buffer."""
    shorter = [node(Op.CAST, pointer(4), argument(number, 8)) for number in (0, 1)]
    linear = program(
        *(store(at(shorter[0], i(place)), load(at(shorter[1], i(3 - place)))) for place in range(4))
    )
    verify(linear, Stage.LINEAR)
    found = run(linear, {1: np.arange(8, dtype=np.float32)})
    assert found.tolist() == [3, 2, 1, 0, 0, 0, 0, 0]
