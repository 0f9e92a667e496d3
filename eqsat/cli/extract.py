"""Choose one node for each class of an e-graph in the extraction-gym format, so that the whole costs least."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eqsat.cli.arguments import add_extractor, add_time_limit, destination

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.cli.output import Output
    from eqsat.extract import Extraction, Extractor

SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the file, how to search, and for how long."""
    parser.add_argument("file", help="a JSON file of the extraction-gym collection")
    add_extractor(parser)
    add_time_limit(parser, SECONDS, "approximate time limit, in seconds")
    parser.add_argument(
        "--output",
        type=destination(),
        metavar="FILE",
        help="write the chosen node of each class to a JSON file",
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print the costs and the bound.

    Raises:
        GraphFileError: the file cannot be read or written, or is not of the format.
        ExtractionError: the problem is malformed or has no solution, or there is no such extractor.
    """
    from eqsat.cli.output import duration
    from eqsat.extract import Progress, extractor_named, load

    with output.progress("extract") as step:
        step(f"read {arguments.file}")
        problem = load(arguments.file)

        def tell(now: Progress) -> None:
            step(f"cost {now.dag_cost:,.6g}, bound {now.lower_bound:,.6g}")

        extractor = extractor_named(arguments.extractor, arguments.time_limit, tell)
        step(extractor.name)
        found = extractor.extract(problem)
    found.validate()
    if arguments.output:
        write_choice(found, arguments.output)
    output.show(table(found, extractor))
    output.show(
        f"{duration(found.seconds)} for {problem.node_count:,} nodes in {problem.class_count:,} classes"
    )
    output.document(document(found, extractor))
    return 0


def table(found: Extraction, extractor: Extractor) -> Table:
    """A table of the costs, and of how far they may be above the optimum."""
    from rich.table import Table

    rows = Table(show_header=False, title=extractor.name, title_justify="left")
    rows.add_row("DAG cost", f"{found.dag_cost:,.10g}")
    rows.add_row("lower bound", f"{found.lower_bound:,.10g}" + (" (optimal)" if found.optimal else ""))
    rows.add_row("gap", f"{found.gap:.2%}")
    rows.add_row("tree cost", f"{found.tree_cost:,.10g}")
    return rows


def document(found: Extraction, extractor: Extractor) -> dict[str, Any]:
    """The same for `--json`."""
    return {
        "extractor": extractor.name,
        "tree_cost": found.tree_cost,
        "dag_cost": found.dag_cost,
        "lower_bound": found.lower_bound,
        "gap": found.gap,
        "optimal": found.optimal,
        "seconds": found.seconds,
    }


def write_choice(found: Extraction, path: Path) -> None:
    """Writes the name of the chosen node of each class that the roots reach, as JSON.

    Raises:
        GraphFileError: the file cannot be written.
    """
    from eqsat.cli.output import write_text

    problem = found.problem
    choice: list[int] = found.choice.tolist()
    chosen = {
        problem.class_names[owner]: problem.node_names[node] for owner, node in enumerate(choice) if node >= 0
    }
    write_text(path, json.dumps(chosen, indent=1))
