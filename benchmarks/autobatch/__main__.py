"""The command line of the benchmark."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from math import isclose
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import autobatch
from benchmarks.autobatch import nuts
from benchmarks.autobatch.contestant import PEERS
from benchmarks.autobatch.inputs import inputs
from benchmarks.autobatch.rivals import answer, started, taken_in_turns
from benchmarks.report import parser, publish, result_path

PROGRAMS = ("fibonacci", "collatz", "gcd", "mandelbrot", "bisection", "ackermann")
OURS = "eqsat"
COMPILING = (OURS, "jax", "tfp")  # these compile one program when it is first called
CURVE = tuple(10**power for power in range(7))  # batch sizes of the curve


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the programs, and the curve of Fibonacci against the size of the batch."""
    parsed = _parsed(arguments)
    if parsed.nuts:
        found = nuts.rows_of(parsed.chains, parsed.rounds, parsed.budget, parsed.python)
        publish("autobatch-nuts", found, parsed, load=os.getloadavg()[0])
        return
    rows = [_row(name, parsed.batch, parsed.peers, parsed) for name in parsed.programs]
    curve = [_row("fibonacci", batch, [OURS], parsed) for batch in CURVE] if parsed.curve else []
    publish("autobatch", [*rows, *curve], parsed, load=os.getloadavg()[0])
    for path in filter(None, (parsed.plot, result_path("autobatch", ".png") if parsed.save else None)):
        _draw(rows, curve, path)


def _parsed(arguments: Sequence[str] | None) -> Namespace:
    command = parser(autobatch.__doc__)
    command.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), metavar="NAME")
    command.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS), metavar="NAME")
    command.add_argument("--batch", type=int, default=10_000, help="members (default: %(default)s)")
    command.add_argument(
        "--budget", type=float, default=5.0, help="seconds of turns for each program (default: %(default)s)"
    )
    command.add_argument("--curve", action="store_true", help="also Fibonacci for batches of 1 to 10^6")
    command.add_argument(
        "--nuts", action="store_true", help="instead, gradients of NUTS on a logistic regression in a second"
    )
    command.add_argument(
        "--chains",
        nargs="+",
        type=int,
        default=list(nuts.CHAINS),
        metavar="N",
        help="of NUTS (default: %(default)s)",
    )
    command.add_argument("--python", default=sys.executable, help="the interpreter that has the peers")
    command.add_argument("--plot", type=Path, help="where to draw the plot")
    return command.parse_args(arguments)


def _row(program: str, batch: int, peers: Sequence[str], parsed: Namespace) -> dict[str, Any]:
    """One row: the median and the least milliseconds of each library over all calls.

    Libraries that compile one program also have the seconds to their first result.
    """
    print(program, batch, file=sys.stderr)
    row: dict[str, Any] = {"program": program, "batch": batch}
    row |= dict.fromkeys(f"{peer}_first_s" for peer in COMPILING)
    with ExitStack() as stack:
        children: dict[str, subprocess.Popen[str]] = {}
        sums: dict[str, float] = {}
        for peer in dict.fromkeys([OURS, *peers]):
            python = sys.executable if peer in (OURS, "numpy") else parsed.python
            command = [python, "-m", "benchmarks.autobatch.contestant", peer, program, str(batch)]
            child = started(stack, command)
            if (ready := answer(child)) is not None:
                children[peer], (sums[peer], seconds) = child, ready
                row |= {f"{peer}_first_s": round(seconds, 2)} if peer in COMPILING else {}
        taken = taken_in_turns(children, parsed.rounds, parsed.budget)
    for peer in (OURS, *(each for each in PEERS if each != OURS)):
        known = peer in taken and isclose(sums[peer], sums[OURS], rel_tol=1e-3)
        row[f"{peer}_ms"] = round(median(taken[peer]) * 1e3, 4) if known else None
        row[f"{peer}_least_ms"] = round(min(taken[peer]) * 1e3, 4) if known else None
    if program == "fibonacci":
        row["calls_per_s"] = float(f"{_calls(batch) / min(taken[OURS]):.3g}")
    else:
        row["calls_per_s"] = None
    return row


def _calls(batch: int) -> int:
    """The number of calls that a naive Fibonacci makes for all members."""
    counts = [1, 1]
    for _ in range(11):
        counts.append(counts[-1] + counts[-2] + 1)
    return int(np.array(counts)[inputs("fibonacci", batch)[0]].sum())


def _draw(rows: Sequence[dict[str, Any]], curve: Sequence[dict[str, Any]], path: Path) -> None:
    """Draws the times of all libraries, and the curve."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    bars, line = figure.subplots(1, 2)
    for number, peer in enumerate(PEERS):
        known = [(place, row[f"{peer}_ms"]) for place, row in enumerate(rows) if row[f"{peer}_ms"]]
        bars.bar(
            [place + number * 0.16 for place, _ in known], [value for _, value in known], 0.16, label=peer
        )
    bars.set_xticks(range(len(rows)), [row["program"] for row in rows], rotation=30)
    bars.set(yscale="log", ylabel="milliseconds")
    bars.legend()
    line.plot([row["batch"] for row in curve], [row["calls_per_s"] for row in curve], marker="o")
    line.set(xscale="log", yscale="log", xlabel="members", ylabel="calls of Fibonacci in a second")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
