"""Steps on the host of arrays with dims, among them views of arguments: what they give is what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from tests.dynamic import at

N, M = eq.dim("n", 1, 6), eq.dim("m", 2, 5)
EXTREMES = [{"n": 1, "m": 5}, {"n": 6, "m": 2}]
SHAPES: list[tuple[int, ...]] = [(N,), (N, M), (1, N), (N, 2, M)]
Function = Callable[..., Any]  # of NumPy or eqsat, and of arrays

eq.custom_function("sums_so_far", lambda x: np.cumsum(x, axis=0))


def sums_so_far(xp: Any, x: Any) -> Any:
    return eq.call_custom("sums_so_far", x) if xp is eq else np.cumsum(x, axis=0)


def reversed_axes(xp: Any, x: Any) -> Any:
    return xp.permute_dims(x, tuple(reversed(range(x.ndim))))


STEPS: dict[str, Function] = {
    "sorted": lambda xp, x: xp.sort(x, axis=0),
    "positions": lambda xp, x: xp.argsort(x, axis=-1),
    "median": lambda xp, x: xp.median(x, axis=0),
    "custom of sorted": lambda xp, x: sums_so_far(xp, xp.sort(x, axis=0)),
}
VIEWS: dict[str, Function] = {
    "itself": lambda xp, x: x,
    "axis in front": lambda xp, x: x[None],
    "axis behind": lambda xp, x: x[..., None],
    "axes on both sides": lambda xp, x: x[None, ..., None],
    "flat": lambda xp, x: xp.reshape(x, (-1,)),
    "flat with an axis": lambda xp, x: xp.reshape(x, (-1, 1)),
    "permuted": reversed_axes,
    "permuted with an axis": lambda xp, x: reversed_axes(xp, x)[:, None],
    "first row": lambda xp, x: x[0] if x.ndim > 1 else x[:1],
    "differences of pairs": lambda xp, x: x[:, None] - x[None, :],
}
UNKNOWN = {
    "flat",
    "flat with an axis",
}  # extents that only calls know are not merged, but for an outermost one
MERGED: set[tuple[int, ...]] = {(N,), (1, N)}


def require_as_numpy(
    function: Function, shapes: Sequence[tuple[int, ...]], folder: Path | None = None
) -> None:
    """Compiles a function once, and compares its results at the bounds of dims; of a program that was saved, if there is a folder."""
    program = eq.compile(
        eq.trace(lambda *arrays: function(eq, *arrays), *(eq.spec(shape, eq.float64) for shape in shapes))
    )
    if folder is not None:
        program.save(folder / "program")
        program = eq.load(folder / "program")
    draw = np.random.default_rng(7)
    for values in EXTREMES:
        known = [at(shape, values) for shape in shapes]
        arrays = [draw.permutation(int(np.prod(shape))).reshape(shape).astype(np.float64) for shape in known]
        for one, other in zip(program.run(arrays), function(np, *arrays), strict=True):
            assert one.shape == np.shape(other), values
            np.testing.assert_allclose(one, other, err_msg=str(values))


@pytest.mark.parametrize(
    ("view", "shape", "step"),
    [
        (view, shape, step)
        for (view, shape), step in zip(
            product(VIEWS, SHAPES), cycle(["beside a kernel", *STEPS]), strict=False
        )
        if view not in UNKNOWN or shape in MERGED
    ],
)
def test_views_of_arguments_reach_steps_and_kernels(view: str, shape: tuple[int, ...], step: str) -> None:
    """A step takes a view of an argument, in turns; or a kernel does, beside a step that takes the argument itself."""

    def function(xp: Any, x: Any) -> Any:
        viewed = VIEWS[view](xp, x)
        return (STEPS[step](xp, viewed),) if step in STEPS else (xp.sort(x, axis=0), viewed * 2.0)

    require_as_numpy(function, [shape])


DATA = np.arange(3.0)
SEVERAL: dict[str, tuple[Function, list[tuple[int, ...]]]] = {
    "a matrix and a column": (lambda xp, x, y: (xp.where(x > 3.0, x, y[:, None]), xp.sort(x, axis=1)), [(N, M), (N,)]),
    "first one is not read": (lambda xp, x, y: (xp.sort(y[:, None], axis=0),), [(N, M), (N,)]),
    "last one is not read": (lambda xp, x, y: (xp.sort(x[:, None], axis=0),), [(N,), (N, M)]),
    "products of all pairs": (lambda xp, x, y: (xp.sort(x[:, None] * y, axis=0), xp.median(y), x[None]), [(N,), (M,)]),
    "data of the graph": (lambda xp, x: (xp.sort(x[:, None] * DATA, axis=0), x[:, None] + DATA), [(N,)]),
    "multiples of a dim": (lambda xp, x, y: (xp.sort(x[:, None], axis=0), xp.sort(y[:, None], axis=0)), [(2 * N,), (N,)]),
    "median and all products": (lambda xp, x: (xp.median(x), xp.sum(x[:, None] * x[None, :])), [(N,)]),
    "what a step gave": (lambda xp, x: (xp.sort(xp.sort(x)[:, None] - x[None, :], axis=0), xp.sort(x)[:, None]), [(N,)]),
    "elements at positions": (lambda xp, x: (xp.take(x[:, None], xp.argsort(x), axis=0),), [(N,)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("is_saved", [False, True])
def test_shapes_of_all_arrays_are_known(name: str, is_saved: bool, tmp_path: Path) -> None:
    function, shapes = SEVERAL[name]
    require_as_numpy(function, shapes, tmp_path if is_saved else None)
