"""The cycles of single operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.dtype import DType, PtrDType
from eqsat.extract.costs.protocol import Node, is_leaf
from eqsat.ops import COMPARISON, MOVEMENT, Op

CYCLES: dict[Op, float] = {
    Op.ADD: 1, Op.SUB: 1, Op.NEG: 1, Op.MUL: 1, Op.MULACC: 1, Op.MAX: 1, Op.MIN: 1, Op.CMPLT: 1, Op.CMPNE: 1,
    Op.AND: 1, Op.OR: 1, Op.XOR: 1, Op.SHL: 1, Op.SHR: 1, Op.WHERE: 1, Op.CAST: 1, Op.BITCAST: 0.25,
    Op.FDIV: 8, Op.RECIP: 8, Op.SQRT: 12, Op.EXP2: 16, Op.LOG2: 20, Op.SIN: 24, Op.POW: 48,
    Op.EXP: 18, Op.EXPM1: 24, Op.LOG: 20, Op.LOG10: 20, Op.LOG1P: 24, Op.COS: 24, Op.TAN: 36, Op.ASIN: 24, Op.ACOS: 24, Op.ATAN: 24,
    Op.SINH: 28, Op.COSH: 28, Op.TANH: 28, Op.ASINH: 40, Op.ACOSH: 40, Op.ATANH: 36, Op.ERF: 32, Op.ERFC: 36,
    Op.SIGMOID: 26, Op.SILU: 26, Op.GELU: 38, Op.ATAN2: 36, Op.HYPOT: 20, Op.LOGADDEXP: 42, Op.FMOD: 60,
    Op.IDIV: 24, Op.MOD: 26, Op.FLOORDIV: 28, Op.FLOORMOD: 30,
    Op.INDEX: 1, Op.LOAD: 4, Op.STORE: 4,
}  # fmt: skip
"""Cycles per element and core at full pipelines, on a current x86 core (Agner Fog's tables, rounded). Two things are folded in:
integer MUL costs 3 (see `cycles`), and signed floor division pays a correction over the truncating one."""

INTEGER_MULTIPLY = 3.0  # cycles
UNKNOWN = 4.0  # cycles, for an operation without a row


def cycles(op: Op, dtype: DType | PtrDType) -> float:
    """Cycles that one element of `op` takes, whose (first) operand has `dtype`; 0 for leaves and movement."""
    if is_leaf(op) or op in MOVEMENT:
        return 0.0
    if op is Op.MUL and not (isinstance(dtype, DType) and dtype.scalar.is_float):
        return INTEGER_MULTIPLY
    return CYCLES.get(op, UNKNOWN)


@dataclass(frozen=True)
class Latency:
    """The cycles of each operation, once: the cost of a scalar program, or of one element of an array program."""

    name: ClassVar[str] = "latency"
    unit: ClassVar[str] = "cycles"

    def cost(self, node: Node) -> float:
        """Cycles of the operation on one element.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> Latency().cost(Node(Op.SQRT, float32, None, (16,), (Value(float32, (16,)),)))
        12
        """
        if node.op is Op.REDUCE_AXIS:
            return cycles(node.arg[0], node.dtype)
        operand = node.sources[0].dtype if node.op in COMPARISON else node.dtype
        return cycles(node.op, operand) * node.operations
