"""Extraction part by part: the problem is reduced, each independent part solved within its share of the time, and the choices joined."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from eqsat.extract.bound import lower_bound
from eqsat.extract.greedy_dag import GreedyDag
from eqsat.extract.problem import Integers, Problem
from eqsat.extract.progress import Listener, Progress
from eqsat.extract.reductions import reduce_problem
from eqsat.extract.result import Extraction

REDUCING = 0.25  # of the time, for reductions


@dataclass(slots=True, eq=False)
class Incumbent:
    """The best that is known of one part, improved as it is solved.

    Attributes:
        problem: the part.
        choice: valid.
        dag_cost: of the choice.
        lower_bound: no choice costs less.
        deadline: on the clock of `time.perf_counter`.
    """

    problem: Problem
    choice: Integers
    dag_cost: float
    lower_bound: float
    deadline: float = math.inf
    changed: Callable[[], None] = field(default=lambda: None)

    @property
    def is_optimal(self) -> bool:
        """Whether nothing is left to be found."""
        return Extraction(self.problem, self.choice, 0.0, self.dag_cost, self.lower_bound, 0.0).optimal

    @property
    def seconds_left(self) -> float:
        """Until the deadline."""
        return self.deadline - time.perf_counter()

    @contextmanager
    def within(self, share: float) -> Generator[None]:
        """Less time, for one of several attempts."""
        deadline = self.deadline
        self.deadline = time.perf_counter() + share * self.seconds_left
        try:
            yield
        finally:
            self.deadline = deadline

    def offer(self, choice: Integers) -> bool:
        """Takes a valid choice where it is better."""
        found = Extraction.from_choice(self.problem, choice, -math.inf, 0.0)
        if found.dag_cost >= self.dag_cost:
            return False
        self.choice, self.dag_cost = found.choice, found.dag_cost
        self.changed()
        return True

    def raise_bound(self, bound: float) -> None:
        """Takes a lower bound where it is better."""
        if bound > self.lower_bound and math.isfinite(bound):
            self.lower_bound = bound
            self.changed()


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
