"""Measures how far the chosen kernels may be above the best choice, at the same prices: the gap to the lower bound.

The programs are those of the demo, and with `--workloads` also those of `benchmarks.kernels`. Each is scheduled as `eqsat.compile` does, for the
device that `Plan` names. `ms` is processor time, from the array program to the kernels with their loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from time import process_time
from typing import Any

import eqsat as eq
from benchmarks.report import parser, publish
from benchmarks.search import Program, programs
from eqsat.demo.programs import PROGRAMS
from eqsat.dtype import parse_dtype
from eqsat.pipeline.compilation import drafts_of


def main(arguments: Sequence[str] | None = None) -> None:
    """Schedule each program."""
    command = parser(__doc__)
    command.add_argument("--workloads", action="store_true", help="those of benchmarks.kernels, too")
    command.add_argument("--programs", nargs="+", help="only these")
    parsed = command.parse_args(arguments)
    rows = [row(each) for each in wanted(parsed.programs, workloads=parsed.workloads)]
    publish("gaps", [*rows, summary(rows)], parsed)


def wanted(names: Sequence[str] | None, *, workloads: bool) -> Iterator[Program]:
    """The programs of these names, or all."""
    for program in programs():
        if program[0] in names if names else workloads or program[0] in PROGRAMS:
            yield program


def row(program: Program) -> dict[str, Any]:
    """One program: its predicted time, and the lower bound of the time of any choice of kernels."""
    name, function, inputs = program
    specs = [eq.spec(shape, parse_dtype(dtype)) for shape, dtype in inputs]
    start = process_time()
    made = drafts_of(eq.trace(lambda *arrays: function(eq, *arrays), *specs), eq.Plan()).schedule()
    return {
        "program": name,
        "kernels": len(made.kernels),
        "predicted us": round(made.predicted_seconds * 1e6, 1),
        "bound us": round(made.lower_bound * 1e6, 1),
        "gap %": round(100 * made.gap, 2),
        "ms": round((process_time() - start) * 1e3, 1),
    }


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The medians of all rows."""
    return {"program": "median"} | {
        column: round(median(each[column] for each in rows), 2) for column in rows[0] if column != "program"
    }


if __name__ == "__main__":
    main()
