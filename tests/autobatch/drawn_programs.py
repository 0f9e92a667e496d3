"""Drawn programs: branches, loops and bounded recursion over scalars and small arrays of mixed dtypes, on which all machines agree bitwise.

`python -m tests.autobatch.drawn_programs --programs 500 --seed 1` draws programs, runs each by all machines, and prints those on which they differ.
Statements (`tests.autobatch.drawing`) are written as Python source for `batch` and, where they have no assignment to elements, as calls of
`ProgramBuilder` too. Programs with Python numbers are run by plain Python, too (`--numbers`), and a program that is wrong is shrunk (`--shrink`).
"""

from __future__ import annotations

import argparse
import ast
import linecache
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

import eqsat as eq
from eqsat.autobatch import ProgramBuilder, batch
from eqsat.autobatch.batch_program import BatchProgram
from eqsat.autobatch.opencl import launch
from tests.autobatch.agreement import differences
from tests.autobatch.drawing import Drawing, Function
from tests.autobatch.plain import by_python
from tests.autobatch.shrinking import shrunk

STRICT = eq.Plan(strict=True)


class _Writer:
    """Writes functions as Python source."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def function(self, function: Function) -> None:
        self.lines.append("@batch")
        self.lines.append(f"def {function.name}({', '.join(function.parameters)}):")
        self.block(function.body, 1)

    def block(self, statements: Sequence[Any], depth: int) -> None:
        for statement in statements:
            self.statement(statement, depth)
        if not statements:
            self.line(depth, "pass")

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, statement: Any, depth: int) -> None:
        match statement:
            case ("assign", name, value):
                self.line(depth, f"{name} = {value}")
            case ("element", name, position, value):
                self.line(depth, f"{name}[{position}] = {value}")
            case ("call", targets, callee, arguments):
                self.line(depth, f"{', '.join(targets)} = {callee}({', '.join(arguments)})")
            case ("tail", callee, arguments):
                self.line(depth, f"return {callee}({', '.join(arguments)})")
            case ("return", values):
                self.line(depth, f"return {', '.join(values)}")
            case ("if", condition, then, otherwise):
                self.line(depth, f"if {condition}:")
                self.block(then, depth + 1)
                if otherwise:
                    self.line(depth, "else:")
                    self.block(otherwise, depth + 1)
            case ("loop", counter, trips, None, body):
                self.line(depth, f"for {counter} in range({trips}):")
                self.block(body, depth + 1)
            case ("loop", counter, trips, extra, body):
                self.line(depth, f"{counter} = 0")
                self.line(depth, f"while {counter} < {trips} and {extra}:")
                self.line(depth + 1, f"{counter} += 1")
                self.block(body, depth + 1)
            case ("break" | "continue" as word,):
                self.line(depth, word)
            case other:
                raise AssertionError(other)


class _Builder:
    """Writes one function by calls of a `FunctionBuilder`."""

    def __init__(self, building: Any) -> None:
        self.building = building

    def block(self, statements: Sequence[Any]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: Any) -> None:
        building = self.building
        match statement:
            case ("assign", name, value):
                building.assign(name, computing(value))
            case ("call", targets, callee, arguments):
                given = [computing(each) for each in arguments]
                building.call(targets if len(targets) > 1 else targets[0], callee, *given)
            case ("tail", callee, arguments):
                building.call("last", callee, *map(computing, arguments))
                building.return_("last")
            case ("return", values):
                building.return_(*map(computing, values))
            case ("if", condition, then, otherwise):
                with building.if_(computing(condition)):
                    self.block(then)
                if otherwise:
                    with building.else_():
                        self.block(otherwise)
            case ("loop", counter, trips, extra, body):
                building.assign(counter, 0)
                with building.while_(computing(f"({counter} < {trips}) & ({extra or True})")):
                    building.assign(counter, computing(f"{counter} + 1"))
                    self.block(body)
            case ("break",):
                building.break_()
            case ("continue",):
                building.continue_()
            case other:
                raise AssertionError(other)


def computing(text: str) -> Any:
    """The function that computes an expression of the variables that it names."""
    names = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
    return eval(f"lambda {', '.join(sorted(names - {'eq'}))}: {text}", {"eq": eq})


def source_of(drawing: Drawing) -> str:
    """The program as Python source."""
    writer = _Writer()
    for function in drawing.functions:
        writer.function(function)
    return "\n".join(writer.lines) + "\n"


def translated(drawing: Drawing, name: str, plan: eq.Plan = STRICT) -> BatchProgram:
    """The program as `batch` makes it from source."""
    return compiled(source_of(drawing), drawing.types(), name, plan)


def compiled(source: str, types: Sequence[Any], name: str, plan: eq.Plan = STRICT) -> BatchProgram:
    """The program of the function f0 in Python source."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"eq": eq, "batch": batch, "__name__": "drawn"}
    exec(compile(source, file, "exec"), namespace)
    return BatchProgram(namespace["f0"].program(*types), plan, name)


def built(drawing: Drawing, name: str) -> BatchProgram | None:
    """The program as `ProgramBuilder` makes it; None where it assigns elements."""
    if drawing.elements:
        return None
    builder = ProgramBuilder()
    for function in drawing.functions:
        with builder.function(function.name, *function.parameters) as building:
            _Builder(building).block(function.body)
    return BatchProgram(builder.program("f0", *drawing.types()), STRICT, name)


def differences_of(
    seed: int,
    count: int = 9,
    machines: Sequence[str] = ("static", "numpy", "opencl"),
    *,
    is_flat: bool = False,
    has_numbers: bool = False,
    has_functions: bool = False,
) -> list[str]:
    """Where the machines differ on the program of a seed, made in both ways; and where the two ways do, or plain Python does."""
    drawing = Drawing(seed, is_flat=is_flat, has_numbers=has_numbers, has_functions=has_functions)
    inputs = drawing.inputs(np.random.default_rng(seed), count)
    found: list[str] = []
    program = translated(drawing, f"drawn{seed}")
    found += differences(program, inputs, machines)
    if has_numbers:
        found += _differences_from_python(source_of(drawing), program, inputs)
    other = built(drawing, f"built{seed}")
    if other is not None:
        wanted = program.run(inputs, machine="numpy")
        got = other.run(inputs, machine="numpy")
        if not _alike(got, wanted):
            found.append("what the builder makes computes something else")
    return found


def _differences_from_python(source: str, program: BatchProgram, inputs: Sequence[Any]) -> list[str]:
    wanted = by_python(source, inputs)
    with np.errstate(all="ignore"):
        got = program.run(inputs, machine="interpreter")
    return [] if _alike(got, wanted) else [f"Python computes {wanted}, and the interpreter {got}"]


def smallest(seed: int, count: int) -> str:
    """The smallest source that comes of a program with numbers, and still is not computed as by Python."""
    drawing = Drawing(seed, has_numbers=True)
    inputs = drawing.inputs(np.random.default_rng(seed), count)

    def is_wrong(source: str) -> bool:
        try:
            wanted = by_python(source, inputs)
        except Exception:  # noqa: BLE001  no program
            return False
        try:
            program = compiled(source, drawing.types(), "shrunk")
            return not _alike(program.run(inputs), wanted) or bool(differences(program, inputs))
        except Exception:  # noqa: BLE001  every failure is a finding
            return True

    return shrunk(source_of(drawing), is_wrong)


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def main() -> int:
    """Draws programs and runs them; the exit status says whether all machines agree on all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--members", type=int, default=9)
    parser.add_argument("--show", action="store_true", help="print the source of each program")
    parser.add_argument(
        "--flat", action="store_true", help="flat programs, in lanes wherever there can be some"
    )
    parser.add_argument("--numbers", action="store_true", help="programs with Python numbers")
    parser.add_argument("--functions", action="store_true", help="programs with library functions")
    parser.add_argument("--shrink", action="store_true", help="print the smallest program that is wrong, too")
    parsed = parser.parse_args()
    if parsed.flat:
        launch.gains = lambda *_: True
        launch._MEMBERS_PER_CORE = 0
    kinds = {
        "is_flat": parsed.flat,
        "has_numbers": parsed.numbers,
        "has_functions": parsed.functions,
    }
    wrong, start = 0, perf_counter()
    for seed in range(parsed.seed, parsed.seed + parsed.programs):
        if parsed.show:
            print(source_of(Drawing(seed, **kinds)))
        try:
            found = differences_of(seed, parsed.members, **kinds)
        except Exception as error:  # noqa: BLE001  every failure is a finding
            found = [f"{type(error).__name__}: {error}"]
        for line in found:
            print(f"seed {seed}: {line}", flush=True)
        if found and parsed.numbers and parsed.shrink:
            print(smallest(seed, parsed.members), flush=True)
        wrong += bool(found)
    print(f"{parsed.programs} programs, {wrong} on which machines differ, {perf_counter() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
