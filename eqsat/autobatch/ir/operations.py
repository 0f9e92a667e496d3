"""The operations of blocks, and the terminators that end them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

EXIT = "exit"  # the block after the last one: a function returns, a program stops
PROGRAM_COUNTER = "pc"  # the variable of return addresses; only terminators touch it


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the source of a function."""

    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        shown = f": {self.text}" if self.text else ""
        return f"{self.file}:{self.line}{shown}"


@dataclass(frozen=True, slots=True)
class PrimOp:
    """Computes variables of variables, without control flow: `vars_out = function(*vars_in)`.

    In a lowered program each output is pushed onto the stack of its variable, unless `skip_push_mask` names it: then it replaces the top.

    Attributes:
        vars_in: what is read, one argument of `function` each.
        vars_out: what is written, all at once; one variable for each result.
        function: of eqsat arrays that stand for one member's values. Returns an array, or a tuple of as many as there are outputs.
        skip_push_mask: outputs that are overwritten instead of pushed.
        name: what the printer calls the function.
        position: where it was written.
    """

    vars_in: tuple[str, ...]
    vars_out: tuple[str, ...]
    function: Callable[..., Any]
    skip_push_mask: frozenset[str] = frozenset()
    name: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FunctionCallOp:
    """Calls a function of the program by name: `vars_out = function(*vars_in)`. Lowering replaces it by pushes, jumps and pops."""

    function: str
    vars_in: tuple[str, ...]
    vars_out: tuple[str, ...]
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PopOp:
    """Restores what the variables held before they were last pushed."""

    vars: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GotoOp:
    """Goes to a block, or ends the function or program."""

    block: str


@dataclass(frozen=True, slots=True)
class BranchOp:
    """Goes to one of two blocks by a variable that holds one bool."""

    cond_var: str
    true_block: str
    false_block: str


@dataclass(frozen=True, slots=True)
class PushGotoOp:
    """Pushes the block to return to, and goes to another one."""

    push_block: str
    goto_block: str


@dataclass(frozen=True, slots=True)
class IndirectGotoOp:
    """Pops a block to return to, and goes there."""


Operation = PrimOp | FunctionCallOp | PopOp
Terminator = GotoOp | BranchOp | PushGotoOp | IndirectGotoOp


def targets(terminator: Terminator) -> tuple[str, ...]:
    """The blocks that a terminator names, where it goes first. A PushGotoOp also names where its callee returns to."""
    match terminator:
        case GotoOp(block):
            return (block,)
        case BranchOp(_, true_block, false_block):
            return (true_block, false_block)
        case PushGotoOp(push_block, goto_block):
            return (goto_block, push_block)
        case IndirectGotoOp():
            return ()


def reads(operation: Operation | Terminator) -> tuple[str, ...]:
    """The variables whose tops are read."""
    match operation:
        case PrimOp() | FunctionCallOp():
            return operation.vars_in
        case BranchOp():
            return (operation.cond_var,)
        case _:
            return ()


def writes(operation: Operation | Terminator) -> tuple[str, ...]:
    """The variables that are given a value."""
    return operation.vars_out if isinstance(operation, PrimOp | FunctionCallOp) else ()
