"""The meaning of WMMA: the fragments of threads are gathered to matrices and multiplied, and the result is spread over the threads again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from eqsat.dtype import DType, to_numpy
from eqsat.errors import EvaluationError
from eqsat.fragments import Product
from eqsat.ops import AxisType, Op
from eqsat.reference.alu import combine, compute
from eqsat.reference.frame import Frame, Meaning, Result, element_type
from eqsat.reference.number import Array
from eqsat.reference.value import Value, align, move_last, union
from eqsat.spec.rule import axis_type
from eqsat.uop import UOp


def _matrix_multiply(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """The product a @ b + c, each spread over the items of a WARP range if there are several threads. Further ranges are summed over."""
    product = Product.of(node.arg)
    dtype = element_type(node).scalar
    warps = (bound for bound in node.ranges if axis_type(bound) is AxisType.WARP)
    warp = next(warps, None) if product.threads > 1 else None
    left, right, addend = (
        _whole(frame, product, operand, _with_lanes(frame.value(result, source), source), warp)
        for operand, (result, source) in enumerate(zip(sources[:3], node.src[:3], strict=True))
    )
    axes = union((left, right), frame.position)
    multiply = partial(multiplied, product, dtype)
    whole = multiply(align(left, axes), align(right, axes))
    moved = move_last(Value(axes, whole), node.src[3:], [_count(frame, bound) for bound in node.src[3:]])
    inside = tuple(range(len(moved.axes), len(moved.axes) + len(node.src) - 3))
    summed = Value(moved.axes, combine(Op.ADD, dtype, moved.data, inside))
    result = frame.together(partial(compute, Op.ADD, dtype), summed, addend)
    parts = spread_out(product, 2, result.data, node.dtype.lanes)
    if node.dtype.lanes == 1:
        parts = parts[..., 0]
    if warp is None:
        return Value(result.axes, parts.take(0, len(result.axes)))
    axes = tuple(sorted((*result.axes, warp), key=frame.position.__getitem__))
    return Value(axes, np.moveaxis(parts, len(result.axes), axes.index(warp)))


def _with_lanes(value: Value, node: UOp) -> Value:
    return value if node.dtype.lanes > 1 else Value(value.axes, value.data[..., None])


def _whole(frame: Frame, product: Product, operand: int, value: Value, warp: UOp | None) -> Value:
    """A matrix from the fragments that all threads hold, with its elements in one row."""
    if warp is None:
        return Value(value.axes, gathered(product, operand, value.data[..., None, :]))
    together = move_last(value, (warp,), (product.threads,))
    if warp in frame.windows:
        raise EvaluationError(f"the threads of a WMMA are evaluated together; leave {warp!r} whole")
    return Value(together.axes, gathered(product, operand, together.data))


def gathered(product: Product, operand: int, parts: Array) -> Array:
    """The elements of a matrix, row by row, from fragments of shape (…, threads, lanes). Each is taken from the first thread that holds it."""
    places = np.array(product.places(operand, parts.shape[-1])).reshape(-1)
    elements, first = np.unique(places, return_index=True)
    assert len(elements) == prod(product.wholes[operand])
    return parts.reshape(*parts.shape[:-2], -1)[..., first]


def spread_out(product: Product, operand: int, elements: Array, lanes: int) -> Array:
    """The fragments, of shape (…, threads, lanes), of a matrix whose elements are in one row."""
    return elements[..., np.array(product.places(operand, lanes))]


def multiplied(product: Product, dtype: DType, left: Array, right: Array) -> Array:
    """a @ b. The elements of both matrices and of the result are in one row each; products are summed along K."""
    (rows, inner), (_, columns) = product.wholes[:2]
    a = left.reshape(*left.shape[:-1], rows, inner, 1).astype(to_numpy(dtype))
    b = right.reshape(*right.shape[:-1], 1, inner, columns).astype(to_numpy(dtype))
    products = compute(Op.MUL, dtype, a, b)
    return combine(Op.ADD, dtype, products, (products.ndim - 2,)).reshape(
        *products.shape[:-3], rows * columns
    )


def _count(frame: Frame, bound: UOp) -> int:
    result = frame.values[bound]
    assert isinstance(result, Value)
    return result.data.shape[0]


MEANING: dict[Op, Meaning] = {Op.WMMA: _matrix_multiply}
