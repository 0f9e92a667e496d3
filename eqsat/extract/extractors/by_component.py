"""Extraction by component: reduces the problem, solves each independent component within its share of the time, and joins the choices."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from eqsat.extract.bounds.lower_bound import lower_bound
from eqsat.extract.extractors.greedy_dag import GreedyDag
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.progress import Listener, Progress
from eqsat.extract.problem.result import Extraction
from eqsat.extract.reductions import reduce_problem

REDUCING = 0.25  # of the time, for reductions


PartSolver = Callable[[Incumbent], None]


def extract_by_parts(
    problem: Problem, solve: PartSolver, seconds: float, listener: Listener | None = None
) -> Extraction:
    """The best choice that `solve` finds by improving the greedy choice of each part, smallest parts first.

    Raises:
        ExtractionError: a root has no finite acyclic term.
    """
    start = time.perf_counter()
    greedy = GreedyDag().extract(problem)
    if greedy.optimal:
        if listener is not None:
            listener(Progress(greedy.seconds, greedy.dag_cost, greedy.lower_bound))
        return greedy
    reduction = reduce_problem(problem, seconds=REDUCING * seconds)
    incumbents = [_greedy(part.problem) for part in reduction.parts]

    def join() -> Extraction:
        choice = reduction.expand([each.choice for each in incumbents])
        bound = reduction.offset + math.fsum(each.lower_bound for each in incumbents)
        found = Extraction.from_choice(problem, choice, bound, time.perf_counter() - start)
        return found if found.dag_cost <= greedy.dag_cost else _better_bounded(greedy, found)

    def tell() -> None:
        if listener is not None:
            best = join()
            listener(Progress(best.seconds, best.dag_cost, best.lower_bound))

    tell()
    remaining = sum(each.problem.node_count for each in incumbents)
    for each in reversed(incumbents):
        now = time.perf_counter()
        each.deadline = now + (start + seconds - now) * each.problem.node_count / max(1, remaining)
        each.changed = tell
        remaining -= each.problem.node_count
        if not each.is_optimal:
            solve(each)
    return join()


def _greedy(problem: Problem) -> Incumbent:
    found = GreedyDag().extract(problem)
    return Incumbent(problem, found.choice, found.dag_cost, lower_bound(problem))


def _better_bounded(found: Extraction, other: Extraction) -> Extraction:
    """`found` with the bound and the time of another extraction of the problem."""
    return Extraction.from_choice(found.problem, found.choice, other.lower_bound, other.seconds)
