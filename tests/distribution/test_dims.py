"""Programs of several devices whose extents only calls know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.distribution import collectives
from eqsat.distribution.collectives import Link, ring
from tests.dynamic import at, evaluated

DEVICES = ["basic", "pthread"]
N, M, K, L = eq.dim("n", 1, 7), eq.dim("m", 1, 7), eq.dim("k", 2, 12), eq.dim("l", 5, 12)
VALUES = [
    dict(zip("nmkl", each, strict=True))
    for each in ((1, 7, 2, 5), (2, 1, 3, 6), (7, 5, 11, 9), (6, 6, 12, 12))
]


def over(x: Any, axis: int = 0) -> Any:
    return eq.shard(x, DEVICES, axis=axis)


def gradient(weights: Any, x: Any, y: Any) -> Any:
    x, y = over(x), over(y)
    return x.T @ (x @ weights - y)


def step(first: Any, second: Any, x: Any, y: Any) -> Any:
    x, y = over(x), over(y)
    hidden = eq.tanh(x @ first)
    error = (hidden @ second - y) / x.shape[0]
    back = (error @ second.T) * (1.0 - hidden * hidden)
    return first - 0.1 * (x.T @ back), second - 0.1 * (hidden.T @ error)


PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "gradient": (gradient, [(3,), (N, 3), (N,)]),
    "training step": (step, [(4, 8), (8, 2), (N, 4), (N, 2)]),
    "product by columns and rows": (lambda x, w: over(x, 1) @ over(w), [(N, 6), (6, 5)]),
    "softmax along the parts": (lambda x: eq.softmax(over(x), axis=0), [(N, 4)]),
    "parts and a whole": (lambda x, y: over(x) + y, [(N, 4), (N, 4)]),
    "product of rows and columns in parts": (lambda x, y: over(x) @ over(y, 1), [(N, M), (M, K)]),
    "greatest of products": (lambda x, y: eq.argmax(over(x)[:, None] * over(y, 1), axis=2), [(N, M), (K, M)]),
    "parts of rows and of columns": (lambda x, y: over(x)[:, None] * over(y)[None], [(N,), (N,)]),
    "rows but for a few": (lambda x: eq.max(over(x)[1:], axis=0) + over(x), [(L, M)]),
}
CUT: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "differences of rows": (lambda x: over(x)[1:] - over(x)[:-1], [(K, M)]),
    "inner rows": (lambda x: over(x)[1:-1:2] * 2.0, [(K, 3)]),
    "first half": (lambda x: eq.sum(over(x)[: x.shape[0] // 2], axis=0), [(K, 3)]),
}
"""What one device computes, since only calls know in which part it is, or since one part has all of it."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_program_on_two_devices_is_right_for_all_extents(name: str) -> None:
    require_right_on(2, *PROGRAMS[name])


@pytest.mark.parametrize("name", CUT)
def test_rows_that_are_cut_from_parts_are_right_for_all_extents(name: str) -> None:
    require_right_on(1, *CUT[name])


def require_right_on(devices: int, function: Callable[..., Any], shapes: list[tuple[int, ...]]) -> None:
    program = eq.compile(eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes)))
    assert len(program.devices) == devices
    for values in VALUES:
        draw = np.random.default_rng(values["n"])
        arrays = [draw.normal(size=at(shape, values)).astype(np.float32) for shape in shapes]
        for one, other in zip(program.run(arrays), evaluated(function, arrays), strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_arrays_with_known_axes_are_combined_around_a_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces are cut along an axis whose extent is known."""
    made: list[Any] = []
    monkeypatch.setattr(Link, "prefers_ring", lambda *_: True)
    monkeypatch.setattr(collectives, "ring", lambda *given: made.append(given[-1]) or ring(*given))
    require_right_on(2, lambda x, w, y: over(x, 1) @ over(w) * over(y), [(N, 6), (6, 5), (N, 5)])
    assert made
    assert set(made) == {((N, 5), 1)}


def test_calls_outside_of_the_bounds_are_refused_on_several_devices() -> None:
    program = eq.compile(eq.trace(lambda x: over(x) * 2.0, eq.spec((N, 2), eq.float32)))
    with pytest.raises(eq.ExtentError, match=r"n in 1\.\.7"):
        program(np.ones((8, 2), np.float32))
