"""A product that is added to a value computed from it is rounded there, too; all others may be contracted."""

from __future__ import annotations

import re
from collections.abc import Callable
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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
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


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x * y + x,
        lambda x, y: x * y + x * x,
        lambda x, y: eq.sum(x * y, axis=1, keepdims=True) + y * y,
        lambda x, y: x * (x * (x * y + 1.0) + 2.0) + 3.0,
    ],
)
def test_other_products_stay_as_they_are(function: Callable[..., Any]) -> None:
    graph = eq.trace(function, eq.spec(SHAPE, eq.float32), eq.spec(SHAPE, eq.float32))
    assert not any(re.search(r"as_int\d*\(", kernel.source) for kernel in eq.compile(graph).kernels)
