"""Sums of negative zeros are 0.0, as NumPy's, whatever becomes of their loops."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq

STRICT = eq.Plan(strict=True)


@pytest.mark.parametrize("dtype", [eq.float16, eq.float32, eq.float64])
@pytest.mark.parametrize("count", [1, 2, 3, 8, 40])
def test_sum_of_negative_zeros_is_zero(count: int, dtype: eq.DType) -> None:
    given = np.full((5, count), -0.0, np.dtype(dtype.name))
    of_input = eq.trace(lambda x: eq.sum(x, axis=1), eq.spec(given.shape, dtype))
    of_constant = eq.trace(lambda: eq.sum(eq.full(given.shape, -0.0, dtype=dtype), axis=1))
    for found in (eq.compile(of_input, STRICT)(given), eq.compile(of_constant, STRICT)()):
        assert not np.signbit(found).any()
    assert not np.signbit(np.sum(given, axis=1)).any()


def test_windows_of_negative_zeros() -> None:
    given = np.full((1, 1, 4, 4), -0.0, np.float32)
    found = eq.compile(eq.trace(lambda x: eq.avg_pool2d(x, 2), eq.spec(given.shape, eq.float32)), STRICT)(
        given
    )
    assert not np.signbit(found).any()
