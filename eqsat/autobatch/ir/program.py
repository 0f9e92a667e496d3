"""Programs, their functions, and the control-flow graphs of both. All are immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any

from eqsat.autobatch.ir.operations import Operation, Position, Terminator
from eqsat.autobatch.ir.patterns import leaves
from eqsat.autobatch.ir.types import Type


class VariableAllocation(Enum):
    """How the values of a variable are stored. Any choice but FULL means that it was proved sufficient."""

    NULL = "null"  # never read, so nothing is stored
    TEMPORARY = "temporary"  # live only within single blocks
    REGISTER = "register"  # at most one value is live at a time
    FULL = "full"  # needs a stack


@dataclass(frozen=True, slots=True)
class Block:
    """Operations that run one after another, and the terminator that says which block runs next."""

    name: str
    operations: tuple[Operation, ...]
    terminator: Terminator


@dataclass(frozen=True)
class ControlFlowGraph:
    """Blocks with distinct names. The first block is the entry; `EXIT` is the end."""

    blocks: tuple[Block, ...]
    by_name: Mapping[str, Block] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", MappingProxyType({block.name: block for block in self.blocks}))

    @property
    def entry(self) -> str:
        """The name of the first block."""
        return self.blocks[0].name


@dataclass(frozen=True)
class Function:
    """A function that FunctionCallOps call.

    Attributes:
        name: the name in calls; unique in its program.
        graph: the blocks; the function returns by going to EXIT.
        vars_in: the formal parameters.
        vars_out: the variables that hold the results when it returns, on every path.
        annotations: declared types of variables, which type inference checks.
        position: the line where the function was written.
    """

    name: str
    graph: ControlFlowGraph
    vars_in: tuple[str, ...]
    vars_out: tuple[str, ...]
    annotations: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Program:
    """An auto-batchable program.

    Attributes:
        graph: the blocks of the main program.
        functions: the functions that it may call, which may be recursive. A lowered program has none.
        var_defs: the type of each variable. The names of variables are global.
        vars_in: the variables that hold the inputs at the start.
        vars_out: a pattern of the variables that hold the outputs at the end.
        var_alloc: how each variable is stored, where known; a variable without an entry has a stack.

    Source: the specification of auto-batchable programs of TensorFlow Probability.
    """

    graph: ControlFlowGraph
    functions: tuple[Function, ...]
    var_defs: Mapping[str, Type]
    vars_in: tuple[str, ...]
    vars_out: Any
    var_alloc: Mapping[str, VariableAllocation] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The variables of `vars_out` from left to right."""
        return tuple(leaves(self.vars_out))

    def main_function(self) -> Function:
        """The main program as a function."""
        return Function("main", self.graph, self.vars_in, self.outputs)

    def function(self, name: str) -> Function:
        """The function of this name."""
        return next(function for function in self.functions if function.name == name)

    def replace(
        self,
        var_defs: Mapping[str, Type] | None = None,
        var_alloc: Mapping[str, VariableAllocation] | None = None,
    ) -> Program:
        """A copy of the program with other types, or another allocation of variables."""
        return replace(
            self,
            var_defs=self.var_defs if var_defs is None else MappingProxyType(dict(var_defs)),
            var_alloc=self.var_alloc if var_alloc is None else MappingProxyType(dict(var_alloc)),
        )

    def __str__(self) -> str:
        from eqsat.autobatch.ir.text import program_text

        return program_text(self)
