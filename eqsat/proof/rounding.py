"""Decides where two float graphs may differ by rounding only: where their difference vanishes in a higher precision."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eqsat.dtype import DType, float64
from eqsat.errors import EvaluationError
from eqsat.ops import ALONG_AXES, Op
from eqsat.proof.matches.agreement import Values, tolerance
from eqsat.proof.overflow import might_be_finite, might_overflow, underflows
from eqsat.reference import evaluate
from eqsat.reference.number import Array
from eqsat.rules.language.rule import FLOATS
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort

CONSTANTS = 4  # rounded constants, such as 1/3, by which graphs that are equal over the reals may differ


def rounding_mask(one: UOp, other: UOp, inputs: Mapping[UOp, Array], values: Values) -> Array:
    """A mask of where rounding can explain a difference between the values of two float graphs.

    A finite difference can be rounding if both graphs agree in double precision, or differ there by the rounding of a few constants. For
    float64 it can be if they agree within some roundings of the largest intermediate value. An infinity or NaN on one side can be rounding
    if that side might be finite with its reductions in another order, or its products contracted; on both sides, if any of these
    might overflow. The sign of a zero can be, if there is a reduction or a product underflows.
    """
    left, right = np.broadcast_arrays(values[one], values[other])
    finite = np.isfinite(left), np.isfinite(right)
    beside = np.select(
        finite,
        (might_be_finite(other, values), might_be_finite(one, values)),
        might_overflow(values),
    )
    zeros = (left == 0) & (right == 0)
    near = _near(one, other, inputs, values)
    signs = any(node.op in ALONG_AXES or underflows(node, values) for node in values)
    return np.where(finite[0] & finite[1], np.where(zeros, signs, near), beside)


def _near(one: UOp, other: UOp, inputs: Mapping[UOp, Array], values: Values) -> Array:
    """A mask of where both values are finite and equal up to rounding."""
    allowed = CONSTANTS * 2.0**-one.dtype.scalar.significand
    wide = None if one.dtype.scalar == float64 else widened(toposort([one, other]))
    if wide is not None:
        order = toposort([wide[one], wide[other]])
        bound: dict[UOp | int | str, Array] = {wide[leaf]: array for leaf, array in inputs.items()}
        try:
            values = dict(zip(order, evaluate(order, bound), strict=True))
        except EvaluationError:
            return np.zeros(np.shape(values[one]), bool)
        one, other = wide[one], wide[other]
    left, right = (np.asarray(values[side], np.float64) for side in (one, other))
    with np.errstate(all="ignore"):
        rounded = np.abs(left - right) <= tolerance(one.dtype.scalar, values)
        return rounded | (np.abs(left - right) <= allowed * _magnitudes(values, left.shape))


def _magnitudes(values: Values, shape: Shape) -> Array:
    """For each element of a result, the largest finite magnitude that it is computed from. Of arrays in other shapes, all elements count."""
    largest = np.zeros(shape)
    for node, value in values.items():
        if node.dtype in FLOATS:
            sizes = np.abs(np.asarray(value, np.float64))
            sizes = np.where(np.isfinite(sizes), sizes, 0)
            largest = np.maximum(largest, sizes if sizes.shape in ((), shape) else np.max(sizes, initial=0))
    return largest


def widened(order: list[UOp]) -> dict[UOp, UOp] | None:
    """Each node of a graph with all floats in double precision; None if the graph reads bits or addresses memory."""
    wide: dict[UOp, UOp] = {}
    for node in order:
        if not isinstance(node.dtype, DType) or node.op is Op.BITCAST:
            return None
        dtype = float64.vec(node.dtype.lanes) if node.dtype.is_float else node.dtype
        wide[node] = UOp(node.op, dtype, tuple(wide[source] for source in node.src), node.arg)
    return wide
