"""Tries reductions, local search and exact extractors on a problem, within the given time, and returns the best choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from eqsat.extract.bounds.pairs.semidefinite import raise_bound_by_relaxation
from eqsat.extract.bounds.pairs.sign_branching import branch_on_signs, is_branched
from eqsat.extract.extractors.beam import Beam
from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.local_search import LocalSearch
from eqsat.extract.extractors.milp import Milp
from eqsat.extract.extractors.tree_decomposition import TreeDecomposition, quick_width
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.result import Listener

SEARCHING = 0.2  # share of a part's remaining time for each method before the integer program
BRIEF = 10.0  # seconds: within less, an integer program that is not small seldom finds anything
PROGRAMMING = (
    3e-4  # seconds that an integer program takes at least for each node of a part, unless it is trivial
)
BRIEFLY_SEARCHING = 0.5  # share for local search where the time is brief
TRYING = 0.05  # share for beam search, and for the integer program before branching on signs; both take milliseconds if pairs are sparse


@dataclass(frozen=True)
class Portfolio(ByComponent):
    """Minimizes the DAG cost: reduces the problem, then tries one method after the other on each part until its choice is proved optimal.

    The methods are a tree decomposition of small width, beam search, local search, a semidefinite bound (for choices that interact in pairs
    only), an integer program, and branch and bound on signs (again for pairs only).

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
        is_brief = part.seconds_left < BRIEF
        tree = TreeDecomposition(width=quick_width(part.problem.class_count))
        attempts: list[tuple[Callable[[Incumbent], None], float]] = [
            (tree.improve, SEARCHING),
            (Beam().improve, SEARCHING if is_brief else TRYING),
            (LocalSearch().improve, BRIEFLY_SEARCHING if is_brief else SEARCHING),
            (raise_bound_by_relaxation, SEARCHING),
        ]
        if is_branched(part.problem):
            attempts += [(Milp().improve, TRYING), (branch_on_signs, 1.0)]
        elif part.seconds_left > PROGRAMMING * part.problem.node_count:
            # The second search has the time that is left if the integer program is too large
            attempts += [(Milp().improve, 1.0), (LocalSearch(seed=1).improve, 1.0)]
        else:
            attempts = [(LocalSearch().improve, 1.0)]
        for attempt, share in attempts:
            with part.within(share):
                attempt(part)
            if part.is_optimal:
                return
