"""Agreement with NumPy: same dtype, same shape, same values within a tolerance that the dtype gives."""

import numpy as np

import eqsat.array as xp
from eqsat.dtype import to_numpy

RELATIVE = {np.dtype("float16"): 2e-3, np.dtype("float32"): 1e-6, np.dtype("float64"): 1e-14}


def assert_agrees(actual, expected, factor=4, absolute=0.0):
    """`factor` times the dtype's precision, relative to each element, plus `absolute`. The values are the caller's own."""
    expected = np.asarray(expected)
    assert isinstance(actual, xp.Array)
    assert actual.shape == expected.shape
    assert to_numpy(actual.dtype) == expected.dtype
    values = actual.numpy()
    assert values.dtype == expected.dtype
    assert values.flags.c_contiguous
    assert values.flags.writeable
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(values, expected)
        return
    np.testing.assert_allclose(values, expected, rtol=factor * RELATIVE[expected.dtype], atol=absolute)


def numbers(dtype, shape, seed=0, low=-9, high=10):
    """Small random numbers: whole ones for integers, normal ones for floats."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (random.normal(size=shape) * 3).astype(dtype)
    return random.integers(0 if dtype.kind in "ub" else low, 2 if dtype.kind == "b" else high, shape).astype(
        dtype
    )
