"""Constants: what operations on constants give, and values to which bounds leave no choice. Folding itself is in `folding`."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.dtype import DType
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.errors import EvaluationError
from eqsat.ops import ALU, Op
from eqsat.reference import evaluate
from eqsat.uop import UOp


def find_constants(context: Context) -> Iterator[Claim]:
    """The values of classes that have no CONST term yet."""
    for owner, place in context.new_constants.items():
        yield Equal("constant_folding", owner, Constant(place, context.constants[owner]))


def same_constant(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """An operation on constants is computed by the reference, on scalars."""
    value = constant_of(after)
    if value is None or before.shape != after.shape or before.dtype != after.dtype:
        return False
    dtype = before.dtype
    assert isinstance(dtype, DType)
    if constant_of(before) is not None:
        return UOp.const(dtype, constant_of(before) or 0) is UOp.const(dtype, value)
    operands = [constant_of(source) for source in before.src]
    if before.op not in ALU or None in operands:
        return False
    scalars = tuple(
        UOp.const(source.dtype, operand)
        for source, operand in zip(before.src, operands, strict=True)
        if isinstance(source.dtype, DType) and operand is not None
    )
    single = UOp(before.op, dtype, scalars, before.arg)
    if not _has_value(single):
        return False
    try:
        return UOp.const(dtype, evaluate(single, {}).item()) is UOp.const(dtype, value)
    except EvaluationError:
        return False


def _has_value(node: UOp) -> bool:
    """Whether an operation on constants has a value."""
    values = [source.arg for source in node.src]
    dtype = node.dtype.scalar
    if node.op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD):
        return values[1] != 0
    if node.op in (Op.SHL, Op.SHR):
        return 0 <= values[1] < dtype.bits
    if node.op is Op.CAST and node.src[0].dtype.scalar.is_float and not dtype.is_float:
        return dtype.is_bool or (abs(values[0]) < 2.0**1023 and dtype.min <= values[0] <= dtype.max)
    return node.op is not Op.POW or dtype.is_float or values[1] >= 0


def decided_by_bounds(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Bounds leave one value."""
    value = constant_of(after)
    if value is None or kind_of(after.dtype) not in "ixb":
        return False
    return bounds.of([before]) == [(int(value), int(value))]


CONSTANTS = Theory(
    find_constants,
    {
        "constants": Check(
            "An operation on constants is the constant that the reference computes.", same_constant
        ),
        "bounds": Check("Bounds leave one value.", decided_by_bounds),
    },
)
