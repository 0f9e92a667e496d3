"""HiGHS, as far as extraction needs it: rows come one after the other, and a solve may start from a known solution.

https://highs.dev
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.extractors.integer_program import IntegerProgram, Row


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Attributes:
    values: of the variables; None where none were found.
    bound: no solution costs less.
    complete: whether the search came to its end.
    """

    values: NDArray[np.float64] | None
    bound: float
    complete: bool


class HighsModel:
    """A program in HiGHS."""

    def __init__(self, program: IntegerProgram) -> None:
        import highspy

        self.highs: Any = highspy.Highs()
        self.kinds = highspy.HighsVarType
        self.status = highspy.HighsModelStatus
        for option, value in (
            ("output_flag", False),
            ("threads", 1),
            ("random_seed", 0),
            ("mip_rel_gap", 0.0),
        ):
            self.highs.setOptionValue(option, value)
        self.variables = len(program.costs)
        lower = np.zeros(self.variables)
        lower[program.required] = 1.0
        self.highs.addVars(self.variables, lower, np.ones(self.variables))
        self.highs.changeColsCost(self.variables, np.arange(self.variables, dtype=np.int32), program.costs)
        self.add(program.rows)

    def add(self, rows: Sequence[Row]) -> None:
        """More constraints."""
        starts = np.cumsum([0, *(len(row.columns) for row in rows[:-1])], dtype=np.int32)
        columns = np.fromiter((column for row in rows for column in row.columns), np.int32)
        signs = np.fromiter((sign for row in rows for sign in row.signs), np.float64)
        lower = np.array([row.lower for row in rows])
        upper = np.array([row.upper for row in rows])
        self.highs.addRows(len(rows), lower, upper, len(columns), starts, columns, signs)

    def relax(self, seconds: float) -> Solved:
        """The least cost of fractions of nodes."""
        return self._solve(seconds, whole=False)

    def solve(
        self,
        seconds: float,
        start: NDArray[np.float64] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> Solved:
        """The least cost of whole nodes, from a solution that is known; `on_progress` is told bounds."""
        if start is not None:
            self.highs.setSolution(self.variables, np.arange(self.variables, dtype=np.int32), start)
        if on_progress is None:
            return self._solve(seconds, whole=True)

        def tell(event: Any) -> None:
            on_progress(event.data_out.mip_dual_bound)

        self.highs.cbMipLogging.subscribe(tell)
        try:
            return self._solve(seconds, whole=True)
        finally:
            self.highs.cbMipLogging.unsubscribe(tell)

    def _solve(self, seconds: float, *, whole: bool) -> Solved:
        kind = self.kinds.kInteger if whole else self.kinds.kContinuous
        everything = np.arange(self.variables, dtype=np.int32)
        self.highs.changeColsIntegrality(self.variables, everything, np.full(self.variables, kind))
        self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(seconds, 0.01))
        self.highs.run()
        info = self.highs.getInfo()
        complete = self.highs.getModelStatus() == self.status.kOptimal
        found = info.primal_solution_status == 2  # feasible
        values = np.array(self.highs.getSolution().col_value) if found else None
        if whole:
            return Solved(values, info.mip_dual_bound, complete)
        return Solved(values, info.objective_function_value if complete else -np.inf, complete)
