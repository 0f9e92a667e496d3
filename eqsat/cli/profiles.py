"""Profiles of saturations as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.egraph.search.report import Profile, Work

SHOWN = 25  # rules in the table, those that took longest


def tables(profile: Profile) -> list[Any]:
    """Tables of the rules that took longest and of the other steps, and a summary in words."""
    from rich.markup import escape

    report = profile.report
    fired = [rule for rule in profile.rules if rule.matches]
    lines = [
        f"{report.iterations} iterations, {report.rows:,} rows, {report.nodes:,} nodes in {report.classes:,} classes; {report.explanation}",
        f"never fired: {len(profile.never_fired)} of {len(profile.rules)} rules",
    ]
    if profile.dominating:
        lines.append(f"more than a quarter of the time or of the rows: {', '.join(profile.dominating)}")
    return [
        _table(f"{min(SHOWN, len(fired))} of {len(fired)} rules that fired", fired[:SHOWN]),
        _table("other steps", profile.steps),
        *map(escape, lines),
    ]


def _table(title: str, works: Sequence[Work]) -> Table:
    from rich.table import Table

    from eqsat.cli.output import duration

    table = Table("name", title=title, title_justify="left")
    for column in ("matches", "rows", "time", "last useful"):
        table.add_column(column, justify="right")
    for work in works:
        last = "" if work.last_useful is None else str(work.last_useful)
        table.add_row(work.name, f"{work.matches:,}", f"{work.rows:+,}", duration(work.seconds), last)
    return table


def document(profile: Profile) -> dict[str, Any]:
    """The whole profile for `--json`."""
    report = profile.report
    return {
        "stop": report.stop.value,
        "explanation": report.explanation,
        "iterations": report.iterations,
        "rows": report.rows,
        "nodes": report.nodes,
        "classes": report.classes,
        "seconds": report.seconds,
        "banned": list(report.banned),
        "dominating": list(profile.dominating),
        "never_fired": list(profile.never_fired),
        "rules": [asdict(work) for work in profile.rules],
        "steps": [asdict(work) for work in profile.steps],
    }
