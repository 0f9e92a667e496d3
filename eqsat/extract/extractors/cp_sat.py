"""Finds the cheapest choice by constraint programming (CP-SAT of OR-Tools, an optional dependency)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from eqsat.errors import ExtractionError
from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.integer_program import IntegerProgram
from eqsat.extract.problem.arrays import grain_of
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import Extraction, Listener
from eqsat.extract.reductions.components import cyclic_groups

LARGEST_TOTAL = 2.0**50  # the largest sum of the scaled costs; CP-SAT takes whole numbers only
MOST_DIGITS = 9  # the most decimal digits after the point for which an exact scale is tried


@dataclass(frozen=True)
class CpSat(ByComponent):
    """Minimizes the DAG cost. If the time is too short for a proof, returns the best choice found, with a lower bound.

    Needs the extra: pip install "eqsat[cp-sat]".

    Attributes:
        seconds: approximate limit of wall time.
        workers: number of threads; with more than one, runs may return different choices of equal cost.
        listener: is called whenever the choice or the bound improves.
    """

    seconds: float = 60.0
    workers: int = 1
    listener: Listener | None = None
    name: ClassVar[str] = "cp-sat"

    def extract(self, problem: Problem) -> Extraction:
        """Chooses one node for each class that the roots need, and proves a lower bound.

        Raises:
            ExtractionError: a root has no finite acyclic term, or OR-Tools is not installed.
        """
        try:
            import ortools.sat.python.cp_model  # pyright: ignore  # noqa: F401
        except ImportError:
            raise ExtractionError('CP-SAT is not installed; pip install "eqsat[cp-sat]"') from None
        return super().extract(problem)

    def improve(self, part: Incumbent) -> None:
        """Solves one part."""
        from ortools.sat.python import cp_model

        program = IntegerProgram(part.problem)
        scale = exact_scale(program.costs)
        model: Any = cp_model.CpModel()
        variables: list[Any] = [model.new_bool_var(f"v{column}") for column in range(len(program.costs))]
        for row in program.rows:
            total = sum(sign * variables[column] for column, sign in zip(row.columns, row.signs, strict=True))
            if math.isfinite(row.lower):
                model.add(total >= int(row.lower))
            if math.isfinite(row.upper):
                model.add(total <= int(row.upper))
        for column in program.required:
            model.add(variables[column] == 1)
        _forbid_cycles(model, variables, part.problem)
        costs = np.rint(program.costs * scale).astype(np.int64).tolist()
        model.minimize(sum(cost * variable for cost, variable in zip(costs, variables, strict=True) if cost))
        for variable, value in zip(variables, program.values(part.choice).tolist(), strict=True):
            model.add_hint(variable, int(value))
        solver: Any = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = max(0.01, part.seconds_left)
        solver.parameters.num_workers = self.workers
        solver.parameters.random_seed = 0
        status = solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            part.offer(
                program.choice(np.array([solver.value(variable) for variable in variables], np.float64))
            )
            rounding = float(np.abs(program.costs * scale - np.rint(program.costs * scale)).sum())
            part.raise_bound((solver.best_objective_bound - rounding) / scale)


def _forbid_cycles(model: Any, variables: list[Any], problem: Problem) -> None:
    """Forbids cycles: classes that can need each other get levels, and the children of a chosen node are on lower levels."""
    for group in cyclic_groups(problem):
        level = {owner: model.new_int_var(0, len(group) - 1, f"level{owner}") for owner in group}
        for owner in group:
            for node in problem.nodes_by_class[owner]:
                for child in level.keys() & problem.usage.distinct[node]:
                    model.add(level[owner] > level[child]).only_enforce_if(variables[node])


def exact_scale(costs: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """A power of two that makes all costs whole, or a power of two times a power of ten; else the greatest factor that does not overflow.

    >>> exact_scale(np.array([0.5, 2.0])), exact_scale(np.array([0.3, -1.0])), exact_scale(np.array([8.0, 4.0]))
    (2.0, 10.0, 0.25)
    """
    total = float(np.abs(costs).sum()) or 1.0
    for digits in range(MOST_DIGITS + 1):
        grain = grain_of(costs * 10.0**digits)
        if total * 10.0**digits < LARGEST_TOTAL * grain:
            return 10.0**digits / grain
    return LARGEST_TOTAL / total
