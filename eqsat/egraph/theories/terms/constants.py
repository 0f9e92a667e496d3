"""Reads the value of a constant term, or of movements of one."""

from __future__ import annotations

from eqsat.dtype import DType
from eqsat.ops import MOVEMENT, Op
from eqsat.uop import UOp

_KEEP = MOVEMENT - {Op.PAD}


def constant_of(node: UOp) -> bool | int | float | None:
    """The value of a constant, or of movements (other than PAD) of a constant; None for any other term."""
    while node.op in _KEEP and len(node.src) == 1:
        node = node.src[0]
    if node.op is Op.CONST and isinstance(node.dtype, DType) and node.dtype.lanes == 1:
        return node.arg
    return None
