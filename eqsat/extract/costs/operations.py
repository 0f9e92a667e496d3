"""How many operations: alone, and with their slowness to break ties."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from eqsat.extract.costs.protocol import Node, is_leaf
from eqsat.ops import MOVEMENT, Op


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


SLOW: dict[Op, float] = {
    Op.FLOORDIV: 8, Op.FLOORMOD: 8, Op.IDIV: 8, Op.MOD: 8, Op.FDIV: 8, Op.POW: 8, Op.SIN: 8,
    Op.RECIP: 4, Op.SQRT: 4, Op.EXP2: 4, Op.LOG2: 4, Op.MUL: 2, Op.EXP: 4, Op.LOG: 4, Op.LOG10: 4,
    **dict.fromkeys((
        Op.EXPM1, Op.LOG1P, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN, Op.SINH, Op.COSH, Op.TANH, Op.ASINH, Op.ACOSH, Op.ATANH,
        Op.ERF, Op.ERFC, Op.SIGMOID, Op.SILU, Op.GELU, Op.ATAN2, Op.HYPOT, Op.LOGADDEXP, Op.FMOD,
    ), 8.0),
}  # fmt: skip
"""How slow an operation is, 1 where it is not listed: which of two expressions with as many operations is better."""

_TIE = 1 / (1 << 14)  # what slowness counts beside an operation


@dataclass(frozen=True)
class FewestOperations:
    """Operations, and where two expressions have as many, the quicker ones.

    Attributes:
        forbidden: names of variables that must not occur.
    """

    forbidden: frozenset[str] = frozenset()
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
            return 0.0 if is_leaf(node.op) else _TIE
        return (1 + SLOW.get(node.op, 1) * _TIE) * node.operations
