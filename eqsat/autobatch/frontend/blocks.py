"""Writes the blocks of one function in source order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any

from eqsat.autobatch.ir import (
    EXIT,
    Block,
    BranchOp,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    GotoOp,
    Operation,
    Position,
    PrimOp,
    Terminator,
)
from eqsat.autobatch.ir.operations import targets
from eqsat.autobatch.lowering.blocks import tidy
from eqsat.errors import BuildError
from eqsat.support.reachability import reachable

_END = "end"  # the place after the last block, which no path may reach


class BlockWriter:
    """Collects the operations and terminators of blocks. After a terminator, operations are dropped as unreachable until `start`.

    Attributes:
        name: the name of the function, with which the names of its variables and blocks begin.
        result: the variable that holds the function's result.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.result = self.variable("result")
        self._labels = count()
        self._temporaries = count()
        self._blocks: list[Block] = []
        self._open: tuple[str, list[Operation]] | None = (self.label(), [])

    def variable(self, name: str) -> str:
        """The name in the program for a variable of this function."""
        return f"{self.name}.{name}"

    def temporary(self) -> str:
        """A new variable."""
        return self.variable(str(next(self._temporaries)))

    def label(self) -> str:
        """A new name for a block that will be started later."""
        return str(next(self._labels))

    def compute(
        self,
        outputs: Iterable[str],
        inputs: Iterable[str],
        function: Callable[..., Any],
        name: str = "",
        position: Position | None = None,
    ) -> None:
        """Writes a PrimOp."""
        outputs = tuple(outputs)
        self.write(PrimOp(tuple(inputs), outputs, function, frozenset(outputs), name, position))

    def call(
        self, outputs: Iterable[str], function: str, inputs: Iterable[str], position: Position | None = None
    ) -> None:
        """Writes a call of a function of the program."""
        self.write(FunctionCallOp(function, tuple(inputs), tuple(outputs), position))

    def write(self, operation: Operation) -> None:
        """Adds an operation to the open block."""
        if self._open is not None:
            self._open[1].append(operation)

    def goto(self, label: str) -> None:
        """Ends the open block with a jump."""
        self._end(GotoOp(label))

    def branch(self, condition: str, true_label: str, false_label: str) -> None:
        """Ends the open block with a branch on a variable that holds one bool."""
        self._end(BranchOp(condition, true_label, false_label))

    def leave(self) -> None:
        """Ends the open block with a return from the function."""
        self._end(GotoOp(EXIT))

    def start(self, label: str) -> None:
        """Begins a block; the open block, if there is one, falls through to it."""
        self.goto(label)
        self._open = (label, [])

    def _end(self, terminator: Terminator) -> None:
        if self._open is not None:
            label, operations = self._open
            self._blocks.append(Block(label, tuple(operations), terminator))
            self._open = None

    def function(
        self,
        parameters: Iterable[str],
        annotations: Mapping[str, Any] = MappingProxyType({}),
        position: Position | None = None,
    ) -> Function:
        """The finished function, with its blocks simplified.

        Raises:
            BuildError: the function may end without a return.
        """
        self._end(GotoOp(_END))
        reached = self._reached()
        if _END in reached:
            where = f" ({position})" if position else ""
            raise BuildError(f"{self.name!r} may end without a return{where}; return a value on every path")
        kept = tidy(ControlFlowGraph(tuple(block for block in self._blocks if block.name in reached))).blocks
        names = {block.name: f"{self.name}.{number}" for number, block in enumerate(kept)}
        blocks = tuple(
            replace(block, name=names[block.name], terminator=_renamed(block.terminator, names))
            for block in kept
        )
        return Function(
            self.name, ControlFlowGraph(blocks), tuple(parameters), (self.result,), annotations, position
        )

    def _reached(self) -> set[str]:
        following = {block.name: targets(block.terminator) for block in self._blocks}
        return set(reachable([self._blocks[0].name], lambda label: following.get(label, ())))


def _renamed(terminator: Terminator, names: Mapping[str, str]) -> Terminator:
    match terminator:
        case GotoOp(label):
            return GotoOp(names.get(label, label))
        case BranchOp(condition, true_label, false_label):
            return BranchOp(condition, names.get(true_label, true_label), names.get(false_label, false_label))
        case other:
            return other
