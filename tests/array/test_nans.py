"""Reductions without NaNs, held to NumPy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from tests.array.test_sorting import drawn

REDUCTIONS = ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd")


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32", "float64"])
def test_reductions_leave_nans_out(name: str, dtype: str):
    x = drawn(dtype, (3, 5, 4))
    if dtype.startswith("float"):
        x = np.where(np.isinf(x), x.dtype.type(1.5), x)
        x[0, :, 1] = np.nan
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy warns of rows of NaNs
        for axis, keepdims in ((None, False), (1, True), ((0, 2), False), (-1, False)):
            expected = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
            found = np.asarray(getattr(xp, name)(x, axis=axis, keepdims=keepdims))
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(
                found, expected, rtol={"float16": 4e-3, "float32": 1e-5}.get(dtype, 1e-12)
            )


def test_greatest_numbers_beside_infinities():
    x = np.array([[np.nan, -np.inf], [np.inf, np.nan], [np.nan, np.nan]])
    np.testing.assert_array_equal(xp.nanmax(x, axis=1), [-np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(xp.nanmin(x, axis=1), [-np.inf, np.inf, np.nan])
    with pytest.raises(eq.ShapeError):
        xp.nanmax(np.ones(0))


def test_variance_of_too_few_numbers_is_nan():
    x = np.array([[1.0, 3.0, np.nan], [2.0, np.nan, np.nan]])
    for correction in (0, 1, 2):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            expected = np.nanvar(x, axis=1, ddof=correction)
        np.testing.assert_array_equal(xp.nanvar(x, axis=1, correction=correction), expected)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_numbers_in_the_place_of_nans(dtype: str):
    x = drawn(dtype, (30,))
    for options in ({}, {"nan": 7.0}, {"posinf": 1.0, "neginf": -2.0}):
        found = xp.nan_to_num(x, **options).numpy()
        np.testing.assert_array_equal(found, np.nan_to_num(x, **options))
        assert found.dtype == dtype


def test_rows_as_many_as_calls_give():
    mean = eq.jit(lambda x: (xp.nanmean(x, axis=0), xp.nanstd(x)), dynamic={"x": {0: eq.dim("n", 1, 9)}})
    for count in (2, 9):
        x = np.random.default_rng(count).standard_normal((count, 3))
        x[1, 2] = np.nan
        for found, expected in zip(mean(x), (np.nanmean(x, axis=0), np.nanstd(x)), strict=True):
            np.testing.assert_allclose(found, expected)
