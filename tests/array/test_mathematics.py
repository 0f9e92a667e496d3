"""Elementary functions against the C library's, near zero, far out, and at special values."""

import math

import numpy as np
import pytest

import eqsat.array as xp
from tests.array.compare import assert_agrees

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan]


def samples(low, high):
    random = np.random.default_rng(7)
    near_zero = 10.0 ** random.uniform(-7, 0, 400) * random.choice([-1.0, 1.0], 400)
    x = np.concatenate([random.uniform(low, high, 3000), near_zero])
    return x[(x >= low) & (x <= high)]


RANGES = {
    "sqrt": (0, 1e6),
    "exp": (-80, 80),
    "exp2": (-120, 120),
    "expm1": (-20, 80),
    "log": (1e-9, 1e9),
    "log2": (1e-9, 1e9),
    "log10": (1e-9, 1e9),
    "log1p": (-0.99, 1e6),
    "sin": (-3, 3),
    "cos": (-1.5, 1.5),
    "tan": (-1.5, 1.5),
    "asin": (-1, 1),
    "acos": (-1, 0.99),
    "atan": (-50, 50),
    "sinh": (-80, 80),
    "cosh": (-80, 80),
    "tanh": (-20, 20),
    "asinh": (-1e12, 1e12),
    "acosh": (1.001, 1e12),
    "atanh": (-0.999, 0.999),
}


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_functions_agree(name, dtype):
    low, high = RANGES[name]
    largest = 1e4 if dtype == "float16" else np.inf
    x = samples(max(low, -largest), min(high, largest)).astype(dtype)
    wide = np.longdouble if dtype == "float64" else np.float64
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x.astype(wide)).astype(dtype)
    # those made from exp2(x log2 e) lose a unit for each power of two of |x|
    factor = 60 if name in ("exp", "sinh", "cosh", "expm1") else 4
    assert_agrees(getattr(xp, name)(x), expected, factor)


@pytest.mark.parametrize("name", [*RANGES, "arctan2"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_agree_on_special_values(name, dtype):
    x = np.array(SPECIAL, dtype)
    with np.errstate(all="ignore"):
        if name == "arctan2":
            y, x = np.meshgrid(x, x)
            actual, expected = xp.atan2(y, x), np.arctan2(y, x)
        else:
            actual, expected = getattr(xp, name)(x), getattr(np, name)(x)
    assert_agrees(actual, expected, factor=8, absolute=1e-6 if dtype == "float32" else 1e-15)
    if name not in ("cos", "log", "log2", "log10", "acosh", "acos"):
        defined = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(actual.numpy())[defined], np.signbit(expected)[defined])


@pytest.mark.parametrize(("dtype", "absolute"), [("float32", 3e-7), ("float64", 5e-16)])
def test_circular_functions_of_large_angles_are_absolutely_accurate(dtype, absolute):
    x = samples(-1e4, 1e4).astype(dtype)
    for name in ("sin", "cos"):
        expected = getattr(np, name)(x.astype(np.longdouble)).astype(dtype)
        assert_agrees(getattr(xp, name)(x), expected, absolute=absolute)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erf_agrees(dtype):
    x = np.concatenate([samples(-7, 7), SPECIAL]).astype(dtype)
    expected = np.array([math.erf(value) for value in x.astype(np.float64)]).astype(dtype)
    assert_agrees(xp.erf(x), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_binary_functions_agree(dtype):
    x, y = samples(-50, 50).astype(dtype), samples(-50, 50)[::-1].astype(dtype)
    assert_agrees(xp.atan2(x, y), np.arctan2(x, y))
    assert_agrees(xp.hypot(x, y), np.hypot(x, y))
    assert_agrees(xp.logaddexp(x, y), np.logaddexp(x, y), absolute=1e-6 if dtype == "float32" else 1e-14)
    infinite = np.array([np.inf, -np.inf, np.inf, 1.0], dtype)
    other = np.array([np.inf, -np.inf, 1.0, -np.inf], dtype)
    assert_agrees(xp.logaddexp(infinite, other), np.logaddexp(infinite, other))
    assert_agrees(xp.hypot(infinite, np.nan), np.hypot(infinite, np.nan))
    assert_agrees(
        xp.hypot(np.array([3e38, 0.0], dtype), np.array([1e38, 0.0], dtype)),
        np.hypot(np.array([3e38, 0.0], dtype), np.array([1e38, 0.0], dtype)),
    )


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_integers_give_the_float_that_numpy_gives(dtype):
    x = np.array([0, 1, 1], dtype)
    for name in ("exp", "sqrt", "sin", "tanh", "log1p", "arctan2"):
        if name == "arctan2":
            assert_agrees(xp.atan2(x, x[::-1]), np.arctan2(x, x[::-1]))
        else:
            assert_agrees(getattr(xp, name)(x), getattr(np, name)(x))


def test_sigmoid_saturates():
    x = np.array([-1000.0, -3.0, 0.0, 3.0, 1000.0])
    assert_agrees(xp.sigmoid(x), [0.0, 1 / (1 + math.exp(3)), 0.5, 1 / (1 + math.exp(-3)), 1.0])


@pytest.mark.parametrize("left", ["bool", "int8", "uint8", "int16", "uint16", "int32", "float16", "float32"])
@pytest.mark.parametrize("right", ["bool", "int8", "uint8", "int16", "uint16", "int32", "float16", "float32"])
def test_functions_of_two_dtypes_have_the_float_of_numpy(left, right):
    x, y = np.ones(2, left), np.ones(2, right)
    assert_agrees(xp.hypot(x, y), np.hypot(x, y))
