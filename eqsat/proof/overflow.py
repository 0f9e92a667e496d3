"""Finds where results may have overflowed or underflowed, from the values of all nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eqsat.dtype import DType, to_numpy
from eqsat.ops import ALONG_AXES, Op
from eqsat.reference.number import Array, hold
from eqsat.uop import UOp

SUMS = ALONG_AXES | {Op.ADD, Op.SUB}

Values = Mapping[UOp, Array]


def might_overflow(values: Values) -> bool:
    """Whether a sum of finite elements might overflow in some order, or a product that is added has overflowed."""
    with np.errstate(all="ignore"):
        return any(_overflows(node, values) for node in values)


def _overflows(node: UOp, values: Values) -> bool:
    dtype = node.dtype
    if not isinstance(dtype, DType) or not dtype.is_float or node.op not in SUMS | {Op.MULACC}:
        return False
    if node.op is Op.MULACC:
        return _product_overflows(node, values)
    if any(source.op is Op.MUL and _product_overflows(source, values) for source in node.src):
        return True
    if node.op not in ALONG_AXES:  # a sum of elements, which is part of a reduction in another order
        return any(other.op in ALONG_AXES for other in values) and _loses(node, values, values[node])
    if node.arg[0] in (Op.MAX, Op.MIN):
        return False
    elements = np.abs(np.asarray(values[node.src[0]], np.float64))
    elements = elements[np.isfinite(elements)]
    largest = float(np.finfo(to_numpy(dtype.scalar)).max)
    if node.arg[0] is Op.MUL:
        with np.errstate(all="ignore"):
            return bool(np.sum(np.abs(np.log2(elements[elements > 0]))) > np.log2(largest))
    return bool(np.sum(elements) > largest / 2)  # partial sums may be rounded up to more than their sum


def _product_overflows(node: UOp, values: Values) -> bool:
    one, other = (values[source] for source in node.src[:2])
    return _loses(node, values, hold(np.asarray(one * other), node.dtype.scalar))


def _loses(node: UOp, values: Values, result: Array) -> bool:
    """Whether two finite operands have a result that is not finite."""
    one, other = (values[source] for source in node.src[:2])
    return bool(np.any(np.isfinite(one) & np.isfinite(other) & ~np.isfinite(result)))


def underflows(node: UOp, values: Values) -> bool:
    """Whether two finite operands that are not zero have a product, or a quotient, that is zero."""
    if node.op not in (Op.MUL, Op.FDIV, Op.MULACC) or not node.dtype.scalar.is_float:
        return False
    one, other = (values[source] for source in node.src[:2])
    with np.errstate(all="ignore"):
        result = hold(np.asarray(one * other), node.dtype.scalar) if node.op is Op.MULACC else values[node]
    return bool(np.any((result == 0) & (one != 0) & (other != 0) & np.isfinite(other)))
