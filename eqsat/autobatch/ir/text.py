"""Programs as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.autobatch.ir.operations import (
    BranchOp,
    FunctionCallOp,
    GotoOp,
    IndirectGotoOp,
    Operation,
    PopOp,
    PrimOp,
    PushGotoOp,
    Terminator,
)
from eqsat.autobatch.ir.program import ControlFlowGraph, Program


def program_text(program: Program) -> str:
    """The program as text, with a line for each variable and each operation."""
    return "\n".join(_lines(program))


def _lines(program: Program) -> Iterator[str]:
    yield f"program({', '.join(program.vars_in)}) -> {_pattern_text(program.vars_out)}"
    for name, held in program.var_defs.items():
        allocation = program.var_alloc.get(name)
        yield f"  {name}: {held}{f' {allocation.value}' if allocation else ''}"
    yield from _graph_lines(program.graph)
    for function in program.functions:
        yield f"{function.name}({', '.join(function.vars_in)}) -> ({', '.join(function.vars_out)})"
        yield from _graph_lines(function.graph)


def _graph_lines(graph: ControlFlowGraph) -> Iterator[str]:
    for block in graph.blocks:
        yield f" {block.name}:"
        for operation in block.operations:
            yield f"    {operation_text(operation)}"
        yield f"    {terminator_text(block.terminator)}"


def operation_text(operation: Operation) -> str:
    """One operation as text; `push` marks the variables that a lowered program pushes."""
    match operation:
        case PrimOp(vars_in, vars_out, function, kept):
            outputs = ", ".join(name if name in kept else f"push {name}" for name in vars_out)
            called = operation.name or getattr(function, "__name__", "function")
            return f"{outputs} = {called}({', '.join(vars_in)})"
        case FunctionCallOp(function, vars_in, vars_out):
            return f"{', '.join(vars_out)} = call {function}({', '.join(vars_in)})"
        case PopOp(names):
            return f"pop {', '.join(names)}"


def terminator_text(terminator: Terminator) -> str:
    """One terminator as text."""
    match terminator:
        case GotoOp(block):
            return f"goto {block}"
        case BranchOp(condition, true_block, false_block):
            return f"if {condition} goto {true_block} else {false_block}"
        case PushGotoOp(push_block, goto_block):
            return f"push {push_block}, goto {goto_block}"
        case IndirectGotoOp():
            return "goto pop"


def _pattern_text(pattern: Any) -> str:
    if isinstance(pattern, tuple | list):
        return f"({', '.join(map(_pattern_text, pattern))})"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return str(pattern)
