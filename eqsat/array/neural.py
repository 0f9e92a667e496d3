"""Building blocks of neural networks, composed of other array functions.

Half precision is computed in float32 and rounded once. Integers are converted to floats first, since their differences and squares would wrap.
"""

from __future__ import annotations

import math
from typing import SupportsIndex

import numpy as np

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, node, operand
from eqsat.array.creation import arange
from eqsat.array.elementwise import equal, maximum, where
from eqsat.array.formulas import computed, floats
from eqsat.array.linalg import matmul
from eqsat.array.mathematics import exp, log, sqrt
from eqsat.array.nodes.axes import Axes, normalize_axis, normalize_shape
from eqsat.array.nodes.operands import (
    dtype_of,
    in_working_precision,
    require_integers,
    unify_floats,
)
from eqsat.array.nodes.views import shape
from eqsat.array.reduction import max, mean, sum
from eqsat.dtype import float32, to_numpy
from eqsat.errors import BuildError, DTypeError, brief
from eqsat.ops import Op
from eqsat.uop import UOp

__all__ = [
    "attention",
    "gelu",
    "layer_norm",
    "log_softmax",
    "one_hot",
    "relu",
    "rms_norm",
    "silu",
    "softmax",
]

WHOLE = 40.0  # sigmoid rounds to 1 from here on: e^-40 = 4e-18 is below the resolution of float64 at 1


@array_function
def relu(x: ArrayLike, /) -> Array:
    """The rectified linear unit: each element where it is positive, zero elsewhere."""
    return maximum(x, 0)


@array_function
def silu(x: ArrayLike, /) -> Array:
    """The product x · sigmoid(x) for each element; -0.0 at minus infinity."""
    (value,) = unify_floats("take silu of", (operand(x),))
    return Array(value.alu(Op.SILU))


@array_function
def gelu(x: ArrayLike, /, *, approximate: str = "none") -> Array:
    """The product x · Φ(x) for each element, where Φ is the distribution function of the standard normal distribution.

    With `approximate="tanh"`, it is the approximation x · (1 + tanh(u)) / 2 of Hendrycks and Gimpel (arXiv:1606.08415). It is computed as
    x · sigmoid(2u), which does not cancel for negative x. The result is -0.0 where 2u is below the logarithm of the least normal number,
    rounded up (x < -9.986 in float32).

    Raises:
        BuildError: `approximate` is neither "none" nor "tanh".
    """
    if approximate not in ("none", "tanh"):
        raise BuildError(f'cannot approximate gelu by {brief(approximate)}; use "none" or "tanh"')
    (value,) = unify_floats("take gelu of", (operand(x),))
    return Array(value.alu(Op.GELU) if approximate == "none" else in_working_precision(_gelu_by_tanh, value))


@array_function
def softmax(x: ArrayLike, /, axis: Axes = -1) -> Array:
    """The exponentials of the elements divided by their sum along `axis`, without overflow."""

    def formula(value: Array) -> Array:
        exponentials = exp(value - _greatest(value, axis))
        return exponentials / sum(exponentials, axis=axis, keepdims=True)

    return computed(formula, unify_floats("take softmax of", (node(x),)))


@array_function
def log_softmax(x: ArrayLike, /, axis: Axes = -1) -> Array:
    """The natural logarithm of `softmax` along `axis`, without underflow."""

    def formula(value: Array) -> Array:
        centred = value - _greatest(value, axis)
        return centred - log(sum(exp(centred), axis=axis, keepdims=True))

    return computed(formula, unify_floats("take log_softmax of", (node(x),)))


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
    """The elements normalized to mean 0 and variance 1 along `axis`, then multiplied by `scale` and increased by `shift`, where given.

    The variance is computed in a second pass; `epsilon` is added to it. `scale` and `shift` broadcast with `x`.

    Raises:
        BuildError: `scale` is the shape of `x` along its last axes.
    """
    _require_factor(x, scale)

    def formula(value: Array) -> Array:
        centred = value - mean(value, axis=axis, keepdims=True)
        return centred / sqrt(mean(centred * centred, axis=axis, keepdims=True) + epsilon)

    result = computed(formula, floats(node(x)))
    result = result if scale is None else result * scale
    return result if shift is None else result + shift


@array_function
def rms_norm(
    x: ArrayLike, /, scale: ArrayLike | None = None, *, axis: Axes = -1, epsilon: float = 1e-5
) -> Array:
    """The elements divided by their root mean square along `axis`, then multiplied by `scale`, if given.

    `epsilon` is added to the mean square. `scale` broadcasts with `x`.

    Raises:
        BuildError: `scale` is the shape of `x` along its last axes.
    """
    _require_factor(x, scale)

    def formula(value: Array) -> Array:
        return value / sqrt(mean(value * value, axis=axis, keepdims=True) + epsilon)

    result = computed(formula, floats(node(x)))
    return result if scale is None else result * scale


def _require_factor(x: ArrayLike, scale: ArrayLike | None) -> None:
    """Raises BuildError if `scale` is a shape, which PyTorch's functions take in its place."""
    if not isinstance(scale, tuple | list) or not all(isinstance(each, int) for each in scale):
        return
    if scale and tuple(scale) == shape(node(x))[-len(scale) :]:
        raise BuildError(
            f"scale is the shape {brief(scale)}, not factors; name the axes to normalize, as in axis=-1, and give factors as an array"
        )


@array_function
def one_hot(
    x: ArrayLike, /, num_classes: SupportsIndex, *, axis: SupportsIndex = -1, dtype: Dtype = float32
) -> Array:
    """For each integer of `x`, a row of zeros with a 1 at that position; all zeros for an integer outside 0..num_classes - 1.

    Args:
        x: the integers, of any shape.
        num_classes: the extent of a row.
        axis: the axis of the result along which the rows lie, by default the last.
        dtype: the dtype of the result.

    Raises:
        DTypeError: `x` holds floats.
        ShapeError: there is no such axis, or `num_classes` is negative or not an integer.
    """
    value = node(x)
    require_integers("make rows with a 1 at positions of", [value])
    (count,) = normalize_shape(num_classes, "make rows")
    place = normalize_axis(axis, len(shape(value)) + 1, "lay rows along")
    others = len(shape(value)) - place
    classes = arange(count).uop.reshape((count, *(1,) * others))
    spread = value.reshape((*shape(value)[:place], 1, *shape(value)[place:]))
    return equal(Array(spread), Array(classes)).astype(dtype)


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
    """Scaled dot-product attention: softmax(queries · keysᵀ · scale + mask) · values, in shape (…, tokens, depth).

    Args:
        queries: an array of shape (…, tokens, width).
        keys: an array of shape (…, others, width).
        values: an array of shape (…, others, depth).
        mask: an array that broadcasts to (…, tokens, others). A bool says whether the token attends to the other; a float is added to the
            scaled score, so that -inf hides the other, as in PyTorch and ONNX. A token whose scores are then all -inf, such as one that
            attends to no other, gets zeros, as in PyTorch. The mask does not change the dtype of the result.
        scale: the factor of the scores, 1/√width by default.

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
        weighed = matmul(softmax(scores), told)
        if masked is None:
            return weighed
        # Softmax of a row of -inf is NaN
        return where(_greatest(scores, -1) == -math.inf, 0, weighed)

    return computed(formula, floats(node(queries), node(keys), node(values)))


def _greatest(value: Array, axis: Axes) -> Array:
    """The maximum along axes, which keep extent 1. For an empty array, which has no maximum, it is the sum: no element depends on it."""
    return (sum if 0 in value.shape else max)(value, axis=axis, keepdims=True)


def _mask(value: UOp) -> Array:
    dtype = dtype_of(value)
    if dtype.is_int:
        raise DTypeError(
            f"a mask of {dtype} may say what is seen or what is added to scores; give mask != 0 for the former, or astype a float dtype"
        )
    return Array(value)


def _gelu_by_tanh(x: UOp) -> UOp:
    """The "tanh" form of gelu; -0.0 where the sigmoid is subnormal, as each operation on a subnormal number takes 150 cycles, for no use."""
    doubled = (x * x * x * 0.044715 + x) * (2.0 * math.sqrt(2.0 / math.pi))
    least = math.ceil(math.log(np.finfo(to_numpy(dtype_of(x))).tiny))
    clipped = doubled.alu(Op.MAX, doubled.like(least)).alu(Op.MIN, doubled.like(WHOLE))
    return (doubled < least).where(-0.0, x * clipped.alu(Op.SIGMOID))
