"""Measures programs that are compiled once for all extents of an axis, beside programs of fixed shapes.

The programs are softmax, products of matrices, attention and a small network, for n in 1…4096; with --more also windows, images, sums and
positions along a dim, cells, integers and two dims at once. The results of every program are compared with those of its meaning for up to 40
values of n. For some n it is timed beside a program that is compiled for that shape; both take turns, and the least time counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from benchmarks.dynamic_programs import MORE, USUAL, Case
from benchmarks.report import parser, publish

TURN = 5e-4  # seconds of one turn
MOST_EVALUATED = 1024  # the greatest n for which the reference interpreter is quick enough
TIMED = (1, 16, 64, 384, 1021, 2048)
CHECKED = (
    1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 96, 127, 128, 129, 191, 255, 256, 257, 383, 384, 385, 509, 511, 512, 513,
    769, 1021, 1024, 2053, 4096,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all programs, or some."""
    command = parser(__doc__)
    command.add_argument("programs", nargs="*", help="only these")
    command.add_argument("--more", action="store_true", help="also programs that are less common")
    command.add_argument("--extents", type=int, nargs="*", default=TIMED, help="values of n that are timed")
    command.add_argument(
        "--unchecked", action="store_true", help="do not compare with what is expected for 40 values of n"
    )
    parsed = command.parse_args(arguments)
    every = USUAL | MORE
    unknown = [name for name in parsed.programs if name not in every]
    if unknown:
        command.error(f"there is no program {unknown[0]!r} to measure; name some of: {', '.join(every)}")
    rows: list[dict[str, Any]] = []
    for name in parsed.programs or (every if parsed.more else USUAL):
        case = every[name]
        program = eq.compile(case.traced(case.shapes))
        right = 0 if parsed.unchecked else _compared(case, program)
        rows += [
            {"program": name, "n": n, **_measured(case, program, n, parsed.rounds), "right for": right}
            for n in parsed.extents
            if case.takes(n)
        ]
    publish("dynamic", rows, parsed)


def _compared(case: Case, program: eq.Program) -> int:
    """Compares the program with its meaning, and returns for how many values of n; for great ones the reference interpreter takes too long."""
    values = [n for n in CHECKED if case.takes(n) and (case.meaning is not None or n <= MOST_EVALUATED)]
    for n in values:
        arrays = case.arrays(n)
        for found, expected in zip(program.run(arrays), case.expected(arrays), strict=True):
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    return len(values)


def _measured(case: Case, program: eq.Program, n: int, rounds: int) -> dict[str, Any]:
    """The least times for one extent, and their ratio."""
    arrays = case.arrays(n)
    fixed = eq.compile(case.traced([array.shape for array in arrays]))
    calls = {"dynamic": program, "fixed": fixed}
    repeats = {which: _repeats(call, arrays) for which, call in calls.items()}
    least = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for which, call in calls.items():
            call.run(arrays)
            start = perf_counter()
            for _ in range(repeats[which]):
                call.run(arrays)
            least[which] = min(least[which], (perf_counter() - start) / repeats[which])
    milliseconds = {f"{which} ms": seconds * 1e3 for which, seconds in least.items()}
    return {**milliseconds, "ratio": least["dynamic"] / least["fixed"]}


def _repeats(call: eq.Program, arrays: list[NDArray[Any]]) -> int:
    """The number of calls in one turn, so that a turn is long enough for the clock."""
    for _ in range(3):  # the second call of a shape is the first one past the queue
        start = perf_counter()
        call.run(arrays)
    return max(1, min(100, int(TURN / max(perf_counter() - start, 1e-7))))  # pyright: ignore[reportPossiblyUnboundVariable]


if __name__ == "__main__":
    main()
