"""Covariances and histograms, held to NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp

X = np.random.default_rng(0).standard_normal((3, 50))


@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "float64"])
def test_covariances_are_numpys(dtype: str):
    x = (X * 9).astype(dtype)
    near = {"float16": 2e-2, "float32": 1e-4}.get(dtype, 1e-12)
    for rows in (x, x[0]):
        np.testing.assert_allclose(xp.cov(rows), np.cov(rows), rtol=near, atol=near * 20)
        np.testing.assert_allclose(
            xp.cov(rows, correction=0), np.cov(rows, ddof=0), rtol=near, atol=near * 20
        )
        np.testing.assert_allclose(xp.corrcoef(rows), np.corrcoef(rows), rtol=near, atol=near)
        assert xp.cov(rows).dtype is (eq.float64 if dtype == "int32" else getattr(eq, dtype))


def test_constant_row_has_no_correlation():
    assert np.isnan(xp.corrcoef(np.array([[1.0, 2.0], [3.0, 3.0]])).numpy()).tolist() == [
        [False, True],
        [True, True],
    ]


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "float32"])
def test_averages_are_numpys(dtype: str):
    x, weights = (X * 9).astype(dtype), np.abs(X).astype(np.float32)
    for axis, given in (
        (None, None),
        (None, weights),
        (1, weights),
        ((0, 1), weights),
        (1, weights[0]),
        (0, [1, 2, 0]),
    ):
        expected = np.average(x.astype(np.float64), axis, given)
        found = xp.average(x, axis, given)
        np.testing.assert_allclose(found, expected, rtol=5e-3 if dtype == "float16" else 1e-5, atol=1e-5)
        assert (
            xp.average(x, axis, given, keepdims=True).shape == np.average(x, axis, given, keepdims=True).shape
        )


HISTOGRAMS: list[dict[str, Any]] = [
    {}, {"bins": 4}, {"bins": 5, "range": (-1, 1)}, {"bins": [-1, 0, 0.5, 2]}, {"bins": 3, "range": (2, 2)}, {"density": True},
    {"bins": 6, "weights": X**2}, {"bins": np.float32([0, 1]), "weights": X, "density": True},
]  # fmt: skip


@pytest.mark.parametrize("options", HISTOGRAMS, ids=str)
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_histograms_are_numpys(options: dict[str, Any], dtype: str):
    for x in ((X * 2).astype(dtype), np.full(X.shape, 3, dtype)):
        with np.errstate(all="ignore"):
            counts, edges = np.histogram(x, **options)
        found = xp.histogram(x, **options)
        np.testing.assert_allclose(found[1], edges, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(found[0], counts, rtol=1e-6)


def test_elements_at_edges_and_beside_them():
    counts, edges = eq.jit(lambda x: eq.histogram(x, 4, (0.0, 1.0)))(
        np.array([0, 0.25, 0.3, 1, 1.001, -0.1, np.nan])
    )
    assert counts.tolist() == [1, 2, 0, 1]
    assert edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert [each.numpy().tolist() for each in eq.histogram(np.ones(0), 2)] == [[0, 0], [0, 0.5, 1]]


def test_others_say_what_to_do():
    for act, words in (
        (lambda: xp.average(X, 1, np.ones(3)), "or for each along one axis"),
        (lambda: xp.cov(3.0), "have one or two axes"),
        (lambda: xp.histogram(X, 0), "give at least 1"),
        (lambda: xp.histogram(X, [1.0]), "at least 2"),
        (lambda: xp.histogram(X, 3, (2, 1)), "to a greater one, not \\(2, 1\\)"),
        (lambda: xp.histogram(X, 3, (0, np.inf)), "from a finite number"),
        (lambda: xp.histogram(X, weights=X[0]), "one for each element"),
    ):
        with pytest.raises(eq.ShapeError, match=words):
            act()
    with pytest.raises(eq.DTypeError, match="not one integer"):
        xp.histogram(X, 2.5)
