"""Makes graphs of lowered blocks smaller: threads jumps, fuses pops with pushes, merges blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from eqsat.autobatch.ir import (
    EXIT,
    Block,
    BranchOp,
    ControlFlowGraph,
    GotoOp,
    IndirectGotoOp,
    Operation,
    PopOp,
    PrimOp,
    PushGotoOp,
    Terminator,
)
from eqsat.autobatch.ir.copies import copy, is_copy
from eqsat.autobatch.ir.operations import reads, targets
from eqsat.support.reachability import reachable


def tidy(graph: ControlFlowGraph) -> ControlFlowGraph:
    """An equal, simplified graph: it has no blocks that only jump, no unreachable blocks, no jumps to a block with a single predecessor,
    and no pops just before a push of the same variable.

    A call followed only by a return becomes a jump (a tail call).
    """
    before = None
    while graph != before:
        before = graph
        graph = ControlFlowGraph(
            tuple(replace(block, operations=fused(block.operations)) for block in graph.blocks)
        )
        graph = _threaded(graph)
        graph = _merged(_reachable(graph))
    return graph


def fused(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """The operations without copies of a variable to itself; a pop followed by a push of the same variable becomes an overwriting."""
    found: list[Operation] = []
    for operation in operations:
        if is_copy(operation):
            operation = _without_itself(operation)
            if operation is None:
                continue
        if isinstance(operation, PrimOp):
            operation = _overwriting(operation, found)
        found.append(operation)
    return tuple(found)


def _without_itself(operation: Operation) -> PrimOp | None:
    """A copy without the pairs that overwrite a variable with its own value; None if no pair is left."""
    assert isinstance(operation, PrimOp)
    pairs = [
        (source, name)
        for source, name in zip(operation.vars_in, operation.vars_out, strict=True)
        if source != name or name not in operation.skip_push_mask
    ]
    if not pairs:
        return None
    kept = copy([source for source, _ in pairs], [name for _, name in pairs], operation.skip_push_mask)
    return replace(kept, position=operation.position)


def _overwriting(operation: PrimOp, before: list[Operation]) -> PrimOp:
    """Makes `operation` overwrite a variable that it pushes if `before` pops it and nothing in between uses it; removes that pop from `before`."""
    overwritten = set(operation.skip_push_mask)
    for name in operation.vars_out:
        if name in overwritten or name in operation.vars_in:
            continue
        for place in range(len(before) - 1, -1, -1):
            earlier = before[place]
            if isinstance(earlier, PopOp):
                if name in earlier.vars:
                    rest = tuple(other for other in earlier.vars if other != name)
                    before[place : place + 1] = [PopOp(rest)] if rest else []
                    overwritten.add(name)
                    break
            elif name in (*reads(earlier), *_written(earlier)):
                break
    return replace(operation, skip_push_mask=frozenset(overwritten))


def _written(operation: Operation) -> tuple[str, ...]:
    return operation.vars_out if isinstance(operation, PrimOp) else ()


def _threaded(graph: ControlFlowGraph) -> ControlFlowGraph:
    """Jump threading: redirects jumps to empty blocks to where these blocks jump."""
    return ControlFlowGraph(
        tuple(replace(block, terminator=_shortened(block.terminator, graph)) for block in graph.blocks)
    )


def _shortened(terminator: Terminator, graph: ControlFlowGraph) -> Terminator:
    match terminator:
        case GotoOp(block):
            end = _end_of_thread(block, graph)
            if end != EXIT and not graph.by_name[end].operations:
                last = graph.by_name[end].terminator
                return last if isinstance(last, IndirectGotoOp | PushGotoOp) else GotoOp(end)
            return GotoOp(end)
        case BranchOp(condition, true_block, false_block):
            one, other = _end_of_thread(true_block, graph), _end_of_thread(false_block, graph)
            return GotoOp(one) if one == other else BranchOp(condition, one, other)
        case PushGotoOp(push_block, goto_block):
            back, to = _end_of_thread(push_block, graph), _end_of_thread(goto_block, graph)
            returned = None if back == EXIT else graph.by_name[back]
            if returned and not returned.operations and isinstance(returned.terminator, IndirectGotoOp):
                return GotoOp(to)
            return PushGotoOp(back, to)
        case IndirectGotoOp():
            return terminator


def _end_of_thread(name: str, graph: ControlFlowGraph) -> str:
    """The first block from `name` on that has operations, or does not end by a plain jump."""
    passed: set[str] = set()
    while name != EXIT and name not in passed:
        block = graph.by_name[name]
        if block.operations or not isinstance(block.terminator, GotoOp):
            return name
        passed.add(name)
        name = block.terminator.block
    return name


def _reachable(graph: ControlFlowGraph) -> ControlFlowGraph:
    following = {block.name: targets(block.terminator) for block in graph.blocks}
    found = set(reachable([graph.entry], lambda name: following.get(name, ())))
    return ControlFlowGraph(tuple(block for block in graph.blocks if block.name in found))


def _merged(graph: ControlFlowGraph) -> ControlFlowGraph:
    """Joins each block with its successor, if that has no other predecessor."""
    arrivals = Counter(target for block in graph.blocks for target in targets(block.terminator))
    returned_to = {
        block.terminator.push_block for block in graph.blocks if isinstance(block.terminator, PushGotoOp)
    }
    taken: set[str] = set()
    merged: list[Block] = []
    for block in graph.blocks:
        if block.name in taken:
            continue
        while isinstance(block.terminator, GotoOp):
            name = block.terminator.block
            alone = (
                name != EXIT and arrivals[name] == 1 and name not in returned_to | {graph.entry, block.name}
            )
            if not alone or name in {other.name for other in merged}:
                break
            following = graph.by_name[name]
            taken.add(name)
            block = Block(block.name, block.operations + following.operations, following.terminator)
        merged.append(block)
    return ControlFlowGraph(tuple(merged))
