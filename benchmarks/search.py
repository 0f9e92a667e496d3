"""Measures the time to choose the loops of kernels. The scheduler does this for each kernel of a program, and for each variant that it tries.

The kernels are those of the demo's programs and of the workloads of `benchmarks.kernels`, optimized; equal kernels of a program count once. Times
are the least processor times of all rounds. A candidate is a schedule that the search looked at, whether or not its memory traffic was priced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any

import eqsat as eq
from benchmarks.kernels.table import WORKLOADS
from benchmarks.members import dense
from benchmarks.report import parser, publish
from eqsat.demo.programs import PROGRAMS
from eqsat.dtype import parse_dtype
from eqsat.machine import PROCESSOR
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.loops.search import choose
from eqsat.schedule.plan import draft

Program = tuple[str, Callable[..., Any], list[tuple[tuple[int, ...], str]]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the kernels of each program."""
    command = parser(__doc__)
    command.add_argument("--programs", nargs="+", help="only these")
    parsed = command.parse_args(arguments)
    rows = [
        measure(name, kernels_of(function, inputs), parsed.rounds)
        for name, function, inputs in programs()
        if not parsed.programs or name in parsed.programs
    ]
    publish("search", [*rows, total(rows)], parsed)


def programs() -> Iterator[Program]:
    """The programs: their names, their functions of an array namespace and arrays, and the shapes and dtypes of these."""
    for program in PROGRAMS.values():
        yield program.name, program.function, list(program.inputs)
    for workload in WORKLOADS.values():
        yield workload.name, workload.function, [(each.shape, each.dtype) for each in workload.inputs]


def kernels_of(function: Callable[..., Any], inputs: list[tuple[tuple[int, ...], str]]) -> list[Profile]:
    """The profiles of the different kernels of a program."""
    specs = [eq.spec(shape, parse_dtype(dtype)) for shape, dtype in inputs]
    graph = eq.optimize(eq.trace(lambda *arrays: function(eq, *arrays), *specs)).uop
    drafts = draft(dense(graph), PROCESSOR).kernels
    return list({each.sink: each.profile for each in drafts}.values())


def measure(name: str, kernels: Sequence[Profile], rounds: int) -> dict[str, Any]:
    """The row of one program."""
    times = [
        [seconds(lambda kernel=kernel: choose(kernel, PROCESSOR)) for _ in range(rounds)]
        for kernel in kernels
    ]
    candidates = sum(choose(kernel, PROCESSOR).looked_at for kernel in kernels)
    return row(name, len(kernels), candidates, sum(map(min, times)) * 1e3)


def seconds(run: Callable[[], object]) -> float:
    """The processor time of one call in seconds."""
    start = process_time()
    run()
    return process_time() - start


def total(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The row for all programs together."""
    return row("all", *(sum(each[column] for each in rows) for column in ("kernels", "candidates", "ms")))


def row(name: str, kernels: int, candidates: int, taken: float) -> dict[str, Any]:
    """A row: milliseconds of all kernels, milliseconds per kernel, and candidates per second."""
    return {
        "program": name,
        "kernels": kernels,
        "candidates": candidates,
        "ms": round(taken, 3),
        "ms_per_kernel": round(taken / kernels, 3),
        "candidates_per_second": round(candidates / taken * 1e3),
    }


if __name__ == "__main__":
    main()
