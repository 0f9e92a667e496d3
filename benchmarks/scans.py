"""Measures scans by functions of the user's beside `jax.lax.scan` and `jax.lax.associative_scan`.

Both run the same Python functions, compiled, and take turns; results are compared. The first call, which compiles, is reported separately.

Needs JAX: pip install -e ".[benchmark]"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from benchmarks.report import parser, publish

Function = Callable[..., Any]
OfOne = Callable[[Any], Any]
OfTwo = Callable[[Any, Any], Any]
F = np.float32  # so that numbers keep single precision everywhere


class Library(NamedTuple):
    """What programs are written with.

    Attributes:
        xp: functions of arrays.
        scan, associative_scan: scans along the first axis.
    """

    xp: Any
    scan: Callable[[OfTwo, Any, Any], Any]
    associative_scan: Callable[[OfTwo, Any], Any]


def smoothing(library: Library) -> OfOne:
    """Exponential smoothing."""
    return lambda x: library.scan(lambda level, v: 2 * (level + F(0.1) * (v - level),), x[0], x)[1]


def biquad(library: Library) -> OfOne:
    """A filter of second order."""

    def step(kept: Any, x: Any) -> Any:
        y = F(0.2) * x + kept[0]
        return (F(0.3) * x + F(0.5) * y + kept[1], F(0.2) * x - F(0.2) * y), y

    return lambda x: library.scan(step, (x[0] * 0, x[0] * 0), x)[1]


def kalman(library: Library) -> OfOne:
    """Position and speed, of measured positions."""
    move, noise = np.array([[1, 1], [0, 1]], F), np.eye(2, dtype=F) / F(100)

    def step(kept: Any, measured: Any) -> Any:
        mean, spread = kept
        mean, spread = move @ mean, move @ spread @ move.T + noise
        gain = spread[:, 0] / (spread[0, 0] + F(0.5))
        mean = mean + gain * (measured - mean[0])
        return (mean, spread - gain[:, None] * spread[0][None, :]), mean

    return lambda x: library.scan(step, (x[:2] * 0, np.eye(2, dtype=F)), x)[1]


def tridiagonal(library: Library) -> Function:
    """Elimination of the rows of tridiagonal systems, forwards."""

    def step(kept: Any, rows: Any) -> Any:
        below, diagonal, above, right = rows
        pivot = diagonal - below * kept[0]
        following = above / pivot, (right - below * kept[1]) / pivot
        return following, following

    return lambda *rows: library.scan(step, (rows[0][0] * 0, rows[0][0] * 0), rows)[1]


def recurrent_cell(library: Library) -> OfOne:
    """A recurrent network; its products have no formulas of single elements."""
    weights = np.random.default_rng(0).normal(size=(64, 64)).astype(F) / F(8)
    return lambda x: library.scan(lambda h, v: 2 * (library.xp.tanh(h @ weights + v),), x[0] * 0, x)[1]


def compositions(library: Library) -> OfTwo:
    """h → a·h + b, composed."""
    return lambda a, b: library.associative_scan(lambda f, g: (g[0] * f[0], g[0] * f[1] + g[1]), (a, b))


def products(library: Library) -> OfOne:
    """Of matrices."""
    return lambda x: library.associative_scan(lambda a, b: b @ a, x)


CASES: Sequence[tuple[Callable[[Library], Function], Sequence[tuple[int, ...]]]] = (
    (smoothing, [(5000,)]),
    (smoothing, [(500, 64)]),
    (biquad, [(4000, 64)]),
    (biquad, [(44100,)]),
    (kalman, [(1000,)]),
    (tridiagonal, 4 * [(64, 512)]),
    (recurrent_cell, [(100, 16, 64)]),
    *((compositions, 2 * [(count,)]) for count in (1000, 10_000, 100_000, 1_000_000)),
    (compositions, 2 * [(1000, 64)]),
    (products, [(4096, 2, 2)]),
    (products, [(1000, 3, 3)]),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all scans."""
    parsed = parser(__doc__).parse_args(arguments)
    lax, jax = import_module("jax.lax"), import_module("jax")
    libraries = {
        "eqsat": (Library(eq, eq.scan, eq.associative_scan), eq.jit, np.asarray),
        "jax": (Library(jax.numpy, lax.scan, lax.associative_scan), jax.jit, jax.numpy.asarray),
    }
    rows = [measured(program, shapes, libraries, parsed.rounds) for program, shapes in CASES]
    publish("scans", rows, parsed)


def measured(
    program: Callable[[Library], Function],
    shapes: Sequence[tuple[int, ...]],
    libraries: dict[str, tuple[Library, Function, Function]],
    rounds: int,
) -> dict[str, Any]:
    """One row: the median microseconds of a call of each, and how many times as fast eqsat is, by turns."""
    calls: dict[str, Callable[[], Any]] = {}
    first: dict[str, float] = {}
    results: list[list[NDArray[Any]]] = []
    for name, (library, jit, convert) in libraries.items():
        compiled, given = jit(program(library)), [convert(each) for each in drawn(shapes)]
        calls[name] = finished(compiled, given)
        start = perf_counter()
        results.append(calls[name]())
        first[name] = perf_counter() - start
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = perf_counter()
            call()
            times[name].append(perf_counter() - start)
    ratios = [theirs / ours for ours, theirs in zip(times["eqsat"], times["jax"], strict=True)]
    return {
        "scan": program.__name__,
        "shape": shapes[0],
        **{f"{name}_us": round(1e6 * median(each), 1) for name, each in times.items()},
        "times_as_fast": round(median(ratios), 2),
        **{f"{name}_first_s": round(each, 2) for name, each in first.items()},
    }


def finished(compiled: Function, given: Sequence[Any]) -> Callable[[], list[NDArray[Any]]]:
    """A call that returns its results as NumPy arrays, so that it has ended."""

    def call() -> list[NDArray[Any]]:
        found: Any = compiled(*given)
        return list(map(np.asarray, found if isinstance(found, tuple) else (found,)))  # pyright: ignore[reportUnknownArgumentType]

    return call


def drawn(shapes: Sequence[tuple[int, ...]]) -> list[NDArray[Any]]:
    """Random arguments; matrices are rotations of a plane, so that their products stay of one size, and the second array of several is far from 0."""
    generator = np.random.default_rng(0)
    arrays = [generator.random(shape, np.float32) for shape in shapes]
    for place, each in enumerate(arrays):
        if each.ndim == 3 and each.shape[1] == each.shape[2]:
            arrays[place] = np.linalg.qr(each.astype(np.float64))[0].astype(F)
        elif len(arrays) > 2 and place == 1:
            arrays[place] = each + F(3)
    return arrays


if __name__ == "__main__":
    main()
