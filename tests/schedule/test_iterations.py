"""Iterative methods: many small kernels, each of which reads what others made, and computes nothing many times over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32
from eqsat.machine import PROCESSOR
from eqsat.ops import ALONG_AXES, Op
from eqsat.schedule.plan import schedule
from eqsat.uop import UOp, rewrite, toposort

Steps = Callable[..., Any]


def conjugate_gradient(steps: int, xp: Any, a: Any, b: Any) -> Any:
    x = b * 0
    r = p = b - a @ x
    squares = xp.sum(r * r)
    for _ in range(steps):
        q = a @ p
        length = squares / xp.sum(p * q)
        x, r = x + length * p, r - length * q
        before, squares = squares, xp.sum(r * r)
        p = r + (squares / before) * p
    return x


def forward(steps: int, xp: Any, a: Any, p: Any) -> Any:
    for _ in range(steps):
        p = (p @ a) * p
        p = p / xp.sum(p)
    return p


def gradient_descent(steps: int, xp: Any, x: Any, w: Any) -> Any:
    for _ in range(steps):
        w = w - 0.01 * (x.T @ (1 / (1 + xp.exp(-(x @ w))) - 0.5))
    return w


METHODS = {
    "conjugate_gradient": (conjugate_gradient, ((200, 200), (200,))),
    "forward": (forward, ((32, 32), (32,))),
    "gradient_descent": (gradient_descent, ((500, 20), (20,))),
}


def each_stored(sink: UOp) -> UOp:
    """The graph, in which every result of a reduction is asked for in memory."""
    return rewrite(
        [sink],
        {node: UOp(Op.CONTIGUOUS, node.dtype, (node,)) for node in toposort([sink]) if node.op in ALONG_AXES},
    )[0]


@pytest.mark.parametrize(("steps", "launch"), [(2, 4e-6), (4, 4e-6), (4, 5e-8)])
@pytest.mark.parametrize("name", METHODS)
def test_fusion_is_no_worse_than_to_store_each_reduction(name: str, steps: int, launch: float) -> None:
    """Kernels that compute much have bounds far below their prices: guesses tried one of these after the other."""
    method, shapes = METHODS[name]
    machine = replace(PROCESSOR, launch_seconds=launch)
    graph = eq.trace(
        lambda *arrays: method(steps, eq, *arrays), *(eq.spec(shape, float32) for shape in shapes)
    )
    assert (
        schedule(graph, machine).predicted_seconds
        <= 1.05 * schedule(each_stored(graph), machine).predicted_seconds
    )


@pytest.mark.parametrize("name", METHODS)
def test_results(name: str) -> None:
    method, shapes = METHODS[name]
    chance = np.random.default_rng(5)
    arrays = [chance.uniform(0.1, 1, shape).astype(np.float32) for shape in shapes]
    arrays[0] += 50 * np.eye(*shapes[0], dtype=np.float32)
    expected = method(4, np, *(array.astype(np.float64) for array in arrays))
    np.testing.assert_allclose(eq.jit(lambda *each: method(4, eq, *each))(*arrays), expected, rtol=1e-4)
