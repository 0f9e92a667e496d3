"""Measure the loop choices of each kernel that are predicted to be quickest, and store the quickest one for later compilations.

`eqsat.compile(graph, Plan(tune=K))` finds what was measured here with `--candidates K`. An interrupted run continues where it stopped.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eqsat.cli.arguments import add_allow_custom, add_device, positive_integer

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.cli.output import Output
    from eqsat.schedule.kernel import Kernel, Tuning

CANDIDATES = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the graph, and how many choices of each kernel to measure."""
    parser.add_argument("graph", help="a graph file, or the name of an example such as softmax or matmul")
    parser.add_argument(
        "--candidates",
        type=positive_integer,
        default=CANDIDATES,
        metavar="K",
        help="number of loop choices to measure for each kernel (default: %(default)s)",
    )
    add_allow_custom(parser)
    add_device(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print a table of the kernels; with `--json` {"device", "kernels": [{name, launches, tuning…}…]}.

    Raises:
        DeviceError: there is no such device, or another process cannot use it.
        GraphFileError: there is no such graph.
    """
    import eqsat as eq
    from eqsat.cli.graphs import find_graph

    graph = find_graph(arguments.graph, allow_custom=arguments.allow_custom)
    with output.progress("tune") as step:
        step("compile and measure")
        program = eq.compile(graph, eq.Plan(device=arguments.device, tune=arguments.candidates))
    rows = [
        (kernel, launches, kernel.tuning)
        for kernel, launches in Counter(program.schedule.kernels).items()
        if kernel.tuning is not None
    ]
    output.show(
        table_of(rows),
        *(f"{kernel.name}: {reason}" for kernel, _, tuning in rows for reason in tuning.failed),
    )
    output.document({"device": program.device.name, "kernels": [document(*row) for row in rows]})
    return 0


def table_of(rows: Sequence[tuple[Kernel, int, Tuning]]) -> Table:
    """A row for each kernel: the predicted and measured times of the choice without tuning, and of the choice taken."""
    from rich.table import Table

    titles = (
        "kernel",
        "launches",
        "predicted before",
        "measured before",
        "predicted",
        "measured",
        "tried",
        "failed",
    )
    table = Table(*titles)
    for kernel, launches, tuning in rows:
        times = (tuning.predicted_before, tuning.measured_before, kernel.predicted_seconds, tuning.measured)
        counts = str(tuning.tried), str(len(tuning.failed))
        table.add_row(kernel.name, str(launches), *map(_time, times), *counts)
    return table


def document(kernel: Kernel, launches: int, tuning: Tuning) -> dict[str, Any]:
    """The row of one kernel for `--json`; times that could not be measured are null."""
    from dataclasses import asdict

    return {
        "name": kernel.name,
        "launches": launches,
        "schedule": kernel.choice,
        "predicted_seconds": kernel.predicted_seconds,
        **asdict(tuning),
    }


def _time(seconds: float | None) -> str:
    from eqsat.cli.output import duration

    return "–" if seconds is None else duration(seconds)
