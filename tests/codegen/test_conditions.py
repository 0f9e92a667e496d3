"""Conditions that larger tests pass by."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen import render
from eqsat.codegen.expansion.access import store_whole_or_parts
from eqsat.codegen.expansion.dependence import Dependence
from eqsat.codegen.expansion.narrowing import narrow
from eqsat.codegen.expansion.older_forms import modernize as modernize_kernel
from eqsat.codegen.expansion.strides import Strides
from eqsat.codegen.linearization.older_forms import modernize
from eqsat.dtype import bool_, float32, index, int32, uint8, void
from eqsat.errors import SpecError
from eqsat.integers.linear import affine_forms
from eqsat.ops import TABLE, AxisType, KernelInfo, Op, Stage
from eqsat.reference import evaluate
from eqsat.schedule.placement.kernel_prices import AXES_REDUCED
from eqsat.spec import verify
from eqsat.uop import UOp, toposort
from tests.codegen.device import check
from tests.codegen.test_parts_alone import run
from tests.forms.form import argument, at, f, i, kernel, load, node, program, register, store

OUT, GIVEN = UOp.param(0, 8, float32), UOp.param(1, 8, float32)


def test_a_gate_behind_what_is_loaded_instead_is_an_older_form():
    gate = UOp.const(bool_, value=False)
    linear = program(store(at(argument(0, 8), i(0)), load(at(argument(1, 8), i(3)), f(5.0), gate)))
    assert all(len(each.src) <= 2 for each in modernize(linear).src if each.op is Op.LOAD)
    assert run(linear, {1: np.ones(8, np.float32)})[0] == 5.0


def test_all_lanes_at_one_place_have_a_stride_of_nothing():
    lane, loop = UOp.range(4, 0, AxisType.UPCAST), UOp.range(2, 1)
    place = at(argument(1, 8), loop)
    order = toposort([place, lane])
    assert Strides.of_kernel(order, affine_forms([loop]), Dependence.of(order)).of(place) == 0


def test_the_parameters_of_a_function_without_a_list_of_them_are_those_of_its_body():
    body = UOp.sink(store(at(UOp.param(0, 8, float32), i(0)), f(1.0)), arg=KernelInfo("one"))
    function = node(Op.FUNCTION, void, body)
    verify(UOp.sink(node(Op.CALL, void, function, UOp.param(0, 8, float32))), Stage.PROGRAM)
    with pytest.raises(SpecError, match="float32"):
        verify(UOp.sink(node(Op.CALL, void, function, UOp.param(0, 8, int32))), Stage.PROGRAM)


def test_all_operations_that_combine_along_axes_are_told_by_their_names():
    assert {op for op in TABLE if op.name.endswith("REDUCE_AXIS")} == AXES_REDUCED


@pytest.mark.parametrize("op", [Op.SINK, Op.NAME, Op.DEVICE, Op.UNIQUE, Op.LUNIQUE])
def test_what_is_no_value_has_no_shape(op: Op):
    arguments = {Op.SINK: None, Op.NAME: "n", Op.DEVICE: "CPU", Op.UNIQUE: 1, Op.LUNIQUE: 1}
    assert node(op, void, arg=arguments[op]).shape is None


def test_an_index_into_a_shape_is_an_older_form():
    row, column = UOp.range(2, 0), UOp.range(4, 1)
    shaped = node(Op.RESHAPE, float32, GIVEN, arg=(2, 4))
    graph = kernel(store(at(OUT, row * 4 + column), load(at(shaped, row, column)), row, column))
    assert all(each.op is not Op.RESHAPE for each in modernize_kernel(graph).toposort())
    values = np.arange(8, dtype=np.float32)
    (found,) = check(graph, {1: values})
    assert found.tolist() == values.tolist()


def narrowed(lanes: int, compared: bool) -> UOp:
    """A kernel of products of bytes, computed in 32 bits."""
    place = i(0)
    byte = load(at(UOp.param(1, 16, uint8), place), dtype=uint8.vec(lanes) if lanes > 1 else uint8)
    wide = int32.vec(lanes) if lanes > 1 else int32
    product = node(Op.CAST, wide, byte) * node(Op.CAST, wide, byte)
    if compared:
        other = load(at(UOp.param(2, 16, int32), place), dtype=wide)
        less = node(Op.CMPLT, bool_.vec(lanes) if lanes > 1 else bool_, product, other)
        return kernel(store(at(UOp.param(0, 16, bool_), place), less))
    narrow_again = node(Op.CAST, byte.dtype, product)
    return kernel(store(at(UOp.param(0, 16, uint8), place), narrow_again))


def test_only_vectors_are_computed_in_fewer_bits():
    assert narrow(narrowed(1, compared=False)) is narrowed(1, compared=False)
    assert narrow(narrowed(4, compared=False)) is not narrowed(4, compared=False)


def test_what_is_compared_with_something_wide_stays_wide():
    graph = narrowed(4, compared=True)
    assert narrow(graph) is graph


def test_what_becomes_a_float_stays_wide():
    place = i(0)
    byte = load(at(UOp.param(1, 16, uint8), place), dtype=uint8.vec(4))
    product = node(Op.CAST, int32.vec(4), byte) * node(Op.CAST, int32.vec(4), byte)
    graph = kernel(store(at(UOp.param(0, 16, float32), place), node(Op.CAST, float32.vec(4), product)))
    assert narrow(graph) is graph


def test_a_place_in_registers_is_no_declaration():
    memory = register(2)
    linear = program(store(at(memory, i(1)), f(2.0)), store(at(argument(0, 8), i(0)), load(at(memory, i(1)))))
    waiting = node(Op.LINEAR, void, *linear.src)
    source = render(waiting).source
    assert source.count("float acc") + source.count("float kept") + source.count("float reg") <= 1
    assert "float acc0[1]" not in source


def test_a_bool_in_a_register_is_one():
    memory = register(1, dtype=bool_)
    less = load(at(argument(1, 8), i(0))) < f(2.0)
    stored = store(at(memory, i(0)), less)
    kept = load(at(node(Op.AFTER, memory.dtype, memory, stored), i(0)))
    linear = program(stored, store(at(argument(0, 8), i(0)), kept.where(f(1.0), f(3.0))))
    assert run(linear, {1: np.ones(8, np.float32)})[0] == 1.0
    assert "-(" not in render(linear).source


def test_a_vector_is_stored_whole_where_its_first_lane_may_be():
    start = load(at(UOp.param(1, 8, int32), i(0))).cast(index)
    gates = [(start + place) < i(4) for place in range(3)]
    targets = [at(OUT, i(place), gate) for place, gate in enumerate(gates)]
    whole, *parts = store_whole_or_parts(
        targets, node(Op.VECTORIZE, float32.vec(3), f(1.0), f(2.0), f(3.0)), ()
    )
    assert {gates[0], gates[2]} <= set(whole.src[0].toposort())
    assert gates[1] not in whole.src[0].toposort()
    assert whole.src[0].src[1] is targets[0].src[1]
    assert len(parts) == 3
    assert all(gate in part.src[0].toposort() for gate, part in zip(gates, parts, strict=True))


LANE = UOp.range(4, 0, AxisType.UPCAST)
PERIODIC = (LANE + 2) % 4


@pytest.mark.parametrize(
    ("gate", "is_convex"),
    [
        (LANE < 3, True),
        (LANE >= 1, True),
        ((LANE >= 1) & (LANE < 3), True),
        ((LANE < 3) & (UOp.variable("n", 0, 9) % 2 < 1), True),
        (PERIODIC < 3, False),
        (PERIODIC >= 1, False),
        ((LANE < 4) & (PERIODIC < 3), False),
        ((PERIODIC >= 1) & (LANE < 4), False),
        (LANE.ne(2), False),
        ((LANE < 1) | (LANE >= 3), False),
        (((LANE >= 1) & (LANE < 3)).ne(UOp.const(bool_, value=True)), False),
    ],
)
def test_a_gate_is_convex_if_it_holds_between_lanes_where_it_holds(gate: UOp, is_convex: bool):
    place = at(argument(1, 8), LANE, gate)
    order = toposort([place])
    strides = Strides.of_kernel(order, affine_forms(order), Dependence.of(order))
    assert (strides.convex(place) == 1) == is_convex
    others = {each: i(0) for each in order if each.op is Op.DEFINE_VAR}
    holds = [bool(evaluate(gate.substitute(others | {LANE: i(lane)}))) for lane in range(4)]
    assert not (is_convex and holds[0] and holds[3]) or all(holds)
    if not others:
        given = np.arange(1, 9, dtype=np.float32)
        (found,) = check(kernel(store(at(OUT, LANE), load(at(GIVEN, LANE, gate), f(0.0)), LANE)), {1: given})
        assert found[:4].tolist() == np.where(holds, given[:4], 0).tolist()
