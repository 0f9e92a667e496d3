"""Splits variables into webs, so that a name may hold values of different types one after another.

A web consists of the writes of one name whose values reach a common read. For instance, `x = x / 2` begins a new web of `x`, unless a loop or a
branch brings the old and the new value to the same read.

Source: S. Muchnick, Advanced Compiler Design and Implementation, 16.3.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from types import MappingProxyType

from eqsat.autobatch.ir import (
    EXIT,
    Block,
    BranchOp,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    Operation,
    PrimOp,
    Terminator,
)
from eqsat.autobatch.ir.operations import reads, targets, writes

Write = tuple[str, str, int]  # a variable, the block that writes it, and the number of the operation there
Reaching = Mapping[str, frozenset[Write]]  # for each variable, the writes whose values it may hold

_ENTRY, _NOWHERE = -1, MappingProxyType[str, frozenset[Write]]({})


def split(function: Function) -> Function:
    """The function with a variable for each web. Webs of parameters and of results keep their names."""
    webs = _Webs(function)
    graph = ControlFlowGraph(tuple(webs.renamed(block) for block in function.graph.blocks))
    annotations = {
        name: declared for old, declared in function.annotations.items() for name in webs.names_of(old)
    }
    return replace(function, graph=graph, annotations=MappingProxyType(annotations))


def plain_name(name: str) -> str:
    """The name in the source of a variable that was split."""
    return name.partition(":")[0]


class _Webs:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._parents: dict[Write, Write] = {}
        self._reaching = _reaching(function)
        self._names: dict[Write, str] = {}
        fixed = [self._joined(function.graph.entry, name) for name in function.vars_in]
        for block in function.graph.blocks:
            self._join(block)
        for name in function.vars_out:
            found = [*self._reaching.get(EXIT, _NOWHERE).get(name, ())]
            self._unite([*found, *(each for each in fixed if each[0] == name)])
            fixed += found
        for write in fixed:
            self._names[self._root(write)] = write[0]

    def _joined(self, entry: str, name: str) -> Write:
        return self._root((name, entry, _ENTRY))

    def _join(self, block: Block) -> None:
        """Unites the writes that reach the same read."""
        for operation, held in self._states(block):
            for name in reads(operation):
                self._unite(held.get(name, ()))

    def _states(self, block: Block) -> Iterator[tuple[Operation | Terminator, Reaching]]:
        """Each operation of a block, with the writes whose values it may find in each variable."""
        held = dict(self._reaching.get(block.name, _NOWHERE))
        for number, operation in enumerate((*block.operations, block.terminator)):
            yield operation, held
            held = {**held, **_written(operation, block.name, number)}

    def _unite(self, found: Iterable[Write]) -> None:
        roots = sorted({self._root(write) for write in found})
        self._parents.update((other, roots[0]) for other in roots[1:])

    def _root(self, write: Write) -> Write:
        while write in self._parents:
            write = self._parents[write]
        return write

    def _name(self, write: Write) -> str:
        root = self._root(write)
        if root not in self._names:
            used = {*self._names.values()}
            names = (f"{root[0]}:{number}" for number in count(2))
            self._names[root] = root[0] if root[0] not in used else next(n for n in names if n not in used)
        return self._names[root]

    def names_of(self, name: str) -> list[str]:
        """The names of all webs of a variable; all blocks must have been renamed before."""
        return [web for root, web in self._names.items() if root[0] == name] or [name]

    def renamed(self, block: Block) -> Block:
        """The block, with each variable replaced by the variable of its web."""
        operations: list[Operation] = []
        terminator = block.terminator
        for number, (operation, held) in enumerate(self._states(block)):
            read = {
                name: self._name(next(iter(held[name]))) if held.get(name) else name
                for name in reads(operation)
            }
            made = {name: self._name((name, block.name, number)) for name in writes(operation)}
            if isinstance(operation, PrimOp | FunctionCallOp):
                new = replace(
                    operation,
                    vars_in=tuple(read[name] for name in operation.vars_in),
                    vars_out=tuple(made[name] for name in operation.vars_out),
                )
                if isinstance(new, PrimOp):
                    mask = frozenset(made[name] for name in operation.skip_push_mask)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
                    new = replace(new, skip_push_mask=mask)
                operations.append(new)
            elif isinstance(operation, BranchOp):
                terminator = replace(operation, cond_var=read[operation.cond_var])
        return Block(block.name, tuple(operations), terminator)


def _reaching(function: Function) -> Mapping[str, Reaching]:
    """Reaching definitions: for each reachable block, and EXIT, the writes whose values each variable may hold at its beginning."""
    blocks, entry = function.graph.by_name, function.graph.entry
    found: dict[str, dict[str, frozenset[Write]]] = {
        entry: {name: frozenset({(name, entry, _ENTRY)}) for name in function.vars_in}
    }
    pending = [entry]
    while pending:
        name = pending.pop()
        if name == EXIT:
            continue
        held = dict(found[name])
        for number, operation in enumerate(blocks[name].operations):
            held |= _written(operation, name, number)
        for target in targets(blocks[name].terminator):
            before = found.get(target)
            after = dict(before or {})
            for variable, written in held.items():
                after[variable] = after.get(variable, frozenset()) | written
            if after != before:
                found[target] = after
                pending.append(target)
    return found


def _written(operation: Operation | Terminator, block: str, number: int) -> dict[str, frozenset[Write]]:
    return {name: frozenset({(name, block, number)}) for name in writes(operation)}
