"""Optimizes variables without stacks: they are overwritten instead of pushed and popped, and values that no block reads are not computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from eqsat.array.data import collect_params
from eqsat.autobatch.ir import (
    EXIT,
    ControlFlowGraph,
    IndirectGotoOp,
    Operation,
    PopOp,
    PrimOp,
    Program,
    PushGotoOp,
    VariableAllocation,
)
from eqsat.autobatch.ir.operations import targets
from eqsat.autobatch.lowering.blocks import tidy
from eqsat.autobatch.regions import Region, with_effects_on
from eqsat.uop import UOp


def overwriting(program: Program) -> Program:
    """The lowered program with variables without stacks overwritten instead of pushed and popped; blocks that only popped are removed."""
    registers = {name for name, how in program.var_alloc.items() if how is not VariableAllocation.FULL}
    blocks = (
        replace(block, operations=tuple(_overwriting(block.operations, registers)))
        for block in program.graph.blocks
    )
    return replace(program, graph=tidy(ControlFlowGraph(tuple(blocks))))


def _overwriting(operations: tuple[Operation, ...], registers: set[str]) -> Iterator[Operation]:
    for operation in operations:
        if isinstance(operation, PopOp):
            names = tuple(name for name in operation.vars if name not in registers)
            if names:
                yield PopOp(names)
        elif isinstance(operation, PrimOp):
            overwritten = operation.skip_push_mask.union(registers.intersection(operation.vars_out))
            yield replace(operation, skip_push_mask=overwritten)
        else:
            yield operation


def without_dead_values(program: Program, regions: Mapping[str, Region]) -> dict[str, Region]:
    """The regions without dead writes: writes to variables without stacks that are overwritten before any block reads them."""
    live = _live_at_ends(program, regions)
    return {
        name: with_effects_on(region, live[name].__contains__, program.var_defs)
        for name, region in regions.items()
    }


def _live_at_ends(program: Program, regions: Mapping[str, Region]) -> dict[str, frozenset[str]]:
    """For each block, the variables that are live at its end; variables with stacks always count as live."""
    full = frozenset(name for name, how in program.var_alloc.items() if how is VariableAllocation.FULL)
    following = dict(_following(program))
    needs = {name: _needs(region) for name, region in regions.items()}
    live = {name: full for name in regions}
    changed = True
    while changed:
        changed = False
        for name in reversed(list(regions)):
            found = full.union(
                *(
                    program.outputs
                    if after == EXIT
                    else _live_at_beginning(regions[after], needs[after], live[after])
                    for after in following[name]
                )
            )
            changed |= found != live[name]
            live[name] = found
    return live


def _live_at_beginning(
    region: Region, needs: Mapping[str | None, frozenset[str]], live: frozenset[str]
) -> frozenset[str]:
    """The variables that are live at the beginning of a block: they are read by its effects on live variables, or are live at its end and unchanged.

    The variables that its branch reads are live, too.
    """
    return live.difference(region.effects).union(
        *(read for name, read in needs.items() if name is None or name in live)
    )


def _needs(region: Region) -> dict[str | None, frozenset[str]]:
    """For each variable that a region changes, the variables that the new values read; under None, the variables that the branch reads."""

    def names(roots: list[UOp]) -> frozenset[str]:
        slots: tuple[int, ...] = tuple(param.arg[0] for param in collect_params(*roots))
        return frozenset(region.reads[slot].name for slot in slots)

    found: dict[str | None, frozenset[str]] = {
        name: names([region.graph.src[number] for number in effect.pushes])
        for name, effect in region.effects.items()
    }
    if region.condition is not None:
        found[None] = names([region.graph.src[region.condition]])
    return found


def _following(program: Program) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The possible successors of each block; a return may lead to any block to which some call returns."""
    blocks = program.graph.blocks
    returned_to = tuple(
        block.terminator.push_block for block in blocks if isinstance(block.terminator, PushGotoOp)
    )
    for block in blocks:
        match block.terminator:
            case IndirectGotoOp():
                yield block.name, (*returned_to, EXIT)
            case PushGotoOp(_, goto_block):
                yield block.name, (goto_block,)
            case terminator:
                yield block.name, targets(terminator)
