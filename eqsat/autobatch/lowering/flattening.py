"""Splits variables that hold structures into one variable for each tensor.

Before: a typed program whose variables hold patterns of tensors. After: an equal program in which each variable holds one tensor. A primitive
that read structures then reads only the tensors that it uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from eqsat.array import zeros
from eqsat.array.data import collect_params
from eqsat.autobatch.ir import (
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    Operation,
    PrimOp,
    Program,
    TensorType,
    Type,
)
from eqsat.autobatch.ir.copies import copy, is_copy
from eqsat.autobatch.ir.patterns import leaves, mapped, with_parts
from eqsat.autobatch.primitives import results_of, traced


def flatten(program: Program) -> Program:
    """The flat program: a variable `x` that holds a pair becomes `x.0` and `x.1`, and so on for nested structures."""
    if all(isinstance(held.pattern, TensorType) for held in program.var_defs.values()):
        return program
    splitting = _Splitting(program)
    main = splitting.function(program.main_function())
    return replace(
        program,
        graph=main.graph,
        functions=tuple(map(splitting.function, program.functions)),
        var_defs=MappingProxyType(splitting.types()),
        vars_in=main.vars_in,
        vars_out=mapped(splitting.pattern, program.vars_out),
    )


@dataclass(frozen=True, slots=True)
class _OfLeaves:
    """A primitive's function as a function of the leaves that it uses; `slots` has their numbers among all leaves of its inputs."""

    operation: PrimOp
    inputs: tuple[Any, ...]
    slots: tuple[int, ...]

    def __call__(self, *given: Any) -> Any:
        tensors: list[TensorType] = list(leaves(self.inputs))
        parts: list[Any] = [zeros(held.shape, dtype=held.dtype) for held in tensors]
        for slot, value in zip(self.slots, given, strict=True):
            parts[slot] = value
        rest = iter(parts)
        arguments = [mapped(lambda _: next(rest), pattern) for pattern in self.inputs]
        found = tuple(leaves(results_of(self.operation, self.operation.function(*arguments))))
        return found[0] if len(found) == 1 else found


class _Splitting:
    def __init__(self, program: Program) -> None:
        self._program = program

    def pattern(self, name: str) -> Any:
        """The names of the variables that replace variable `name`, in the structure of its type."""
        return _named(name, self._program.var_defs[name].pattern)

    def types(self) -> dict[str, Type]:
        """The type of each new variable."""
        return {
            leaf: Type(tensor)
            for name, held in self._program.var_defs.items()
            for leaf, tensor in zip(leaves(self.pattern(name)), held.tensors, strict=True)
        }

    def function(self, function: Function) -> Function:
        """The function, rewritten to the new variables."""
        blocks = tuple(
            replace(block, operations=tuple(new for old in block.operations for new in self._operations(old)))
            for block in function.graph.blocks
        )
        return replace(
            function,
            graph=ControlFlowGraph(blocks),
            vars_in=self._all(function.vars_in),
            vars_out=self._all(function.vars_out),
            annotations=MappingProxyType({}),
        )

    def _all(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(leaf for name in names for leaf in leaves(self.pattern(name)))

    def _operations(self, operation: Operation) -> Iterator[Operation]:
        match operation:
            case FunctionCallOp(_, inputs, outputs):
                yield replace(operation, vars_in=self._all(inputs), vars_out=self._all(outputs))
            case PrimOp(inputs, outputs) if (self._all(inputs), self._all(outputs)) == (inputs, outputs):
                yield operation
            case PrimOp(inputs, outputs) if self._all(outputs):
                yield self._primitive(operation)
            case _:
                pass  # it computes only empty structures

    def _primitive(self, operation: PrimOp) -> PrimOp:
        types = self._program.var_defs
        held = tuple(types[name].pattern for name in operation.vars_in)
        inputs, outputs = self._all(operation.vars_in), self._all(operation.vars_out)
        if is_copy(operation):
            return replace(copy(inputs, outputs, outputs), position=operation.position)
        graph = traced(operation, types).graph
        slots: tuple[int, ...] = tuple(param.arg[0] for param in collect_params(graph))
        return replace(
            operation,
            vars_in=tuple(inputs[slot] for slot in slots),
            vars_out=outputs,
            function=_OfLeaves(operation, held, slots),
            skip_push_mask=frozenset(outputs),
        )


def _named(name: str, pattern: Any) -> Any:
    if not isinstance(pattern, tuple | list):
        return name
    parts: list[Any] = [_named(f"{name}.{place}", part) for place, part in enumerate(pattern)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return with_parts(pattern, parts)
