"""Finds where an operation has no value, such as a shift by more than the width. A quotient and a remainder by zero have one: 0."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eqsat.ops import SHIFTS, Op
from eqsat.reference.number import Array
from eqsat.uop import UOp

_PARTIAL = SHIFTS | {Op.POW, Op.INDEX, Op.LOAD}


def may_lack_value(node: UOp) -> bool:
    """Whether there are operands for which the operation of `node`, or an access to memory, has no value."""
    return node.op in _PARTIAL


def lacks_value(node: UOp, values: Mapping[UOp, Array]) -> Array:
    """A mask of where the operation of `node` has no value although all its operands have one."""
    dtype = node.dtype.scalar
    if node.op in SHIFTS:
        amount = values[node.src[1]]
        return np.asarray((amount < 0) | (amount >= dtype.bits))
    if node.op is Op.POW and not dtype.is_float and not dtype.is_bool:
        return np.asarray(values[node.src[1]] < 0)
    return np.zeros(np.shape(values[node]), bool)
