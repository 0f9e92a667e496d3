"""Solves integer programs with HiGHS. Rows can be added between solves, and a solve may start from a known solution.

https://highs.dev
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.extractors.integer_program import IntegerProgram, Row

ERROR = 2e-6  # the greatest error of a bound, in any unit: HiGHS takes two costs as equal that differ by less than 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The result of a solve.

    Attributes:
        values: the values of the variables; None if no solution was found.
        bound: a lower bound on the cost of every solution, up to `ERROR`.
        complete: whether the search was finished.
    """

    values: NDArray[np.float64] | None
    bound: float
    complete: bool


class HighsModel:
    """An integer program in HiGHS."""

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
            ("mip_abs_gap", 0.0),
        ):
            self.highs.setOptionValue(option, value)
        self.variables = len(program.costs)
        lower = np.zeros(self.variables)
        lower[program.required] = 1.0
        self.highs.addVars(self.variables, lower, np.ones(self.variables))
        self.highs.changeColsCost(self.variables, np.arange(self.variables, dtype=np.int32), program.costs)
        self.add(program.rows)

    def add(self, rows: Sequence[Row]) -> None:
        """Adds constraints."""
        starts = np.cumsum([0, *(len(row.columns) for row in rows[:-1])], dtype=np.int32)
        columns = np.fromiter((column for row in rows for column in row.columns), np.int32)
        signs = np.fromiter((sign for row in rows for sign in row.signs), np.float64)
        lower = np.array([row.lower for row in rows])
        upper = np.array([row.upper for row in rows])
        self.highs.addRows(len(rows), lower, upper, len(columns), starts, columns, signs)

    def solve(
        self,
        seconds: float,
        *,
        whole: bool = True,
        start: NDArray[np.float64] | None = None,
        on_progress: Callable[[float], None] = lambda bound: None,
    ) -> Solved:
        """Minimizes the cost within a time limit, over integer variables if `whole`, else over real ones.

        `start` is a known solution; `on_progress` is called with each lower bound that HiGHS reports while it branches.
        """
        kind = self.kinds.kInteger if whole else self.kinds.kContinuous
        everything = np.arange(self.variables, dtype=np.int32)
        self.highs.changeColsIntegrality(self.variables, everything, np.full(self.variables, kind))
        if start is not None:
            self.highs.setSolution(self.variables, everything, start)
        self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(seconds, 0.01))

        def tell(event: Any) -> None:
            on_progress(event.data_out.mip_dual_bound)

        self.highs.cbMipLogging.subscribe(tell)
        try:
            self.highs.run()
        finally:
            self.highs.cbMipLogging.unsubscribe(tell)
        return self._solved(whole=whole)

    def _solved(self, *, whole: bool) -> Solved:
        info = self.highs.getInfo()
        complete = self.highs.getModelStatus() == self.status.kOptimal
        found = info.primal_solution_status == 2  # feasible
        values = np.array(self.highs.getSolution().col_value) if found else None
        if whole:
            return Solved(values, info.mip_dual_bound, complete)
        return Solved(values, info.objective_function_value if complete else -np.inf, complete)
