"""Tries reductions, local search and exact extractors on a problem, within the given time, and returns the best choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from eqsat.extract.bounds.pairs.semidefinite import raise_bound_by_relaxation
from eqsat.extract.bounds.pairs.sign_branching import branch_on_signs, is_branched
from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.local_search import LocalSearch
from eqsat.extract.extractors.milp import Milp
from eqsat.extract.extractors.tree_decomposition import TreeDecomposition
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.result import Listener

MOST_CLASSES_OF_A_TREE = 300  # of a part for which a tree decomposition is tried, which takes quadratic time
WIDTH = 10  # of a decomposition, at most: wider ones take longer than an integer program
SEARCHING = 0.2  # share of a part's remaining time for each method before the integer program
TRYING = (
    0.05  # share for the integer program before branching on signs; it takes milliseconds if pairs are sparse
)


@dataclass(frozen=True)
class Portfolio(ByComponent):
    """Minimizes the DAG cost: reduces the problem, then tries one method after the other on each part until its choice is proved optimal.

    The methods are a tree decomposition of small width, a semidefinite bound (for choices that interact in pairs only), local search,
    an integer program, and branch and bound on signs (again for pairs only).

    >>> from eqsat.extract import Problem
    >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
    >>> Portfolio().extract(shared).optimal
    True

    Attributes:
        seconds: approximate limit of wall time.
        listener: is called whenever the choice or the bound improves.
    """

    seconds: float = 60.0
    listener: Listener | None = None
    name: ClassVar[str] = "portfolio"

    def improve(self, part: Incumbent) -> None:
        """Improves the choice of one part by one method after the other, until it is proved optimal."""
        attempts: list[tuple[Callable[[Incumbent], None], float]] = [
            (raise_bound_by_relaxation, SEARCHING),
            (LocalSearch().improve, SEARCHING),
        ]
        if is_branched(part.problem):
            attempts += [(Milp().improve, TRYING), (branch_on_signs, 1.0)]
        else:
            attempts.append((Milp().improve, 1.0))
        if part.problem.class_count <= MOST_CLASSES_OF_A_TREE:
            attempts.insert(0, (TreeDecomposition(width=WIDTH).improve, SEARCHING))
        for attempt, share in attempts:
            with part.within(share):
                attempt(part)
            if part.is_optimal:
                return
