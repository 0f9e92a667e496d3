"""Programs that measure one operation: a short and a long chain of it on every element, whose difference is the time of the operation alone.

The calls of an elementary function are independent of each other and added up. If each used the result of the one before, the chain would
measure latency, which few programs wait for.

Compilers must not simplify a chain. They may not reorder floats, but they may simplify a maximum of a maximum, and they may reorder
integers. So in such chains each operation is followed by a partner that no compiler moves past it: `((v ^ y) + x ^ y) + x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eqsat.dtype import DType, float32, float64, int32, int64
from eqsat.ops import ELEMENTARY, ELEMENTARY_BINARY, ELEMENTARY_UNARY, UNARY, Op
from eqsat.uop import UOp

ELEMENTS = 1 << 17  # elements of one array, which fits the second cache level
LENGTHS = (8, 40)  # lengths of the short and the long chain; arithmetic takes longer than loads and stores
SLOW_ELEMENTS = 1 << 14  # the same for the slow operations below
SLOW_LENGTHS = (2, 6)
APART = 1 / 16  # difference between the factors that a function's calls multiply their argument with
SLOW = frozenset({*ELEMENTARY, Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD})

FLOAT_OPERATIONS = (
    Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.RECIP, Op.SQRT, Op.MAX, Op.MIN, Op.NEG, *ELEMENTARY_UNARY, *ELEMENTARY_BINARY,
)  # fmt: skip
INTEGER_OPERATIONS = (
    Op.ADD, Op.SUB, Op.XOR, Op.AND, Op.OR, Op.SHL, Op.SHR, Op.MUL, Op.MAX, Op.MIN, Op.NEG, Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD,
)  # fmt: skip
OPERATIONS: dict[DType, tuple[Op, ...]] = {
    float32: FLOAT_OPERATIONS,
    float64: FLOAT_OPERATIONS,
    int32: INTEGER_OPERATIONS,
    int64: INTEGER_OPERATIONS,
}


@dataclass(frozen=True)
class Chain:
    """A chain of one operation.

    Attributes:
        op: the operation that is measured.
        dtype: the element type.
        partner: the operation that follows each time, or that adds up calls; None if there is none.
    """

    op: Op
    dtype: DType
    partner: Op | None

    @property
    def entries(self) -> tuple[str, ...]:
        """The entries of the table that get the measured time of one step without the partner."""
        names = ("CMPLT", "WHERE") if self.op is Op.WHERE else (self.op.name,)
        return tuple(f"{name} {self.dtype.name} elementwise" for name in names)

    @property
    def lengths(self) -> tuple[int, int]:
        """The lengths of the short and the long chain."""
        return SLOW_LENGTHS if self.op in SLOW else LENGTHS

    @property
    def elements(self) -> int:
        """The number of elements of each array."""
        return SLOW_ELEMENTS if self.op in SLOW else ELEMENTS

    @property
    def halves(self) -> int:
        """The number of operations in one step besides the partner: two for a comparison with its WHERE, and for a cast there and back."""
        return 2 if self.op in (Op.WHERE, Op.CAST) else 1

    @property
    def partner_entry(self) -> str | None:
        """The name of the partner's entry in the table."""
        return f"{self.partner.name} {self.dtype.name} elementwise" if self.partner else None

    def graph(self, length: int) -> UOp:
        """A SINK of the chain on two arrays, PARAM slots 0 and 1."""
        x, y = (UOp.param(slot, self.elements, self.dtype) for slot in range(2))
        step = self._step(x, y)
        value = x
        for link in range(length):
            is_beside = self.op in ELEMENTARY
            value = value.alu(Op.ADD, step(x * (1.0 - link * APART))) if is_beside else step(value)
        return UOp.sink(value)

    def _step(self, x: UOp, y: UOp) -> Callable[[UOp], UOp]:
        def step(value: UOp) -> UOp:
            if self.op is Op.WHERE:
                return (value < y).where(value.alu(Op.ADD, y), value)
            if self.op is Op.CAST:
                other = int32 if self.dtype.is_float else float32
                return value.cast(other).cast(self.dtype).alu(Op.ADD, x)
            result = value.alu(self.op) if self.op in UNARY else value.alu(self.op, y)
            return result.alu(self.partner, x) if self.partner and self.op not in ELEMENTARY else result

        return step


def every_chain() -> Iterator[Chain]:
    """The chains of all operations and element types; ADD comes first, because it is the partner of most others."""
    for dtype, operations in OPERATIONS.items():
        for op in operations:
            yield Chain(op, dtype, _partner(op, dtype))
        yield Chain(Op.WHERE, dtype, Op.ADD)
        yield Chain(Op.CAST, dtype, Op.ADD)


def _partner(op: Op, dtype: DType) -> Op | None:
    if dtype.is_float:
        return Op.ADD if op in (Op.MAX, Op.MIN, Op.NEG, *ELEMENTARY) else None
    return Op.XOR if op in (Op.ADD, Op.SUB, Op.NEG) else Op.ADD
