"""The IR of batched programs: control-flow graphs of operations on named variables."""

from __future__ import annotations

from eqsat.autobatch.ir.operations import (
    EXIT,
    PROGRAM_COUNTER,
    BranchOp,
    FunctionCallOp,
    GotoOp,
    IndirectGotoOp,
    Operation,
    PopOp,
    Position,
    PrimOp,
    PushGotoOp,
    Terminator,
)
from eqsat.autobatch.ir.program import Block, ControlFlowGraph, Function, Program, VariableAllocation
from eqsat.autobatch.ir.types import TensorType, Type

__all__ = [
    "EXIT",
    "PROGRAM_COUNTER",
    "Block",
    "BranchOp",
    "ControlFlowGraph",
    "Function",
    "FunctionCallOp",
    "GotoOp",
    "IndirectGotoOp",
    "Operation",
    "PopOp",
    "Position",
    "PrimOp",
    "Program",
    "PushGotoOp",
    "TensorType",
    "Terminator",
    "Type",
    "VariableAllocation",
]
