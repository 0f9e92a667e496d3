"""Counts operations; one of the models breaks ties by cycles."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.protocol import Node, is_leaf
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import MOVEMENT, Op


@dataclass(frozen=True)
class OperationCount:
    """Each operation costs 1 and a leaf costs 0. A sum of n terms is n - 1 operations."""

    name: ClassVar[str] = "operations"
    unit: ClassVar[str] = "operations"

    def cost(self, node: Node) -> float:
        """The number of times that the operation is applied to one element; 0 for a leaf.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> OperationCount().cost(Node(Op.ADD, float32, None, (), (Value(float32, ()),) * 3))
        2.0
        """
        return 0.0 if is_leaf(node.op) else float(node.operations)


_TIE = 1 / (1 << 16)  # the weight of a cycle, if an operation weighs 1
_MOVED = 0.25  # cycles of a movement, so that fewer movements win


@dataclass(frozen=True)
class FewestOperations:
    """Counts operations; of two expressions with equally many operations, the one with fewer cycles costs less.

    Attributes:
        forbidden: the names of variables that must not occur in the result.
        machine: the machine, which has the cycles of each operation.
    """

    forbidden: frozenset[str] = frozenset()
    machine: Machine = PROCESSOR
    name: ClassVar[str] = "fewest-operations"
    unit: ClassVar[str] = "operations"

    def cost(self, node: Node) -> float:
        """Slightly more than 1 for each application of the operation; 0 for a leaf; `inf` for a forbidden variable.

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
        return node.operations + Latency(self.machine).cost(node) * _TIE
