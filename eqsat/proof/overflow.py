"""Finds where results may have overflowed or underflowed, from the values of all nodes of a graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from eqsat.dtype import DType
from eqsat.ops import ALONG_AXES, Op
from eqsat.reference.number import Array, hold
from eqsat.uop import UOp, toposort

SUMS = ALONG_AXES | {Op.ADD, Op.SUB}
PARTS = {Op.ADD: Op.ADD, Op.SUB: Op.ADD, Op.MUL: Op.MUL}  # of which reduction each may be a part

Values = Mapping[UOp, Array]


def might_overflow(values: Values) -> bool:
    """Whether a sum of finite elements might overflow in some order, or a product that is added has overflowed."""
    with np.errstate(all="ignore"):
        return any(_overflows(node, values) for node in values)


def _overflows(node: UOp, values: Values) -> bool:
    if not _is_float(node) or node.op not in SUMS | {Op.MULACC}:
        return False
    if node.op is Op.MULACC:
        return _product_overflows(node, values)
    if any(source.op is Op.MUL and _product_overflows(source, values) for source in node.src):
        return True
    if node.op not in ALONG_AXES:  # a sum of elements, which is part of a reduction in another order
        return any(other.op in ALONG_AXES for other in values) and _loses(node, values, values[node])
    elements = _sizes(node.src[0], values)
    return _reduction_overflows(node, elements[np.isfinite(elements)], axes=(0,))


def _reduction_overflows(node: UOp, elements: Array, axes: tuple[int, ...]) -> bool:
    """Whether a reduction of finite magnitudes along some axes might overflow in some order."""
    if node.arg[0] in (Op.MAX, Op.MIN):
        return False
    largest = node.dtype.scalar.greatest_number
    if node.arg[0] is Op.MUL:
        exponents = np.abs(np.log2(np.where(elements > 0, elements, 1)))
        return bool(np.any(np.sum(exponents, axes) > np.log2(largest)))
    # Partial sums may be rounded up to more than their sum
    return bool(np.any(np.sum(elements, axes) > largest / 2))


def might_be_finite(root: UOp, values: Values) -> bool:
    """Whether an infinity or NaN of a graph might be a number if its sums had another order, or its products were contracted.

    An element that has overflowed before it is reduced is infinite in any order, so the elements of such a row do not count.
    """
    nodes = [node for node in toposort([root]) if _is_float(node)]
    kinds = {node.arg[0] for node in values if node.op in ALONG_AXES}
    with np.errstate(all="ignore"):
        return any(_depends_on_order(node, kinds, values) for node in nodes) or _is_contracted(nodes, values)


def _depends_on_order(node: UOp, kinds: Collection[Op], values: Values) -> bool:
    """Whether a reduction overflows in some order only, or a node overflows that is part of a reduction of these `kinds` in another order."""
    if node.op in PARTS:
        return PARTS[node.op] in kinds and _loses(node, values, values[node])
    if node.op is not Op.REDUCE_AXIS:
        return node.op in ALONG_AXES and _overflows(node, values)
    elements = _sizes(node.src[0], values)
    axes = tuple(axis - len(node.src[0].shape or ()) for axis in node.arg[1])
    is_whole = np.isfinite(elements).all(axes, keepdims=True)
    return _reduction_overflows(node, np.where(is_whole, elements, 0), axes)


def _is_contracted(nodes: Sequence[UOp], values: Values) -> bool:
    """Whether a product overflows that might be finite together with what is added to it: with all other terms of sums, at most."""
    sums = [node for node in nodes if PARTS.get(_kind(node)) is Op.ADD]
    terms = {term for node in sums for term in node.src}
    products = [term for term in terms if term.op is Op.MUL and _product_overflows(term, values)]
    products += [node for node in nodes if node.op is Op.MULACC and _product_overflows(node, values)]
    if not products:
        return False
    largest = products[0].dtype.scalar.greatest_number
    terms |= {node.src[2] for node in products if node.op is Op.MULACC}
    sizes = [_sizes(term, values) / largest for term in terms if _is_float(term)]
    room = 1 + sum(float(size[np.isfinite(size)].sum()) for size in sizes)
    return any(_least_overflow(node, values, largest) <= room for node in products)


def _kind(node: UOp) -> Op:
    """The operation that a node does, or reduces with."""
    return node.arg[0] if node.op in ALONG_AXES else node.op


def _least_overflow(node: UOp, values: Values, largest: float) -> float:
    """The smallest of the products that overflow, as a multiple of the largest number."""
    one, other = (_sizes(source, values) for source in node.src[:2])
    overflows = np.isfinite(one) & np.isfinite(other) & (one / largest * other >= 1)
    return float(np.min(one / largest * other, where=overflows, initial=np.inf))


def _is_float(node: UOp) -> bool:
    return isinstance(node.dtype, DType) and node.dtype.is_float


def _sizes(node: UOp, values: Values) -> Array:
    return np.abs(np.asarray(values[node], np.float64))


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
