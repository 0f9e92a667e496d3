"""Extraction by component: reduces the problem, improves the better of two quick choices for each independent part, and joins the choices."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from eqsat.errors import ExtractionError, brief
from eqsat.extract.bounds.lower_bound import lower_bound, sum_of_costs
from eqsat.extract.extractors.bottom_up import cheapest_trees
from eqsat.extract.extractors.greedy_dag import greedy_choice
from eqsat.extract.options import require_options
from eqsat.extract.problem.cheapest_first import require_roots
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem, require_problem
from eqsat.extract.problem.result import TOLERANCE, Extraction, Listener, Progress
from eqsat.extract.reductions import Part, reduce_problem

REDUCING = 0.25  # share of the time for reductions
SETTING_UP = 2  # estimated time until the first improvement, as a multiple of the time of the quick choices
SIZE = 14  # a part's costs are scaled so that its quick choice costs 2**13 to 2**14, far above the absolute tolerances of solvers
LARGEST = 50  # the greatest binary exponent of a scaled cost: HiGHS takes 1e20 as infinite


class ByComponent(ABC):
    """An extractor that improves a quick choice for each part of the reduced problem within a time limit.

    Each part has a unit of cost of its own, so that the unit of the problem does not matter.

    Subclasses are dataclasses with these two fields, and with a method that improves one part.

    Attributes:
        seconds: limit of wall time for the whole problem; each part gets a share in proportion to its number of nodes.
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

        If there is no time for more, the choice is the better of the cheapest tree and the greedy choice.

        Raises:
            ExtractionError: a root has no finite acyclic term.
        """
        require_problem(problem)
        start = time.perf_counter()
        quick = quick_extraction(problem)
        if quick.optimal or SETTING_UP * quick.seconds > self.seconds:
            self._tell(lambda: quick)
            return quick
        reduction = reduce_problem(without_dear_nodes(problem, quick), seconds=REDUCING * self.seconds)
        incumbents, units = zip(*map(_begun, reduction.parts), strict=True) if reduction.parts else ((), ())

        def join() -> Extraction:
            choice = reduction.expand([each.choice for each in incumbents])
            bounds = [np.ldexp(each.lower_bound, unit) for each, unit in zip(incumbents, units, strict=True)]
            bound = max(quick.lower_bound, sum_of_costs([reduction.offset, *bounds]))
            found = Extraction.from_choice(problem, choice, bound, time.perf_counter() - start)
            if found.dag_cost > quick.dag_cost:
                return Extraction.from_choice(problem, quick.choice, bound, found.seconds)
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


def quick_extraction(problem: Problem) -> Extraction:
    """The cheaper of two choices that are found quickly: the cheapest tree and the greedy choice.

    Raises:
        ExtractionError: a root has no finite acyclic term.
    """
    start = time.perf_counter()
    choices = [greedy_choice(problem), cheapest_trees(problem)]
    require_roots(problem, choices[0])
    bound = lower_bound(problem)
    found = [
        Extraction.from_choice(problem, choice, bound, time.perf_counter() - start) for choice in choices
    ]
    return min(found, key=lambda each: each.dag_cost)


def without_dear_nodes(problem: Problem, known: Extraction) -> Problem:
    """Forbids nodes that are too expensive for any choice cheaper than `known`, even if each class contributes its most negative cost.

    Next to costs this large, solvers would round away the costs of other nodes.
    """
    costs = problem.node_cost
    savings = np.zeros(problem.class_count)
    with np.errstate(over="ignore"):  # if savings are infinite, no node is too expensive
        np.minimum.at(savings, problem.node_class, costs)
        limit = known.dag_cost + known.rounding - (1 + TOLERANCE) * float(savings.sum())
    dear = np.isfinite(costs) & (costs > limit)
    return replace(problem, node_cost=np.where(dear, np.inf, costs)) if dear.any() else problem


def _begun(part: Part) -> tuple[Incumbent, int]:
    """A part with its quick choice and its costs divided by a power of two, and the exponent of that power."""
    quick = quick_extraction(part.problem)
    costs = part.problem.node_cost
    largest = float(np.abs(costs[np.isfinite(costs)]).max(initial=0.0))
    size = quick.rounding / TOLERANCE or largest
    unit = int(max(np.frexp(size)[1] - SIZE, np.frexp(largest)[1] - LARGEST))
    problem = part.problem.scaled(-unit)
    found = Extraction.from_choice(problem, quick.choice, float(np.ldexp(quick.lower_bound, -unit)), 0.0)
    return Incumbent(problem, found.choice, found.dag_cost, found.lower_bound), unit
