"""Liveness analysis: the variables of a function whose values are read later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eqsat.autobatch.ir import EXIT, Function, Operation, PrimOp
from eqsat.autobatch.ir.operations import reads, targets, writes
from eqsat.autobatch.ir.program import Block

Live = tuple[str, ...]  # variable names, sorted


def live_at_entries(function: Function) -> dict[str, Live]:
    """For each block, and for EXIT, the variables that are live at its beginning: read later, before they are written again.

    The function is one before lowering. The analysis runs backwards, with a worklist of blocks. A PrimOp without live outputs counts as absent.
    """
    blocks = function.graph.by_name
    predecessors: dict[str, list[str]] = {name: [] for name in (*blocks, EXIT)}
    for block in blocks.values():
        for target in targets(block.terminator):
            predecessors[target].append(block.name)
    live: dict[str, Live] = dict.fromkeys(blocks, ())
    live[EXIT] = tuple(sorted(set(function.vars_out)))
    pending = dict.fromkeys(block.name for block in reversed(function.graph.blocks))
    while pending:
        block = blocks[next(iter(pending))]
        del pending[block.name]
        at_entry = live_within(block, live)[0]
        if at_entry != live[block.name]:
            live[block.name] = at_entry
            pending |= dict.fromkeys(predecessors[block.name])
    return live


def live_within(block: Block, live: Mapping[str, Live]) -> Sequence[Live]:
    """The variables that are live before each operation of a block, and before its terminator; `live` has those live at entries of blocks."""
    after = {name for target in targets(block.terminator) for name in live[target]}
    found = [tuple(sorted(after.union(reads(block.terminator))))]
    for operation in reversed(block.operations):
        found.append(_before(operation, found[-1]))
    return found[::-1]


def _before(operation: Operation, after: Live) -> Live:
    if isinstance(operation, PrimOp) and not set(operation.vars_out) & set(after):
        return after
    return tuple(sorted(set(after).difference(writes(operation)).union(reads(operation))))
