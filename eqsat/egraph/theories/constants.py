"""Finds constants: an operation on constants is the constant that the reference computes, and bounds may leave only one value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eqsat.dtype import DType
from eqsat.egraph.snapshot.constants import computed
from eqsat.egraph.tables.callbacks import float_bits
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.uop import UOp


def find_constants(context: Context) -> Iterator[Claim]:
    """Claims the values of constant classes that have no CONST term yet."""
    for owner, place in context.new_constants.items():
        yield Equal("constant_folding", owner, Constant(place, context.constants[owner]))


# The checks


def same_constant(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that an operation on constants gives this constant."""
    value = constant_of(after)
    if value is None or before.shape != after.shape or before.dtype != after.dtype:
        return False
    dtype = before.dtype.scalar
    known = constant_of(before)
    if known is not None:
        return _bits(known, dtype) == _bits(value, dtype)
    operands = [constant_of(source) for source in before.src]
    if before.op not in ALU or None in operands:
        return False
    return _result(before, operands) == _bits(value, dtype)


def _result(node: UOp, operands: Sequence[bool | int | float | None]) -> int | None:
    """The bits of an operation whose operands have these values."""
    dtypes = [source.dtype.scalar for source in node.src]
    bits = tuple(
        _bits(value, dtype) for value, dtype in zip(operands, dtypes, strict=True) if value is not None
    )
    dtype = dtypes[0] if node.op in COMPARISON else node.dtype.scalar
    return computed(node.op, dtype, dtypes[0] if node.op in (Op.CAST, Op.BITCAST) else dtype, bits)


def _bits(value: bool | int | float, dtype: DType) -> int:
    return float_bits(value) if dtype.is_float else int(value)


def decided_by_bounds(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that bounds leave only this value."""
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
        "bounds": Check("The bounds allow only one value.", decided_by_bounds),
    },
)
