"""Evaluating kernels: ranges as spaces of points, gates, reductions, vectors, and what goes wrong."""

import tracemalloc

import numpy as np
import pytest

from eqsat.dtype import float32, index, int32, void
from eqsat.errors import EvaluationError
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.reference import evaluate, evaluate_kernel
from eqsat.uop import UOp


def at(buffer, *where):
    return UOp(Op.INDEX, buffer.dtype, (buffer, *where))


def load(buffer, *where, otherwise=()):
    return UOp(Op.LOAD, buffer.dtype, (at(buffer, *where), *otherwise))


def reduce(value, *ranges, op=Op.ADD):
    return UOp(Op.REDUCE, value.dtype, (value, *ranges), op)


def kernel(*stores):
    return UOp.sink(*stores, arg=KernelInfo("test"))


def store(address, value, *ranges):
    return UOp(Op.STORE, void, (address, value, *ranges))


def matmul(n, axes=(AxisType.GLOBAL, AxisType.LOOP, AxisType.REDUCE)):
    a, b, c = (UOp.param(slot, n * n, float32) for slot in range(3))
    i, j, k = (UOp.range(n, number, axis) for number, axis in enumerate(axes))
    return kernel(store(at(c, i * n + j), reduce(load(a, i * n + k) * load(b, k * n + j), k), i, j))


@pytest.mark.parametrize("most_points", [1, 100, 10**6])
def test_matmul_in_one_piece_or_many(most_points):
    a, b = np.random.default_rng(0).random((2, 12, 12), np.float32)
    c = np.zeros((12, 12), np.float32)
    evaluate_kernel(matmul(12), [a, b, c], most_points=most_points)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_pieces_take_less_memory():
    peaks = []
    for most_points in (10**9, 3200):
        tracemalloc.start()
        evaluate_kernel(
            matmul(64), [np.ones((64, 64), np.float32) for _ in range(3)], most_points=most_points
        )
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] / 2


def test_axis_types_do_not_change_the_meaning():
    a, b = np.random.default_rng(0).random((2, 4, 4), np.float32)
    c = np.zeros((4, 4), np.float32)
    evaluate_kernel(matmul(4, (AxisType.LOCAL, AxisType.UPCAST, AxisType.UNROLL)), [a, b, c])
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_gated_load_gives_the_alternative_and_gated_store_leaves_the_rest():
    x, y = UOp.param(0, 3, float32), UOp.param(1, 5, float32)
    r = UOp.range(5, 0)
    value = load(x, r, r < 3, otherwise=(UOp.const(float32, -1),))
    out = np.full(5, 9, np.float32)
    evaluate_kernel(kernel(store(at(y, r, r.ne(1)), value, r)), [np.arange(3, dtype=np.float32), out])
    assert out.tolist() == [0, 9, 2, -1, -1]


def test_reduction_over_what_does_not_vary_counts_the_range():
    y, k = UOp.param(0, 1, int32), UOp.range(5, 0, AxisType.REDUCE)
    out = np.zeros(1, np.int32)
    evaluate_kernel(kernel(store(at(y, UOp.const(index, 0)), reduce(UOp.const(int32, 3), k))), [out])
    assert out.tolist() == [15]


def test_empty_range_reduces_to_the_identity_and_stores_nothing():
    y, empty = UOp.param(0, 2, float32), UOp.range(0, 0, AxisType.REDUCE)
    r, none = UOp.range(1, 1), UOp.range(0, 2)
    out = np.full(2, 9, np.float32)
    largest = reduce(UOp.const(float32, 3), empty, op=Op.MAX)
    stores = (store(at(y, r), largest, r), store(at(y, none + 1), UOp.const(float32, 0), none))
    evaluate_kernel(kernel(*stores), [out])
    assert out.tolist() == [-np.inf, 9]


def test_loads_see_what_was_there_before_and_after_sees_stores():
    x, r = UOp.param(0, 3, float32), UOp.range(3, 0)
    shifted = store(at(x, r), load(x, UOp.const(index, 2) + r * -1), r)
    data = np.arange(3, dtype=np.float32)
    evaluate_kernel(kernel(shifted), [data])
    assert data.tolist() == [2, 1, 0]
    s, y = UOp.range(3, 1), UOp.param(1, 3, float32)
    later = UOp(Op.AFTER, float32, (x, shifted))
    doubled = store(at(y, s), load(later, s) + load(x, s), s)
    out = np.zeros(3, np.float32)
    evaluate_kernel(kernel(shifted, doubled), [np.array([5, 6, 8], np.float32), out])
    assert out.tolist() == [13, 12, 13]


def test_vector_access_takes_consecutive_elements():
    x, y, r = UOp.param(0, 8, float32), UOp.param(1, 8, float32), UOp.range(2, 0)
    wide = UOp(Op.LOAD, float32.vec(4), (at(x, r * 4),))
    reversed_lanes = UOp(Op.GEP, float32.vec(4), (wide,), (3, 2, 1, 0))
    out = np.zeros(8, np.float32)
    evaluate_kernel(kernel(store(at(y, r * 4), reversed_lanes, r)), [np.arange(8, dtype=np.float32), out])
    assert out.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_reduction_of_a_wider_source_folds_its_lanes():
    x, y, k = UOp.param(0, 8, float32), UOp.param(1, 2, float32), UOp.range(2, 0, AxisType.REDUCE)
    wide = UOp(Op.LOAD, float32.vec(4), (at(x, k * 4),))
    pairs = UOp(Op.REDUCE, float32.vec(2), (wide, k), Op.ADD)
    out = np.zeros(2, np.float32)
    evaluate_kernel(kernel(store(at(y, UOp.const(index, 0)), pairs)), [np.arange(8, dtype=np.float32), out])
    assert out.tolist() == [0 + 2 + 4 + 6, 1 + 3 + 5 + 7]


def test_one_gate_holds_for_all_lanes_of_a_vector_index():
    x, y = UOp.param(0, 8, float32), UOp.param(1, 4, float32)
    r = UOp.range(2, 0)
    lanes = UOp(Op.VCONST, index.vec(2), (), (0, 5)) + UOp(Op.VECTORIZE, index.vec(2), (r, r))
    alternative = UOp(Op.VCONST, float32.vec(2), (), (-1.0, -2.0))
    gathered = UOp(Op.LOAD, float32.vec(2), (UOp(Op.INDEX, float32, (x, lanes, r < 1)), alternative))
    out = np.zeros(4, np.float32)
    evaluate_kernel(kernel(store(at(y, r * 2), gathered, r)), [np.arange(8, dtype=np.float32), out])
    assert out.tolist() == [0, 5, -1, -2]


@pytest.mark.parametrize("other", [0, 1])
def test_joined_addresses_lie_in_one_buffer(other):
    x, second, y = (UOp.param(slot, 4, float32) for slot in (0, other, 2))
    places = [at(buffer, UOp.const(index, place)) for buffer, place in ((x, 3), (second, 1))]
    joined = UOp(Op.LOAD, float32.vec(2), (UOp(Op.PTRCAT, float32.vec(2), tuple(places)),))
    buffers = [np.arange(4, dtype=np.float32), np.ones(4, np.float32), np.zeros(4, np.float32)]
    written = kernel(store(at(y, UOp.const(index, 0)), joined))
    if other:
        with pytest.raises(EvaluationError, match="joins addresses of several buffers"):
            evaluate_kernel(written, buffers)
    else:
        evaluate_kernel(written, buffers)
        assert buffers[2].tolist() == [3, 1, 0, 0]


def test_inlined_buffer_is_read_like_any_other():
    x, y, r, q = UOp.param(0, 4, float32), UOp.param(1, 4, float32), UOp.range(4, 0), UOp.range(4, 1)
    squares = UOp(Op.BUFFERIZE, float32, (load(x, q) * load(x, q), q))
    out = np.zeros(4, np.float32)
    evaluate_kernel(
        kernel(store(at(y, r), load(squares, UOp.const(index, 3) + r * -1), r)),
        [np.arange(4, dtype=np.float32), out],
    )
    assert out.tolist() == [9, 4, 1, 0]


def test_variables_are_passed_by_name():
    y, r = UOp.param(0, 2, float32), UOp.range(2, 0)
    out = np.zeros(2, np.float32)
    evaluate_kernel(kernel(store(at(y, r), (UOp.variable("n", 0, 9) + r).cast(float32), r)), [out], {"n": 4})
    assert out.tolist() == [4, 5]


X, Y, R = UOp.param(0, 3, float32), UOp.param(1, 3, float32), UOp.range(3, 0)


@pytest.mark.parametrize(
    ("sink", "buffers", "words"),
    [
        (
            kernel(store(at(Y, R), load(X, R + 1), R)),
            [np.zeros(3), np.zeros(3)],
            "reads outside its buffer at 1 points",
        ),
        (kernel(store(at(Y, R + -1), load(X, R), R)), [np.zeros(3), np.zeros(3)], "accesses element -1 of 3"),
        (kernel(store(at(Y, R), load(X, R), R)), [np.zeros(3)], "only 1 buffers were given"),
        (kernel(store(at(Y, R), load(X, R), R)), [np.zeros(2), np.zeros(3)], "bound to 2 elements; bind 3"),
        (
            kernel(store(at(UOp(Op.BUFFERIZE, float32, (UOp.const(float32, 0), R)), R), load(X, R), R)),
            [np.zeros(3)],
            "computed value",
        ),
    ],
)
def test_errors_name_the_node(sink, buffers, words):
    with pytest.raises(EvaluationError, match=words):
        evaluate_kernel(sink, [buffer.astype(np.float32) for buffer in buffers])


def test_buffer_of_another_dtype_is_refused():
    with pytest.raises(EvaluationError, match="array of float64; convert it to float32"):
        evaluate_kernel(kernel(store(at(X, R), UOp.const(float32, 0), R)), [np.zeros(3)])


def test_launched_kernel_reads_its_buffers_alone():
    """Elsewhere in a program, what an INDEX says of no element is 0; what a kernel reads there on a device is anybody's."""
    launch = UOp(Op.CALL, void, (kernel(store(at(Y, R), load(X, R + 1), R)), X, Y))
    with pytest.raises(EvaluationError, match="reads outside its buffer at 1 points"):
        evaluate(UOp.sink(UOp(Op.AFTER, float32, (Y, launch))), {0: np.zeros(3), 1: np.zeros(3)})
