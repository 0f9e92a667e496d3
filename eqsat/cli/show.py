"""Write an HTML page that shows an e-graph: its classes, the extracted program, the prices of other choices, and rules."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eqsat.cli.arguments import add_allow_custom, add_extractor, add_time_limit, destination

if TYPE_CHECKING:
    from eqsat.cli.output import Output
    from eqsat.show import Subject

COST, SECONDS = "loop-aware", 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what to show, how to extract, and where the page goes."""
    parser.add_argument(
        "graph", help="a graph file, an example such as softmax, or an e-graph of the extraction-gym format"
    )
    parser.add_argument(
        "--cost",
        metavar="NAME",
        help=f"the cost model for a graph; an e-graph file has its own costs (default: {COST})",
    )
    add_allow_custom(parser)
    add_extractor(parser)
    add_time_limit(parser, SECONDS, "approximate time limit of the extraction, in seconds")
    parser.add_argument(
        "--output",
        type=destination(),
        metavar="FILE.html",
        help="the page to write (default: a new temporary file)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Write the page and print where it is.

    Raises:
        GraphFileError: there is no such graph, or the page cannot be written.
        ExtractionError: there is no such cost model or extractor, or nothing can be extracted.
    """
    from rich.markup import escape

    from eqsat.show import write_page

    with output.progress("show", total=2) as step:
        step("saturate and extract")
        subject = find_subject(arguments)
        step("find prices and write")
        path = write_page(subject, arguments.output, browse=arguments.open)
    output.show(escape(str(path)))
    output.document(document(subject, path))
    return 0


def find_subject(arguments: argparse.Namespace) -> Subject:
    """The extraction from what the user named.

    Raises:
        GraphFileError: there is no such graph.
        ExtractionError: there is no such cost model or extractor, or nothing can be extracted.
    """
    from eqsat.extract import cost_model_named, extractor_named
    from eqsat.show import Subject

    extractor = extractor_named(arguments.extractor, arguments.time_limit)
    path = Path(arguments.graph)
    if is_egraph(path):
        from eqsat.errors import ExtractionError
        from eqsat.extract import load

        if arguments.cost:
            raise ExtractionError(f"{path} has costs of its own; drop --cost, or show a graph")
        return Subject(extractor.extract(load(path)), path.name)
    import eqsat as eq
    from eqsat.cli.graphs import find_graph

    cost = cost_model_named(arguments.cost, eq.Plan().machine) if arguments.cost else None
    plan = eq.Plan(cost=cost, extractor=extractor)
    return eq.optimize(find_graph(arguments.graph, allow_custom=arguments.allow_custom), plan).subject(
        path.name
    )


def is_egraph(path: Path) -> bool:
    """Whether a file has the extraction-gym format. A file that is no JSON is not refused here, but by its reader."""
    from eqsat.errors import GraphFileError
    from eqsat.graph_files.reading import read_json

    try:
        document = read_json(path)
    except GraphFileError:
        return False
    return isinstance(document, dict) and "root_eclasses" in document


def document(subject: Subject, path: Path) -> dict[str, Any]:
    """The same for `--json`."""
    found = subject.extraction
    return {
        "path": str(path),
        "bytes": path.stat().st_size,
        "nodes": found.problem.node_count,
        "classes": found.problem.class_count,
        "cost": found.dag_cost,
        "lower_bound": found.lower_bound,
        "optimal": found.optimal,
    }
