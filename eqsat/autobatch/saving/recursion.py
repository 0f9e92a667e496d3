"""Finds the recursive calls of a program."""

from __future__ import annotations

from eqsat.autobatch.ir import FunctionCallOp, Program


def recursive_calls(program: Program) -> set[tuple[str, str]]:
    """The pairs (caller, callee) in which the callee may call the caller again, directly or through others."""
    callees = {
        function.name: {
            operation.function
            for block in function.graph.blocks
            for operation in block.operations
            if isinstance(operation, FunctionCallOp)
        }
        for function in program.functions
    }
    found: set[tuple[str, str]] = set()
    for caller, called in callees.items():
        for callee in called:
            reached, pending = {callee}, [callee]
            while pending:
                new = callees[pending.pop()] - reached
                reached |= new
                pending += new
            if caller in reached:
                found.add((caller, callee))
    return found
