"""Extract every e-graph of a directory, and store the results so that an interrupted run can continue."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eqsat.cli.arguments import EXTRACTOR, add_extractors, add_time_limit, destination
from eqsat.cli.extract import SECONDS

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.cli.output import Output
    from eqsat.extract.gym.collection import Outcome

FAILED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the directory, the algorithms and their time, and where the results are stored."""
    parser.add_argument("directory", help="a directory with files of the extraction-gym format, at any depth")
    add_extractors(parser, EXTRACTOR)
    add_time_limit(parser, SECONDS, "time limit for each file, in seconds")
    parser.add_argument(
        "--results",
        type=destination(),
        metavar="FILE",
        help="a SQLite file for the results; files whose results it already has are skipped",
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print a row for each file and extractor; the exit code is 1 if one of them failed.

    Raises:
        GraphFileError: there is no such directory, no file in it, or the results cannot be stored.
        ExtractionError: there is no such extractor.
    """
    from eqsat.extract.gym.collection import Results, find_files, run_collection

    files = find_files(Path(arguments.directory))
    names = arguments.extractor or [EXTRACTOR]
    with Results(arguments.results) as results, output.progress("gym", len(files) * len(names)) as step:
        outcomes = run_collection(files, names, arguments.time_limit, results, step)
    output.show(table(outcomes))
    for name in names:
        output.show(total(name, [outcome for outcome in outcomes if outcome.extractor == name]))
    output.document(document(outcomes))
    return FAILED if any(outcome.error for outcome in outcomes) else 0


def table(outcomes: list[Outcome]) -> Table:
    """A row for each file and extractor."""
    from rich.markup import escape
    from rich.table import Table

    from eqsat.cli.output import duration

    rows = Table("file", "extractor", "DAG cost", "lower bound", "gap", "time")
    for each in outcomes:
        if each.error:
            rows.add_row(escape(Path(each.file).name), each.extractor, escape(each.error))
            continue
        gap = "optimal" if each.optimal else f"{each.gap:.2%}"
        rows.add_row(
            escape(Path(each.file).name), each.extractor, f"{each.dag_cost:,.8g}", f"{each.lower_bound:,.8g}", gap, duration(each.seconds)
        )  # fmt: skip
    return rows


def total(name: str, outcomes: list[Outcome]) -> str:
    """What one extractor did over all files."""
    from eqsat.cli.output import duration

    done = [outcome for outcome in outcomes if not outcome.error]
    seconds = duration(sum(outcome.seconds for outcome in done))
    optimal = sum(outcome.optimal for outcome in done)
    return f"{name}: {len(done)} of {len(outcomes)} files, {optimal} proved optimal, {seconds} in all"


def document(outcomes: list[Outcome]) -> dict[str, Any]:
    """The same for `--json`."""
    return {
        "files": len({outcome.file for outcome in outcomes}),
        "seconds": sum(outcome.seconds for outcome in outcomes),
        "rows": [outcome.to_json() for outcome in outcomes],
    }
