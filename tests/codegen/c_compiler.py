"""Programs in C: compiled by the system's compiler, and called on NumPy arrays."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen.c_program import CProgram
from eqsat.dtype import to_numpy
from eqsat.extents import at
from eqsat.pipeline import emit_c
from eqsat.pipeline.functions.closed import Closed
from eqsat.runtime.storage import from_stored, stored_dtype, to_stored
from eqsat.uop import UOp

COMPILER = shutil.which("cc")
OPTIONS = ("-std=c11", "-O2", "-Wall", "-Werror", "-ffp-contract=off")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc) is installed")


def compile_c(source: str, options: Sequence[str] = OPTIONS) -> ctypes.CDLL:
    """A file as a library of this process."""
    assert COMPILER is not None
    with tempfile.TemporaryDirectory() as directory:
        file, library = Path(directory, "program.c"), Path(directory, "program.so")
        file.write_text(source)
        command = [COMPILER, *options, "-shared", "-fPIC", "-o", str(library), str(file), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stderr[:4000]}\n{source[:20000]}"
        return ctypes.CDLL(str(library))


def run_c(
    graph: UOp, arrays: Sequence[np.ndarray], plan: eq.Plan | None = None, values: Sequence[int] = ()
) -> list[np.ndarray]:
    """What a graph computes through C; values are those of its variables, in the order of their names."""
    given = [*arrays, *Closed.of(graph).captured]
    results = called(emit_c(graph, plan), given, values)
    return [result.reshape(root.shape or ()) for result, root in zip(results, graph.src, strict=True)]


def called(program: CProgram, arrays: Sequence[np.ndarray], values: Sequence[int] = ()) -> list[np.ndarray]:
    """The results of a program, flat."""
    return CFunction(program)(arrays, values)


class CFunction:
    """A compiled program. It gives the results, flat; memory that it writes beyond what it says ends the test."""

    def __init__(self, program: CProgram) -> None:
        self._program = program
        self._run: Callable[..., None] = compile_c(program.source).run
        self._run.restype = None  # pyright: ignore[reportFunctionMemberAccess]

    def __call__(self, arrays: Sequence[np.ndarray], values: Sequence[int] = ()) -> list[np.ndarray]:
        parameters = self._program.parameters
        variables = [each for each in parameters if each.bounds]
        known = {each.variable: value for each, value in zip(variables, values, strict=True)}
        memory: list[np.ndarray] = []
        results: list[np.ndarray] = []
        for parameter in parameters:
            if parameter.bounds:
                continue
            if parameter.dtype is None:
                memory.append(np.full(at(parameter.size, known), 0xA5, np.uint8))
            elif parameter.name.startswith("in"):
                array = np.require(arrays[int(parameter.name[2:])], to_numpy(parameter.dtype), ("C", "A"))
                memory.append(to_stored(array.reshape(-1), parameter.dtype))
            else:
                results.append(np.zeros(at(parameter.size, known), stored_dtype(parameter.dtype)))
                memory.append(results[-1])
            assert memory[-1].size == at(parameter.size, known)
        numbers = [np.ctypeslib.as_ctypes_type(to_numpy(each.dtype)) for each in variables if each.dtype]
        given = [number(value) for number, value in zip(numbers, values, strict=True)]
        self._run(*(ctypes.c_void_p(each.ctypes.data) for each in memory), *given)
        outputs = [each for each in parameters if each.name.startswith("out")]
        return [from_stored(array, each.dtype) for array, each in zip(results, outputs, strict=True)]
