"""Checks that Python ints given as arguments fit the dtypes that they meet, as NumPy does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eqsat.autobatch.analysis.probing import result_types
from eqsat.autobatch.ir import FunctionCallOp, Operation, PrimOp, Program
from eqsat.autobatch.ir.copies import is_copy
from eqsat.dtype import int8, int16, int32, int64, uint8, uint16, uint32
from eqsat.errors import BuildError, DTypeError

_GREATEST = [dtype.max for dtype in (int8, uint8, int16, uint16, int32, uint32, int64)]
_LEAST = [-1, *(dtype.min for dtype in (int8, int16, int32, int64))]
_VARIES = object()  # for a variable that may hold something other than the argument


def range_of(program: Program, name: str) -> tuple[int, int]:
    """The least and the greatest Python int that surely fits all dtypes that the input `name` of a program meets."""
    return _last_that_fits(program, name, _LEAST) or 0, _last_that_fits(program, name, _GREATEST) or 0


def require_fitting(program: Program, name: str, number: int) -> None:
    """Computes the types of what reads the input `name` of a program, which is a Python int.

    Raises:
        DTypeError: the number does not fit a dtype that it meets; the message has the line.
    """
    held = _constants(program, {name: number})
    for operation in _operations(program):
        if isinstance(operation, PrimOp) and not is_copy(operation):
            given = [held.get(each, _VARIES) for each in operation.vars_in]
            if any(value is not _VARIES for value in given):
                types = [program.var_defs[each].pattern for each in operation.vars_in]
                result_types(
                    operation,
                    [kind if value is _VARIES else value for value, kind in zip(given, types, strict=True)],
                )


def _last_that_fits(program: Program, name: str, numbers: list[int]) -> int | None:
    last = None
    for number in numbers:
        try:
            require_fitting(program, name, number)
        except DTypeError:
            break
        except BuildError:  # a position out of range, for instance: no matter of dtypes
            pass
        last = number
    return last


def _constants(program: Program, numbers: Mapping[str, int]) -> dict[str, Any]:
    """The variables that hold nothing but one of the numbers, given for inputs; others hold _VARIES, or are never written."""
    held: dict[str, Any] = {name: numbers.get(name, _VARIES) for name in program.vars_in}
    before: dict[str, Any] = {}
    while held != before:
        before = dict(held)
        for operation in _operations(program):
            for source, target in _transfers(program, operation):
                value = held.get(source) if source else _VARIES
                if value is not None:
                    held[target] = value if held.get(target, value) == value else _VARIES
    return held


def _transfers(program: Program, operation: Operation) -> Iterator[tuple[str, str]]:
    """The variables that receive values, with the variables that these come from; "" if they are computed."""
    match operation:
        case FunctionCallOp(name, inputs, outputs):
            callee = program.function(name)
            yield from zip(inputs, callee.vars_in, strict=True)
            yield from zip(callee.vars_out, outputs, strict=True)
        case PrimOp(inputs, outputs):
            yield from zip(inputs if is_copy(operation) else [""] * len(outputs), outputs, strict=True)
        case _:
            pass


def _operations(program: Program) -> Iterator[Operation]:
    for function in (program.main_function(), *program.functions):
        for block in function.graph.blocks:
            yield from block.operations
