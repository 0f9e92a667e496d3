"""The cheapest choice, exactly, by mixed-integer programming (HiGHS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.extract.extractors.by_component import extract_by_parts
from eqsat.extract.extractors.foundedness import unfounded_loops
from eqsat.extract.extractors.highs import HighsModel
from eqsat.extract.extractors.integer_program import IntegerProgram
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.progress import Listener
from eqsat.extract.problem.result import Extraction


@dataclass(frozen=True)
class Milp:
    """Minimizes the DAG cost, exactly where time suffices; else the best choice found, with a lower bound.

    Attributes:
        seconds: of wall time, about.
        listener: is told whenever the choice or the bound gets better.
    """

    seconds: float = 60.0
    listener: Listener | None = None
    name: ClassVar[str] = "milp"

    def extract(self, problem: Problem) -> Extraction:
        """One node per class that the roots need.

        Raises:
            ExtractionError: a root has no finite acyclic term.

        >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
        >>> Milp().extract(shared).dag_cost
        9.0
        """
        return extract_by_parts(problem, improve_by_milp, self.seconds, self.listener)


def improve_by_milp(part: Incumbent) -> None:
    """Solves integer programs until one has an acyclic solution, each with more rows that forbid the cycles found before."""
    if part.seconds_left <= 0:
        return
    program = IntegerProgram(part.problem)
    model = HighsModel(program)
    relaxed = model.relax(part.seconds_left)
    part.raise_bound(relaxed.bound)
    while part.seconds_left > 0 and not part.is_optimal:
        solved = model.solve(part.seconds_left, program.values(part.choice), part.raise_bound)
        part.raise_bound(solved.bound)
        if solved.values is None:
            return
        choice = program.choice(solved.values)
        loops = unfounded_loops(part.problem, choice)
        if not loops:
            part.offer(choice)
            if solved.complete:
                return
        model.add([row for loop in loops for row in program.founded(loop)])
