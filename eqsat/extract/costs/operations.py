"""How many operations: alone, and with their cycles to break ties."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from eqsat.extract.costs.protocol import Node, is_leaf
from eqsat.extract.costs.work import combining
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import COMPARISON, MOVEMENT, Op


@dataclass(frozen=True)
class OperationCount:
    """Every operation costs 1, leaves nothing; a sum of n terms is n - 1 operations."""

    name: ClassVar[str] = "operations"
    unit: ClassVar[str] = "operations"

    def cost(self, node: Node) -> float:
        """0 for a leaf, else how often the operation is applied to one element.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> OperationCount().cost(Node(Op.ADD, float32, None, (), (Value(float32, ()),) * 3))
        2.0
        """
        return 0.0 if is_leaf(node.op) else float(node.operations)


_TIE = 1 / (1 << 16)  # what a cycle counts beside an operation
_MOVED = 0.25  # cycles that a movement is worth beside other movements


@dataclass(frozen=True)
class FewestOperations:
    """Operations, and where two expressions have as many, the quicker ones.

    Attributes:
        forbidden: names of variables that must not occur.
        machine: on which one is quicker.
    """

    forbidden: frozenset[str] = frozenset()
    machine: Machine = PROCESSOR
    name: ClassVar[str] = "fewest-operations"
    unit: ClassVar[str] = "operations"

    def cost(self, node: Node) -> float:
        """What an operation costs, each time that it is applied; `inf` for a forbidden variable.

        >>> from eqsat.dtype import index
        >>> from eqsat.extract import Value
        >>> add, multiply = (FewestOperations().cost(Node(op, index, None, (), (Value(index, ()),) * 2)) for op in (Op.ADD, Op.MUL))
        >>> 1 < add < multiply < 1.001
        True
        """
        if node.op is Op.DEFINE_VAR and node.arg[0] in self.forbidden:
            return inf
        if is_leaf(node.op) or node.op in MOVEMENT:
            return 0.0 if is_leaf(node.op) else _MOVED * _TIE
        operand = node.sources[0].dtype if node.op in COMPARISON else node.dtype
        return (1 + self.machine.cycles(combining(node), operand) * _TIE) * node.operations
