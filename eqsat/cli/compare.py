"""Compare cost models and extractors on graphs: costs, bounds, times, and how well predictions rank measured run times."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from eqsat.cli.arguments import (
    add_device,
    add_extractors,
    add_time_limit,
    destination,
    positive_integer,
    require_used,
)

if TYPE_CHECKING:
    from eqsat.cli.output import Output
    from eqsat.comparison import Source

FAILED = 1
SECONDS = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the graphs, models and extractors, where they are run, and where the table goes."""
    parser.add_argument(
        "graphs",
        nargs="+",
        metavar="FILE_OR_EXAMPLE",
        help="a graph file, a file of the extraction-gym format, or an example such as softmax",
    )
    parser.add_argument(
        "--cost",
        action="append",
        metavar="NAME",
        help="a cost model; may be given several times (default: all)",
    )
    add_extractors(parser, "bottom-up, greedy-dag, portfolio")
    add_time_limit(parser, SECONDS, "time limit of each extraction, in seconds")
    parser.add_argument(
        "--measure", action="store_true", help="also compile each extracted program and measure its run time"
    )
    parser.add_argument(
        "--processes",
        type=positive_integer,
        metavar="N",
        help="number of table cells to compute in parallel (default: one for each core)",
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="address of a Dask scheduler whose workers compute the table"
    )
    parser.add_argument(
        "--markdown", type=destination(), metavar="FILE", help="also write the table to this file"
    )
    parser.add_argument(
        "--plot",
        type=destination(),
        metavar="FILE",
        help="draw the table to this file; its ending gives the format (.png, .svg, .pdf)",
    )
    add_device(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print the table; the exit code is 1 if a row has an error.

    Raises:
        CommandError: an option would be ignored.
        ComparisonError: an extra is not installed, no cluster answers, or the plot cannot be written.
        ExtractionError: there is no cost model or extractor with a given name, or a file holds a malformed problem.
        GraphFileError: there is no such file or example, or no graph in it, or the table cannot be written.
    """
    import eqsat as eq
    from eqsat.cli.output import write_text
    from eqsat.comparison import Run, Suite, runner_for
    from eqsat.comparison.plots import require_drawable

    if arguments.cluster is not None:
        require_used(arguments, ("--processes",), "with --cluster")
    if arguments.plot is not None:
        require_drawable(arguments.plot)
    sources = {name: find_source(name) for name in arguments.graphs}
    suite = Suite.of(
        sources,
        arguments.cost,
        arguments.extractor,
        seconds=arguments.time_limit,
        plan=eq.Plan(device=arguments.device),
    )
    steps = len(suite.cells) + len(suite.graphs) * (2 if arguments.measure else 1)
    with (
        runner_for(arguments.processes, arguments.cluster) as runner,
        output.progress("compare", steps) as step,
    ):
        step("start")
        table = Run(suite, runner, step).table(measured=arguments.measure)
    output.show(table)  # first, so that it is not lost if a file cannot be written
    if arguments.markdown is not None:
        write_text(arguments.markdown, table.to_markdown())
    if arguments.plot is not None:
        table.plot(arguments.plot)
    output.document(table.to_json())
    return FAILED if any(row.error for row in table.rows) else 0


def find_source(name: str) -> Source:
    """The file of this name, or the graph of the example.

    Raises:
        GraphFileError: there is neither.
    """
    from eqsat.cli.graphs import find_graph

    return Path(name) if name and Path(name).exists() else find_graph(name)
