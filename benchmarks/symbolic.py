"""Simplifies scalar and index expressions, and compares the results with a peer's: `python -m benchmarks.symbolic FILE`.

The file holds cases, `{"cases": [{"id", "kind", "input", "peer", "peer_ops", "peer_weighted"}, …]}`, with graphs in the form that
`benchmarks.cases` reads. Every result is compared with its input at all points, or at samples. Registering the rules is not timed.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

import eqsat as eq
from benchmarks.cases import Graph, UnsupportedError, count, read_graph, text, written
from benchmarks.equivalence import differing
from benchmarks.report import milliseconds, parser
from eqsat.errors import EqsatError
from eqsat.uop import UOp


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one case.

    Attributes:
        case: the case in the file.
        seconds: the time to simplify it.
        operations, weight: the number of operations of eqsat's result, and the sum of their weights; None if there is no result.
        before: the input as formulas.
        after: the result as formulas.
        differs: a point at which the result differs from the input; None if there is none.
        unsupported: why the case has no UOps; empty if it has.
    """

    case: Mapping[str, Any]
    seconds: float = 0.0
    operations: int | None = None
    weight: int | None = None
    before: str = ""
    after: str = ""
    differs: Mapping[str, Any] | None = None
    unsupported: str = ""

    @property
    def is_right(self) -> bool:
        """Whether there is a result, and it computes the same as the input."""
        return self.operations is not None and self.differs is None

    @property
    def is_worse(self) -> bool:
        """Whether the peer has fewer operations, or eqsat has no right result."""
        return not self.is_right or (self.operations or 0) > self.case["peer_ops"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all cases of a file."""
    command = parser(__doc__)
    command.add_argument("file", type=Path, help="cases, as JSON")
    command.add_argument(
        "--worse", action="store_true", help="list the cases in which the peer has fewer operations"
    )
    command.add_argument(
        "--case", type=int, action="append", help="only the case of this id; may be given again"
    )
    parsed = command.parse_args(arguments)
    cases = json.loads(parsed.file.read_text())["cases"]
    if parsed.case:
        cases = [case for case in cases if case["id"] in parsed.case]
    warm_up()
    outcomes = [measure(case) for case in cases]
    if parsed.json:
        print(json.dumps(summary(outcomes)))
        return
    console = Console(width=None if Console().is_terminal else 160)
    console.print(_table(f"symbolic: {parsed.file.name}", [summary(outcomes)]))
    console.print(_table("by kind", by_kind(outcomes)))
    for outcome in outcomes if parsed.worse or parsed.case else ():
        if outcome.is_worse or parsed.case:
            print(describe(outcome))


def warm_up() -> None:
    """Registers the rules, which happens once per process: those for integers, and those for floats."""
    i = eq.variable("i", 0, 15)
    eq.simplify((i < 4).where(i // 4, -1))
    eq.simplify(i.cast(eq.float32) * 2.0)


def measure(case: Mapping[str, Any]) -> Outcome:
    """Simplifies one case, all its results together, and checks it."""
    try:
        graph = read_graph(case["input"])
    except UnsupportedError as error:
        return Outcome(case, unsupported=str(error))
    start = perf_counter()
    try:
        roots = simplify_together(graph.roots)
    except EqsatError as error:
        return Outcome(case, unsupported=str(error))
    seconds = perf_counter() - start
    kept = written(graph, roots)
    operations, weight = count(kept)
    return Outcome(
        case,
        seconds,
        operations,
        weight,
        text(written(graph, graph.roots)),
        text(kept),
        differing(graph, roots),
    )


def simplify_together(roots: Sequence[UOp]) -> tuple[UOp, ...]:
    """The roots, simplified so that they share operations."""
    return eq.simplify(UOp.sink(*roots)).src


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """One row about many cases. A case without a right result is not better than the peer's, and has the weight of its input."""
    right = [outcome for outcome in outcomes if outcome.is_right]
    times = sorted(outcome.seconds for outcome in outcomes if not outcome.unsupported) or [0.0]
    ours = sum(
        outcome.weight if outcome.is_right and outcome.weight is not None else outcome.case["input_weighted"]
        for outcome in outcomes
    )
    theirs = sum(outcome.case["peer_weighted"] for outcome in outcomes)
    total = max(1, len(outcomes))
    return {
        "cases": len(outcomes),
        "wrong": sum(outcome.differs is not None for outcome in outcomes),
        "unsupported": sum(bool(outcome.unsupported) for outcome in outcomes),
        "ops_le_peer": round(sum(not outcome.is_worse for outcome in outcomes) / total, 4),
        "ops_lt_peer": round(
            sum((outcome.operations or 0) < outcome.case["peer_ops"] for outcome in right) / total, 4
        ),
        "weighted_ratio": round(ours / theirs, 4) if theirs else None,
        "median_ms": milliseconds(median(times)),
        "p99_ms": milliseconds(times[min(len(times) - 1, int(0.99 * len(times)))]),
        "max_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def by_kind(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """A row for each kind of case."""
    kinds = dict.fromkeys(str(outcome.case.get("kind", "")) for outcome in outcomes)
    return [
        {"kind": kind, **summary([outcome for outcome in outcomes if outcome.case.get("kind", "") == kind])}
        for kind in kinds
    ]


def describe(outcome: Outcome) -> str:
    """One case for people: its input, the peer's result, and eqsat's."""
    case = outcome.case
    head = f"case {case['id']} ({case.get('kind', '')}), {outcome.seconds * 1e3:.1f} ms"
    if outcome.unsupported:
        return f"{head}: unsupported: {outcome.unsupported}"
    peer = peer_text(case)
    lines = [
        head + (f": WRONG at {outcome.differs}" if outcome.differs is not None else ""),
        f"  input {case['input_ops']:3}:\n    {outcome.before}",
        f"  peer  {case['peer_ops']:3}:\n    {peer}",
        f"  ours  {outcome.operations:3}:\n    {outcome.after}",
    ]
    return "\n".join(lines)


def peer_text(case: Mapping[str, Any]) -> str:
    """The peer's result as formulas."""
    try:
        graph: Graph = read_graph(case["peer"])
    except UnsupportedError as error:
        return str(error)
    return text(written(graph, graph.roots))


def _table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(
            *(f"{value:,.4g}" if isinstance(value, float) else str(value) for value in row.values())
        )
    return table


if __name__ == "__main__":
    main()
