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
        dag_cost: of the choice.
        lower_bound: no choice costs less.
        deadline: on the clock of `time.perf_counter`.
        changed: is called after each improvement.
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
        return Extraction(self.problem, self.choice, 0.0, self.dag_cost, self.lower_bound, 0.0).optimal

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline."""
        return self.deadline - time.perf_counter()

    @contextmanager
    def within(self, share: float) -> Generator[None]:
        """Limits one of several attempts to a share of the remaining time."""
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

    def raise_bound(self, bound: float) -> None:
        """Takes a lower bound if it is greater than the one known."""
        if bound > self.lower_bound and math.isfinite(bound):
            self.lower_bound = bound
            self.changed()
