"""Many programs in one compiled program: the results of each are compared with NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import eqsat as eq
from tests.drawn_arrays.drawing import Program
from tests.drawn_arrays.oracle import Value, wrong_elements
from tests.drawn_arrays.ways import Way


@dataclass(frozen=True)
class Finding:
    """A program that is wrong, what is wrong, and whether it is wrong alone too."""

    program: Program
    words: str
    is_wrong_alone: bool = True

    def __str__(self) -> str:
        beside = "" if self.is_wrong_alone else "\n(only together with the other programs of its group)"
        return f"{self.words}{beside}\n{self.program.text()}"


ERRORS = (eq.EqsatError, AssertionError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError)


def check(programs: Sequence[Program], way: Way) -> list[Finding]:
    """What is wrong with programs that are run together."""
    try:
        results = way.run(programs)
    except ERRORS as error:
        if len(programs) == 1:
            return [Finding(shrunk(programs[0], way), f"{type(error).__name__}: {str(error)[:600]}")]
        half = len(programs) // 2
        found = check(programs[:half], way) + check(programs[half:], way)
        return found or [
            Finding(programs[0], f"only together: {type(error).__name__}: {str(error)[:600]}", False)
        ]
    findings: list[Finding] = []
    for program, actual in zip(programs, results, strict=True):
        words = difference(program, actual, way)
        if words:
            alone = len(programs) == 1 or fails(program, way) is not None
            findings.append(Finding(shrunk(program, way) if alone else program, words, alone))
    return findings


def difference(program: Program, results: Sequence[Any], way: Way) -> str | None:
    """What is wrong with a program's results, in words."""
    for actual, expected in zip(results, way.expected(program), strict=True):
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


def fails(program: Program, way: Way) -> str | None:
    """What is wrong with a program alone."""
    try:
        return difference(program, way.run([program])[0], way)
    except ERRORS as error:
        return f"{type(error).__name__}: {error}"


def shrunk(program: Program, way: Way, tries: int = 40) -> Program:
    """A smaller program that fails as well: one output, an intermediate value in place of what is computed from it."""
    for output in range(len(program.inputs), len(program.inputs) + len(program.steps)):
        smaller = program.pruned((output,))
        tries -= 1
        if tries and len(smaller.steps) <= len(program.steps) and fails(smaller, way):
            return smaller
    return program
