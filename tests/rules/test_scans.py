"""Masked reductions are scans, and scans of little need less."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32, from_numpy, int32
from eqsat.ops import ALONG_AXES, Op
from eqsat.uop import UOp

N = 40
VALUES = np.arange(N, dtype=np.float32) % 7 - 3


def line():
    return eq.arange(N, dtype=eq.int32)


def before():
    """Whether element j, the column, is not after result i, the row."""
    return line()[None, :] <= line()[:, None]


PROGRAMS = {
    "sums": (lambda x: eq.sum(eq.where(before(), x[None, :], 0), axis=1), [VALUES]),
    "sums of integers": (
        lambda x: eq.sum(eq.where(before(), x[None, :], 0), axis=1),
        [VALUES.astype(np.int64)],
    ),
    "sums from below": (
        lambda x: eq.sum(eq.where(line()[:, None] <= line()[None, :], x[:, None], 0), axis=0),
        [VALUES],
    ),
    "maxima": (lambda x: eq.max(eq.where(before(), x[None, :], -np.inf), axis=1), [VALUES]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_masked_reduction_is_a_scan(name):
    program, inputs = PROGRAMS[name]
    graph = eq.trace(program, *(eq.spec(each.shape, from_numpy(each.dtype)) for each in inputs))
    best = eq.optimize(graph)
    assert [node.op for node in best.uop.toposort() if node.op in ALONG_AXES] == [Op.SCAN_AXIS]
    (expected,) = eq.evaluate(graph, dict(enumerate(inputs)))
    np.testing.assert_allclose(eq.evaluate(best.uop, dict(enumerate(inputs)))[0], expected)
    np.testing.assert_allclose(eq.jit(program)(*inputs), expected)
    assert best.explain().replay() is best.uop


def test_a_scan_in_another_order_than_that_of_the_mask_stays_a_reduction():
    graph = eq.trace(lambda x: eq.sum(eq.where(before(), x[None, :], 1), axis=1), eq.spec((N,), eq.float32))
    assert any(node.op is Op.REDUCE_AXIS for node in eq.optimize(graph).uop.toposort())


def best_of(graph: UOp) -> UOp:
    return eq.optimize(UOp.sink(graph)).uop.src[0]


@pytest.mark.parametrize("dtype", [float32, int32])
def test_less_to_do(dtype):
    x = UOp.param(0, 24, dtype).reshape((4, 6))
    last = x.scan_axis(Op.ADD, 1).shrink(((0, 4), (5, 6))).reshape((4,))
    assert best_of(last) is x.reduce_axis(Op.ADD, (1,))
    column = UOp.param(0, 24, dtype).reshape((24, 1))
    assert best_of(column.scan_axis(Op.MUL, 1)) is column
    copies = column.expand((24, 50)).scan_axis(Op.MAX, 0)
    assert best_of(copies) is column.scan_axis(Op.MAX, 0).expand((24, 50))
