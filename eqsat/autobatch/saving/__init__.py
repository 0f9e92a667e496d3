"""Chooses which values recursive functions save across calls: the values needed after a call, or fewer values from which to compute them.

Before: a typed program in which every variable holds one tensor. After: an equal program. Its blocks may compute a value needed after a call
before the call, again after it, or from another value that is saved anyway. Variables that are not live across a recursive call need no stack.

The values of a block are saturated together. The extraction problem has one class for each e-class at each place between calls. There the value
is computed by one of its e-nodes from operands at the same place, or taken from the saved values. Saving a value across a call costs a push and
a pop. So a single DAG cost counts operations and pushes.

Source: P. Briggs, K. Cooper, L. Torczon, Rematerialization (PLDI 1992), for the choice.
"""

from __future__ import annotations

from dataclasses import replace

from eqsat.autobatch.analysis.liveness import live_at_entries, live_within
from eqsat.autobatch.ir import (
    Block,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    Program,
    Type,
    VariableAllocation,
)
from eqsat.autobatch.ir.types import TensorType, tensor_of
from eqsat.autobatch.lowering import lower
from eqsat.autobatch.saving.extraction import extracted
from eqsat.autobatch.saving.places import BlockValues
from eqsat.autobatch.saving.recursion import recursive_calls
from eqsat.autobatch.saving.writing import written
from eqsat.dtype import DType
from eqsat.pipeline.planning.plan import Plan

__all__ = ["with_cheapest_saves"]


def with_cheapest_saves(program: Program, plan: Plan) -> Program:
    """The program in which recursive functions save the cheapest sets of values; the program itself if that needs no fewer stacks."""
    recursive = recursive_calls(program)
    functions = tuple(_improved(function, recursive, program, plan) for function in program.functions)
    types = {name: held for _, more in functions for name, held in more.items()}
    if not types:
        return program
    found = replace(program, functions=tuple(function for function, _ in functions)).replace(
        {**program.var_defs, **types}
    )
    return found if _stacked(found) < _stacked(program) else program


def _stacked(program: Program) -> tuple[int, int]:
    """The bytes of one value of each variable that needs a stack, summed, and the number of these variables."""
    lowered = lower(program)
    full = [name for name, how in lowered.var_alloc.items() if how is VariableAllocation.FULL]
    held = [tensor_of(lowered.var_defs, name) for name in full if name in lowered.var_defs]
    return sum(each.size * each.dtype.itemsize for each in held), len(full)


def _improved(
    function: Function, recursive: set[tuple[str, str]], program: Program, plan: Plan
) -> tuple[Function, dict[str, Type]]:
    """The function, with blocks rewritten where that saves fewer values, and the types of new variables."""
    live = live_at_entries(function)
    types: dict[str, Type] = {}

    def fresh(dtype: DType) -> str:
        name = f"{function.name}.saved{len(types)}"
        types[name] = Type(TensorType(dtype))
        return name

    def improved(block: Block) -> Block:
        saves = [
            isinstance(operation, FunctionCallOp) and (function.name, operation.function) in recursive
            for operation in block.operations
        ]
        if not any(saves):
            return block
        values = BlockValues.of(block, saves, live_within(block, live), program)
        chosen = extracted(values, plan) if values.saved else None
        return block if chosen is None else written(chosen, fresh)

    blocks = tuple(map(improved, function.graph.blocks))
    return replace(function, graph=ControlFlowGraph(blocks)), types
