"""Tries reductions, local search and exact extractors on a problem, within the given time, and returns the best choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from eqsat.extract.bounds.pairs.semidefinite import raise_bound_by_relaxation
from eqsat.extract.bounds.pairs.sign_branching import branch_on_signs, is_branched
from eqsat.extract.extractors.by_component import extract_by_parts
from eqsat.extract.extractors.local_search import LocalSearch
from eqsat.extract.extractors.milp import improve_by_milp
from eqsat.extract.extractors.tree_decomposition import TreeDecomposition
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.progress import Listener
from eqsat.extract.problem.result import Extraction

MOST_CLASSES_OF_A_TREE = 300  # of a part that is tried to be decomposed, which takes quadratic time
WIDTH = 10  # of a decomposition that is solved in less time than an integer program
SEARCHING = 0.2  # of the time that is left to a part, for what comes before the proofs
TRYING = 0.05  # for the integer program on choices in pairs, which takes milliseconds where they are sparse


@dataclass(frozen=True)
class Portfolio:
    """Minimizes the DAG cost: reductions first; then for each part that is left what is exact and quick (a tree decomposition of
    small width), what bounds choices that interact in pairs (a semidefinite relaxation), what finds good choices (local search), and what
    proves them best (an integer program, for pairs briefly, then branch and bound), until one of them has.

    Attributes:
        seconds: of wall time, about.
        listener: is told whenever the choice or the bound gets better.
    """

    seconds: float = 60.0
    listener: Listener | None = None
    name: ClassVar[str] = "portfolio"

    def extract(self, problem: Problem) -> Extraction:
        """One node per class that the roots need.

        Raises:
            ExtractionError: a root has no finite acyclic term.

        >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
        >>> Portfolio().extract(shared).optimal
        True
        """
        return extract_by_parts(problem, improve, self.seconds, self.listener)


def improve(part: Incumbent) -> None:
    """Improves one part, by one method after the other until it is optimal."""
    attempts: list[tuple[Callable[[Incumbent], None], float]] = [
        (raise_bound_by_relaxation, SEARCHING),
        (LocalSearch().improve, SEARCHING),
    ]
    if is_branched(part.problem):
        attempts += [(improve_by_milp, TRYING), (branch_on_signs, 1.0)]
    else:
        attempts.append((improve_by_milp, 1.0))
    if part.problem.class_count <= MOST_CLASSES_OF_A_TREE:
        attempts.insert(0, (TreeDecomposition(width=WIDTH).improve, SEARCHING))
    for attempt, share in attempts:
        with part.within(share):
            attempt(part)
        if part.is_optimal:
            return
