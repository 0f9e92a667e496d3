"""How the time to optimize grows with the graph: chains of 10, 100, 1,000 and 10,000 elementwise operations.

`growth` is the exponent between this row and the one above: 1 is linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from statistics import median
from time import perf_counter
from typing import Any

import eqsat as eq
from benchmarks.report import milliseconds, parser, publish
from benchmarks.stages import render_sources

SIZES = (10, 100, 1_000, 10_000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each size."""
    command = parser(__doc__)
    command.set_defaults(rounds=3)
    command.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="operations in the chain")
    parsed = command.parse_args(arguments)
    measure(1, 1)  # what is done once per process: imports, registering the rules
    rows: list[dict[str, Any]] = []
    for size in parsed.sizes:
        row = measure(size, parsed.rounds)
        if rows:
            above = rows[-1]
            row["growth"] = round(
                log(row["optimize_ms"] / above["optimize_ms"]) / log(size / above["operations"]), 2
            )
        rows.append(row)
    publish("scaling", rows, parsed)


def measure(size: int, rounds: int) -> dict[str, Any]:
    """One row: the medians of optimizing alone, and of everything down to source."""
    graph = eq.trace(lambda x: chain(x, size), eq.spec((4096,), eq.float32))
    optimize: list[float] = []
    render: list[float] = []
    for _ in range(rounds):
        start = perf_counter()
        best = eq.optimize(graph, eq.Plan())
        optimize.append(perf_counter() - start)
        start = perf_counter()
        render_sources(graph, eq.Plan())
        render.append(perf_counter() - start)
    return {
        "operations": size,
        "uops": len(graph.toposort()),
        "optimize_ms": milliseconds(median(optimize)),
        "to_source_ms": milliseconds(median(render)),
        "egraph_nodes": best.report.nodes,
        "stop": best.report.stop.value,
        "growth": None,
    }


def chain(x: Any, size: int) -> Any:
    """Operations of several kinds in a row, no two neighbours alike, so that little folds away."""
    y = x
    for number in range(size):
        match number % 5:
            case 0:
                y = y * (1.0 + number % 97 / 16)
            case 1:
                y = y + x
            case 2:
                y = eq.maximum(y, -float(number % 97))
            case 3:
                y = y - 0.5 * (number % 97)
            case _:
                y = eq.sin(y)
    return y


if __name__ == "__main__":
    main()
