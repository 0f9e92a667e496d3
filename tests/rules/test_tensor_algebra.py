"""Products of matrices are rearranged where that takes fewer operations, and only where a plan admits it."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.ops import Op
from eqsat.rules.library import LIBRARY
from eqsat.rules.movements.movement import movement
from eqsat.rules.reductions.reduce import reduction_order
from eqsat.shape import extent_of
from eqsat.uop import UOp

N = 256  # of fewer, one kernel that computes the inner vector again for each row may be the quickest
FAST = eq.Plan(fast_math=True)


def traced(function, *shapes):
    return eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))


def inputs(shapes):
    generator = np.random.default_rng(0)
    return [generator.uniform(0.5, 1.0, shape).astype(np.float32) for shape in shapes]


def multiplications(graph):
    """How many products of elements the sums of an array graph take."""
    return sum(prod(node.src[0].shape) for node in graph.toposort() if node.op is Op.REDUCE_AXIS)


def reductions(graph):
    return sum(node.op is Op.REDUCE_AXIS for node in graph.toposort())


SQUARE, ROW, THIN = (N, N), (N,), (N, 2)
REARRANGED = {
    "(A B) v": (lambda a, b, v: (a @ b) @ v, (SQUARE, SQUARE, ROW), 2 * N * N),
    "v (A B)": (lambda a, b, v: v @ (a @ b), (SQUARE, SQUARE, ROW), 2 * N * N),
    "(A B) C": (lambda a, b, c: (a @ b) @ c, (SQUARE, SQUARE, THIN), 4 * N * N),
    "C (A B)": (lambda a, b, c: c @ (a @ b), (SQUARE, SQUARE, (2, N)), 4 * N * N),
    "(A B)ᵀ C": (lambda a, b, c: (a @ b).T @ c, (SQUARE, SQUARE, THIN), 4 * N * N),
    "stacks": (lambda a, b, c: (a @ b) @ c, ((3, N, N), (3, N, N), (3, N, 2)), 12 * N * N),
    "((A B) C) v": (lambda a, b, c, v: ((a @ b) @ c) @ v, (SQUARE, SQUARE, SQUARE, ROW), 3 * N * N),
    "A B + A C": (lambda a, b, c: a @ b + a @ c, (SQUARE, SQUARE, SQUARE), N**3),
    "B A - C A": (lambda a, b, c: b @ a - c @ a, (SQUARE, SQUARE, SQUARE), N**3),
    "sum of A B": (lambda a, b: eq.sum(a @ b), (SQUARE, SQUARE), 2 * N * N),
}


@pytest.mark.parametrize("name", REARRANGED)
def test_a_product_takes_the_fewest_multiplications(name):
    function, shapes, fewest = REARRANGED[name]
    graph = traced(function, *shapes)
    best = eq.optimize(graph, FAST).uop
    assert multiplications(best) < multiplications(graph)
    # the last sum of a number from a row may take some additions more
    assert fewest <= multiplications(best) <= fewest + 2 * N
    data = dict(enumerate(inputs(shapes)))
    np.testing.assert_allclose(eq.evaluate(best, data), eq.evaluate(graph, data), rtol=1e-4, atol=1e-2)


def test_a_product_stays_where_rounding_may_not_change():
    graph = traced(lambda a, b, v: (a @ b) @ v, SQUARE, SQUARE, ROW)
    assert multiplications(eq.optimize(graph).uop) == multiplications(graph)


def test_a_product_stays_where_it_is_cheapest():
    graph = traced(lambda a, b, v: a @ (b @ v), SQUARE, SQUARE, ROW)
    assert multiplications(eq.optimize(graph, FAST).uop) == multiplications(graph)


def test_kernels_of_a_rearranged_product_multiply_less_and_agree_with_numpy():
    arrays = inputs([SQUARE, SQUARE, ROW])

    def product(a, b, v):
        return (a @ b) @ v

    programs = [eq.compile(traced(product, SQUARE, SQUARE, ROW), plan) for plan in (eq.Plan(), FAST)]
    as_written, rearranged = (executed_products(program) for program in programs)
    assert as_written == N**3 + N**2
    assert rearranged == 2 * N**2
    for program in programs:
        np.testing.assert_allclose(program(*arrays), product(*arrays), rtol=1e-4)


def executed_products(program):
    """How often the kernels of a program multiply floats: each product times the iterations of its loops, lanes and copies."""
    return sum(
        prod(extent_of(loop) for loop in node.ranges)
        for kernel in program.schedule.kernels
        for node in kernel.ast.toposort()
        if node.op in (Op.MUL, Op.MULACC) and node.dtype.is_float
    )


def test_products_side_by_side_become_one():
    shapes = ((96, 96),) * 3
    graph = traced(lambda a, b, c: eq.concat([a @ b, a @ c], axis=1), *shapes)
    best = eq.optimize(graph, replace(FAST, cost=eq.LoopAware())).uop  # as kernels, two are as quick
    assert (reductions(graph), reductions(best)) == (2, 1)
    data = dict(enumerate(inputs(shapes)))
    np.testing.assert_allclose(eq.evaluate(best, data), eq.evaluate(graph, data), rtol=1e-4)


@pytest.mark.parametrize("operation", [lambda a, d: a * d, lambda a, d: a / d])
def test_rows_are_scaled_after_a_thin_product(operation):
    def scaled(a, d, b):
        return operation(a, d) @ b

    graph = traced(scaled, SQUARE, (N, 1), THIN)
    best = eq.optimize(graph, replace(FAST, cost=eq.LoopAware())).uop
    scaling = [node for node in best.toposort() if node.op in (Op.MUL, Op.FDIV) and node.shape == THIN]
    assert scaling
    data = dict(enumerate(inputs([SQUARE, (N, 1), THIN])))
    np.testing.assert_allclose(eq.evaluate(best, data), eq.evaluate(graph, data), rtol=1e-4)


def test_a_transposed_product_is_the_product_of_the_transposed():
    def both(a, b):
        return (a.T @ b.T).T, b @ a

    roots = traced(both, SQUARE, SQUARE).src
    first, second = saturate(roots, LIBRARY).snapshot.root_classes
    assert first == second


def test_reducing_repeated_rows_reduces_one():
    row = UOp.param(0, N, eq.float32).reshape((1, N))
    repeated = row.expand((7, N)).reduce_axis(Op.ADD, (1,))
    once = row.reduce_axis(Op.ADD, (1,)).expand((7,))
    first, second = saturate(
        [repeated, once], movement.ruleset + reduction_order.ruleset
    ).snapshot.root_classes
    assert first == second
