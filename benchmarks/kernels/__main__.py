"""The command line of the benchmark."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from benchmarks import kernels
from benchmarks.kernels.contest import LIMIT, Contest
from benchmarks.kernels.drawn import KINDS, drawn
from benchmarks.kernels.peers import PEERS
from benchmarks.kernels.plot import draw
from benchmarks.kernels.summary import OURS, Standings, document, failures, row, summary
from benchmarks.kernels.table import WORKLOADS
from benchmarks.report import parser, publish, result_path


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the workloads named on the command line, or all of them."""
    parsed = _parsed(arguments)
    names = list(dict.fromkeys([OURS, *parsed.peers]))
    if parsed.drawn is None:
        title, workloads = "kernels", {name: WORKLOADS[name] for name in parsed.workloads}
    else:
        title = f"drawn-{parsed.drawn}"
        workloads = drawn(parsed.drawn, range(parsed.first, parsed.first + parsed.count))
    results: dict[str, Standings] = {}
    loads: dict[str, float] = {}
    with Contest([PEERS[name] for name in names], parsed.limit) as contest:
        for name, workload in workloads.items():
            print(name, file=sys.stderr)
            loads[name] = os.getloadavg()[0]
            results[name] = contest.measure(workload, parsed.rounds, parsed.budget)
    rows = [row(workloads[name], standings) for name, standings in results.items()]
    totals, reasons = summary(rows), failures(results)
    publish(
        title,
        rows,
        parsed,
        summary=totals,
        failures=reasons,
        loads=loads,
        standings={name: document(standings) for name, standings in results.items()},
    )
    if not parsed.json:
        for name, value in {**totals, **reasons}.items():
            print(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
    for path in filter(None, (parsed.plot, result_path(title, ".png") if parsed.save else None)):
        draw(rows, path)


def _parsed(arguments: Sequence[str] | None) -> Namespace:
    command = parser(kernels.__doc__)
    command.add_argument(
        "--workloads",
        nargs="+",
        choices=WORKLOADS,
        default=list(WORKLOADS),
        metavar="NAME",
        help=f"of {', '.join(WORKLOADS)}",
    )
    command.add_argument(
        "--drawn",
        metavar="SEED",
        help="instead of these, workloads with shapes, element types and axes that are drawn from this seed",
    )
    command.add_argument(
        "--count",
        type=int,
        default=len(KINDS),
        help="how many are drawn (default: all kinds, some of them several times: %(default)s)",
    )
    command.add_argument("--first", type=int, default=0, help="number of the first (default: %(default)s)")
    command.add_argument(
        "--peers",
        nargs="+",
        choices=PEERS,
        default=list(PEERS),
        metavar="NAME",
        help=f"of {', '.join(PEERS)}",
    )
    command.add_argument(
        "--budget",
        type=float,
        default=5.0,
        help="seconds in which one workload's turns are taken (default: %(default)s)",
    )
    command.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        help="seconds that a library may take to compile and check a workload, and for a turn (default: %(default)s)",
    )
    command.add_argument(
        "--plot", type=Path, help="where to draw the plot; with --save also beside the document"
    )
    return command.parse_args(arguments)


if __name__ == "__main__":
    main()
