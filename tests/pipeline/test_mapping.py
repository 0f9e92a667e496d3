"""`vmap` applies a function to every member of a batch."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.errors import BuildError, ShapeError

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((5, 3)).astype(np.float32)
Y = RANDOM.standard_normal((4, 3)).astype(np.float32)


def test_members_on_any_axis():
    def f(x, y):
        return eq.sum(x * y), eq.cumulative_sum(x)

    total, running = eq.vmap(f, in_axes=(0, -1))(X, X.T)
    np.testing.assert_allclose(total, (X * X).sum(1), rtol=1e-6)
    np.testing.assert_allclose(running, X.cumsum(1), rtol=1e-6)
    total, running = eq.vmap(f, in_axes=(0, None), out_axes=-1)(X, Y[0])
    np.testing.assert_allclose(total, X @ Y[0], rtol=1e-5)
    np.testing.assert_allclose(running, X.cumsum(1).T, rtol=1e-6)


def test_nested_and_compiled():
    distances = eq.jit(eq.vmap(lambda x: eq.vmap(lambda y: eq.sum((x - y) ** 2))(Y)))
    np.testing.assert_allclose(distances(X), ((X[:, None] - Y) ** 2).sum(-1), rtol=1e-5)


def test_arrays_of_the_surroundings_are_shared():
    @eq.jit
    def scores(x, weights):
        return eq.vmap(lambda row: weights @ row)(x)

    np.testing.assert_allclose(scores(X, Y), X @ Y.T, rtol=1e-5)


def test_structures():
    def f(pair, named):
        return {"sum": pair[0] + named["x"], "first": (pair[1],)}

    found = eq.vmap(f)((X, X * 2), {"x": X})
    np.testing.assert_allclose(found["sum"], X * 2)
    np.testing.assert_allclose(found["first"][0], X * 2)


def test_lists_of_arrays_are_structures_as_for_jit():
    for listed in (eq.vmap(lambda pair: pair[0] + 1), eq.jit(eq.vmap(lambda pair: pair[0] + 1))):
        np.testing.assert_array_equal(listed([X, X * 10]), X + 1)
    first, [second] = eq.vmap(lambda nested: [nested["x"][0], [nested["y"]]])({"x": [X * 2], "y": X})
    np.testing.assert_array_equal(first, X * 2)
    np.testing.assert_array_equal(second, X)
    np.testing.assert_array_equal(eq.vmap(lambda x: x * 2)([1.0, 2.0, 3.0]), [2.0, 4.0, 6.0])  # numbers alone


def test_arguments_by_name_are_shared():
    found = eq.vmap(lambda x, *, scale: x * scale)(X, scale=Y[0])
    np.testing.assert_allclose(found, X * Y[0])


def test_an_empty_batch():
    assert eq.vmap(eq.sum)(np.zeros((0, 3))).shape == (0,)


def test_results_that_do_not_depend_on_the_member_are_repeated():
    np.testing.assert_array_equal(eq.vmap(lambda x: eq.asarray([1, 2]))(X), [[1, 2]] * 5)


eq.custom_function("mapped_ramp", lambda a: np.maximum(a, 0), opencl="fmax({0}, 0.0f)")
eq.custom_function("mapped_sum", np.add, opencl="{0} + {1}")
eq.custom_function("mapped_sort", lambda a: np.sort(a, axis=-1))


@pytest.mark.parametrize("around", [lambda function: function, eq.jit], ids=["at once", "traced"])
def test_custom_functions_of_elements(around):
    signed = X - X.mean()
    ramp = around(eq.vmap(lambda a: eq.call_custom("mapped_ramp", a) * 2))
    np.testing.assert_array_equal(ramp(signed), np.maximum(signed, 0) * 2)
    both = around(eq.vmap(lambda a, b: eq.call_custom("mapped_sum", a, b), in_axes=(0, None)))
    np.testing.assert_array_equal(both(X, X[0]), X + X[0])
    nested = around(eq.vmap(eq.vmap(lambda a: eq.call_custom("mapped_sum", a, a[:1]))))
    np.testing.assert_array_equal(nested(X[:, None]), (X + X[:, :1])[:, None])


def test_custom_functions_on_the_host_are_refused_by_name_if_they_depend_on_the_member():
    with pytest.raises(BuildError, match="custom function 'mapped_sort' .* outside of vmap .* OpenCL C"):
        eq.vmap(lambda a: eq.call_custom("mapped_sort", a))(X)
    shared = eq.jit(lambda x, y: eq.vmap(lambda a: a + eq.call_custom("mapped_sort", y))(x))
    np.testing.assert_array_equal(shared(X, X[0, ::-1].copy()), X + np.sort(X[0]))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((X, Y), {}, ShapeError, "5 and of 4 members"),
        ((X,), {"in_axes": None}, BuildError, "no axis of members"),
        ((X,), {"in_axes": (0, 0)}, BuildError, "2 axes for 1"),
        ((X,), {"in_axes": 2}, ShapeError, "axis 2 of 2 axes"),
    ],
)
def test_wrong_calls(arguments, options, error, message):
    with pytest.raises(error, match=message):
        eq.vmap(lambda *x: x[0], **options)(*arguments)
