"""Norms, diagonals and products of vectors and matrices, held to NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp

X = np.random.default_rng(0).standard_normal((4, 3))


def test_cross_products_are_numpys():
    y = X[:1] ** 2
    np.testing.assert_allclose(xp.cross(X, y), np.cross(X, y), rtol=1e-14)
    np.testing.assert_allclose(
        xp.cross(X.T, X.T[::1, ::-1], axis=0), np.cross(X.T, X.T[:, ::-1], axis=0), rtol=1e-14
    )
    np.testing.assert_array_equal(xp.cross([1, 2, 3], [4, 5, 7]), np.cross([1, 2, 3], [4, 5, 7]))


def test_diagonals_are_numpys():
    for x in (X, np.stack([X, -X]), np.ones((0, 3))):
        for offset in (-5, -3, -1, 0, 1, 2, 7):
            np.testing.assert_array_equal(xp.diagonal(x, offset=offset), np.linalg.diagonal(x, offset=offset))


def test_kronecker_products_are_numpys():
    for one, other in ((X, X), (X, X[0]), (X[0], X), (2.0, X), (X, np.ones((2, 1, 3))), (X[:0], X)):
        np.testing.assert_array_equal(xp.kron(one, other), np.kron(one, other))


@pytest.mark.parametrize("order", [0, 0.5, 1, 2, 3, -1, np.inf, -np.inf])
def test_norms_are_numpys(order: float):
    for axis in (None, 0, (1, 0)):
        found = xp.vector_norm(X, axis=axis, keepdims=True, ord=order)
        np.testing.assert_allclose(
            found, np.linalg.vector_norm(X, axis=axis, keepdims=True, ord=order), rtol=1e-12
        )


def test_norms_of_other_dtypes():
    assert float(xp.vector_norm([3, 4])) == 5.0
    assert float(xp.vector_norm(np.float16([300, 400]))) == 500.0  # squares leave half precision


def test_others_say_what_to_do():
    for act, words in (
        (lambda: xp.cross(X, X[:, :2]), "its extent must be 3"),
        (lambda: xp.diagonal(X[0]), "is no matrix"),
        (lambda: xp.vector_norm(X, axis=2), "name one in"),
    ):
        with pytest.raises(eq.ShapeError, match=words):
            act()
