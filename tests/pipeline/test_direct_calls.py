"""Calls that are tried before signatures are looked up: what is like an earlier call is told from what is not."""

import numpy as np
import pytest

import eqsat as eq
from tests.pipeline.test_just_in_time import Model, X, count_programs

DIRECT = 12  # calls of a program, of which the last ones are direct


def weighted(tree, weight=1.0):
    """Of each leaf and place in a tree something else, so that another structure has another value."""
    if isinstance(tree, dict):
        return sum(weighted(item, weight * (2 + len(key))) for key, item in tree.items())
    if isinstance(tree, list | tuple):
        kind = 3.0 if isinstance(tree, list) else 5.0
        return sum(weighted(item, weight * (kind + place)) for place, item in enumerate(tree))
    return tree * weight


V = np.arange(1.0, 4.0)
TREES = [
    V, (V, 2 * V), [V, 2 * V], (2 * V, V), {"a": V, "bb": 2 * V}, {"bb": V, "a": 2 * V}, {"a": V, "c": 2 * V},
    (V, (2 * V,)), ((V, 2 * V),), (V, 2.0), (V, 3.0), (V, 2), (V, True), (V, [2 * V, {"a": V}]), (V, [2 * V, {"a": 3 * V}]),
    (V, [2 * V, {"ab": V}]), (V, V.astype(np.float32)), (V[:2], 2 * V[:2]), (V[::2], 2 * V[:2]), (np.float64(2), V),
]  # fmt: skip


@pytest.mark.parametrize("by_name", [False, True])
def test_what_is_like_an_earlier_call_is_told_from_what_is_not(by_name):
    jitted = eq.jit(weighted)
    draw = np.random.default_rng(5)
    places = [*range(len(TREES)), *draw.integers(0, len(TREES), 100)]
    for place in places:
        tree = TREES[place]
        for _ in range(DIRECT):
            result = jitted(tree=tree) if by_name else jitted(tree)
            np.testing.assert_allclose(result, weighted(tree), rtol=1e-6)
    # Other elements, and a short array that is copied, are no other signature
    assert count_programs(jitted) == len(TREES) - 3


def test_names_of_arguments_are_part_of_a_call():
    jitted = eq.jit(lambda x, y, *, z: x - y * z)
    a, b, c = X + 1, X + 2, X + 3
    for _ in range(DIRECT):
        np.testing.assert_array_equal(jitted(a, b, z=c), a - b * c)
        np.testing.assert_array_equal(jitted(a, y=b, z=c), a - b * c)
        np.testing.assert_array_equal(jitted(y=a, x=b, z=c), b - a * c)
        np.testing.assert_array_equal(jitted(x=a, y=b, z=c), a - b * c)
        np.testing.assert_array_equal(jitted(z=a, x=b, y=c), b - c * a)


def test_an_object_that_is_an_argument_is_looked_at_in_each_call():
    model = Model()

    def call_often(expected):
        for _ in range(DIRECT):
            assert model.jitted(X)[0] == expected

    call_often(5)
    model.scale = 3
    call_often(6)
    model.weights[:] = 2
    call_often(9)
    model.offsets[1]["more"] = 3.0
    call_often(10)
    model = Model()
    call_often(5)


def test_scalars_of_numpy_are_data_in_each_call():
    jitted = eq.jit(lambda x, rate, steps=1: x * rate + steps)
    for rate in [
        np.float32(2),
        np.float32(3),
        np.float64(4),
        np.int32(5),
        6.0,
        np.asarray(7.0),
        np.float32(8),
    ]:
        for _ in range(DIRECT):
            np.testing.assert_array_equal(jitted(X, rate), X * rate + 1)
            np.testing.assert_array_equal(jitted(X, rate=rate, steps=np.float32(2)), X * rate + 2)
    assert count_programs(jitted) == 2 * 4


def test_an_object_that_tracing_changes_is_another_one_in_the_next_call():
    class Counter:
        count = 0

    def counted(counter, x):
        counter.count += 1
        return x * counter.count

    counter, jitted = Counter(), eq.jit(counted)
    assert [jitted(counter, X)[0] for _ in range(3)] == [1, 2, 3]
