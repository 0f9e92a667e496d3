"""Sums over an axis whose positions decide what is summed: without the axis, and the same."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import from_numpy, int8
from eqsat.ops import ALONG_AXES, Op
from eqsat.positions import counted_axis, positions_along
from eqsat.uop import UOp

N = 100
KEYS = np.array([-(2**31), -5, -1, 0, 1, 7, N - 1, N, N + 3, 2**31 - 1], np.int32)
VALUES = np.arange(N, dtype=np.float32) * 0.5 - 3


def line():
    return eq.arange(N, dtype=eq.int32)[None, :]


PROGRAMS = {
    "arange": (lambda keys: eq.sum(eq.arange(3, N, dtype=eq.int32)) + keys, [KEYS]),
    "count below": (lambda keys: eq.sum((line() < keys[:, None]).astype(eq.int32), axis=1), [KEYS]),
    "count above": (lambda keys: eq.sum((line() > keys[:, None]).astype(eq.int32), axis=1), [KEYS]),
    "count at least": (lambda keys: eq.sum((line() >= keys[:, None]).astype(eq.int32), axis=1), [KEYS]),
    "constants below": (lambda keys: eq.sum(eq.where(line() < keys[:, None], 3, 0), axis=1), [KEYS]),
    "floats below": (lambda keys: eq.sum(eq.where(line() < keys[:, None], 0.5, 0.0), axis=1), [KEYS]),
    "rows of a triangle": (lambda x: eq.sum(eq.tril(eq.ones((N, N), dtype=eq.float32)), axis=1) + x, [VALUES]),
    "rows of the other triangle": (lambda x: eq.sum(eq.triu(eq.ones((N, N), dtype=eq.int32), k=2), axis=1) + x, [VALUES]),
    "running sum of ones": (lambda x: eq.cumulative_sum(eq.ones((128,), dtype=eq.int32)) + x, [np.zeros(128, np.int32)]),
    "one hot": (lambda keys, x: eq.sum(eq.where(line() == keys[:, None], x[None, :], 0), axis=1), [KEYS, VALUES]),
    "one hot of integers": (lambda keys, x: eq.sum(eq.where(line() == keys[:, None], x[None, :], 0), axis=1),
                            [KEYS, VALUES.astype(np.int64)]),
    "one hot of one": (lambda keys, x: eq.sum(eq.where(eq.arange(N, dtype=eq.int32) == keys[3], x, 0)), [KEYS, VALUES]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_range_collapses(name):
    program, inputs = PROGRAMS[name]
    graph = eq.trace(program, *(eq.spec(each.shape, from_numpy(each.dtype)) for each in inputs))
    best = eq.optimize(graph, eq.Plan(cost=eq.LoopAware()))  # so small that kernels take as long either way
    assert not any(node.op in ALONG_AXES for node in best.uop.toposort())
    (expected,) = eq.evaluate(graph, dict(enumerate(inputs)))
    np.testing.assert_array_equal(eq.evaluate(best.uop, dict(enumerate(inputs)))[0], expected)
    np.testing.assert_array_equal(eq.jit(program)(*inputs), expected)
    assert best.explain().replay() is best.uop


def test_what_positions_do_not_decide_is_summed():
    """Sums of what varies along the axis, and of another axis than that of the positions."""
    for program in (
        lambda keys, x: eq.sum(eq.where(line() < keys[:, None], x[None, :], 0.0), axis=1),
        lambda keys, x: eq.sum((line() < keys[:, None]).astype(eq.int32), axis=0) + x,
    ):
        best = eq.optimize(
            eq.trace(program, eq.spec(KEYS.shape, eq.int32), eq.spec(VALUES.shape, eq.float32))
        )
        assert any(node.op is Op.REDUCE_AXIS for node in best.uop.toposort())


def test_positions_are_followed_through_movement_and_conversion():
    line = UOp.iota(6)
    assert counted_axis(line) == 0
    assert counted_axis(line.reshape((1, 6, 1)).expand((2, 6, 3)).permute((1, 2, 0))) == 0
    assert counted_axis(line.cast(int8).reshape((6, 1))) == 0
    assert counted_axis(positions_along((4, 6), 1).reshape((2, 2, 6))) == 2
    assert counted_axis(line.reshape((2, 3))) is None
    assert counted_axis(UOp.iota(128).cast(int8)) is None  # the number of elements does not fit
    assert counted_axis(line + 1) is None
    assert counted_axis(UOp.iota(1)) is None
