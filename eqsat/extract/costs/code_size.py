"""How long the machine code is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.dtype import DType, PtrDType
from eqsat.extract.costs.protocol import Node, is_leaf
from eqsat.extract.costs.work import is_reduction
from eqsat.ops import MOVEMENT, Op

INSTRUCTIONS: dict[Op, float] = {
    Op.EXP2: 14, Op.LOG2: 22, Op.SIN: 45, Op.POW: 110, Op.IDIV: 4, Op.MOD: 6, Op.FLOORDIV: 8, Op.FLOORMOD: 9,
    Op.EXP: 20, Op.EXPM1: 30, Op.LOG: 25, Op.LOG10: 25, Op.LOG1P: 32, Op.COS: 45, Op.TAN: 60, Op.ASIN: 30, Op.ACOS: 30, Op.ATAN: 30,
    Op.SINH: 40, Op.COSH: 40, Op.TANH: 40, Op.ASINH: 60, Op.ACOSH: 60, Op.ATANH: 50, Op.ERF: 40, Op.ERFC: 50,
    Op.SIGMOID: 25, Op.SILU: 26, Op.GELU: 55, Op.ATAN2: 50, Op.HYPOT: 20, Op.LOGADDEXP: 60, Op.FMOD: 60,
    Op.PARAM: 2, Op.BUFFER: 2, Op.INDEX: 3, Op.LOAD: 2, Op.STORE: 2,
}  # fmt: skip
"""Instructions of an operation, 1 where it is not listed, for x86 with AVX2. EXP2 and LOG2 are the polynomials that we render, SIN and POW
those of the OpenCL library; division of integers goes through a conversion and a correction; a load or store counts its address."""

FLOAT_EXTREME = 3.0  # instructions of MAX and MIN of floats, which also look for NaN
LOOP = 4.0  # instructions around the body of a reduction: set to the identity, count, compare, branch


@dataclass(frozen=True)
class CodeSize:
    """Instructions of a program's text, each operation once: neither copies by unrolling nor trip counts matter."""

    name: ClassVar[str] = "code-size"
    unit: ClassVar[str] = "instructions"

    def cost(self, node: Node) -> float:
        """Instructions that the node adds, however many elements it has.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> CodeSize().cost(Node(Op.EXP2, float32, None, (1000,), (Value(float32, (1000,)),)))
        14.0
        """
        if (is_leaf(node.op) and node.op not in INSTRUCTIONS) or node.op in MOVEMENT:
            return 0.0
        if is_reduction(node):
            combine = node.arg[0] if node.op is Op.REDUCE_AXIS else node.arg
            return LOOP + _instructions(combine, node.dtype)
        return _instructions(node.op, node.dtype) * node.operations


def _instructions(op: Op | None, dtype: DType | PtrDType) -> float:
    if op in (Op.MAX, Op.MIN) and isinstance(dtype, DType) and dtype.is_float:
        return FLOAT_EXTREME
    return 1.0 if op is None else float(INSTRUCTIONS.get(op, 1))
