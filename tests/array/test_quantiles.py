"""Medians and quantiles, held to NumPy's."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.array.nodes.sorting import MOST_MIDDLE
from eqsat.array.quantiles import PLACES
from eqsat.errors import BuildError, ShapeError
from tests.array.test_sorting import LONG, assert_same, drawn

Q = (0, 0.1, 0.25, 1 / 3, 0.5, 0.625, 0.9, 1)


def finite(x: np.ndarray) -> np.ndarray:
    """With numbers in place of infinities: a quantile that is an element is that element, where NumPy's is NaN beside an infinity."""
    return np.where(np.isinf(x), x.dtype.type(2), x)


def median_of(x: np.ndarray, axis: Any) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.median(x, axis=axis)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("extent", [1, 2, 3, 8, MOST_MIDDLE, MOST_MIDDLE + 1])
def test_medians_are_numpys(dtype: str, extent: int):
    x = drawn(dtype, (4, extent))
    if dtype.startswith("float"):
        x[1:] = np.nan_to_num(x[1:], nan=-1.0, posinf=np.inf, neginf=-np.inf)
    found = np.asarray(xp.median(x, axis=1))
    assert found.dtype == median_of(x, 1).dtype
    np.testing.assert_array_equal(found, median_of(x, 1))


def test_axes_of_medians_and_quantiles():
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5))
    for axis, keepdims in product((None, 0, -1, (1, 2), (3, 0), ()), (False, True)):
        assert_same(
            xp.median(x, axis=axis, keepdims=keepdims), np.asarray(np.median(x, axis=axis, keepdims=keepdims))
        )
        expected = np.quantile(x, [0.25, 0.9], axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(
            xp.quantile(x, [0.25, 0.9], axis=axis, keepdims=keepdims), expected, rtol=1e-14
        )
    assert xp.quantile(x, np.full((2, 1), 0.5), axis=0).shape == (2, 1, 3, 4, 5)
    assert xp.quantile(x, []).shape == (0,)
    assert np.isnan(xp.median(np.ones((0, 3)), axis=0).numpy()).all()
    assert np.isnan(float(xp.quantile(np.ones(0), 0.5)))
    assert float(xp.median(3)) == 3.0


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32", "float64"])
@pytest.mark.parametrize("extent", [1, 2, 9, MOST_MIDDLE + 1])
def test_quantiles_are_numpys(dtype: str, extent: int):
    x = (np.random.default_rng(extent).standard_normal((3, extent)) * 100).astype(dtype)
    if dtype.startswith("float"):
        x[0, -1] = np.nan
    for q in (0, 0.1, 0.5, 1.0, [0.25, 0.999]):
        found = xp.quantile(x, q, axis=1)
        assert found.dtype == (x.dtype if dtype.startswith("float") else np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            expected = np.quantile(x.astype(np.float64), q, axis=1)
        np.testing.assert_allclose(found, expected, rtol=2e-3 if dtype == "float16" else 1e-5)


def test_quantiles_between_infinities():
    x = np.array([1, 2, np.inf, np.inf])
    assert xp.quantile(x, [0, 1 / 3, 1]).numpy().tolist() == [1, 2, np.inf]
    assert xp.median(x).numpy() == np.inf
    assert np.isnan(xp.quantile(x, 0.9).numpy())  # as NumPy: the way from one infinity to another


@pytest.mark.parametrize("method", PLACES)
def test_methods_are_numpys(method: str):
    for extent in (*range(1, 10), LONG + 8):
        x = np.random.default_rng(extent).integers(-9, 9, (extent, 2)).astype(np.float64)
        expected = np.quantile(x, Q, axis=0, method=method)
        np.testing.assert_allclose(xp.quantile(x, Q, axis=0, method=method), expected, rtol=1e-13, atol=1e-13)


def test_methods_among_as_many_as_calls_give():
    def every(function: Any, x: Any) -> list[Any]:
        return [function(x, (0.25, 1 / 3, 1), axis=0, method=method) for method in PLACES]

    compute = eq.jit(lambda x: every(xp.quantile, x), dynamic={"x": {0: eq.dim("rows", 2, 9)}})
    for extent in (4, 5):
        x = np.random.default_rng(extent).standard_normal((extent, 2))
        for found, expected in zip(compute(x), every(np.quantile, x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32"])
def test_methods_take_each_dtype(dtype: str):
    x = finite(drawn(dtype, (3, 7)))
    for method in PLACES:
        found = np.asarray(xp.quantile(x, [0.25, 0.5], axis=1, method=method))
        with np.errstate(all="ignore"):
            expected = np.quantile(x.astype(np.float64), [0.25, 0.5], axis=1, method=method)
            assert found.dtype == (dtype if dtype.startswith("float") else np.float64)
            np.testing.assert_allclose(found, expected.astype(found.dtype), rtol=2e-3)


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32", "float64"])
@pytest.mark.parametrize("extent", [1, 6, 7, LONG])
def test_without_nans_as_numpy(dtype: str, extent: int):
    x = finite(drawn(dtype, (4, extent, 2)))
    if dtype.startswith("float"):
        x[0, :, 0], x[1] = np.nan, np.nan_to_num(x[1], nan=3.0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy warns of rows of NaNs
        for axis in (1, (0, 2), None):
            expected = np.nanmedian(x, axis=axis)
            found = np.asarray(xp.nanmedian(x, axis=axis))
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_allclose(
                xp.nanquantile(x, 0.3, axis=axis, keepdims=True, method="hazen"),
                np.nanquantile(x.astype(np.float64), 0.3, axis=axis, keepdims=True, method="hazen"),
                rtol=4e-3 if dtype == "float16" else 1e-6,
            )
        for method in PLACES:
            expected = np.nanquantile(x.astype(np.float64), Q, axis=1, method=method)
            found = xp.nanquantile(x, Q, axis=1, method=method)
            np.testing.assert_allclose(found, expected, rtol=4e-3 if dtype == "float16" else 1e-6)


def test_without_nans_among_as_many_as_calls_give():
    compute = eq.jit(
        lambda x: (xp.nanmedian(x, axis=0), xp.nanquantile(x, 0.3)), dynamic={"x": {0: eq.dim("n", 1, 40)}}
    )
    for extent in (2, 5, 40):
        x = np.random.default_rng(extent).standard_normal((extent, 2))
        x[1, 0] = np.nan
        for found, expected in zip(
            compute(x), (np.nanmedian(x, axis=0), np.nanquantile(x, 0.3)), strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_nothing_has_no_median():
    for function in (xp.nanmedian, lambda x, axis=None: xp.nanquantile(x, 0.5, axis=axis)):
        assert np.isnan(function(np.ones((0, 3)), axis=0).numpy()).all()
        assert np.isnan(float(function(np.full(3, np.nan))))


def test_others_say_what_to_do():
    for act, words in (
        (lambda: xp.quantile(np.ones(3), 50), "from 0 to 1, not 50; divide percentages by 100"),
        (lambda: xp.quantile(np.ones(3), np.nan), "from 0 to 1"),
        (lambda: xp.quantile(np.ones(3), "a"), "from 0 to 1, not 'a'"),
        (lambda: xp.quantile(np.ones(3), [1, [0]]), r"from 0 to 1, not \[1, \[0\]\]"),
        (lambda: xp.median(np.ones(3), axis=(0, 0)), "named twice"),
        (lambda: eq.jit(lambda x: xp.median(x[1:]), dynamic={"x": {0: eq.dim("few", 1, 9)}})(np.ones(3)), "may be none; give its dims"),
    ):  # fmt: skip
        with pytest.raises(ShapeError, match=words):
            act()
    with pytest.raises(
        BuildError, match="no method of quantiles is named 'cubic'; use one of inverted_cdf, "
    ):
        xp.quantile(np.ones(3), 0.5, method="cubic")
    with pytest.raises(BuildError, match="has to know q while"):
        eq.jit(eq.quantile)(np.ones(3), np.ones(1))
