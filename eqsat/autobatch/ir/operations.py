"""The operations of blocks, and the terminators that end them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

EXIT = "exit"  # the block after the last one: going there returns from a function, or ends a program
PROGRAM_COUNTER = "pc"  # the variable of return addresses; only terminators touch it


@dataclass(frozen=True, slots=True)
class Position:
    """A line in the source of a function."""

    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        shown = f": {self.text}" if self.text else ""
        return f"{self.file}:{self.line}{shown}"


@dataclass(frozen=True, slots=True)
class PrimOp:
    """Computes variables from variables, without control flow: `vars_out = function(*vars_in)`.

    In a lowered program each output is pushed onto the stack of its variable, unless `skip_push_mask` names it: then it replaces the top.

    Attributes:
        vars_in: the variables that are read, one for each argument of `function`.
        vars_out: the variables that are written simultaneously, one for each result.
        function: a function of eqsat arrays that stand for one member's values. It returns an array, or a tuple with one array per output.
        skip_push_mask: the outputs that are overwritten instead of pushed.
        name: the name of the function in printed programs.
        position: the line where the operation was written.
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
    """Pops the stack of each variable: restores the value from before its last push."""

    vars: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GotoOp:
    """Goes to a block; with EXIT, ends the function or program."""

    block: str


@dataclass(frozen=True, slots=True)
class BranchOp:
    """Goes to one of two blocks, chosen by a variable that holds one bool."""

    cond_var: str
    true_block: str
    false_block: str


@dataclass(frozen=True, slots=True)
class PushGotoOp:
    """A call: pushes the block to return to, and goes to another block."""

    push_block: str
    goto_block: str


@dataclass(frozen=True, slots=True)
class IndirectGotoOp:
    """A return: pops a block from the program counter's stack, and goes there."""


Operation = PrimOp | FunctionCallOp | PopOp
Terminator = GotoOp | BranchOp | PushGotoOp | IndirectGotoOp


def targets(terminator: Terminator) -> tuple[str, ...]:
    """The blocks that a terminator names. For a PushGotoOp these are the callee's entry, then the block to which it returns."""
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
    """The variables that an operation or terminator reads."""
    match operation:
        case PrimOp() | FunctionCallOp():
            return operation.vars_in
        case BranchOp():
            return (operation.cond_var,)
        case _:
            return ()


def writes(operation: Operation | Terminator) -> tuple[str, ...]:
    """The variables to which an operation assigns values."""
    return operation.vars_out if isinstance(operation, PrimOp | FunctionCallOp) else ()
