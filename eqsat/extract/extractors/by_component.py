"""Extraction by component: reduces the problem, improves the greedy choice of each independent part, and joins the choices."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from eqsat.errors import ExtractionError, brief
from eqsat.extract.bounds.lower_bound import lower_bound, sum_of_costs
from eqsat.extract.extractors.greedy_dag import GreedyDag
from eqsat.extract.options import require_options
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import Extraction, Listener, Progress
from eqsat.extract.reductions import reduce_problem

REDUCING = 0.25  # share of the time for reductions
SETTING_UP = 3  # greedy choices take as long as all that comes before the first improvement


class ByComponent(ABC):
    """An extractor that improves the greedy choice of each part of the reduced problem within a time limit.

    Subclasses are dataclasses with these two fields, and with a method that improves one part.

    Attributes:
        seconds: limit of wall time for the whole problem; each part gets a share by its number of nodes.
        listener: is called with a `Progress` whenever the choice or the lower bound improves.
    """

    seconds: float
    listener: Listener | None

    def __post_init__(self) -> None:
        require_options(self)
        if self.listener is not None and not callable(self.listener):
            raise ExtractionError(
                f"listener of {type(self).__name__} is a function, not {brief(self.listener)}"
            )

    @abstractmethod
    def improve(self, part: Incumbent) -> None:
        """Offers `part` better choices and greater lower bounds until its deadline."""

    def extract(self, problem: Problem) -> Extraction:
        """Chooses one node for each class that the roots need, and proves a lower bound. Improves the smallest parts first.

        The choice is the greedy one where there is time for no more.

        Raises:
            ExtractionError: a root has no finite acyclic term.
        """
        start = time.perf_counter()
        greedy = GreedyDag().extract(problem)
        if greedy.optimal or SETTING_UP * (time.perf_counter() - start) > self.seconds:
            self._tell(lambda: greedy)
            return greedy
        reduction = reduce_problem(problem, seconds=REDUCING * self.seconds)
        incumbents = [_greedy(part.problem) for part in reduction.parts]

        def join() -> Extraction:
            choice = reduction.expand([each.choice for each in incumbents])
            bound = reduction.offset + sum_of_costs(each.lower_bound for each in incumbents)
            found = Extraction.from_choice(problem, choice, bound, time.perf_counter() - start)
            if found.dag_cost > greedy.dag_cost:
                return Extraction.from_choice(problem, greedy.choice, bound, found.seconds)
            return found

        self._tell(join)
        remaining = sum(each.problem.node_count for each in incumbents)
        for each in reversed(incumbents):
            now = time.perf_counter()
            each.deadline = now + (start + self.seconds - now) * each.problem.node_count / max(1, remaining)
            each.changed = lambda: self._tell(join)
            remaining -= each.problem.node_count
            if not each.is_optimal:
                self.improve(each)
        return join()

    def _tell(self, extraction: Callable[[], Extraction]) -> None:
        if self.listener is not None:
            best = extraction()
            self.listener(Progress(best.seconds, best.dag_cost, best.lower_bound))


def _greedy(problem: Problem) -> Incumbent:
    found = GreedyDag().extract(problem)
    return Incumbent(problem, found.choice, found.dag_cost, lower_bound(problem))
