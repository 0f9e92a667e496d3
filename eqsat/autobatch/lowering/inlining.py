"""Inlining: replaces calls by plain jumps where the return address is known, by moving functions that are called once and copying short ones.

Variables keep their names in a copy, since a call pushes and pops the same variables wherever its code stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from eqsat.autobatch.ir import (
    EXIT,
    Block,
    BranchOp,
    ControlFlowGraph,
    GotoOp,
    IndirectGotoOp,
    PushGotoOp,
    Terminator,
)
from eqsat.autobatch.ir.operations import targets
from eqsat.autobatch.lowering.blocks import tidy

MOST_BLOCKS = 12  # blocks, at most, of a function that is copied
MOST_GROWTH = 48  # blocks, at most, that copies add to a program


def inlined(graph: ControlFlowGraph) -> ControlFlowGraph:
    """An equal graph with fewer calls: functions that are called once, and short functions without recursion while there is room, are inlined."""
    limit = len(graph.blocks) + MOST_GROWTH
    copies = 0
    while True:
        graph = tidy(_returning_to_known_places(graph))
        found = _short_call(graph, limit)
        if found is None:
            return graph
        copies += 1
        graph = _with_copy(graph, found, f".copy{copies}")


def _returning_to_known_places(graph: ControlFlowGraph) -> ControlFlowGraph:
    """Replaces a call and its returns by jumps, if all returns of the function lead to the same block."""
    calls = _calls(graph)
    bodies = {entry: body_of(graph, entry) for entry in {call.goto_block for call in calls.values()}}
    callers: dict[str, set[str]] = {}  # for each block that returns, the blocks to which it may return
    for call in calls.values():
        for name in _returns(graph, bodies[call.goto_block]):
            callers.setdefault(name, set()).add(call.push_block)
    new: dict[str, Terminator] = {}
    for name, call in calls.items():
        returns = _returns(graph, bodies[call.goto_block])
        if returns and all(len(callers[each]) == 1 for each in returns):
            new[name] = GotoOp(call.goto_block)
            new |= {each: GotoOp(call.push_block) for each in returns}
    return ControlFlowGraph(
        tuple(replace(block, terminator=new.get(block.name, block.terminator)) for block in graph.blocks)
    )


def _calls(graph: ControlFlowGraph) -> dict[str, PushGotoOp]:
    """The calls, each under the name of the block that it ends."""
    return {
        block.name: block.terminator for block in graph.blocks if isinstance(block.terminator, PushGotoOp)
    }


def body_of(graph: ControlFlowGraph, entry: str) -> dict[str, None]:
    """The blocks of a function from its entry to its returns, with the blocks of functions to which it jumps, but without those that it calls."""
    found, pending = {entry: None}, [entry]
    while pending:
        terminator = graph.by_name[pending.pop()].terminator
        after = (terminator.push_block,) if isinstance(terminator, PushGotoOp) else targets(terminator)
        new = [name for name in after if name != EXIT and name not in found]
        found |= dict.fromkeys(new)
        pending += new
    return found


def _returns(graph: ControlFlowGraph, body: Mapping[str, None]) -> list[str]:
    return [name for name in body if isinstance(graph.by_name[name].terminator, IndirectGotoOp)]


def _short_call(graph: ControlFlowGraph, limit: int) -> str | None:
    """The first block that ends by calling a short function without recursion for whose copy there is room; None if there is none."""
    for name, call in _calls(graph).items():
        body = body_of(graph, call.goto_block)
        has_room = len(body) <= MOST_BLOCKS and len(graph.blocks) + len(body) <= limit
        if has_room and _returns(graph, body) and not _is_recursive(graph, call.goto_block):
            return name
    return None


def _is_recursive(graph: ControlFlowGraph, entry: str) -> bool:
    """Whether a function may call itself, or may call a function that does, directly or indirectly."""
    below: dict[str, set[str]] = {}
    pending = [entry]
    while pending:
        current = pending.pop()
        if current not in below:
            below[current] = set(_callees(graph, current))
            pending += below[current]
    finished: set[str] = set()
    while ready := {name for name, after in below.items() if name not in finished and after <= finished}:
        finished |= ready
    return len(finished) < len(below)


def _callees(graph: ControlFlowGraph, entry: str) -> Iterator[str]:
    for name in body_of(graph, entry):
        terminator = graph.by_name[name].terminator
        if isinstance(terminator, PushGotoOp):
            yield terminator.goto_block


def _with_copy(graph: ControlFlowGraph, caller: str, ending: str) -> ControlFlowGraph:
    """The graph in which a call is replaced by a jump to a copy of the function, which jumps back to where the call returns."""
    call = graph.by_name[caller].terminator
    assert isinstance(call, PushGotoOp)
    names = {name: f"{name}{ending}" for name in body_of(graph, call.goto_block)}
    copies = [
        Block(new, graph.by_name[name].operations, _moved(graph.by_name[name].terminator, names, call))
        for name, new in names.items()
    ]
    blocks = [
        replace(block, terminator=GotoOp(names[call.goto_block])) if block.name == caller else block
        for block in graph.blocks
    ]
    return ControlFlowGraph((*blocks, *copies))


def _moved(terminator: Terminator, names: Mapping[str, str], call: PushGotoOp) -> Terminator:
    """The terminator of a copied block: it jumps to copies of blocks within the body, and returns by a jump."""
    match terminator:
        case GotoOp(block):
            return GotoOp(names.get(block, block))
        case BranchOp(condition, true_block, false_block):
            return BranchOp(condition, names.get(true_block, true_block), names.get(false_block, false_block))
        case PushGotoOp(push_block, goto_block):
            return PushGotoOp(names[push_block], goto_block)
        case IndirectGotoOp():
            return GotoOp(call.push_block)
