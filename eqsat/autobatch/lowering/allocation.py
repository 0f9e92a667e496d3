"""Chooses how each variable of a lowered program is stored, by proving where less than a stack suffices."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.autobatch.ir import (
    EXIT,
    PROGRAM_COUNTER,
    Block,
    IndirectGotoOp,
    PopOp,
    PrimOp,
    Program,
    PushGotoOp,
    VariableAllocation,
)
from eqsat.autobatch.ir.operations import reads, targets

_MANY = 2  # depths are counted up to this: more than one
_Actions = list[tuple[str, int]]  # "read", "write" or "pop", and by how many values the stack grows


def allocate(program: Program) -> Program:
    """The program with a `var_alloc` entry for each variable that it uses, and for the program counter if that is pushed.

    A variable without reads is NULL; a variable that is live only within single blocks is TEMPORARY; a variable with at most one live value at
    a time is REGISTER; any other variable is FULL.
    """
    names = dict.fromkeys(name for name in (*program.var_defs, PROGRAM_COUNTER) if _is_touched(program, name))
    return program.replace(var_alloc={name: _allocation(program, name) for name in names})


def _is_touched(program: Program, name: str) -> bool:
    return name in (*program.vars_in, *program.outputs) or any(
        _actions(block, name) for block in program.graph.blocks
    )


def _allocation(program: Program, name: str) -> VariableAllocation:
    actions = {block.name: _actions(block, name) for block in program.graph.blocks}
    is_output = name in program.outputs
    if not is_output and not any(kind == "read" for each in actions.values() for kind, _ in each):
        return VariableAllocation.NULL
    outside = is_output or name in program.vars_in
    if not outside and all(_is_within(each) for each in actions.values()):
        return VariableAllocation.TEMPORARY
    return (
        VariableAllocation.REGISTER if _deepest(program, name, actions) < _MANY else VariableAllocation.FULL
    )


def _actions(block: Block, name: str) -> _Actions:
    """The reads, writes and pops of a variable in a block, in order."""
    found: _Actions = []
    for operation in block.operations:
        if isinstance(operation, PrimOp):
            found += [("read", 0)] * operation.vars_in.count(name)
            if name in operation.vars_out:
                found.append(("write", int(name not in operation.skip_push_mask)))
        elif isinstance(operation, PopOp) and name in operation.vars:
            found.append(("pop", -1))
    if name in reads(block.terminator):
        found.append(("read", 0))
    if name == PROGRAM_COUNTER:
        match block.terminator:
            case PushGotoOp():
                found.append(("write", 1))
            case IndirectGotoOp():
                found += [("read", 0), ("pop", -1)]
            case _:
                pass
    return found


def _is_within(actions: _Actions) -> bool:
    """Whether a block pushes a variable before it reads or overwrites it, at most once at a time, and pops it again."""
    depth = 0
    for kind, change in actions:
        depth += change
        if (kind == "read" and depth < 1) or depth < 0 or depth > 1 or (kind == "write" and depth < 1):
            return False
    return depth == 0


def _deepest(program: Program, name: str, actions: dict[str, _Actions]) -> int:
    """The most values of a variable that are live at once, up to `_MANY`: the greatest depth over all paths from the entry, through calls."""
    effects = _effects_of_calls(program, name, actions)
    graph = program.graph
    depths = {graph.entry: int(name in program.vars_in)}
    pending, deepest = [graph.entry], 0
    while pending:
        block = graph.by_name[pending.pop()]
        depth = depths[block.name]
        for _, change in actions[block.name]:
            depth = min(depth + change, _MANY)
            deepest = max(deepest, depth)
        for target, at_target in _arrivals(block, depth, effects, name):
            if at_target > depths.get(target, -1):
                depths[target] = at_target
                pending.append(target)
    return deepest


def _arrivals(block: Block, depth: int, effects: dict[str, int], name: str) -> Iterator[tuple[str, int]]:
    """The successors of a block, each with the depth there. A call leads to its callee, and to the block where it returns with its effect."""
    terminator = block.terminator
    if isinstance(terminator, PushGotoOp):
        yield terminator.goto_block, depth
        if terminator.goto_block in effects:
            yield terminator.push_block, depth + effects[terminator.goto_block]
        return
    yield from ((target, depth) for target in targets(terminator) if target != EXIT)


def _effects_of_calls(program: Program, name: str, actions: dict[str, _Actions]) -> dict[str, int]:
    """For each function that returns, given by its entry, by how much a call of it changes the depth of a variable."""
    graph = program.graph
    entries = dict.fromkeys(
        block.terminator.goto_block for block in graph.blocks if isinstance(block.terminator, PushGotoOp)
    )
    effects: dict[str, int] = {}
    size = -1
    while len(effects) != size:
        size = len(effects)
        for entry in entries:
            effect = _effect(program, name, entry, actions, effects)
            if effect is not None:
                effects[entry] = effect
    return effects


def _effect(
    program: Program, name: str, entry: str, actions: dict[str, _Actions], effects: dict[str, int]
) -> int | None:
    depths = {entry: 0}
    pending = [entry]
    while pending:
        block = program.graph.by_name[pending.pop()]
        depth = depths[block.name] + sum(change for _, change in actions[block.name])
        if isinstance(block.terminator, IndirectGotoOp):
            return depth
        within = _arrivals(block, depth, effects, name)
        for target, at_target in within:
            if isinstance(block.terminator, PushGotoOp) and target != block.terminator.push_block:
                continue  # the callee's blocks are counted in its effect
            if target not in depths:
                depths[target] = at_target
                pending.append(target)
    return None
