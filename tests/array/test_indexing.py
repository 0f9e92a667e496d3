"""Subscripts against NumPy."""

import math
import random

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.errors import IndexingError, ShapeError
from tests.array.compare import assert_agrees, numbers

X = numbers("int32", (6, 5, 4), 1)


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (1, -2),
        (1, 2, 3),
        slice(1, 4),
        slice(None, None, 2),
        slice(None, None, -1),
        slice(4, 0, -3),
        slice(-2, None),
        slice(100, None),
        slice(4, 1),
        slice(1, 100, 4),
        slice(5, None, 3),
        (slice(None), 2),
        (..., 1),
        (0, ..., slice(None, None, 3)),
        None,
        (None, 0, None, slice(1, 3)),
        (slice(0, 5, 2), None, slice(None, None, -2), slice(3, 0, -1)),
        Ellipsis,
        (),
        np.int64(3),
    ],
)
def test_basic_subscripts(key):
    assert_agrees(xp.asarray(X)[key], X[key])


@pytest.mark.parametrize(
    "key",
    [
        np.array([0, 3, -1]),
        np.array([[0, 1], [5, 2]]),
        (slice(None), np.array([4, 0])),
        (np.array([0, 1, 2]), np.array([3, 3, -4])),
        (np.array([[0], [1]]), np.array([3, 2, 1])),
        (np.array([0, 1]), slice(None), np.array([1, 0])),
        (slice(1, 4), np.array([0, 2]), np.array([1, 0])),
        (slice(1, 4), np.array([[0, 2]])),
        (np.array([0, 1]), ..., None),
        (None, np.array([0, 1], np.uint8), 2),
        [2, 0],
        np.array([], np.int64),
        (slice(None), slice(None), np.array([], np.int32)),
    ],
)
def test_integer_arrays_gather(key):
    assert_agrees(xp.asarray(X)[key], X[key])


def drawn_key(draw, shape):
    """Subscripts of all kinds, in which arrays broadcast to one shape of at most two axes."""
    common, least = [draw.randint(1, 3) for _ in range(draw.randint(0, 2))], min(shape)
    key = []
    for _ in range(draw.randint(1, len(shape))):
        if draw.random() < 0.1:
            key.append(None)
        if draw.random() < 0.1 and Ellipsis not in [each for each in key if not isinstance(each, np.ndarray)]:
            key.append(Ellipsis)
        of_array = [extent if draw.random() < 0.7 else 1 for extent in common][draw.randint(0, len(common)) :]
        positions = [draw.randint(-least, least - 1) for _ in range(math.prod(of_array))]
        key.append(
            draw.choice(
                [slice(None), slice(0, 1), draw.randint(-least, least - 1), np.reshape(positions, of_array)]
            )
        )
    return tuple(key)


def test_drawn_subscripts():
    """Integers beside arrays count as arrays, and whatever stands between arrays parts them."""
    draw = random.Random(0)
    for _ in range(600):
        shape = [draw.randint(1, 4) for _ in range(draw.randint(1, 5))]
        x, key = np.arange(math.prod(shape)).reshape(shape), drawn_key(draw, shape)
        key = tuple(each.astype(np.int64) if isinstance(each, np.ndarray) else each for each in key)
        assert_agrees(xp.asarray(x)[key], x[key])


def test_positions_may_be_lazy():
    positions = xp.arange(3) * 2
    assert_agrees(xp.asarray(X)[positions], X[[0, 2, 4]])
    assert_agrees(xp.asarray(X)[:, xp.asarray(1)], X[:, 1])


def test_take():
    positions = np.array([[1, -1], [0, 3]])
    for axis in (0, 1, -1):
        assert_agrees(xp.take(X, positions, axis=axis), np.take(X, positions, axis))
    assert_agrees(xp.take(X, positions), np.take(X, positions))
    assert_agrees(xp.take(X, 2, axis=1), np.take(X, 2, 1))


def test_positions_out_of_range_that_only_a_run_knows_give_zero():
    taken = eq.jit(xp.take)(np.array([5, 6]), np.array([0, 2, -3]))
    assert taken.tolist() == [5, 0, 0]


def test_take_along_axis():
    for axis in (0, 1, 2):
        order = np.argsort(X, axis)
        assert_agrees(xp.take_along_axis(X, order, axis), np.take_along_axis(X, order, axis))
    first = np.zeros((6, 1, 4), np.int64)
    assert_agrees(xp.take_along_axis(X, first, 1), np.take_along_axis(X, first, 1))
    assert_agrees(
        xp.take_along_axis(X, np.array([[[0, 3, 1]]]), 2), np.take_along_axis(X, np.array([[[0, 3, 1]]]), 2)
    )
    with pytest.raises(ShapeError, match="give as many axes"):
        xp.take_along_axis(X, np.array([0]))


def test_length_and_iteration():
    x = xp.asarray(X)
    assert len(x) == 6
    for actual, expected in zip(x, X, strict=True):
        assert_agrees(actual, expected)
    with pytest.raises(ShapeError, match="has no length"):
        len(x[0, 0, 0])


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (6, r"index 6 is out of range for axis 0 of \(6, 5, 4\); use -6..5"),
        ((0, 0, 0, 0), "cannot use 4 subscripts on an array of 3 axes"),
        ((..., 0, ...), "'...' more than once"),
        (1.5, "cannot index by 1.5; use integers, slices"),
        (True, "cannot index by the bool True"),
        (X > 0, r"use where\(mask, x, 0\)"),
        (np.array([0.5]), "cannot index by float64; convert the subscripts"),
    ],
)
def test_bad_subscripts_are_explained(key, message):
    with pytest.raises(IndexingError, match=message):
        xp.asarray(X)[key]
