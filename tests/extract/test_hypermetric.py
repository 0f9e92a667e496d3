"""Inequalities that all signs obey: what is found is violated by the products given, and by no signs."""

import itertools

import numpy as np
import pytest

from eqsat.extract.bounds.pairs.hypermetric import different, violated_extensions, violated_triangles

SIZE = 7
SIGNS = np.array(list(itertools.product((1, -1), repeat=SIZE)))


def products(seed, rank):
    vectors = np.random.default_rng(seed).standard_normal((SIZE, rank))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors @ vectors.T


def values(inequalities, given):
    return np.einsum("ik,ij,jk->k", inequalities, given, inequalities)


@pytest.mark.parametrize("rank", [2, 3, 7])
def test_triangles_are_violated_by_the_products_and_by_no_signs(rank):
    for seed in range(10):
        found = violated_triangles(products(seed, rank), 100)
        assert np.all(np.count_nonzero(found, axis=0) == 3)
        assert np.all(np.abs(SIGNS @ found) >= 1)
        assert np.all(values(found, products(seed, rank)) < 1)


def test_the_triangles_violated_most_come_first():
    given = products(0, 2)
    every = violated_triangles(given, 1000)
    assert len(different(every)) == every.shape[1] > 3
    assert np.array_equal(violated_triangles(given, 3), every[:, :3])
    assert np.all(np.diff(values(every, given)) >= 0)


def test_every_triangle_that_is_violated_is_found():
    given = products(1, 2)
    count = 0
    for places in itertools.combinations(range(SIZE), 3):
        for signs in itertools.product((1, -1), repeat=2):
            vector = np.zeros((SIZE, 1))
            vector[list(places), 0] = 1, *signs
            count += values(vector, given)[0] < 1 - 2 * 0.05
    assert violated_triangles(given, 1000).shape[1] == count


def test_all_vectors_equal_but_for_signs_violate_nothing():
    signs = SIGNS[37]
    given = np.outer(signs, signs).astype(float)
    assert violated_triangles(given, 100).shape == (SIZE, 0)
    triangles = np.zeros((SIZE, 1), np.int8)
    triangles[:3] = 1
    assert violated_extensions(given, triangles, 100).shape == (SIZE, 0)


def test_extensions_are_violated_by_the_products_and_by_no_signs():
    total = 0
    for seed in range(20):
        given = products(seed, 4)
        triangles = np.zeros((SIZE, 35), np.int8)
        for number, places in enumerate(itertools.combinations(range(SIZE), 3)):
            triangles[list(places), number] = 1, -1, 1
        found = violated_extensions(given, triangles, 100)
        total += found.shape[1]
        assert np.all(np.count_nonzero(found, axis=0) == 5)
        assert np.all(np.abs(SIGNS @ found) >= 1)
        assert np.all(values(found, given) < 1)
        assert len(different(found)) == found.shape[1]
    assert total > 20


def test_the_best_extension_is_found():
    """Five equal angles on a circle: no triangle of it is worse than the pentagon is."""
    angles = 2 * np.pi * np.arange(5) / 5
    given = np.cos(angles[:, None] - angles)
    triangle = np.array([[1], [1], [1], [0], [0]], np.int8)
    assert violated_extensions(given, triangle, 1).tolist() == [[1]] * 5


def test_an_inequality_with_all_signs_changed_is_the_same():
    inequalities = np.array([[0, 0, 1], [1, -1, 1], [-1, 1, 1], [1, -1, 0]], np.int8)
    assert different(inequalities) == [0, 2]
    assert different(inequalities[:, :0]) == []
