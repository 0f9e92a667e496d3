"""Finds the cheapest choice by mixed-integer programming (HiGHS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.foundedness import unfounded_loops
from eqsat.extract.extractors.highs import ERROR, HighsModel
from eqsat.extract.extractors.integer_program import IntegerProgram
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.result import Listener

RELAXING = 0.5  # share of the time for the relaxation; the integer program, which begins with it, is hopeless if that is not enough


@dataclass(frozen=True)
class Milp(ByComponent):
    """Minimizes the DAG cost. If the time is too short for a proof, returns the best choice found, with a lower bound.

    >>> from eqsat.extract import Problem
    >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
    >>> Milp().extract(shared).dag_cost
    9.0

    Attributes:
        seconds: approximate limit of wall time.
        listener: is called whenever the choice or the bound improves.
    """

    seconds: float = 60.0
    listener: Listener | None = None
    name: ClassVar[str] = "milp"

    def improve(self, part: Incumbent) -> None:
        """Solves integer programs until one has an acyclic solution; each forbids the cycles of the solutions before."""
        if part.seconds_left <= 0:
            return
        program = IntegerProgram(part.problem)
        model = HighsModel(program)

        def raise_bound(bound: float) -> None:
            part.raise_bound(bound, ERROR)

        relaxed = model.solve(RELAXING * part.seconds_left, whole=False)
        raise_bound(relaxed.bound)
        if not relaxed.complete:
            return
        while part.seconds_left > 0 and not part.is_optimal:
            start = program.values(part.choice)
            solved = model.solve(part.seconds_left, start=start, on_progress=raise_bound)
            raise_bound(solved.bound)
            if solved.values is None:
                return
            choice = program.choice(solved.values)
            loops = unfounded_loops(part.problem, choice)
            if not loops:
                part.offer(choice)
                if solved.complete:
                    return
            model.add([row for loop in loops for row in program.founded(loop)])
