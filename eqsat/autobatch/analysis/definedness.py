"""Definite-assignment analysis: the variables that have a value on every path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eqsat.autobatch.ir import EXIT, Function, FunctionCallOp, PrimOp
from eqsat.autobatch.ir.operations import reads, targets, writes
from eqsat.errors import BuildError


def require_defined(function: Function) -> None:
    """Checks that every variable is written before it is read, on every path from the entry.

    Raises:
        BuildError: a variable may be read before it is written; the message names the variable and the line that reads it.
    """
    for name, where in _reads_before_definition(function, defined_at_entries(function)):
        shown = name.removeprefix(f"{function.name}.")
        raise BuildError(
            f"use of {shown!r} before definition ({where}); assign it on every path that leads here"
        )


def defined_at_entries(function: Function) -> Mapping[str, frozenset[str]]:
    """For each reachable block, and for EXIT, the variables that have a value at its beginning on every path.

    The analysis runs forwards, with a worklist of blocks.
    """
    blocks = function.graph.by_name
    defined = {function.graph.entry: frozenset(function.vars_in)}
    pending = [function.graph.entry]
    while pending:
        name = pending.pop()
        if name == EXIT:
            continue
        written = (name for operation in blocks[name].operations for name in writes(operation))
        after = defined[name].union(written)
        for target in targets(blocks[name].terminator):
            at_target = after & defined.get(target, after)
            if at_target != defined.get(target):
                defined[target] = at_target
                pending.append(target)
    return defined


def _reads_before_definition(
    function: Function, defined: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, object]]:
    for block in function.graph.blocks:
        if block.name not in defined:
            continue
        known = set(defined[block.name])
        for operation in (*block.operations, block.terminator):
            where: object = f"block {block.name!r}"
            if isinstance(operation, PrimOp | FunctionCallOp) and operation.position:
                where = operation.position
            yield from ((name, where) for name in reads(operation) if name not in known)
            known.update(writes(operation))
    yield from ((name, "the end") for name in function.vars_out if name not in defined.get(EXIT, {name}))
