"""Runs extractors on the e-graphs of a directory in the extraction-gym format: cost, lower bound, gap and time.

There is a row for each file and extractor, and one for all files of each extractor. `eqsat gym` prints the same; this benchmark also stores it
beside the other results.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import parser, publish
from eqsat.extract import EXTRACTORS
from eqsat.extract.gym.collection import Outcome, Results, find_files, run_collection

USUAL = ("bottom-up", "greedy-dag", "beam", "portfolio")


def main(arguments: Sequence[str] | None = None) -> None:
    """Extract every file of a directory with the extractors named on the command line, or the usual ones."""
    command = parser(__doc__)
    command.add_argument("directory", type=Path, help="where the files are, at any depth")
    command.add_argument(
        "--extractor", action="append", choices=tuple(EXTRACTORS), help=f"default: {', '.join(USUAL)}"
    )
    command.add_argument(
        "--time-limit", type=float, default=60.0, help="seconds a file (default: %(default)s)"
    )
    command.add_argument("--results", help="a SQLite file; what it holds already is not computed again")
    parsed = command.parse_args(arguments)
    names = parsed.extractor or USUAL
    with Results(parsed.results) as results:
        outcomes = run_collection(find_files(parsed.directory), names, parsed.time_limit, results)
    totals = [total(name, [each for each in outcomes if each.extractor == name]) for name in names]
    publish("gym", [*map(row, outcomes), *totals], parsed, time_limit=parsed.time_limit)


def row(outcome: Outcome) -> dict[str, Any]:
    """One file and extractor; costs are None if nothing was extracted."""
    done = not outcome.error
    return {
        "file": Path(outcome.file).name,
        "extractor": outcome.extractor,
        "cost": outcome.dag_cost if done else None,
        "bound": outcome.lower_bound if done else None,
        "gap": round(outcome.gap, 5) if done else None,
        "optimal": int(outcome.optimal),
        "seconds": round(outcome.seconds, 3),
    }


def total(name: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All files of one extractor: how many are proved optimal, and the seconds that they took together."""
    return {
        "file": f"all {len(outcomes)}",
        "extractor": name,
        "cost": None,
        "bound": None,
        "gap": None,
        "optimal": sum(outcome.optimal for outcome in outcomes),
        "seconds": round(sum(outcome.seconds for outcome in outcomes), 3),
    }


if __name__ == "__main__":
    main()
