"""What each kind of claim contributes: `python -m tests.egraph.ablation --cases 300 --seed 1`, or with `--file CASES.json` of `benchmarks.symbolic`.

Expressions are drawn (`tests.drawn`, `tests.egraph.fresh`) and simplified. Where a kind of claim was made, the expression is simplified once more
without it; elsewhere nothing would change. The table gives, for each kind of claim: in how many expressions it was made, in how many of these the
result is longer or shorter without it, how many operations it saves there, and the processor time without it, as a ratio.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from unittest import mock

from rich.console import Console
from rich.table import Table

from benchmarks.cases import UnsupportedError, read_graph
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.theories import theory
from eqsat.egraph.theories.claims import Claim, Theory
from eqsat.egraph.theories.context import Context
from eqsat.rules.library import LIBRARY
from eqsat.simplification.sharing import count_operations
from eqsat.simplification.simplify import simplify_scalars
from eqsat.uop import UOp
from tests.drawn import drawn
from tests.egraph.fresh import KINDS

MEMORY = 12 << 30  # bytes of address space for the whole run


@dataclass
class Contribution:
    """What one kind of claim contributed so far: `seconds` with it and without it."""

    claimed: int = 0
    tried: int = 0
    longer: int = 0
    shorter: int = 0
    saved: int = 0
    seconds: tuple[float, float] = (0.0, 0.0)

    def note(self, whole: tuple[int, float], rest: tuple[int, float]) -> None:
        """Adds one expression: operations and seconds with all claims, and without this kind."""
        self.tried += 1
        self.longer += rest[0] > whole[0]
        self.shorter += rest[0] < whole[0]
        self.saved += rest[0] - whole[0]
        self.seconds = self.seconds[0] + whole[1], self.seconds[1] + rest[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100, help="expressions of each of the kinds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, help="cases of `benchmarks.symbolic` instead of drawn ones")
    parser.add_argument(
        "--most", type=int, default=60, help="expressions that are simplified again for a kind of claim"
    )
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    cases = _drawn(options.cases, options.seed) if options.file is None else _read(options.file)
    found: dict[str, Contribution] = {}
    count = total = 0
    for case in cases:
        if not count:
            _simplified(case)  # rules are registered once
        count += 1
        reasons, whole = _claimed(case)
        total += whole[0]
        for reason in reasons:
            contribution = found.setdefault(reason, Contribution())
            contribution.claimed += 1
            if contribution.tried < options.most:
                contribution.note(whole, _without(case, reason))
    Console(width=120).print(f"{count} expressions, {total} operations", _table(found))


def _table(found: dict[str, Contribution]) -> Table:
    table = Table(
        "claims left out", "made in", "tried", "longer", "shorter", "operations saved", "time without"
    )
    for reason, each in sorted(found.items()):
        ratio = f"{each.seconds[1] / each.seconds[0]:.2f}"
        table.add_row(
            reason, *map(str, (each.claimed, each.tried, each.longer, each.shorter, each.saved)), ratio
        )
    return table


def _drawn(count: int, seed: int) -> Iterator[list[UOp]]:
    for number in range(count):
        yield [drawn(seed * 1_000_000 + number)]
        for kind, draw in KINDS.items():
            yield [draw(Random(f"{kind} {seed} {number}"))]


def _read(file: Path) -> Iterator[list[UOp]]:
    for case in json.loads(file.read_text())["cases"]:
        try:
            yield list(read_graph(case["input"]).roots)
        except UnsupportedError:
            continue


def _claimed(case: list[UOp]) -> tuple[list[str], tuple[int, float]]:
    """The kinds of claims that are made of a case, and its operations and seconds."""
    found: set[str] = set()

    def noted(self: theory.Theories, *arguments: object) -> bool:
        made = tell(self, *arguments)  # pyright: ignore
        found.update(self.counts)
        return made

    tell = theory.Theories.tell
    with mock.patch.object(theory.Theories, "tell", noted):
        measured = _simplified(case)
    return sorted(found), measured


def _without(case: list[UOp], reason: str) -> tuple[int, float]:
    """The operations and seconds of a case without one kind of claim."""
    with (
        mock.patch.object(theory, "THEORIES", tuple(_less(each, reason) for each in theory.THEORIES)),
        mock.patch.object(theory, "LAST_RESORT", _less(theory.LAST_RESORT, reason)),
    ):
        return _simplified(case)


def _less(given: Theory, reason: str) -> Theory:
    def find(view: Context) -> Iterator[Claim]:
        return (claim for claim in given.find(view) if claim.reason != reason)

    return replace(given, find=find)


def _simplified(case: list[UOp]) -> tuple[int, float]:
    """The operations of the result, and processor seconds."""
    start = time.process_time()
    operations = count_operations(simplify_scalars(case, LIBRARY, Budget()).values)
    return operations, time.process_time() - start


if __name__ == "__main__":
    main()
