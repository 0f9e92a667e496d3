"""Products with a softmax are divided last, and only where that may move digits alone."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.array.core import Array
from eqsat.ops import Op

HEADS, TOKENS, OTHERS, DEPTH = 2, 32, 256, 8
SHAPES = ((HEADS, TOKENS, DEPTH), (HEADS, OTHERS, DEPTH), (HEADS, OTHERS, DEPTH))
PLAN = eq.Plan()
MASK = np.tril(np.ones((TOKENS, OTHERS), bool))


def written_out(queries: Array, keys: Array, values: Array) -> Array:
    """Attention as users write it."""
    return eq.softmax(queries @ keys.mT * 0.25, axis=-1) @ values


def masked(queries: Array, keys: Array, values: Array) -> Array:
    """Attention of which a query sees itself and what is before it."""
    return eq.attention(queries, keys, values, mask=MASK)


def divided(function, shapes=SHAPES, dtype=eq.float32, plan=PLAN) -> set[int]:
    """How many elements the divisions of the cheapest graph have."""
    best = eq.optimize(eq.trace(function, *(eq.spec(shape, dtype) for shape in shapes)), plan).uop
    return {int(np.prod(node.shape)) for node in best.toposort() if node.op is Op.FDIV}


@pytest.mark.parametrize("function", [eq.attention, written_out, masked], ids=["attention", "own", "mask"])
def test_a_product_with_a_softmax_is_divided_last(function) -> None:
    assert divided(function) == {HEADS * TOKENS * DEPTH}


def test_a_product_with_a_softmax_along_a_dim_is_divided_last() -> None:
    """Weights beyond the end of a row do not count, which the graph says."""
    n = eq.dim("n", 1, OTHERS)
    shapes = (HEADS, TOKENS, DEPTH), (HEADS, n, DEPTH), (HEADS, n, DEPTH)
    best = eq.optimize(eq.trace(eq.attention, *(eq.spec(shape, eq.float32) for shape in shapes))).uop
    assert [node.shape for node in best.toposort() if node.op is Op.FDIV] == [(HEADS, TOKENS, DEPTH)]


def test_strict_plans_divide_first() -> None:
    assert divided(eq.attention, plan=eq.Plan(strict=True)) == {HEADS * TOKENS * OTHERS}


def test_other_divisors_are_not_moved() -> None:
    """Sums of numbers that are not between 0 and 1 may be near 0, and products with them may overflow."""

    def shares(x: Array, y: Array) -> Array:
        return (x / eq.sum(x, axis=-1, keepdims=True)) @ y

    assert divided(shares, ((24, 40), (40, 8))) == {24 * 40}


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
def test_special_scores_and_values_give_what_division_first_gives(dtype) -> None:
    """Infinities, NaN, a row that sees nothing, scores far apart."""
    draw = np.random.default_rng(0)
    queries, keys, values = (draw.standard_normal(shape).astype(dtype) for shape in SHAPES)
    queries[0, 1, 2], queries[0, 2, 3], queries[0, 3] = np.nan, np.inf, 1e3
    values[1, 4, 5], values[1, 6, 7] = np.inf, np.nan
    mask = MASK.copy()
    mask[5] = False

    def function(*arrays: Array) -> Array:
        return eq.attention(*arrays, mask=mask)

    found = eq.jit(function)(queries, keys, values)
    expected = eq.jit(function, plan=eq.Plan(strict=True))(queries, keys, values)
    assert np.isnan(found).any()
    assert np.isinf(found).any()
    np.testing.assert_allclose(found, expected, rtol=50 * np.finfo(dtype).eps, atol=20 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [eq.float16, eq.bfloat16], ids=str)
def test_in_half_precision_large_values_do_not_overflow(dtype) -> None:
    """256 values of 60,000 have a mean that float16 has, and a sum that it has not."""
    arrays = [np.zeros(shape, np.float16) for shape in SHAPES]
    arrays[2] += 6e4
    found = eq.jit(lambda *given: written_out(*(each.astype(dtype) for each in given)))(*arrays)
    np.testing.assert_allclose(np.asarray(found.astype(np.float64)), 6e4, rtol=1e-2)
