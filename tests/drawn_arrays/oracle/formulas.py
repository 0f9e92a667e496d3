"""Functions of several steps, as formulas over intervals: half precision is computed in float32 and rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tests.drawn_arrays.oracle.intervals import Interval, common_dtype
from tests.drawn_arrays.values import FLOATS

FUNCTION = 2.0  # units in the last place that an elementary function may be off


def in_working_precision(formula: Callable[..., Interval], *operands: Interval) -> Interval:
    """A formula of floats in float32 at least."""
    dtype = common_dtype(*(each.dtype for each in operands))
    working = dtype if dtype in ("float32", "float64") else "float32"
    return formula(*(each.cast(dtype).cast(working) for each in operands)).cast(dtype)


def exp(x: Interval) -> Interval:
    return x.increasing(np.exp, FUNCTION)


def log(x: Interval) -> Interval:
    return x.increasing(np.log, FUNCTION)


def sqrt(x: Interval) -> Interval:
    return x.increasing(np.sqrt, 1.0)


def mean(x: Interval, axis: Any, lessened: float = 0.0, keepdims: bool = True) -> Interval:
    """The sum over the number of elements, lessened by something, but to no less than 0."""
    summed = x.sum(axis, keepdims)
    count = x.middle.size // max(summed.middle.size, 1)
    return summed / max(count - lessened, 0.0)


def var(x: Interval, axis: Any, correction: float = 0.0, keepdims: bool = False) -> Interval:
    return in_working_precision(lambda x: _variance(x, axis, correction, keepdims), x.numeric())


def std(x: Interval, axis: Any, correction: float = 0.0, keepdims: bool = False) -> Interval:
    return in_working_precision(lambda x: sqrt(_variance(x, axis, correction, keepdims)), x.numeric())


def _variance(x: Interval, axis: Any, correction: float, keepdims: bool) -> Interval:
    return mean((x - mean(x, axis)).squared(), axis, correction, keepdims)


def logsumexp(x: Interval, axis: Any, keepdims: bool = False) -> Interval:
    def formula(x: Interval) -> Interval:
        greatest = x.max(axis)
        finite = greatest.where(np.isfinite(greatest.middle), 0.0)
        result = log(exp(x - finite).sum(axis)) + finite
        shape = np.sum(x.middle, axis=axis, keepdims=keepdims).shape
        return result.moved(lambda end: end.reshape(shape))

    return in_working_precision(formula, x.floating())


def softmax(x: Interval, axis: Any = -1) -> Interval:
    def formula(x: Interval) -> Interval:
        exponentials = exp(x - x.max(axis))
        return exponentials / exponentials.sum(axis)

    return in_working_precision(formula, x.floating())


def log_softmax(x: Interval, axis: Any = -1) -> Interval:
    def formula(x: Interval) -> Interval:
        centred = x - x.max(axis)
        return centred - log(exp(centred).sum(axis))

    return in_working_precision(formula, x.floating())


def layer_norm(
    x: Interval,
    scale: Interval | None = None,
    shift: Interval | None = None,
    axis: Any = -1,
    epsilon: float = 1e-5,
) -> Interval:
    def formula(x: Interval) -> Interval:
        centred = x - mean(x, axis)
        return centred / sqrt(mean(centred.squared(), axis) + epsilon)

    result = in_working_precision(formula, x.numeric())
    result = result if scale is None else result * scale
    return result if shift is None else result + shift


def rms_norm(x: Interval, scale: Interval | None = None, axis: Any = -1, epsilon: float = 1e-5) -> Interval:
    def formula(x: Interval) -> Interval:
        return x / sqrt(mean(x.squared(), axis) + epsilon)

    result = in_working_precision(formula, x.numeric())
    return result if scale is None else result * scale


def attention(
    queries: Interval, keys: Interval, values: Interval, mask: Any = None, scale: float | None = None
) -> Interval:
    factor = 1 / math.sqrt(queries.shape[-1]) if scale is None else scale

    def formula(queries: Interval, keys: Interval, values: Interval) -> Interval:
        scores = _matmul(queries, keys.moved(lambda end: np.swapaxes(end, -1, -2))) * factor
        weights = softmax(_masked(scores, mask))
        # weights that are no normal numbers may be zeros
        least = np.where(weights.low < np.finfo(weights.dtype).tiny, 0, weights.low)
        return _matmul(replace(weights, low=least), values)

    dtype = common_dtype(queries.dtype, keys.dtype, values.dtype)
    dtype = dtype if dtype in FLOATS else "float64"
    return in_working_precision(formula, *(each.cast(dtype) for each in (queries, keys, values)))


def _masked(scores: Interval, mask: Any) -> Interval:
    """Hidden by bools; floats are exact, and are added."""
    if mask is None or mask.dtype.kind == "b":
        return scores if mask is None else scores.where(mask, -math.inf)
    return scores + Interval.around(mask, scores.dtype, None)


def _matmul(left: Interval, right: Interval) -> Interval:
    rows = left.moved(lambda end: end[..., :, :, None])
    columns = right.moved(lambda end: end[..., None, :, :])
    return (rows * columns).sum(axis=-2, keepdims=False)


def gelu(x: Interval, approximate: str) -> Interval:
    """By the tangent: (1 + tanh(u)) / 2 is 1 / (1 + e^(-2u)), which does not cancel where x is negative; zero where that is no normal number."""
    assert approximate == "tanh"

    def formula(x: Interval) -> Interval:
        cubic = x.increasing(lambda end: end * end * end, 1.5) * 0.044715 + x
        doubled = cubic * (2 * math.sqrt(2 / math.pi))
        found = x * doubled.increasing(lambda end: 1 / (1 + np.exp(-end)), FUNCTION)
        least = math.ceil(math.log(np.finfo(x.dtype).tiny))
        ends = [(doubled.middle, found.middle), (doubled.high, found.low), (doubled.low, found.high)]
        return Interval(*(np.where(end < least, 0, value) for end, value in ends), x.dtype)

    return in_working_precision(formula, x.floating())


inf, ones, tril, where = np.inf, np.ones, np.tril, np.where  # of which masks are made
NAMES = ("var", "std", "logsumexp", "softmax", "log_softmax", "layer_norm", "rms_norm", "attention")
