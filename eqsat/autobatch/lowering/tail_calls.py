"""Makes functions that tail-call each other leave their results in the same variables, so that tail calls can become jumps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from eqsat.autobatch.analysis.liveness import Live, live_at_entries, live_within
from eqsat.autobatch.ir import (
    EXIT,
    Block,
    BranchOp,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    GotoOp,
    Operation,
    PrimOp,
    Program,
)
from eqsat.autobatch.ir.copies import is_copy


def with_shared_results(program: Program) -> Program:
    """The program in which functions that tail-call each other share the names of their results, and calls store results without copies."""
    functions = tuple(
        replace(function, graph=_without_copies_of_results(function)) for function in program.functions
    )
    program = replace(program, functions=functions)
    names = _shared_names(program)
    if not names:
        return program
    return replace(
        program,
        graph=_renamed_graph(program.graph, names),
        functions=tuple(_renamed(function, names) for function in program.functions),
        var_defs=MappingProxyType({names.get(name, name): held for name, held in program.var_defs.items()}),
    )


def _without_copies_of_results(function: Function) -> ControlFlowGraph:
    """The graph with `y = call f(x)` in place of `t = call f(x); y = copy(t)`, where `t` is not read again."""
    live = live_at_entries(function)
    return ControlFlowGraph(
        tuple(
            replace(block, operations=_joined(block.operations, live_within(block, live)))
            for block in function.graph.blocks
        )
    )


def _joined(operations: tuple[Operation, ...], live: Sequence[Live]) -> tuple[Operation, ...]:
    found: list[Operation] = []
    for operation, after in zip(operations, live[1:], strict=False):
        last = found[-1] if found else None
        if isinstance(last, FunctionCallOp) and isinstance(operation, PrimOp) and is_copy(operation):
            moved = dict(zip(operation.vars_in, operation.vars_out, strict=True))
            dead = moved.keys() <= set(last.vars_out) and not moved.keys() & set(after)
            if dead and len(moved) == len(operation.vars_in):
                outputs = tuple(moved.get(name, name) for name in last.vars_out)
                if len(set(outputs)) == len(outputs):
                    found[-1] = replace(last, vars_out=outputs)
                    continue
        found.append(operation)
    return tuple(found)


def _tail_calls(program: Program) -> Iterator[tuple[Function, FunctionCallOp]]:
    """The tail calls: each function with the calls after which it only returns."""
    for function in program.functions:
        for block in function.graph.blocks:
            last = block.operations[-1] if block.operations else None
            ends = isinstance(block.terminator, GotoOp) and _returns(function, block.terminator.block)
            if ends and isinstance(last, FunctionCallOp) and last.vars_out == function.vars_out:
                yield function, last


def _returns(function: Function, name: str) -> bool:
    passed: set[str] = set()
    while name != EXIT:
        block = function.graph.by_name[name]
        if name in passed or block.operations or not isinstance(block.terminator, GotoOp):
            return False
        passed.add(name)
        name = block.terminator.block
    return True


def _shared_names(program: Program) -> Mapping[str, str]:
    """New names of results, for functions that tail-call others with results of the same types. Parameters that are returned keep their names."""
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while name in root:
            name = root[name]
        return name

    by_name = {function.name: function for function in program.functions}
    parameters = {name for function in program.functions for name in function.vars_in}
    for function, call in _tail_calls(program):
        callee = by_name[call.function]
        pairs = [
            (find(one), find(other)) for one, other in zip(callee.vars_out, function.vars_out, strict=True)
        ]
        held = [(program.var_defs[one], program.var_defs[other]) for one, other in pairs]
        if any(one != other for one, other in held) or parameters & {name for pair in pairs for name in pair}:
            continue
        root.update((one, other) for one, other in pairs if one != other)
    return {name: find(name) for name in root}


def _renamed(function: Function, names: Mapping[str, str]) -> Function:
    return replace(
        function,
        graph=_renamed_graph(function.graph, names),
        vars_in=_all(function.vars_in, names),
        vars_out=_all(function.vars_out, names),
    )


def _renamed_graph(graph: ControlFlowGraph, names: Mapping[str, str]) -> ControlFlowGraph:
    return ControlFlowGraph(tuple(_renamed_block(block, names) for block in graph.blocks))


def _renamed_block(block: Block, names: Mapping[str, str]) -> Block:
    operations: list[Operation] = []
    for operation in block.operations:
        assert isinstance(operation, PrimOp | FunctionCallOp)
        operation = replace(
            operation, vars_in=_all(operation.vars_in, names), vars_out=_all(operation.vars_out, names)
        )
        if isinstance(operation, PrimOp):
            mask = frozenset(_all(tuple(operation.skip_push_mask), names))
            operation = replace(operation, skip_push_mask=mask)
        operations.append(operation)
    terminator = block.terminator
    if isinstance(terminator, BranchOp):
        terminator = replace(terminator, cond_var=names.get(terminator.cond_var, terminator.cond_var))
    return Block(block.name, tuple(operations), terminator)


def _all(each: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(name, name) for name in each)
