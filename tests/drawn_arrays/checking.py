"""Many programs in one compiled program: the results of each are compared with NumPy's."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

import eqsat as eq
import eqsat.array as xp
from eqsat.array.realize import evaluate
from tests.drawn_arrays.drawing import Program
from tests.drawn_arrays.oracle import Value, wrong_elements


@dataclass(frozen=True)
class Finding:
    """A program that is wrong, what is wrong, and whether it is wrong alone too."""

    program: Program
    words: str
    is_wrong_alone: bool = True

    def __str__(self) -> str:
        beside = "" if self.is_wrong_alone else "\n(only together with the other programs of its group)"
        return f"{self.words}{beside}\n{self.program.text()}"


PLAN = eq.Plan(contract=False)  # so that sums of products are rounded as NumPy rounds them
ERRORS = (eq.EqsatError, AssertionError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
Runner = Callable[[Sequence[Program]], list[list[Any]]]


def check(programs: Sequence[Program], run: Runner | None = None) -> list[Finding]:
    """What is wrong with programs that are run together, compiled for the device by default."""
    run = run or run_compiled
    try:
        results = run(programs)
    except ERRORS as error:
        if len(programs) == 1:
            return [Finding(shrunk(programs[0], run), f"{type(error).__name__}: {str(error)[:600]}")]
        half = len(programs) // 2
        found = check(programs[:half], run) + check(programs[half:], run)
        return found or [
            Finding(programs[0], f"only together: {type(error).__name__}: {str(error)[:600]}", False)
        ]
    findings: list[Finding] = []
    for program, actual in zip(programs, results, strict=True):
        words = difference(program, actual)
        if words:
            alone = len(programs) == 1 or fails(program, run) is not None
            findings.append(Finding(shrunk(program, run) if alone else program, words, alone))
    return findings


def run_interpreted(programs: Sequence[Program]) -> list[list[Any]]:
    """The results of each program by the reference interpreter: what the array layer alone makes of it."""
    return [
        evaluate(
            [result.uop for result in program.run(xp, [xp.asarray(each) for each in program.arguments()])]
        )
        for program in programs
    ]


def run_compiled(programs: Sequence[Program]) -> list[list[Any]]:
    """The results of each program, all compiled together."""
    arguments = [argument for program in programs for argument in program.arguments()]

    def together(*given: Any) -> list[Any]:
        rest = iter(given)
        return [
            result for program in programs for result in program.run(xp, [next(rest) for _ in program.inputs])
        ]

    stand_ins = [eq.spec(argument.shape, argument.dtype) for argument in arguments]
    with patch.dict(
        os.environ, EQSAT_CACHE="off"
    ):  # what runs once is not kept: that would take half of the time
        compiled = eq.compile(eq.trace(together, *stand_ins), PLAN)
        results = iter(compiled.run(arguments))
    return [[next(results) for _ in program.outputs] for program in programs]


def difference(program: Program, results: Sequence[Any]) -> str | None:
    """What is wrong with a program's results, in words."""
    for actual, expected in zip(results, program.expected(), strict=True):
        wrong = wrong_elements(actual, expected)
        if isinstance(wrong, str):
            return wrong
        if wrong is not None:
            return _described(actual, expected, wrong)
    return None


def _described(actual: Any, expected: Value, wrong: Any) -> str:
    place = tuple(int(axis[0]) for axis in np.nonzero(wrong)) if wrong.ndim else ()
    bound = 0.0 if expected.bound is None else float(expected.bound[place])
    return (
        f"{actual[place]!r} at {place}, not {expected.array[place]!r} ({expected.dtype}, bound {bound:.3g}); "
        f"{np.count_nonzero(wrong)} of {wrong.size} elements are wrong"
    )


def fails(program: Program, run: Runner) -> str | None:
    """What is wrong with a program alone."""
    try:
        return difference(program, run([program])[0])
    except ERRORS as error:
        return f"{type(error).__name__}: {error}"


def shrunk(program: Program, run: Runner, tries: int = 40) -> Program:
    """A smaller program that fails as well: one output, an intermediate value in place of what is computed from it."""
    for output in range(len(program.inputs), len(program.inputs) + len(program.steps)):
        smaller = program.pruned((output,))
        tries -= 1
        if tries and len(smaller.steps) <= len(program.steps) and fails(smaller, run):
            return smaller
    return program
