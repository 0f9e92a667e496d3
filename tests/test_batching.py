"""Graphs of a batch compute for each member what the graph of one member computes."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.array.data import collect_buffers, collect_params, host_values
from eqsat.batching import batched, members_of
from eqsat.dtype import float32, index
from eqsat.errors import BuildError, ShapeError
from eqsat.ops import ALU, TABLE, AxisType, Op, Stage, View
from eqsat.reference import evaluate
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.drawn_arrays.drawing import draw

BATCH = 3
RANDOM = np.random.default_rng(0)


def assert_batched(roots, inputs, shared=()):
    """`inputs[slot]` are the flat values of a PARAM for all members; a slot in `shared` has one value for all."""
    params = {param.arg[0]: param for param in collect_params(*roots)}
    members = {param: members_of(param, BATCH) for slot, param in params.items() if slot not in shared}
    found = batched(roots, members, BATCH)
    verify(UOp.sink(*found), Stage.ARRAY)
    captured = {buffer: host_values(buffer) for buffer in collect_buffers(*roots)}
    results = evaluate(UOp.sink(*found), {slot: inputs[slot] for slot in params} | captured)
    for member in range(BATCH):
        own = {slot: inputs[slot] if slot in shared else inputs[slot][member] for slot in params}
        wanted = evaluate(UOp.sink(*roots), own | captured)
        for root, result, expected in zip(roots, results, wanted, strict=True):
            assert result.shape == (BATCH, *root.shape)
            if root.dtype.is_float:
                with np.errstate(all="ignore"):
                    np.testing.assert_allclose(result[member], expected, rtol=1e-3, atol=1e-5)
            else:
                np.testing.assert_array_equal(result[member], expected)


def input_of(slot, *shape):
    return xp.placeholder(slot, shape, "float32").uop


def numbers(*shape):
    return RANDOM.standard_normal((BATCH, int(np.prod(shape)))).astype(np.float32)


@pytest.mark.parametrize("number", range(40))
def test_drawn_programs(number):
    """Inputs of further members are those of the first in another order, so that all values stay as they were drawn."""
    program = draw(
        f"batching/{number}", tuple(f"{kind}32" for kind in ("float", "int", "uint")), moderate=True
    )
    arguments = [np.array(each, each.dtype.newbyteorder("="), order="C") for each in program.arguments()]
    stand_ins = [xp.placeholder(slot, each.shape, each.dtype) for slot, each in enumerate(arguments)]
    roots = [result.uop for result in program.run(xp, stand_ins)]
    inputs = [np.stack([np.roll(each.reshape(-1), member) for member in range(BATCH)]) for each in arguments]
    assert_batched(roots, inputs)
    assert_batched(roots, [*inputs[:1], *(each[0] for each in inputs[1:])], range(1, len(inputs)))


MOVED = {
    "reshape": lambda x: x.reshape((12,)),
    "permute": lambda x: x.permute((1, 0)),
    "expand": lambda x: x.reshape((3, 1, 4)).expand((3, 5, 4)),
    "pad": lambda x: x.pad(((1, 0), (2, 3))),
    "shrink": lambda x: x.shrink(((1, 3), (0, 2))),
    "flip": lambda x: x.flip((True, False)),
    "sum": lambda x: x.reduce_axis(Op.ADD, (0,)),
    "maximum of all": lambda x: x.reduce_axis(Op.MAX, (0, 1)),
    "scan": lambda x: x.scan_axis(Op.ADD, 1),
    "position of the maximum": lambda x: UOp(Op.ARGREDUCE_AXIS, eq.int64, (x,), (Op.MAX, (0,))),
    "sum by label": lambda x: UOp(Op.SCATTER_AXIS, x.dtype, (x, x.cast(eq.int32)), (Op.ADD, (1, 0))),
    "shards": lambda x: UOp(Op.MULTI, x.dtype, (x, x), (1, (True, True))),
    "contiguous": lambda x: UOp(Op.CONTIGUOUS, x.dtype, (x,)),
    "constant": lambda x: UOp.full((3, 4), float32, 2.0),
}


@pytest.mark.parametrize("name", MOVED)
def test_operations_of_one_array(name):
    assert_batched([MOVED[name](input_of(0, 3, 4))], [numbers(3, 4)])


@pytest.mark.parametrize("shared", [(), (0,), (1,)])
@pytest.mark.parametrize(
    "function",
    [lambda x, i: x[i], lambda x, i: xp.take_along_axis(x, i[:, None], axis=1), lambda x, i: x[:, i % 4]],
)
def test_elements_at_positions_of_each_member(function, shared):
    x, i = xp.placeholder(0, (5, 4), "float32"), xp.placeholder(1, (5,), "int32")
    positions = RANDOM.integers(-4, 4, (BATCH, 5)).astype(np.int32)
    inputs = [numbers(5, 4), positions]
    assert_batched(
        [function(x, i).uop],
        [each[0] if slot in shared else each for slot, each in enumerate(inputs)],
        shared,
    )


@pytest.mark.parametrize("shared", [(), (0,), (1,)])
def test_products_of_matrices(shared):
    x, y = (xp.placeholder(slot, shape, "float32") for slot, shape in enumerate([(3, 4), (4, 2)]))
    inputs = [numbers(3, 4), numbers(4, 2)]
    roots = [(x @ y).uop, (x @ y[:, 0]).uop, xp.where(x[:, :1] > 0, x @ y, 0).uop]
    assert_batched(roots, [each[0] if slot in shared else each for slot, each in enumerate(inputs)], shared)


def test_comprehensions_that_read_values_of_members():
    i, j = (UOp.range(4, number, AxisType.LOOP) for number in (0, 1))
    x, offset = UOp.param(0, 4, float32), UOp.param(1, 1, float32).reshape(())
    element = UOp(Op.INDEX, float32, (x, i)) * UOp(Op.INDEX, float32, (x, UOp.const(index, 3) - j)) + offset
    gated = UOp(Op.INDEX, float32, (x, i, i < j))
    loaded = UOp(Op.LOAD, float32, (gated, offset))
    roots = [UOp(Op.BUFFERIZE, float32, (value, i, j)) for value in (element, loaded)]
    roots.append(UOp(Op.BUFFERIZE, float32, (offset * 2, i)))
    for shared in [(), (0,), (1,)]:
        inputs = [numbers(4), numbers(1)]
        assert_batched(
            roots, [each[0] if slot in shared else each for slot, each in enumerate(inputs)], shared
        )


def test_what_stands_for_a_buffer_is_refused():
    x = UOp.param(0, 4, float32)
    view = UOp(Op.VIEW, float32, (x,), View((2,), (2,)))
    for node in (view, UOp(Op.BUFFER_VIEW, float32, (x,), (2, 1)), UOp(Op.ASSIGN, float32, (x, x * 2))):
        with pytest.raises(BuildError, match=node.op.name):
            batched([node], {x: members_of(x, BATCH)}, BATCH)


def test_values_of_other_shapes_are_refused():
    x = UOp.param(0, 4, float32)
    with pytest.raises(ShapeError, match=r"\(3, 4\)"):
        batched([x * 2], {x: members_of(x, 2)}, 3)


def test_every_operation_of_arrays_has_a_rule_or_is_a_leaf():
    from eqsat.batching import _RULES

    leaves = {
        Op.SINK,
        Op.DEVICE,
        Op.UNIQUE,
        Op.LUNIQUE,
        Op.DEFINE_VAR,
        Op.EMPTY,
        Op.CONST,
        Op.PARAM,
        Op.BUFFER,
        Op.RANGE,
    }
    buffers = {Op.ASSIGN, Op.AFTER, Op.VIEW, Op.VALID, Op.BUFFER_VIEW}
    of_arrays = {op for op in Op if Stage.ARRAY in TABLE[op].stages}
    calls = {Op.CALL, Op.GET_TUPLE}
    assert of_arrays == (set(_RULES) - calls) | leaves | buffers
    assert set(_RULES) >= ALU
