"""Gated loads, and values that are zero where a gate is false: elements that a PAD adds are not read from memory."""

from __future__ import annotations

from eqsat.dtype import DType, PtrDType
from eqsat.integers.conditions import conjuncts, slack
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.uop import UOp


def loaded(buffer: UOp, dtype: DType | PtrDType, flat: UOp, gate: UOp | None) -> UOp:
    """A LOAD of an element of a buffer; zero where the gate is false."""
    assert isinstance(dtype, DType)
    if gate is None:
        return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (buffer, flat)),))
    return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (buffer, flat, gate)), UOp.const(dtype, 0)))


def zero_outside(value: UOp, gate: UOp | None, outer: UOp | None) -> UOp:
    """`value` where `gate` holds, else zero.

    Nothing changes if `gate` adds nothing to `outer`, or if the value is a load that has the gate's conditions in its own gate.
    """
    if gate is outer or gate is None or _is_zero_outside(value, gate):
        return value
    assert isinstance(value.dtype, DType)
    return gate.where(value, UOp.const(value.dtype, 0))


def chosen(condition: UOp, then: UOp, otherwise: UOp) -> UOp:
    """A WHERE whose branches are not chosen once more by a condition that it decides, as each array that `concat` joins has zeros around it."""
    return condition.where(_where_known(then, condition), _where_known(otherwise, condition.logical_not()))


def _where_known(value: UOp, condition: UOp) -> UOp:
    """`value` where a condition holds: the branch that a WHERE takes there, if the condition is the same."""
    if value.op is not Op.WHERE:
        return value
    forms = affine_forms([condition, value.src[0]])
    known, tested = slack(condition, forms), slack(value.src[0], forms)
    is_same = known is not None and tested is not None and known.plus(tested, -1) == Affine(0)
    return value.src[1] if is_same else value


def _is_zero_outside(value: UOp, gate: UOp) -> bool:
    """Whether the value is a load that is zero wherever one condition of `gate` is false."""
    return value.op is Op.LOAD and set(conjuncts(gate)) <= set(conjuncts(value.src[0].src[-1]))
