"""A product that is added to a value computed from it is rounded there, too; all others may be contracted."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import eqsat as eq

SHAPE = (50, 20)


def itself(x: Any, y: Any) -> Any:
    return x * y - x * y


def turned_round(x: Any, y: Any) -> Any:
    return x * y - y * x


def square(x: Any, y: Any) -> Any:
    return y * y * 0.0 + (x * x - x * x)


def below_the_maximum_of_its_row(x: Any, y: Any) -> Any:
    product = x * y
    return eq.min(eq.max(product, axis=1, keepdims=True) - product, axis=1)


def above_the_minimum_of_its_column(x: Any, y: Any) -> Any:
    product = -x * y
    return eq.min(product - eq.min(product, axis=0, keepdims=True), axis=0)


def below_the_greatest_of_all(x: Any, y: Any) -> Any:
    """The maximum has a kernel of its own."""
    product = x * y
    return eq.min(eq.max(product) - product)


def of_another_shape(x: Any, y: Any) -> Any:
    flat = eq.reshape(x * y, (-1,))
    return eq.min(eq.reshape(eq.max(flat) - flat, SHAPE))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "gap",
    [
        itself,
        turned_round,
        square,
        below_the_maximum_of_its_row,
        above_the_minimum_of_its_column,
        below_the_greatest_of_all,
        of_another_shape,
    ],
)
def test_nothing_is_left_of_a_product_less_itself(gap: Callable[..., Any], dtype: Any) -> None:
    draw = np.random.default_rng(0)
    x, y = (draw.standard_normal(SHAPE).astype(dtype) for _ in range(2))
    assert not np.any(eq.jit(gap)(x, y))


def test_the_root_of_a_gap_is_a_number() -> None:
    def root(x: Any, y: Any) -> Any:
        product = x * y
        return eq.sqrt(eq.max(product) - product)

    rooted = eq.jit(root)
    for seed in range(10):
        x, y = np.random.default_rng(seed).standard_normal((2, 1000))
        assert not np.isnan(rooted(x, y)).any()


Made = Callable[[Any, Any, Any], Any]  # of an array namespace and two arrays
CHOSEN: tuple[Made, ...] = (
    lambda xp, x, y: x,
    lambda xp, x, y: xp.abs(x),
    lambda xp, x, y: xp.maximum(x, 0 * x),
    lambda xp, x, y: xp.where(y > 0, x, y),
)


def drawn_gap(draw: random.Random) -> Made:
    """The root of what scaled numbers are below their greatest, or above their least; a rule takes the factor out of the choice."""
    factor, chosen = draw.choice((0.3, 0.7, -0.3, 1 / 3, -1.7, 10.1)), draw.choice(CHOSEN)
    scales: tuple[Made, ...] = (
        lambda xp, u, y: u * factor,
        lambda xp, u, y: -(u * factor),
        lambda xp, u, y: u * factor * y,
        lambda xp, u, y: u * u,
        lambda xp, u, y: u * xp.mean(y, axis=-1, keepdims=True),
        lambda xp, u, y: u * factor + y * 0.7,
    )
    scale = draw.choice(scales)
    axis, name = draw.choice((None, 0, -1)), draw.choice(("max", "min"))
    again = draw.choice((1.0, 1.0, 0.3))

    def root(xp: Any, x: Any, y: Any) -> Any:
        scaled = scale(xp, chosen(xp, x, y), y)
        end = getattr(xp, name)(scaled, axis=axis, keepdims=True)
        return xp.sqrt((end - scaled if name == "max" else scaled - end) * again)

    return root


@pytest.mark.parametrize("seed", range(20))
def test_roots_of_drawn_gaps_are_numbers(seed: int) -> None:
    draw = random.Random(f"gap {seed}")
    root, shape = drawn_gap(draw), draw.choice(((37,), (5, 41), (64, 33), (3, 4, 29), (257, 16)))
    dtype = draw.choice((np.float16, np.float32, np.float64))
    x, y = (np.random.default_rng((seed, place)).standard_normal(shape).astype(dtype) for place in range(2))
    graph = eq.trace(partial(root, eq), eq.spec(shape, x.dtype), eq.spec(shape, x.dtype))
    assert not np.isnan(eq.compile(graph)(x, y)).any()


def test_the_median_is_an_element() -> None:
    """A short sort is a network of maxima and minima of scaled numbers, at other positions than the number that it is compared with."""

    def nearest(x: Any) -> Any:
        scaled = x * 0.3
        return eq.min(eq.abs(scaled - eq.median(scaled, axis=1, keepdims=True)), axis=1)

    assert not np.any(eq.jit(nearest)(np.random.default_rng(2).standard_normal((40, 5)).astype(np.float32)))


@pytest.mark.parametrize("axis", [0, 1, None])
def test_the_greatest_number_is_scaled_to_one(axis: int | None) -> None:
    """Numbers less the least one, by what the greatest is above it: both differences are rounded alike."""

    def root(x: Any) -> Any:
        scaled = x * 0.3
        least, greatest = (end(scaled, axis=axis, keepdims=True) for end in (eq.min, eq.max))
        return eq.sqrt(1.0 - (scaled - least) / (greatest - least))

    x = np.random.default_rng(8).standard_normal((40, 33)).astype(np.float32)
    found = eq.jit(root)(x)
    assert not np.isnan(found).any()
    assert (found.min(axis=axis) == 0.0).all()


@pytest.mark.parametrize("width", [24, 80])
def test_weights_of_huge_scores_are_numbers(width: int) -> None:
    """Scores of 10¹⁰, which are scaled by a number that is no power of two: a product less its maximum, rounded once, could be hundreds above 0."""
    draw = np.random.default_rng(width)
    queries, keys, values = draw.standard_normal((3, 2, 54, width)).astype(np.float32)
    queries, keys = queries * np.float32(1e5), keys * np.float32(1e5)
    scores = queries.astype(np.float64) @ keys.astype(np.float64).transpose(0, 2, 1)
    found = eq.jit(eq.attention)(queries, keys, values)
    np.testing.assert_array_equal(found, values[np.arange(2)[:, None], scores.argmax(axis=-1)], strict=True)


CONTRACTED: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x * y + x,
    lambda x, y: x[1:] * 0.3 - x[:-1] * 0.3,
    lambda x, y: eq.maximum(x, 0.0)[1:] * 0.3 + eq.maximum(x, 0.0)[:-1] * 0.3,
    lambda x, y: eq.max(x * 0.25, axis=1, keepdims=True) - x * 0.25,
    lambda x, y: x * y + x * x,
    lambda x, y: eq.sum(x * y, axis=1, keepdims=True) + y * y,
    lambda x, y: x * (x * (x * y + 1.0) + 2.0) + 3.0,
)


@pytest.mark.parametrize("function", CONTRACTED)
def test_other_products_stay_as_they_are(function: Callable[[Any, Any], Any]) -> None:
    graph = eq.trace(function, eq.spec(SHAPE, eq.float32), eq.spec(SHAPE, eq.float32))
    assert not any(re.search(r"as_int\d*\(", kernel.source) for kernel in eq.compile(graph).kernels)
