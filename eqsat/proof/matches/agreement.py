"""Evaluates both sides of a match with the reference, and compares the results as strictly as the rule's soundness class demands.

- `EXACT` rules: the bits must be equal. NaN payloads do not count, nor does the sign of a zero that MAX or MIN takes of zeros.
- `FINITE` rules: values must be equal where inputs and results are finite. The sign of a zero does not count.
- `REAL` rules: values must be equal up to rounding, on numbers of moderate size. There, a NaN is no value, and
  nothing is claimed where a side is not finite because of a pole or an overflow.

Where the left side has a value, the right side must have one too: it must not divide by zero there. For a rule that holds both ways, the
left side must also have a value where the right side has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from eqsat.dtype import DType
from eqsat.ops import ALONG_AXES, Op
from eqsat.proof.matches.match import Data, Match
from eqsat.proof.overflow import Values, might_overflow
from eqsat.reference import evaluate
from eqsat.reference.definedness import lacks_value, may_lack_value
from eqsat.reference.number import Array
from eqsat.rules.language.rule import FLOATS, Soundness
from eqsat.rules.language.walking import nodes_of
from eqsat.uop import UOp, toposort

# allowed rounding error of claims over the reals, in units of the last place; it grows with the root of the steps of a sum
_ROUNDINGS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The values of both sides on some data. The masks have the shape of the result.

    Attributes:
        left: the value of the left side.
        right: the value of the right side.
        compared: where the left side has a value, so that the rule claims something.
        has_value: where the right side has a value.
        differs: where the claim is wrong.
    """

    left: Array
    right: Array
    compared: Array
    has_value: Array
    differs: Array


def compare(match: Match, data: Data) -> Comparison:
    """Evaluates both sides of a match, which have the same dtype and shape, and finds where they disagree."""
    order = toposort([match.left, match.right])
    values = dict(zip(order, evaluate(order, {**data}), strict=True))
    compared, has_value = value_mask(match.left, values), value_mask(match.right, values)
    agree = _agree(match, values, data)
    if match.obligation.rule.soundness is Soundness.REAL:
        left_out = beyond_reals((match.left, match.right), values)
        compared = compared & ~(np.isnan(values[match.left]) & ~left_out)
        has_value = has_value & ~(np.isnan(values[match.right]) & ~left_out)
        agree = agree | left_out
    if not match.obligation.is_elementwise and not np.all(compared):
        compared = np.zeros_like(compared)
    one_sided = has_value & ~compared if match.obligation.rule.both_ways else np.zeros_like(compared)
    differs = one_sided | (compared & ~(has_value & agree))
    return Comparison(values[match.left], values[match.right], compared, has_value, differs)


def has_value(root: UOp, data: Data) -> bool:
    """Whether a graph has a value everywhere. It has none where it divides by zero, or shifts by the width of the dtype or more."""
    order = toposort([root])
    return bool(np.all(value_mask(root, dict(zip(order, evaluate(order, {**data}), strict=True)))))


def beyond_reals(roots: Sequence[UOp], values: Values) -> Array:
    """A mask of where graphs of one shape are not all finite, and that comes from a pole or an overflow: a value behind them is, or was, infinite."""
    not_finite = ~np.logical_and.reduce([np.isfinite(values[root]) for root in roots])
    if not not_finite.any() or might_overflow(values):
        return not_finite
    infinite = np.zeros(not_finite.shape, bool)
    for node in toposort(roots):
        if node.dtype.scalar.is_float:
            found = np.isinf(values[node])
            infinite |= found if found.shape in ((), infinite.shape) else found.any()
    return not_finite & infinite


def _agree(match: Match, values: Values, data: Data) -> Array:
    rule, one, other = match.obligation.rule, values[match.left], values[match.right]
    dtype = match.left.dtype
    if not dtype.scalar.is_float:
        return np.asarray(one == other)
    if rule.soundness is Soundness.EXACT:
        takes_extremes = any(
            node.op in (Op.MAX, Op.MIN, *ALONG_AXES) for node in nodes_of(rule.left, rule.right)
        )
        same_bits = (one == other) & ((np.signbit(one) == np.signbit(other)) | takes_extremes)
        return same_bits | (np.isnan(one) & np.isnan(other))
    if rule.soundness is Soundness.FINITE:
        finite = np.isfinite(one) & np.isfinite(other)
        return (one == other) | ~np.logical_and.reduce([finite, *_finite_inputs(data, one)])
    with np.errstate(all="ignore"):
        return np.abs(one.astype(np.float64) - other) <= tolerance(dtype.scalar, values)


def _finite_inputs(data: Data, like: Array) -> list[Array]:
    floats = [array for slot, array in data.items() if slot.dtype.scalar.is_float]
    return [np.isfinite(array) for array in floats if array.shape == like.shape]


def tolerance(dtype: DType, values: Values) -> float:
    """The largest difference by rounding between two results that are equal over the reals. The error of a sum grows like a random walk."""
    scale = max((_magnitude(value) for node, value in values.items() if node.dtype in FLOATS), default=1.0)
    steps = max(np.size(value) for value in values.values())
    return _ROUNDINGS * scale * 2.0**-dtype.significand * sqrt(max(1, steps))


def _magnitude(value: Array) -> float:
    """The largest magnitude of a finite element, 0 if there is none."""
    if value.size and np.isfinite(largest := max(abs(float(value.min())), abs(float(value.max())))):
        return largest
    finite = np.abs(np.asarray(value, np.float64))
    finite = finite[np.isfinite(finite)]
    return float(finite.max()) if finite.size else 0.0


def value_mask(root: UOp, values: Values) -> Array:
    """A mask of the elements where `root` has a value. Unless the graph is pointwise, the mask is all true or all false."""
    masks: dict[UOp, Array] = {}
    order = toposort([root])
    if not any(may_lack_value(node) for node in order):
        return np.broadcast_to(True, np.shape(values[root]))
    for node in order:
        sources = [masks[source] for source in node.src]
        own = ~lacks_value(node, values)
        if node.op is Op.WHERE:
            condition = np.asarray(values[node.src[0]], bool)
            masks[node] = sources[0] & np.where(condition, sources[1], sources[2])
        elif node.op is Op.INDEX or node.op is Op.LOAD:
            masks[node] = _accessible(node, sources, values)
        elif any(mask.shape != own.shape and mask.ndim for mask in sources):
            masks[node] = np.asarray(own.all() and all(mask.all() for mask in sources))
        else:
            masks[node] = np.logical_and.reduce(np.broadcast_arrays(own, *sources)) if sources else own
    return np.broadcast_to(masks[root], np.shape(values[root]))


def _accessible(node: UOp, sources: Sequence[Array], values: Values) -> Array:
    """A mask of where an address, or a load from it, has a value: where its gate is false, or the address lies within the buffer."""
    address = node.src[0] if node.op is Op.LOAD else node
    buffer, position, *gates = address.src
    least = np.asarray(values[position])
    inside = (least >= 0) & (least + node.dtype.lanes <= buffer.elements)
    if node.op is Op.LOAD:
        inside = inside & sources[0]
    else:
        inside = inside & sources[1]
    if not gates:
        return inside
    gate = np.asarray(values[gates[0]], bool)
    otherwise = sources[1] if node.op is Op.LOAD else np.ones((), bool)
    return np.where(gate, inside, otherwise)
