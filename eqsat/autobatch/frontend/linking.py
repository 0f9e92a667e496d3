"""Collects a function and all functions that it calls, directly or indirectly, into a program."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType, MappingProxyType

from eqsat.autobatch.frontend.source import Source
from eqsat.autobatch.frontend.statements import translate
from eqsat.autobatch.ir import (
    EXIT,
    Block,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    GotoOp,
    Program,
)

_MAIN = "main"


def link(root: Source) -> Program:
    """The program, still without types, that calls `root` with its inputs.

    Raises:
        BuildError: a function that is called cannot be batched.
    """
    names: dict[FunctionType, str] = {}
    sources: list[Source] = []

    def name_of(source: Source) -> str:
        if source.function not in names:
            names[source.function] = _unused(source.name, names.values())
            sources.append(source)
        return names[source.function]

    name_of(root)
    functions: list[Function] = []
    for source in sources:  # translating adds to this list
        functions.append(translate(source, name_of(source), name_of))
    return program_of(functions[0], functions[1:])


def program_of(root: Function, others: list[Function]) -> Program:
    """The program that runs `root`. The main program is `root` itself, or a call of it if another call exists or `root` declares types."""
    if not root.annotations and not _is_called(root, [root, *others]):
        return Program(root.graph, tuple(others), MappingProxyType({}), root.vars_in, root.vars_out[0])
    inputs = tuple(f"{_MAIN}.{name.removeprefix(f'{root.name}.')}" for name in root.vars_in)
    result = f"{_MAIN}.result"
    call = FunctionCallOp(root.name, inputs, (result,), root.position)
    graph = ControlFlowGraph((Block(f"{_MAIN}.0", (call,), GotoOp(EXIT)),))
    return Program(graph, (root, *others), MappingProxyType({}), inputs, result)


def _is_called(root: Function, functions: list[Function]) -> bool:
    return any(
        isinstance(operation, FunctionCallOp) and operation.function == root.name
        for function in functions
        for block in function.graph.blocks
        for operation in block.operations
    )


def _unused(name: str, used: Iterable[str]) -> str:
    taken = {_MAIN, *used}
    number = 1
    unused = name
    while unused in taken:
        number += 1
        unused = f"{name}_{number}"
    return unused
