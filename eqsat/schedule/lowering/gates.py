"""Loads that are gated, and values that are zero where a gate is false: what a PAD adds is not read."""

from __future__ import annotations

from eqsat.dtype import DType, PtrDType
from eqsat.integers.conditions import conjuncts
from eqsat.ops import Op
from eqsat.uop import UOp


def loaded(buffer: UOp, dtype: DType | PtrDType, flat: UOp, gate: UOp | None) -> UOp:
    """An element of a buffer; zero where the gate is false."""
    assert isinstance(dtype, DType)
    if gate is None:
        return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (buffer, flat)),))
    return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (buffer, flat, gate)), UOp.const(dtype, 0)))


def zero_outside(value: UOp, gate: UOp | None, outer: UOp | None) -> UOp:
    """`value` where the gate that was added to `outer` holds, else zero; a load that is gated by it, too, already is that."""
    if gate is outer or gate is None or _is_zero_outside(value, gate):
        return value
    assert isinstance(value.dtype, DType)
    return gate.where(value, UOp.const(value.dtype, 0))


def _is_zero_outside(value: UOp, gate: UOp) -> bool:
    """Whether it is a load that is zero wherever one condition of `gate` is false."""
    return value.op is Op.LOAD and set(conjuncts(gate)) <= set(conjuncts(value.src[0].src[-1]))
