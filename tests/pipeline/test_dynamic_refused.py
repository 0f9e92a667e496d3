"""Extents outside of their bounds, what has no meaning for extents that only calls know, and their documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from tests.pipeline.test_dynamic import WITH_ROWS, M, N, product, softmax

A = np.ones((3, 4), np.float32)
DOUBLED = eq.trace(lambda x: x + 1, eq.spec((eq.dim("n", 1, 8) * 2,), eq.float32))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: eq.jit(softmax, dynamic={"x": {0: eq.dim("n", 1, 2)}})(A),
            r"argument 'x' has extent 3 on axis 0.* n in 1\.\.2",
        ),
        (lambda: eq.compile(WITH_ROWS)(A[:1]), r"argument 0 .* extent 1 on axis 0.* 2\.\.8"),
        (
            lambda: eq.compile(DOUBLED)(A[0, :3]),
            r"extent 3 on axis 0, which is 2·n with n in 1\.\.8; pad or cut it to 2 or 4$",
        ),
        (lambda: eq.compile(DOUBLED)(A[0, :0]), r"2·n with n in 1\.\.8; pass an array within the bounds$"),
        (lambda: eq.compile(DOUBLED)(np.ones(18, np.float32)), r"within the bounds, or .*dim\('n', 1, 9\)"),
        (lambda: eq.compile(WITH_ROWS)(A[:, :3]), "extent 3 on axis 1 and must have 4"),
        (lambda: eq.compile(WITH_ROWS)(A[0]), "has shape"),
        (
            lambda: eq.jit(product, dynamic={"a": {1: N}, "b": {0: N}})(A, A),
            "'b' has extent 3 on axis 0, .*'a' says on axis 1 that n is 4",
        ),
    ],
)
def test_calls_outside_of_the_bounds_are_refused(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(eq.ExtentError, match=told):
        call()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: eq.dim("n", 5, 4), r"5\.\.4"),
        (
            lambda: eq.trace(
                lambda x, y: x + y, eq.spec(eq.dim("n", 1, 8), eq.int8), eq.spec(eq.dim("n", 1, 9), eq.int8)
            ),
            r"dim 'n' is 1\.\.[89] in one place and 1\.\.[89] in another",
        ),
        (lambda: eq.dim("n", 0, 4), r"0\.\.4"),
        (lambda: eq.dim("2n", 1, 4), "no name"),
        (lambda: eq.dim("n", 1.0, 4), "integers"),  # pyright: ignore[reportArgumentType]
        (lambda: eq.jit(softmax, dynamic={"y": {0: N}}), "the arguments are: x"),
        (lambda: eq.jit(softmax, dynamic={1: {0: N}}), "the arguments are: x"),
        (lambda: eq.jit(softmax, dynamic={"x": {0: 5}}), "to a dim"),
        (lambda: eq.jit(softmax, dynamic={"x": {}}), "map axes to dims"),
        (lambda: eq.jit(softmax, dynamic={"x": {0: N}, 0: {1: M}}), "twice"),
        (lambda: eq.jit(softmax, dynamic={"x": {2: N}})(A), "names axis 2 of x"),
        (lambda: eq.jit(softmax, dynamic={"x": {0: N}})(3.0), "no array"),
        (lambda: eq.trace(lambda x: x + eq.ones((3, 4)), eq.spec((N, 4), eq.float32)), "extents"),
        (lambda: eq.trace(lambda x: x.reshape(-1), eq.spec((4, N), eq.float32)), "cannot reshape"),
        (lambda: eq.trace(lambda x: x[:5], eq.spec((N, 4), eq.float32)), "cannot tell"),
        (lambda: eq.trace(lambda x: x * (2.0 / x.shape[0]), eq.spec((N, 4), eq.float32)), "no value"),
        (lambda: eq.trace(lambda x: [x for _ in range(x.shape[0])], eq.spec((N, 4), eq.float32)), "count to it"),
        (lambda: eq.trace(lambda x: x * sum(reversed(range(1, x.shape[0] + 1))), eq.spec((N, 4), eq.float32)), "count to it"),
        (lambda: eq.trace(lambda x: next(iter(range(x.shape[0] * 2))) * x, eq.spec((N, 4), eq.float32)), "count to it"),
        (lambda: eq.trace(lambda x: x * len([0] * x.shape[0]), eq.spec((N, 4), eq.float32)), "count to it"),
        (lambda: eq.trace(lambda x: x + (1, 2, 3)[x.shape[0]], eq.spec((N, 4), eq.float32)), "count to it"),
        (lambda: eq.trace(lambda x: x + np.zeros(x.shape[0]).sum(), eq.spec((N, 4), eq.float32)), "count to it"),
        (lambda: eq.trace(lambda x: x + np.arange(x.shape[0]).sum(), eq.spec((N, 4), eq.float32)), "no value"),
        (lambda: eq.trace(lambda x: x * x.shape[0].__index__(), eq.spec((N, 4), eq.float32)), "count to it"),
        (lambda: eq.trace(lambda x: x * int(x.shape[0]), eq.spec((N, 4), eq.float32)), "no value"),
        (lambda: eq.trace(lambda x: x * (x.shape[0] + 0.5), eq.spec((N, 4), eq.float32)), "no value"),
        (lambda: eq.trace(lambda x: [row * 2 for row in x], eq.spec((N, 4), eq.float32)), "the length"),
        (lambda: eq.Extent(None), "no sum of products of dims"),  # pyright: ignore[reportArgumentType]
        (lambda: eq.Extent(5), "no sum of products of dims"),  # pyright: ignore[reportArgumentType]
        (eq.Extent, "no sum of products of dims"),
        (lambda: eq.Extent(((("n",), 1),)), "no sum of products of dims"),  # pyright: ignore[reportArgumentType]
        (lambda: N.at({"m": 3}), "an integer for each of: n"),
        (lambda: N.at({"n": 1.5}), "an integer for each of: n"),  # pyright: ignore[reportArgumentType]
        (lambda: N.within(None), "no bounds of variables"),  # pyright: ignore[reportArgumentType]
        (lambda: N.within({"n": (4, 1)}), "no bounds of variables"),
        (lambda: eq.dim("n"), "give the least and the greatest"),
        (lambda: N.bit_length() + 1, "no value"),
        (lambda: Fraction(N, 2), "no value"),
        (lambda: N + None, "cannot compute with the extent n and None"),
        (lambda: N * "x", "count to it"),
        (lambda: N + "x", "cannot compute with the extent n and 'x'"),  # pyright: ignore[reportOperatorIssue]
        (lambda: N @ N, "no value"),  # pyright: ignore[reportOperatorIssue]
        (lambda: N < None, "cannot compute with the extent n and None"),  # pyright: ignore[reportOperatorIssue]
        (lambda: float("inf") > N, "no value"),
        (lambda: N.is_multiple("x"), "no number of elements"),  # pyright: ignore[reportArgumentType]
        (lambda: N - N // 10**9, "cannot subtract"),
        (lambda: eq.trace(lambda x: x[::0], eq.spec((N, 4), eq.float32)), "not 0"),
        (lambda: eq.trace(lambda x: x[: x.shape[0] % 3], eq.spec((N, 4), eq.float32)), "cannot tell"),
        (lambda: eq.jit(eq.sum, dynamic={"x": {"rows": {0: N}}})({"columns": A}), "x\\['rows'\\], and there is no such array"),
        (lambda: eq.trace(lambda x: x[2], eq.spec((N, 4), eq.float32)), "out of range"),
        (lambda: eq.trace(lambda x: x / len(x), eq.spec((N, 4), eq.float32)), "length"),
        (lambda: eq.trace(lambda x: x / float(x.shape[0]), eq.spec((N, 4), eq.float32)), "no value"),
        (lambda: eq.compile(eq.trace(lambda x, y: (x * 2.0, y), eq.spec((N,), eq.float32), eq.spec((eq.dim("n", 1, 5),), eq.float32))), "dim 'n'"),
        (lambda: eq.compile(WITH_ROWS).stage("sink"), "parts"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused(make: Callable[[], Any], told: str) -> None:
    with pytest.raises(eq.EqsatError, match=told):
        make()


def test_quotients_by_large_numbers_are_written_at_once() -> None:
    assert str(N // 10**30) == f"(n // {10**30})"
    assert (+N) is N


def test_graphs_with_dims_are_written_and_read() -> None:
    def several(x: Any, y: Any) -> Any:
        return eq.concat([eq.ones((2, 4), dtype=eq.float32), x]) @ y.T + eq.asarray(y.shape[0])

    graph = eq.trace(several, eq.spec((N, 4), eq.float32), eq.spec((M, 4), eq.float32))
    document = json.loads(json.dumps(eq.to_json([graph])))
    assert eq.from_json(document) == [graph]


@pytest.mark.parametrize(
    "extent",
    [[[1, [["n", 0, 4]]]], [[1, [["n", 1, 4], 3]]], [[1.5, [["n", 1, 4]]]], 5, [[-1, [["n", 1, 4]]]], [[1, [["n", 1, 1 << 40]] * 2]],
     [[1, [["2", 1, 4]]]] * 99],
)  # fmt: skip
def test_extents_that_mean_nothing_are_refused(extent: Any) -> None:
    document = {"nodes": [["PARAM", "float32", [0, {"extent": extent}], []]], "roots": [0]}
    with pytest.raises(eq.GraphFileError):
        eq.from_json(document)


@pytest.mark.parametrize(
    "extent",
    [eq.dim("d", 1, 64), eq.dim("d", 1, 1 << 20), 2 * eq.dim("d", 1, 64), eq.dim("d", 1, 64) + 1],
    ids=str,
)
def test_values_of_dims_are_not_given_by_name(extent: Any) -> None:
    program = eq.compile(eq.trace(lambda x: x * 2, eq.spec((extent,), eq.float32)))
    x = np.ones(6, np.float32)
    for call in (lambda: program(x, d=5), lambda: program.run([x], {"d": 6})):
        with pytest.raises(eq.ExecutionError, match="dim 'd' takes its value from the shapes of the arrays"):
            call()
    with pytest.raises(eq.ExecutionError, match="variable 'q' has a value and is not in the program"):
        program(x, q=5)


def test_a_dim_that_no_shape_tells_is_given_by_name() -> None:
    program = eq.compile(eq.trace(lambda x: x * 2, eq.spec((eq.dim("d", 4, 64) // 2 + 1,), eq.float32)))
    x = np.ones(6, np.float32)
    assert program(x, d=10).tolist() == program(x, d=11).tolist() == [2] * 6
    with pytest.raises(eq.ExecutionError, match="variable 'd' has no value; give values by name"):
        program(x)
