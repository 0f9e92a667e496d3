"""The best choice known so far while a problem, or an independent part of one, is solved."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from eqsat.extract.problem.problem import Integers, Problem
from eqsat.extract.problem.result import Extraction


@dataclass(slots=True, eq=False)
class Incumbent:
    """The best choice and the best lower bound of one part so far.

    Attributes:
        problem: the part.
        choice: a valid choice.
        dag_cost: the DAG cost of the choice.
        lower_bound: a lower bound on the DAG cost of every choice.
        deadline: the time at which to stop, on the clock of `time.perf_counter`.
        changed: a function that is called after each improvement.
    """

    problem: Problem
    choice: Integers
    dag_cost: float
    lower_bound: float
    deadline: float = math.inf
    changed: Callable[[], None] = field(default=lambda: None)

    @property
    def is_optimal(self) -> bool:
        """Whether the lower bound proves that no choice is cheaper."""
        return self._extraction.optimal

    @property
    def rounding(self) -> float:
        """The largest difference between sums of the chosen costs in different orders."""
        return self._extraction.rounding

    @property
    def _extraction(self) -> Extraction:
        return Extraction(self.problem, self.choice, 0.0, self.dag_cost, self.lower_bound, 0.0)

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline."""
        return self.deadline - time.perf_counter()

    @contextmanager
    def within(self, share: float) -> Generator[None]:
        """A context that limits one of several attempts to a share of the remaining time."""
        deadline = self.deadline
        self.deadline = time.perf_counter() + share * self.seconds_left
        try:
            yield
        finally:
            self.deadline = deadline

    def offer(self, choice: Integers) -> bool:
        """Takes a valid choice if it is cheaper; returns whether it is."""
        found = Extraction.from_choice(self.problem, choice, -math.inf, 0.0)
        if found.dag_cost >= self.dag_cost:
            return False
        self.choice, self.dag_cost = found.choice, found.dag_cost
        self.changed()
        return True

    def raise_bound(self, bound: float, error: float = 0.0) -> None:
        """Takes a lower bound, computed with at most this rounding error, if it is greater than the known one."""
        if error:
            bound = safe_bound(self.problem, bound, error)
        if bound > self.lower_bound and math.isfinite(bound):
            self.lower_bound = bound
            self.changed()


def safe_bound(problem: Problem, bound: float, error: float) -> float:
    """Subtracts the rounding error from a computed bound; then rounds the bound up to a multiple of the costs' grain, as all DAG costs are."""
    bound, grain = bound - error, problem.grain
    return math.ceil(bound / grain) * grain if grain and math.isfinite(bound) else bound
