"""Elements along axes that only calls end: strided, reversed, joined, padded, repeated and drawn, and graphs of them optimized."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat as eq
from eqsat.extents import at as value_at
from eqsat.extents import quotient
from eqsat.specialization.capacities import Capacities
from tests.dynamic import at, evaluated, require_right
from tests.pipeline.test_dynamic import PROGRAMS as OTHERS

N, M = eq.dim("n", 2, 12), eq.dim("m", 1, 12)
VALUES = [{"n": 2, "m": 12}, {"n": 3, "m": 1}, {"n": 11, "m": 4}]
ONES = eq.ones((2, 3), dtype=eq.float32)


def halves(x: Any) -> Any:
    half = x.shape[0] // 2
    return x[:half] * 2.0, x[half:]


PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "every other": (lambda x: x[::2] + 1.0, [(N, 3)]),
    "every third column": (lambda x: x[:, 1::3], [(3, N)]),
    "inner ones": (lambda x: x[1:-1:2], [(N, 3)]),
    "backwards": (lambda x: x[::-1] - x, [(N,)]),
    "backwards from the last but one": (lambda x: x[-2::-2], [(N, 3)]),
    "in halves": (halves, [(N, 3)]),
    "product of strided": (lambda x, y: x[:, ::2] @ y[::2], [(3, N), (N, 4)]),
    "sums of both halves": (lambda x: eq.sum(x[::2], axis=0) - eq.sum(x[1::2], axis=0), [(N, 3)]),
    "two joined": (lambda x, y: eq.softmax(eq.concat([x, y], axis=1)), [(3, N), (3, M)]),
    "joined with a known one": (lambda x: eq.sum(eq.concat([x, ONES, x]), axis=0), [(N, 3)]),
    "flipped and rolled": (lambda x: eq.roll(eq.flip(x), 3, axis=0), [(N, 3)]),
    "framed": (lambda x: eq.pad(x, ((1, 2), (0, 1)), constant_values=7.0), [(N, 3)]),
    "convolution": (eq.conv1d, [(2, 3, N), (4, 3, 2)]),
    "framed convolution": (lambda x, w: eq.conv1d(x, w, padding=2, dilation=2), [(2, 3, N), (4, 3, 3)]),
    "convolution of an image in strides": (
        lambda x, w: eq.conv2d(x, w, padding=1, stride=2),
        [(1, 2, N, M), (2, 2, 3, 3)],
    ),
    "blocks": (lambda x: eq.max_pool1d(x, 2), [(3, N)]),
    "greatest of neighbours": (lambda x: eq.max_pool1d(x, 3, stride=1, padding=1), [(3, N)]),
    "mean of neighbours": (lambda x: eq.avg_pool2d(x, 2, stride=1, padding=1), [(3, N, M)]),
    "tiled": (lambda x: eq.tile(x, (2, 2)), [(N, 3)]),
    "inner rows of columns that calls count": (lambda x: x[1:-1] + 1.0, [(N, M)]),
    "differences of matrices": (lambda x: eq.cumulative_sum(x[1:] * x[:-1], axis=1), [(N, M, 3)]),
    "fewer rows from the start": (lambda x: eq.sum(x[1:], axis=0), [(N - 1, M)]),
    "numbers of an argument that nothing reads": (lambda x: eq.arange(x.shape[1]) * 2, [(N, M)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_elements_are_taken_at_positions_that_calls_know(name: str) -> None:
    function, shapes = PROGRAMS[name]
    require_right(function, shapes, VALUES)


LONG = eq.dim("n", 20, 100)
NEIGHBOURS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "differences": (lambda x: x[:-4] - x[4:], [(LONG,)]),
    "differences of columns": (lambda x: x[:, 2:] - 2.0 * x[:, :-2], [(3, LONG)]),
    "convolution": (eq.conv1d, [(2, 3, LONG), (4, 3, 3)]),
    "normalized rows": (eq.layer_norm, [(6, LONG)]),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_last_vector_of_an_axis_is_inside_of_it(name: str) -> None:
    """It begins where it ends with the axis, so that no lane needs a condition."""
    function, shapes = NEIGHBOURS[name]
    program = require_right(function, shapes, [{"n": n} for n in (20, 21, 35, 36, 37, 99, 100)])
    stores = [line for each in program.kernels for line in each.source.splitlines() if "out0 +" in line]
    assert stores
    assert not any("if (" in line for line in stores)


def test_work_items_have_all_elements_between_them() -> None:
    """Also where the last one would have less than a vector."""
    program = eq.compile(eq.trace(lambda x: x[:-4] - x[4:], eq.spec((eq.dim("n", 5, 4096),), eq.float32)))
    for n in (
        *range(5, 100),
        *range(100, 4097, 7),
        *(704 * k + rest for k in (1, 2, 5) for rest in range(24)),
    ):
        x = np.arange(n, dtype=np.float32) ** 2
        np.testing.assert_array_equal(program(x), x[:-4] - x[4:])


@pytest.mark.parametrize("shape", [(N,), (N, 3), (2, N)])
def test_numbers_are_those_that_a_fixed_shape_draws(shape: tuple[int, ...]) -> None:
    def drawn(x: Any) -> Any:
        return eq.random.bits(eq.random.key(3), x.shape)

    program = eq.compile(eq.trace(drawn, eq.spec(shape, eq.float32)))
    for values in VALUES:
        fixed = at(shape, values)
        np.testing.assert_array_equal(
            program(np.zeros(fixed, np.float32)), eq.random.bits(eq.random.key(3), fixed).numpy()
        )


def test_quotients_are_written_in_one_way() -> None:
    n = eq.dim("n", 1, 9)
    assert quotient(quotient(n, 2) + 1, 3) == quotient(n + 2, 6)
    assert quotient(n * 4 + 6, 4) == n + 1
    assert sum(quotient(n + part, 3) for part in range(3)) == n
    assert n - quotient(n, 3) == quotient(n + 1, 3) + quotient(n + 2, 3)
    assert n <= 4 * quotient(n + 3, 4)
    assert repr(quotient(n + 1, 2) * 3) == "3·((n + 1) // 2)"
    with pytest.raises(eq.ShapeError, match="divide by a positive number"):
        quotient(n, 0)


@pytest.mark.parametrize("value", range(1, 10))
def test_quotients_have_the_values_of_their_bounds(value: int) -> None:
    n = eq.dim("n", 1, 9)
    for extent, wanted in (
        (quotient(n * 3 + 1, 4), (value * 3 + 1) // 4),
        (n * quotient(n + 1, 2), value * ((value + 1) // 2)),
    ):
        assert isinstance(extent, eq.Extent)
        assert extent.at({"n": value}) == extent.within({"n": (value, value)}) == wanted
        assert extent.least <= wanted <= extent.greatest
    assert quotient(n, 2).within({"n": (4, 7)}).least == 2


@pytest.mark.parametrize("values", [{"n": 2, "m": 1}, {"n": 3, "m": 12}, {"n": 12, "m": 5}], ids=str)
def test_elements_of_axes_that_are_cut_have_the_values_of_their_bounds(values: dict[str, int]) -> None:
    n, m = values["n"], values["m"]
    for extent, wanted in (
        ((N - 2) * M, (n - 2) * m),
        (N * M - M, (n - 1) * m),
        ((N - 1) * (N - 1), (n - 1) ** 2),
    ):
        assert extent.at(values) == extent.within({"n": (n, n), "m": (m, m)}) == wanted
        for narrower in (extent.within({"n": (n, n)}), extent.within({"m": (m, 12)})):
            assert value_at(narrower, values) == wanted
        assert extent.least <= wanted <= extent.greatest <= extent.capacity
    assert (N - 2) * M >= 0


@pytest.mark.parametrize("make", [lambda: N * M - 3 * M, lambda: M - N * M, lambda: N * -1])
def test_what_falls_as_a_dim_rises_is_no_extent(make: Callable[[], Any]) -> None:
    with pytest.raises(eq.ShapeError, match="cannot subtract an extent"):
        make()


@pytest.mark.parametrize(
    ("function", "shape"), [(lambda x: x[:, ::2][:, ::2], (3, N)), (lambda x: x[1:] * 2.0, (N - 1, M))]
)
def test_graphs_with_quotients_and_differences_are_written_and_read(function: Any, shape: Any) -> None:
    graph = eq.trace(function, eq.spec(shape, eq.float32))
    assert eq.from_json(json.loads(json.dumps(eq.to_json([graph])))) == [graph]


@pytest.mark.parametrize("row", [[[[1, []]], 0], [[[1, [["n", 1, 4]]]], 2, 3, 4], [5, 2]])
def test_quotients_that_mean_nothing_are_refused(row: Any) -> None:
    with pytest.raises(eq.GraphFileError):
        eq.from_json({"nodes": [["PARAM", "float32", [0, {"extent": [[1, [row]]]}], []]], "roots": [0]})


# optimized apart from compiling


@pytest.mark.parametrize(
    "name", ["softmax along", "rows of a product", "attention", "counted", "pairs of rows", "two results"]
)
def test_optimized_graphs_mean_the_same_for_all_extents(name: str) -> None:
    function, shapes = OTHERS[name]
    best = eq.optimize(eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes)))
    for values in ({"n": 1, "m": 7}, {"n": 17, "m": 3}):
        arrays = [
            np.random.default_rng(4).normal(size=at(shape, values)).astype(np.float32) for shape in shapes
        ]
        found = eq.evaluate(best.uop, dict(enumerate(arrays)))
        for one, other in zip(found, evaluated(function, arrays), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_an_optimized_graph_with_dims_is_compiled_and_explained() -> None:
    graph = eq.trace(lambda x: (x + 0.0 * 1.0) * 1.0 + eq.asarray(x.shape[0]), eq.spec((N, 4), eq.float32))
    best = eq.optimize(graph)
    assert best.lower_bound <= best.cost
    best.explain().replay()
    x = np.ones((5, 4), np.float32)
    np.testing.assert_array_equal(eq.compile(best)(x), x + 5)


def test_numbers_tell_axes_apart() -> None:
    """Of two dims with the same bounds, and an axis that is as long as they have room for."""
    other = eq.dim("k", 2, 12)
    graph = eq.trace(
        lambda x, y: x[:, None] * y, eq.spec((N, 16), eq.float32), eq.spec((other, 16), eq.float32)
    )
    capacities = Capacities.of(graph)
    assert len({capacities.number(N), capacities.number(other), 16}) == 3
    assert capacities.restored(capacities.sized) is graph


# arguments in tuples, lists and dicts


class Layer(NamedTuple):
    weights: Any
    bias: Any


def test_arrays_in_containers_are_data_and_have_dims() -> None:
    def loss(layers: Any, batch: Any, scale: Any) -> Any:
        x = batch["x"]
        for layer in layers:
            x = x @ layer.weights + layer.bias
        return {"loss": eq.sum((x - batch["y"][0]) ** 2) * scale}

    function = eq.jit(loss, dynamic={"batch": {"x": {0: N}, "y": {0: {0: N}}}})
    layers = [Layer(np.eye(3), np.zeros(3)), Layer(np.ones((3, 2)), 1.0)]
    for n in (2, 3, 11):
        batch = {"x": np.ones((n, 3)), "y": [np.ones((n, 2)), "a constant"]}
        assert function(layers, batch, 2.0)["loss"] == n * 2 * 9 * 2.0
    assert len(function._states) == 1
    with pytest.raises(eq.ExtentError, match=r"batch\['y'\]\[0\] has extent 3"):
        function(layers, {"x": np.ones((4, 3)), "y": [np.ones((3, 2)), "a constant"]}, 2.0)
