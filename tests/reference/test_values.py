"""Evaluating graphs of values: bindings, samples, ranges, arrays, calls."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.dtype import bfloat16, bool_, float32, index, int32, void
from eqsat.errors import EvaluationError, SpecError
from eqsat.ops import AxisType, Op, Stage, View
from eqsat.reference import evaluate
from eqsat.spec import verify
from eqsat.uop import UOp

X = UOp.param(0, 12, float32).reshape((3, 4))
DATA = np.arange(12, dtype=np.float32)


# bindings


def test_samples_of_arrays_have_an_index_for_each_axis():
    samples = np.arange(24, dtype=np.float32).reshape(2, 12)
    row, column = UOp.variable("row", 0, 2), UOp.variable("column", 0, 3)
    element = UOp(Op.INDEX, float32, (X, row, column))
    got = evaluate(element, {UOp.param(0, 12, float32): samples, row: np.array([0, 2]), column: 3})
    assert got.tolist() == [3, 23]


def test_samples_of_variables_broadcast_and_lead_every_result():
    i, j = UOp.variable("i", 0, 9), UOp.variable("j", 0, 9)
    rows, columns = np.arange(3)[:, None], np.arange(4)
    total, alone, constant = evaluate([i * 10 + j, j, UOp.const(index, 7)], {"i": rows, j: columns})
    np.testing.assert_array_equal(total, rows * 10 + columns)
    np.testing.assert_array_equal(alone, np.broadcast_to(columns, (3, 4)))
    np.testing.assert_array_equal(constant, np.full((3, 4), 7))


def test_samples_of_an_inner_array_keep_its_shape():
    result = evaluate(X.reduce_axis(Op.ADD, (1,)), {X: np.stack([DATA.reshape(3, 4), np.ones((3, 4))])})
    np.testing.assert_array_equal(result, [[6, 22, 38], [4, 4, 4]])


def test_bound_range_is_sampled_and_its_end_is_not_needed():
    r = UOp.range(UOp.variable("n", 0, 5), 0)
    np.testing.assert_array_equal(evaluate(r * 2, {r: [5, 1]}), [10, 2])


def test_open_ranges_lead_by_number():
    assert evaluate(UOp.range(2, 1) + UOp.range(3, 0) * 10).tolist() == [[0, 1], [10, 11], [20, 21]]


def test_index_beyond_64_bits_is_exact():
    i = UOp.variable("i", 0, 2**62)
    assert evaluate(i * i, {"i": 2**62}).item() == 2**124
    assert evaluate(i * i // i, {"i": 2**62}).item() == 2**62


@pytest.mark.parametrize(
    ("graph", "bindings", "words"),
    [
        (UOp.variable("i", 0, 9), {}, "'i' has no value; bind the name"),
        (X, {}, "bind the node or slot 0"),
        (X, {0: np.zeros(5)}, "bound to 5 elements; bind 12"),
        (X + X, {X: np.zeros((2, 2))}, r"shape \(2, 2\); its value has shape \(3, 4\)"),
        (
            UOp.variable("i", 0, 9) + UOp.variable("j", 0, 9),
            {"i": [1, 2], "j": [1, 2, 3]},
            "give them one shape",
        ),
        (UOp.range(UOp.variable("n", 0, 5), 0), {"n": [1, 2]}, "end that varies"),
    ],
)
def test_bad_bindings_are_explained(graph, bindings, words):
    with pytest.raises(EvaluationError, match=words):
        evaluate(graph, bindings)


def test_arrays_of_the_caller_are_left_alone():
    out = UOp.param(1, 1, float32)
    buffer = np.zeros(1, np.float32)
    store = UOp(Op.STORE, void, (UOp(Op.INDEX, float32, (out, UOp.const(index, 0))), UOp.const(float32, 3)))
    assert evaluate(store, {1: buffer}).tolist() == [3]
    assert buffer.tolist() == [0]


def test_deep_chain_is_evaluated_without_recursion():
    chain = i = UOp.variable("i", 0, 9)
    for _ in range(50_000):
        chain = chain + 1
    assert evaluate(chain, {i: 5}) == 50_005


# arrays


shapes = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)


@given(shapes, st.data())
def test_movement_agrees_with_numpy(shape, data):
    size = int(np.prod(shape))
    array = np.arange(size, dtype=np.float32).reshape(shape)
    value = UOp.param(0, size, float32).reshape(shape)
    amounts = data.draw(st.tuples(*(st.tuples(st.integers(0, 2), st.integers(0, 2)) for _ in shape)))
    axes = data.draw(st.permutations(range(len(shape))))
    flips = data.draw(st.tuples(*(st.booleans() for _ in shape)))
    window = tuple((min(1, extent), extent) for extent in np.pad(array, amounts).transpose(axes).shape)
    moved = value.pad(amounts).permute(axes).flip(flips).shrink(window)
    expected = np.pad(array, amounts).transpose(axes)
    expected = np.flip(expected, tuple(np.flatnonzero(flips)))[tuple(slice(*bounds) for bounds in window)]
    np.testing.assert_array_equal(evaluate(moved, {0: array}), expected)


@given(shapes, st.sampled_from([Op.ADD, Op.MUL, Op.MAX, Op.MIN]), st.data())
def test_reductions_agree_with_numpy(shape, op, data):
    array = np.random.default_rng(0).integers(-9, 9, shape).astype(np.int32)
    value = UOp.param(0, array.size, int32).reshape(shape)
    axes = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    function = {Op.ADD: np.add, Op.MUL: np.multiply, Op.MAX: np.maximum, Op.MIN: np.minimum}[op]
    initial = {Op.MAX: np.iinfo(np.int32).min, Op.MIN: np.iinfo(np.int32).max}.get(op, int(op is Op.MUL))
    expected = function.reduce(array, axes, initial=initial, dtype=np.int32)
    np.testing.assert_array_equal(evaluate(value.reduce_axis(op, axes), {0: array}), expected)


def test_gather_reads_zero_outside():
    places = UOp.param(1, 4, int32).cast(index)
    gathered = UOp(Op.INDEX, float32, (UOp.param(0, 12, float32), places))
    np.testing.assert_array_equal(evaluate(gathered, {0: DATA + 1, 1: [0, 11, 12, -1]}), [1, 12, 0, 0])


def test_gather_takes_one_index_per_dimension():
    row, column = UOp.iota(3), UOp.iota(3) + UOp.full((3,), index, 1)
    np.testing.assert_array_equal(evaluate(UOp(Op.INDEX, float32, (X, row, column)), {0: DATA}), [1, 6, 11])


def test_comprehension_repeats_what_does_not_vary():
    i, j = UOp.range(2, -1), UOp.range(3, -2)
    assert evaluate(UOp(Op.BUFFERIZE, index, (j * 2, i, j))).tolist() == [[0, 2, 4]] * 2


def test_nested_comprehensions_keep_their_ranges_apart():
    i, j = UOp.range(3, -1), UOp.range(2, -2)
    rows = UOp(Op.BUFFERIZE, index, (UOp(Op.INDEX, index, (UOp.iota(3), i)) + j * 10, i, j))
    assert evaluate(rows).tolist() == [[0, 10], [1, 11], [2, 12]]


def test_bfloat16_values_are_rounded_when_bound():
    x = UOp.param(0, 1, bfloat16)
    assert evaluate(x, {0: [1.001]}).tolist() == [1.0]


def test_where_takes_one_condition_for_all_lanes():
    lanes = UOp(Op.VCONST, int32.vec(2), (), (1, 2))
    chosen = UOp(Op.WHERE, int32.vec(2), (UOp.variable("b", 0, 1).ne(0), lanes, lanes * lanes_of(-1)))
    assert evaluate(chosen, {"b": [0, 1]}).tolist() == [[-1, -2], [1, 2]]


def lanes_of(value):
    return UOp(Op.VCONST, int32.vec(2), (), (value, value))


# the older forms of memory access


def test_store_and_load_through_views():
    out, source = UOp.param(1, 4, float32), UOp.param(0, 12, float32)
    column = UOp(Op.VIEW, float32, (), View((4,), (1,), 4))
    odd = UOp(Op.VIEW, float32, (), View((4,), (-1,), 3))
    row = UOp(Op.LOAD, float32, (source, column))
    stored = UOp(Op.STORE, void, (out, odd, row + row))
    seen = UOp(Op.LOAD, float32, (out, odd, stored))
    graph = [stored, seen]
    with pytest.raises(SpecError, match="ASSIGN the value to the buffer"):
        verify(graph, Stage.ARRAY)
    written, read = evaluate(graph, {0: DATA, 1: np.zeros(4)})
    assert written.tolist() == [14, 12, 10, 8]
    assert read.tolist() == [8, 10, 12, 14]


def test_load_of_a_buffer_beside_its_index():
    source = UOp.param(0, 12, float32)
    address = UOp(Op.INDEX, float32, (source, UOp.const(index, 99), UOp.const(bool_, False)))
    graph = UOp(Op.LOAD, float32, (source, address, UOp.const(float32, -1)))
    verify(graph, Stage.ARRAY)
    assert evaluate(graph, {0: DATA}) == -1


def test_assignment_is_seen_through_after():
    target = UOp.param(0, 2, float32)
    assigned = UOp(Op.ASSIGN, float32, (target, target + target))
    later = UOp(Op.AFTER, float32, (target, assigned))
    verify([assigned, later, target], Stage.ARRAY)
    results = evaluate([assigned, later, target], {0: [1, 2]})
    assert [result.tolist() for result in results] == [[2, 4], [2, 4], [1, 2]]


# calls and shards


def test_call_binds_formal_parameters_in_their_order():
    a, b = UOp.param(4, 1, float32), UOp.param(9, 1, float32)
    function = UOp(Op.FUNCTION, void, (UOp(Op.TUPLE, void, (a + b * -1,)), b, a))
    call = UOp(Op.CALL, void, (function, UOp.param(0, 1, float32), UOp.param(1, 1, float32)))
    assert evaluate(UOp(Op.GET_TUPLE, float32, (call,), 0), {0: [5], 1: [7]}).tolist() == [2]


def test_calls_nest_without_recursion():
    value = UOp.param(0, 1, float32)
    for _ in range(2_000):
        body = UOp(Op.TUPLE, void, (UOp.param(0, 1, float32) + UOp.full((1,), float32, 1),))
        value = UOp(Op.GET_TUPLE, float32, (UOp(Op.CALL, void, (UOp(Op.FUNCTION, void, (body,)), value)),), 0)
    assert evaluate(value, {0: [0]}).tolist() == [2000]


def test_called_kernel_stores_into_the_buffer_it_is_given():
    out, source = UOp.param(0, 2, float32), UOp.param(1, 2, float32)
    r = UOp.range(2, 0)
    read = UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (source, r)),))
    store = UOp(Op.STORE, void, (UOp(Op.INDEX, float32, (out, r)), read + read, r))
    target = UOp.param(7, 2, float32)
    call = UOp(Op.CALL, void, (UOp.sink(store), target, UOp.param(8, 2, float32)))
    results = evaluate([UOp(Op.AFTER, float32, (target, call)), target], {7: [0, 0], 8: [1, 2]})
    assert [result.tolist() for result in results] == [[2, 4], [0, 0]]


def test_wrong_number_of_arguments_is_explained():
    function = UOp(Op.FUNCTION, void, (UOp(Op.TUPLE, void, (X,)), UOp.param(0, 12, float32)))
    with pytest.raises(EvaluationError, match="passes 0 arguments for 1 parameters"):
        evaluate(UOp(Op.CALL, void, (function,)))


def test_shards_along_an_axis_are_joined_and_padding_is_zero():
    shards = UOp(Op.MULTI, float32, (X, X, X), (1, (True, False, True)))
    zeros = np.zeros((3, 4))
    np.testing.assert_array_equal(
        evaluate(shards, {0: DATA}), np.hstack([DATA.reshape(3, 4), zeros, DATA.reshape(3, 4)])
    )


def test_shards_along_an_axis_are_not_summed():
    shards = UOp(Op.MULTI, float32, (X, X), (0, (True, True)))
    with pytest.raises(EvaluationError, match="must be whole arrays"):
        evaluate(UOp(Op.ALLREDUCE, float32, (shards,), Op.ADD), {0: DATA})


def test_bool_padding_is_false():
    mask = UOp.full((2,), bool_, True).pad(((1, 0),))
    assert evaluate(mask).tolist() == [False, True, True]


def test_products_of_fragments_are_summed_over_further_ranges_and_added_once():
    step = UOp.range(3, 0, AxisType.REDUCE)
    left = UOp(Op.VECTORIZE, float32.vec(4), (step.cast(float32),) * 4)
    right, addend = (
        UOp(Op.VCONST, float32.vec(4), (), numbers)
        for numbers in ((1.0, 2.0, 3.0, 4.0), (10.0, 20.0, 30.0, 40.0))
    )
    fragment = ("small", (2, 2, 2), float32, float32, "HOST", 1)
    product = UOp(Op.WMMA, float32.vec(4), (left, right, addend, step), fragment)
    assert np.asarray(evaluate(product)).tolist() == [22.0, 38.0, 42.0, 58.0]
