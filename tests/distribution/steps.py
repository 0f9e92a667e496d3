"""What tests of several devices compute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import eqsat as eq
from tests.dynamic import evaluated


def floats(*shape: int, dtype: str = "float32"):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def training_step(first, second, x, y):
    """One step of gradient descent of a network of two layers; the loss, and the weights after it."""
    hidden = eq.maximum(x @ first, 0)
    difference = hidden @ second - y
    slope = difference * 2.0 / y.size
    back = (slope @ second.T) * eq.astype(hidden > 0, x.dtype)
    return eq.mean(difference**2), first - 0.1 * (x.T @ back), second - 0.1 * (hidden.T @ slope)


def train(devices: Sequence[str], batch: int, dtype: str, error: float) -> None:
    """Five steps of a network whose batch is divided among devices, as one device makes them."""
    two = eq.jit(
        lambda first, second, x, y: training_step(
            first, second, eq.shard(x, devices, 0), eq.shard(y, devices, 0)
        )
    )
    ours = theirs = floats(20, 32, dtype=dtype) / 5, floats(32, 7, dtype=dtype) / 5
    x, y = floats(batch, 20, dtype=dtype), floats(batch, 7, dtype=dtype)
    for _ in range(5):
        loss, *ours = two(*ours, x, y)
        expected, *theirs = evaluated(training_step, [*theirs, x, y])
        np.testing.assert_allclose(loss, expected, rtol=error)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=error, atol=error)
