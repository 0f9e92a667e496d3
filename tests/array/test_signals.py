"""Convolutions, interpolation and integrals, held to NumPy's."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_are_numpys(mode: str):
    random = np.random.default_rng(0)
    for one, other in product((1, 2, 3, 6), (1, 2, 5, 6)):
        x, y = random.integers(-9, 9, one), random.integers(-9, 9, other)
        np.testing.assert_array_equal(xp.convolve(x, y, mode), np.convolve(x, y, mode))
        np.testing.assert_array_equal(xp.correlate(x, y, mode), np.correlate(x, y, mode))
    x, y = np.float32([1, 2.5, -1]), np.array([2, 3])
    found = xp.convolve(x, y, mode).numpy()
    np.testing.assert_allclose(found, np.convolve(x, y, mode))
    assert found.dtype == np.convolve(x, y, mode).dtype


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_interpolation_is_numpys(dtype: str):
    random = np.random.default_rng(0)
    for count in (1, 2, 7):
        places = np.sort(random.standard_normal(count)).astype(dtype)
        values = random.standard_normal(count).astype(dtype)
        far = [-9, 9, np.nan if count > 1 else 0]  # NumPy gives the value of a single point for NaN
        x = np.concatenate([random.standard_normal(12), far]).astype(dtype).reshape(3, 5)
        for options in ({}, {"left": -7.0, "right": np.nan}):
            for at in (x, places):
                found = xp.interp(at, places, values, **options).numpy()
                assert found.dtype == dtype
                np.testing.assert_allclose(
                    found, np.interp(at, places, values, **options), rtol=1e-5, atol=1e-5
                )


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_points_without_a_finite_value_are_interpolated_as_numpy_does(odd: float):
    """A gap in the values leaves its finite neighbours alone: at their own places they were NaN, too."""
    places = np.arange(8.0)
    values = np.array([1, odd, 3, odd, odd, 6, -odd, odd])
    at = np.concatenate([places, places + 0.25, [np.nan, -1, 9]])
    with np.errstate(invalid="ignore"):
        expected = np.interp(at, places, values)
    np.testing.assert_array_equal(xp.interp(at, places, values).numpy(), expected)
    np.testing.assert_array_equal(eq.jit(eq.interp)(at, places, values), expected)


def test_integrals_are_numpys():
    y = np.random.default_rng(0).standard_normal((3, 4))
    for x, axis in (
        (None, -1),
        (None, 0),
        (np.array([1, 2, 4]), 0),
        (y**2, 1),
        (y**2, 0),
        (np.arange(4.0), -1),
    ):
        np.testing.assert_allclose(xp.trapezoid(y, x, axis=axis), np.trapezoid(y, x, axis=axis), rtol=1e-12)
    np.testing.assert_allclose(xp.trapezoid(y[0], dx=0.5), np.trapezoid(y[0], dx=0.5))
    assert float(xp.trapezoid([1, 2])) == 1.5
    assert float(xp.trapezoid([1.0])) == 0


def test_others_say_what_to_do():
    x = np.ones(3)
    for act, error, words in (
        (lambda: xp.convolve(x, np.ones((2, 2))), eq.ShapeError, "no vector"),
        (lambda: xp.correlate(x, []), eq.ShapeError, "at least one element"),
        (lambda: xp.convolve(x, x, "some"), eq.BuildError, "use one of full, same, valid"),
        (lambda: xp.interp(x, x, np.ones(4)), eq.ShapeError, "as many places as values"),
        (lambda: xp.trapezoid(3.0), eq.ShapeError, "integrate along"),
    ):
        with pytest.raises(error, match=words):
            act()
