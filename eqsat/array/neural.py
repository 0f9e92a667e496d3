"""What neural networks are made of, as compositions of the functions beside this module.

Half precision is computed in float32 and rounded once; integers are converted to floats first, since their differences and squares wrap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node, operand
from eqsat.array.elementwise import maximum, where
from eqsat.array.linalg import matmul
from eqsat.array.mathematics import exp, log, sqrt
from eqsat.array.nodes.axes import Axes
from eqsat.array.nodes.operands import (
    cast,
    common_dtype,
    dtype_of,
    float_of_means,
    in_working_precision,
    unify_floats,
)
from eqsat.array.nodes.views import shape
from eqsat.array.reduction import max, mean, sum
from eqsat.dtype import to_numpy
from eqsat.errors import BuildError, DTypeError, brief
from eqsat.ops import Op
from eqsat.uop import UOp

__all__ = [
    "attention",
    "gelu",
    "layer_norm",
    "log_softmax",
    "relu",
    "rms_norm",
    "silu",
    "softmax",
]

WHOLE = 40.0  # sigmoid is 1 from here: e^-40 is 4e-18, too little to be seen in float64


@array_function
def relu(x: ArrayLike, /) -> Array:
    """The number where it is positive, zero elsewhere."""
    return maximum(x, 0)


@array_function
def silu(x: ArrayLike, /) -> Array:
    """X · sigmoid(x); -0.0 at minus infinity."""
    (value,) = unify_floats("take silu of", (operand(x),))
    return Array(value.alu(Op.SILU))


@array_function
def gelu(x: ArrayLike, /, *, approximate: str = "none") -> Array:
    """X · Φ(x), Φ the normal distribution; "tanh" approximates it (Hendrycks and Gimpel, arXiv:1606.08415).

    (1 + tanh(u)) / 2, by which they multiply, is sigmoid(2u), which does not cancel where x is negative. By "tanh", results are -0.0 where 2u is
    below the logarithm of the least normal number, rounded up (x < -9.986 in float32).

    Raises:
        BuildError: another approximation.
    """
    if approximate not in ("none", "tanh"):
        raise BuildError(f'cannot approximate gelu by {brief(approximate)}; use "none" or "tanh"')
    (value,) = unify_floats("take gelu of", (operand(x),))
    return Array(value.alu(Op.GELU) if approximate == "none" else in_working_precision(_gelu_by_tanh, value))


@array_function
def softmax(x: ArrayLike, /, axis: Axes = -1) -> Array:
    """Exponentials divided by their sum along an axis, without overflow."""

    def formula(value: Array) -> Array:
        exponentials = exp(value - _greatest(value, axis))
        return exponentials / sum(exponentials, axis=axis, keepdims=True)

    return _computed(formula, unify_floats("take softmax of", (node(x),)))


@array_function
def log_softmax(x: ArrayLike, /, axis: Axes = -1) -> Array:
    """The logarithm of `softmax`, without underflow."""

    def formula(value: Array) -> Array:
        centred = value - _greatest(value, axis)
        return centred - log(sum(exp(centred), axis=axis, keepdims=True))

    return _computed(formula, unify_floats("take log_softmax of", (node(x),)))


@array_function
def layer_norm(
    x: ArrayLike,
    /,
    scale: ArrayLike | None = None,
    shift: ArrayLike | None = None,
    *,
    axis: Axes = -1,
    epsilon: float = 1e-5,
) -> Array:
    """Mean 0 and variance 1 along an axis (the variance in a second pass), then scaled and shifted."""

    def formula(value: Array) -> Array:
        centred = value - mean(value, axis=axis, keepdims=True)
        return centred / sqrt(mean(centred * centred, axis=axis, keepdims=True) + epsilon)

    result = _computed(formula, _floats(node(x)))
    result = result if scale is None else result * scale
    return result if shift is None else result + shift


@array_function
def rms_norm(
    x: ArrayLike, /, scale: ArrayLike | None = None, *, axis: Axes = -1, epsilon: float = 1e-5
) -> Array:
    """Root mean square 1 along an axis, then scaled."""

    def formula(value: Array) -> Array:
        return value / sqrt(mean(value * value, axis=axis, keepdims=True) + epsilon)

    result = _computed(formula, _floats(node(x)))
    return result if scale is None else result * scale


@array_function
def attention(
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    /,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Array:
    """Scaled dot-product attention: (…, tokens, width), (…, others, width), (…, others, depth) -> (…, tokens, depth).

    Scores are multiplied by `scale`, 1/√width by default. The mask is broadcast to (…, tokens, others): one of bools says which others are
    seen; one of floats is added to the scaled scores, so that -inf hides, as in PyTorch and ONNX. It does not change the result's dtype.

    Raises:
        ShapeError: the shapes do not fit.
        DTypeError: the mask holds integers.
    """
    factor = 1.0 / math.sqrt(shape(node(queries))[-1]) if scale is None else scale
    masked = None if mask is None else _mask(node(mask))

    def formula(asked: Array, known: Array, told: Array) -> Array:
        scores = matmul(asked, known.mT) * factor
        if masked is not None and masked.dtype.is_bool:
            scores = where(masked, scores, -math.inf)
        elif masked is not None:
            scores = scores + masked.astype(scores.dtype)
        return matmul(softmax(scores), told)

    return _computed(formula, _floats(node(queries), node(keys), node(values)))


def _greatest(value: Array, axis: Axes) -> Array:
    """The greatest along axes, which stay; anything of an array that is empty, of which nothing has to be greater."""
    return (sum if 0 in value.shape else max)(value, axis=axis, keepdims=True)


def _mask(value: UOp) -> Array:
    dtype = dtype_of(value)
    if dtype.is_int:
        raise DTypeError(
            f"a mask of {dtype} may say what is seen or what is added to scores; give mask != 0 for the former, or astype a float dtype"
        )
    return Array(value)


def _computed(formula: Callable[..., Array], operands: Sequence[UOp]) -> Array:
    """A formula of arrays of one dtype, in float32 at least."""
    return Array(in_working_precision(lambda *values: formula(*map(Array, values)).uop, *operands))


def _floats(*operands: UOp) -> list[UOp]:
    """The operands in their common dtype, which is that of a mean."""
    dtype = float_of_means(common_dtype(operands))
    return [cast(value, dtype) for value in operands]


def _gelu_by_tanh(x: UOp) -> UOp:
    """Where sigmoid is no normal number, -0.0: such results are too near to 0 for any use, and slow down what computes with them, 150 cycles each."""
    doubled = (x * x * x * 0.044715 + x) * (2.0 * math.sqrt(2.0 / math.pi))
    least = math.ceil(math.log(np.finfo(to_numpy(dtype_of(x))).tiny))
    clipped = doubled.alu(Op.MAX, doubled.like(least)).alu(Op.MIN, doubled.like(WHOLE))
    return (doubled < least).where(-0.0, x * clipped.alu(Op.SIGMOID))
