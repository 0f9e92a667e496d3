"""Programs that are compiled once for all extents of an axis, beside programs of fixed shapes.

Softmax, products of matrices, attention and a small network, for n in 1…4096. Every program is compared with NumPy for 40 values of n, and
timed for some beside a program compiled for that shape; both take turns, and the least time counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from benchmarks.report import parser, publish

Arrays = list[NDArray[Any]]

GREATEST = 4096
N = eq.dim("n", 1, GREATEST)
TIMED = (1, 16, 64, 384, 1021, 2048)
CHECKED = (
    1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 96, 127, 128, 129, 191, 255, 256, 257, 383, 384, 385, 509, 511, 512, 513,
    769, 1021, 1024, 2053, 4096,
)  # fmt: skip


def softmax(x: Any) -> Any:
    """Of rows."""
    return eq.softmax(x)


def product(a: Any, b: Any) -> Any:
    """Of matrices."""
    return a @ b


def network(x: Any, first: Any, second: Any, third: Any) -> Any:
    """Three layers."""
    return eq.maximum(eq.maximum(x @ first, 0.0) @ second, 0.0) @ third


def _softmax(x: NDArray[Any]) -> NDArray[Any]:
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _attention(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    return _softmax(q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(q.shape[-1]))) @ v


def _network(x: NDArray[Any], *weights: NDArray[Any]) -> NDArray[Any]:
    for weight in weights[:-1]:
        x = np.maximum(x @ weight, 0)
    return x @ weights[-1]


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[tuple[int, ...]]]] = {
    "softmax": (softmax, _softmax, [(N, 1024)]),
    "product, rows": (product, np.matmul, [(N, 512), (512, 512)]),
    "product, columns": (product, np.matmul, [(512, 512), (512, N)]),
    "product, reduced": (product, np.matmul, [(512, N), (N, 512)]),
    "attention": (eq.attention, _attention, [(4, N, 64)] * 3),
    "network": (network, _network, [(N, 784), (784, 256), (256, 128), (128, 10)]),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all programs, or some."""
    command = parser(__doc__)
    command.add_argument("programs", nargs="*", help="only these")
    command.add_argument("--extents", type=int, nargs="*", default=TIMED, help="values of n that are timed")
    command.add_argument(
        "--unchecked", action="store_true", help="do not compare with NumPy for 40 values of n"
    )
    parsed = command.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    for name in parsed.programs or PROGRAMS:
        function, meaning, shapes = PROGRAMS[name]
        program = eq.compile(_traced(function, shapes))
        right = 0
        for n in () if parsed.unchecked else CHECKED:
            arrays = _arrays(shapes, n)
            np.testing.assert_allclose(program(*arrays), meaning(*arrays), rtol=1e-3, atol=1e-4)
            right += 1
        rows += [
            _measured(name, function, shapes, program, n, parsed.rounds) | {"right for": right}
            for n in parsed.extents
        ]
    publish("dynamic", rows, parsed)


def _measured(
    name: str,
    function: Callable[..., Any],
    shapes: list[tuple[int, ...]],
    program: eq.Program,
    n: int,
    rounds: int,
) -> dict[str, Any]:
    """The row for one extent."""
    arrays = _arrays(shapes, n)
    fixed = eq.compile(_traced(function, [array.shape for array in arrays]))
    calls = {"dynamic": program, "fixed": fixed}
    least = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for which, call in calls.items():
            call(*arrays)
            start = perf_counter()
            call(*arrays)
            least[which] = min(least[which], perf_counter() - start)
    milliseconds = {f"{which} ms": seconds * 1e3 for which, seconds in least.items()}
    return {"program": name, "n": n, **milliseconds, "ratio": least["dynamic"] / least["fixed"]}


def _traced(function: Callable[..., Any], shapes: Sequence[tuple[int, ...]]) -> eq.UOp:
    return eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))


def _arrays(shapes: Sequence[tuple[int, ...]], n: int) -> Arrays:
    """Random arrays of these shapes for a value of n."""
    draw = np.random.default_rng(n)
    known = [tuple(n if isinstance(extent, eq.Extent) else extent for extent in shape) for shape in shapes]
    return [draw.normal(size=shape, scale=0.2).astype(np.float32) for shape in known]


if __name__ == "__main__":
    main()
