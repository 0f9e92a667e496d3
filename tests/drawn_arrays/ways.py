"""Ways to run programs, and what each may make of them: by the interpreter, or compiled under a plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import eqsat as eq
import eqsat.array as xp
from eqsat.array.realize import evaluate
from tests.codegen.c_compiler import run_c
from tests.drawn_arrays.drawing import Program
from tests.drawn_arrays.operations import EVERY_KIND
from tests.drawn_arrays.oracle import Value
from tests.drawn_arrays.real_numbers import expected_over_the_reals
from tests.drawn_arrays.values import DTYPES

Results = list[list[Any]]


@dataclass(frozen=True)
class Way:
    """How programs are run.

    Attributes:
        run: the results of each. expected: what is right, and how far a result may be off. kinds: of the operations for which that is
        known, and dtypes: likewise. moderate: whether inputs are ordinary numbers.
    """

    run: Callable[[Sequence[Program]], Results]
    expected: Callable[[Program], list[Value]] = Program.expected
    kinds: tuple[str, ...] = EVERY_KIND
    dtypes: tuple[str, ...] = DTYPES
    moderate: bool = False


def run_interpreted(programs: Sequence[Program]) -> Results:
    """The results of each program by the reference interpreter: what the array layer alone makes of it."""
    return [
        evaluate(
            [result.uop for result in program.run(xp, [xp.asarray(each) for each in program.arguments()])]
        )
        for program in programs
    ]


def run_compiled(plan: eq.Plan, programs: Sequence[Program]) -> Results:
    """The results of each program, all compiled together; nothing is kept on disk, which would take half of the time."""
    graph, arguments = _together(programs)
    with patch.dict(os.environ, EQSAT_CACHE="off"):
        results = iter(eq.compile(graph, plan).run(arguments))
    return [[next(results) for _ in program.outputs] for program in programs]


def run_in_c(plan: eq.Plan, programs: Sequence[Program]) -> Results:
    """The results of each program, all in one file of C."""
    graph, arguments = _together(programs)
    results = iter(run_c(graph, arguments, plan))
    return [[next(results) for _ in program.outputs] for program in programs]


def _together(programs: Sequence[Program]) -> tuple[eq.UOp, list[Any]]:
    """One graph of all programs, and its arguments."""
    arguments = [argument for program in programs for argument in program.arguments()]

    def together(*given: Any) -> list[Any]:
        rest = iter(given)
        return [
            result for program in programs for result in program.run(xp, [next(rest) for _ in program.inputs])
        ]

    stand_ins = [eq.spec(argument.shape, argument.dtype) for argument in arguments]
    return eq.trace(together, *stand_ins), arguments


IN_KERNELS = tuple(
    kind for kind in EVERY_KIND if kind != "sorting"
)  # the host sorts, and a file of C has none
WAYS = {
    "interpreted": Way(run_interpreted),
    # products are rounded before they are added, as NumPy's are
    "uncontracted": Way(partial(run_compiled, eq.Plan(contract=False))),
    "c": Way(partial(run_in_c, eq.Plan(contract=False)), kinds=IN_KERNELS),
    "default": Way(partial(run_compiled, eq.Plan()), partial(Program.expected, contracts=True)),
    "fast": Way(
        partial(run_compiled, eq.Plan(fast_math=True)),
        expected_over_the_reals,
        kinds=("polynomial", "movement"),
        dtypes=("float32", "float64"),
        moderate=True,
    ),
}
