"""Gives each leaf of a pattern a variable of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from eqsat.autobatch.ir import (
    Block,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    Operation,
    PrimOp,
    Program,
    Type,
)
from eqsat.autobatch.ir.copies import copy, is_copy
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.autobatch.primitives import results_of


def flat(program: Program) -> Program:
    """An equal typed program, before lowering, in which each variable holds one tensor. Variables that hold one already keep their names."""
    parts = {
        name: tuple(f"{name}.{number}" for number in range(len(held.tensors)))
        for name, held in program.var_defs.items()
        if isinstance(held.pattern, tuple | list)
    }
    if not parts:
        return program
    flattened = _Flattening(parts, program.var_defs)
    types: dict[str, Type] = {}
    for name, held in program.var_defs.items():
        own = parts.get(name, (name,))
        types |= {each: Type(tensor) for each, tensor in zip(own, held.tensors, strict=True)}
    return replace(
        program,
        graph=flattened.graph(program.graph),
        functions=tuple(map(flattened.function, program.functions)),
        vars_in=flattened.all(program.vars_in),
        vars_out=mapped(flattened.pattern, program.vars_out),
    ).replace(var_defs=types)


class _Flattening:
    """Replaces variables by their parts."""

    def __init__(self, parts: Mapping[str, tuple[str, ...]], types: Mapping[str, Type]) -> None:
        self._parts = parts
        self._types = types

    def all(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The parts of variables, in order."""
        return tuple(part for name in names for part in self._parts.get(name, (name,)))

    def pattern(self, name: str) -> Any:
        """The parts of a variable in the pattern that it holds."""
        parts = iter(self._parts.get(name, (name,)))
        return mapped(lambda _: next(parts), self._types[name].pattern)

    def function(self, function: Function) -> Function:
        """A function with more variables."""
        return replace(
            function,
            graph=self.graph(function.graph),
            vars_in=self.all(function.vars_in),
            vars_out=self.all(function.vars_out),
        )

    def graph(self, graph: ControlFlowGraph) -> ControlFlowGraph:
        """A graph with more variables."""
        return ControlFlowGraph(
            tuple(
                Block(block.name, tuple(map(self._operation, block.operations)), block.terminator)
                for block in graph.blocks
            )
        )

    def _operation(self, operation: Operation) -> Operation:
        assert isinstance(operation, PrimOp | FunctionCallOp)
        vars_in, vars_out = self.all(operation.vars_in), self.all(operation.vars_out)
        if isinstance(operation, FunctionCallOp):
            return replace(operation, vars_in=vars_in, vars_out=vars_out)
        if is_copy(operation):
            return replace(copy(vars_in, vars_out, vars_out), position=operation.position)
        return replace(
            operation,
            vars_in=vars_in,
            vars_out=vars_out,
            function=self._on_leaves(operation),
            skip_push_mask=frozenset(vars_out),
            name=operation.name or getattr(operation.function, "__name__", ""),
        )

    def _on_leaves(self, operation: PrimOp) -> Callable[..., Any]:
        """The function of an operation, from leaves to leaves."""
        patterns = [self._types[name].pattern for name in operation.vars_in]

        def function(*values: Any) -> Any:
            given = iter(values)
            arguments = [mapped(lambda _: next(given), pattern) for pattern in patterns]
            results = tuple(leaves(results_of(operation, operation.function(*arguments))))
            return results[0] if len(results) == 1 else results

        return function
