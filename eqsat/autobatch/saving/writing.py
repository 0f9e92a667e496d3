"""Writes the block that computes the extracted values at the chosen places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from eqsat.array import Array, asarray
from eqsat.array.data import stand_in
from eqsat.autobatch.ir import Block, FunctionCallOp, PrimOp
from eqsat.autobatch.ir.operations import Operation
from eqsat.autobatch.saving.extraction import Extracted, Held
from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.uop import UOp, rewrite, toposort


def written(extracted: Extracted, fresh: Callable[[DType], str]) -> Block:
    """The block of an extracted choice; `fresh` returns the name of a new variable of a dtype."""
    return _Writing(extracted, fresh).block()


class _Writing:
    """Writes a block event by event, and tracks which variables hold values computed before."""

    def __init__(self, extracted: Extracted, fresh: Callable[[DType], str]) -> None:
        self._extracted = extracted
        self._values = extracted.values
        self._fresh = fresh
        self._holders: dict[Held, str] = {}  # the variables that carry values past an event
        self._leaves: dict[str, UOp] = {}

    def block(self) -> Block:
        operations: list[Operation] = []
        for place, event in enumerate(self._values.events):
            targets = self._targets(place)
            names = {name: self._variable(graph, ()) for name, graph in targets.items()}
            made = {names[name]: graph for name, graph in targets.items()} | self._kept_after(place)
            operations += self._computing(made, event.operation)
            given = tuple(names.get(name, name) for name in event.operation.vars_in)
            operations.append(replace(event.operation, vars_in=given))
        operations += self._computing(
            self._targets(self._values.places - 1), self._values.events[-1].operation
        )
        return replace(self._values.block, operations=tuple(operations))

    def _targets(self, place: int) -> dict[str, UOp]:
        """The graphs of the variables that are read at a place, by name."""
        class_of = self._extracted.class_of
        needed = self._values.needed[place]
        return {name: self._built(Held(class_of[value], place)) for name, value in needed.items()}

    def _kept_after(self, place: int) -> dict[str, UOp]:
        """The values that are computed before an event because they are read after it, by the variable that carries each."""
        made: dict[str, UOp] = {}
        overwritten = {name for event in self._values.events[place:] for name in event.operation.vars_out}
        for after, before in self._extracted.carried_after(place):
            graph = self._built(before)
            self._holders[after] = self._variable(graph, overwritten)
            made[self._holders[after]] = graph
        return made

    def _variable(self, graph: UOp, overwritten: Collection[str]) -> str:
        """The variable that already holds a value and is not overwritten later, or else a new variable."""
        name = next((name for name, leaf in self._leaves.items() if leaf is graph), None)
        assert isinstance(graph.dtype, DType)
        return name if name is not None and name not in overwritten else self._fresh(graph.dtype)

    def _built(self, root: Held) -> UOp:
        """The graph of a class of the problem, over the variables as they are at its place."""
        snapshot = self._extracted.snapshot
        built: dict[Held, UOp] = {}
        pending = [root]
        while pending:
            held = pending[-1]
            _, _, children, node = self._extracted.chosen[held]
            if held in built:
                pending.pop()
            elif held in self._holders:
                built[held] = self._leaf(self._holders[held], self._dtype(held))
            elif node is not None and snapshot.terms[node].op is Op.PARAM:
                built[held] = self._param(node)
            elif missing := [child for child in children if child not in built]:
                pending += missing
            else:
                operands = [built[child] for child in children]
                built[held] = operands[0] if node is None else snapshot.write(node, operands)
        return built[root]

    def _dtype(self, held: Held) -> DType:
        found = self._extracted.snapshot.class_dtype[held.class_]
        assert isinstance(found, DType)
        return found

    def _param(self, node: int) -> UOp:
        slot = self._extracted.snapshot.terms[node].arg
        name, dtype = next(
            (name, leaf.dtype) for leaf, (name, _) in self._values.leaves.items() if leaf.src[0].arg == slot
        )
        assert isinstance(dtype, DType)
        return self._leaf(name, dtype).src[0]

    def _leaf(self, name: str, dtype: DType) -> UOp:
        if name not in self._leaves:
            self._leaves[name] = stand_in(len(self._leaves), (), dtype)
        return self._leaves[name]

    def _computing(self, made: Mapping[str, UOp], near: PrimOp | FunctionCallOp) -> Iterator[Operation]:
        """Yields one operation that computes all values that their variables do not hold already; nothing if there are none."""
        wanted = {name: graph for name, graph in made.items() if self._leaves.get(name) is not graph}
        if not wanted:
            return
        used = set(toposort(list(wanted.values())))
        read = {name: leaf for name, leaf in self._leaves.items() if leaf in used}
        function = _OfVariables(tuple(wanted.values()), tuple(read.values()))
        names = tuple(wanted)
        yield PrimOp(tuple(read), names, function, frozenset(names), "saved", near.position)


@dataclass(frozen=True, slots=True)
class _OfVariables:
    """Graphs as a function of arrays, which are the values of the leaves."""

    graphs: tuple[UOp, ...]
    leaves: tuple[UOp, ...]

    def __call__(self, *given: Any) -> Any:
        values = {leaf: asarray(value).uop for leaf, value in zip(self.leaves, given, strict=True)}
        found = tuple(Array(graph) for graph in rewrite(list(self.graphs), values))
        return found[0] if len(found) == 1 else found
