"""What each theory contributes: `python -m tests.egraph.ablation --cases 200 --seed 1`.

Every kind of claim is left out in turn, and the same expressions are simplified: drawn scalar expressions, which no theory was written for, and
addresses, sums and conditions of arrays. The table gives the operations of all results, as a ratio to those with all theories (above 1: without the
claims, results are longer), in how many expressions that shows, and the processor time, as a ratio likewise.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from unittest import mock

from rich.console import Console
from rich.table import Table

from eqsat.egraph.search.budget import Budget
from eqsat.egraph.theories import theory
from eqsat.egraph.theories.claims import Claim, Theory
from eqsat.egraph.theories.context import Context
from eqsat.rules.library import LIBRARY
from eqsat.simplification.sharing import count_operations
from eqsat.simplification.simplify import simplify_scalars
from eqsat.uop import UOp
from tests.drawn import drawn
from tests.lengthened import KINDS, lengthened

MEMORY = 12 << 30  # bytes of address space for the whole run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200, help="expressions of each of the kinds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    cases = _cases(options.cases, options.seed)
    _measured(cases[:20], "")  # what is computed once
    whole, seconds = _measured(cases, "")
    table = Table("claims left out", "operations", "longer", "shorter", "time")
    for reason in sorted(_reasons(cases)):
        found, spent = _measured(cases, reason)
        longer = sum(one > other for one, other in zip(found, whole, strict=True))
        shorter = sum(one < other for one, other in zip(found, whole, strict=True))
        table.add_row(
            reason, f"{sum(found) / sum(whole):.4f}", str(longer), str(shorter), f"{spent / seconds:.2f}"
        )
    Console().print(f"{len(cases)} expressions, {sum(whole)} operations, {seconds:.1f} s", table)


def _cases(count: int, seed: int) -> list[UOp]:
    first = seed * 1_000_000
    found = [drawn(number) for number in range(first, first + count)]
    for kind in KINDS:
        found += [lengthened(kind, number).long for number in range(first, first + count)]
    random.Random(seed).shuffle(found)
    return found


def _reasons(cases: Sequence[UOp]) -> set[str]:
    """All kinds of claims that are made of the cases."""
    found: set[str] = set()

    def noted(self: theory.Theories, *arguments: object) -> bool:
        made = tell(self, *arguments)  # pyright: ignore
        found.update(self.counts)
        return made

    tell = theory.Theories.tell
    with mock.patch.object(theory.Theories, "tell", noted):
        for case in cases:
            simplify_scalars([case], LIBRARY, Budget())
    return found


def _measured(cases: Sequence[UOp], reason: str) -> tuple[list[int], float]:
    """The operations of each result, and processor seconds."""
    start = time.process_time()
    with (
        mock.patch.object(theory, "THEORIES", tuple(_without(each, reason) for each in theory.THEORIES)),
        mock.patch.object(theory, "LAST_RESORT", _without(theory.LAST_RESORT, reason)),
    ):
        found = [count_operations(simplify_scalars([case], LIBRARY, Budget()).values) for case in cases]
    return found, time.process_time() - start


def _without(given: Theory, reason: str) -> Theory:
    def find(view: Context) -> Iterator[Claim]:
        return (claim for claim in given.find(view) if claim.reason != reason)

    return replace(given, find=find)


if __name__ == "__main__":
    main()
