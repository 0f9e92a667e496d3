"""The programs that the demo runs, `explain` knows by name and the benchmarks measure.

Each is one plain function of an array namespace and its arrays, so that NumPy and eqsat run the very same lines:
`softmax(numpy, x)` is the reference and `softmax(eqsat, x)` the program. Only names that both know (the Array API's) appear, except `conv2d`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

# An array namespace (the module `numpy` or `eqsat`) and its arrays. Two libraries that share names but no type meet here.
Namespace = Any
Array = Any


@dataclass(frozen=True)
class Program:
    """A function of a namespace and arrays, with the shapes and dtypes of its arrays for when no data is given.

    `reference` is the function that NumPy runs instead, if NumPy cannot run the same lines, or not well.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[tuple[tuple[int, ...], str], ...]
    title: str
    reference: Callable[..., Any] | None = None

    def bind(self, xp: Namespace) -> Callable[..., Any]:
        """The function with its namespace fixed, so that it takes arrays only."""

        def bound(*arrays: Array) -> Any:
            return self.function(xp, *arrays)

        bound.__name__ = self.name
        return bound

    def in_numpy(self) -> Callable[..., Any]:
        """The function that NumPy users would write."""
        return self.reference or self.bind(np)


def softmax(xp: Namespace, x: Array) -> Array:
    """Each row as probabilities: (rows, columns) -> the same shape."""
    exponentials = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return exponentials / xp.sum(exponentials, axis=-1, keepdims=True)


def layer_norm(xp: Namespace, x: Array, scale: Array, shift: Array) -> Array:
    """Each row moved to mean 0 and variance 1, then scaled and shifted: (…, columns), (columns), (columns) -> (…, columns)."""
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred * centred, axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * scale + shift


def gelu(xp: Namespace, x: Array) -> Array:
    """The Gaussian error linear unit, by its usual tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415)."""
    return 0.5 * x * (1.0 + xp.tanh(sqrt(2.0 / 3.141592653589793) * (x + 0.044715 * x * x * x)))


def matmul(xp: Namespace, a: Array, b: Array) -> Array:
    """The matrix product: (rows, inner), (inner, columns) -> (rows, columns)."""
    return xp.matmul(a, b)


def elementwise_chain(xp: Namespace, x: Array) -> Array:
    """Ten elementwise operations in a row, which one kernel should do in one pass over memory."""
    y = x * 1.5 + 0.25
    y = xp.maximum(y, -1.0) - x
    y = y * y + x * 0.5
    return xp.minimum(xp.abs(y), 2.0) * 0.75


def total(xp: Namespace, x: Array) -> Array:
    """The sum of all elements: any shape -> ()."""
    return xp.sum(x)


def convolution(xp: Namespace, images: Array, weights: Array) -> Array:
    """A 3×3 convolution that keeps the image size.

    (batch, channels, height, width), (filters, channels, 3, 3) -> (batch, filters, height, width).
    """
    return xp.conv2d(images, weights, padding=1)


def convolution_in_numpy(images: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """The same convolution as one large matrix product over windows, the quickest way with NumPy alone."""
    framed = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(framed, (3, 3), axis=(2, 3))
    return np.ascontiguousarray(np.tensordot(windows, weights, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2))


def attention(xp: Namespace, queries: Array, keys: Array, values: Array) -> Array:
    """Scaled dot-product attention: three arrays (heads, tokens, width) -> (heads, tokens, width)."""
    scores = xp.matmul(queries, xp.permute_dims(keys, (0, 2, 1))) * (1.0 / sqrt(queries.shape[-1]))
    return xp.matmul(softmax(xp, scores), values)


def transformer_block(
    xp: Namespace,
    tokens: Array,
    scale: Array,
    shift: Array,
    qkv: Array,
    project: Array,
    widen: Array,
    narrow: Array,
) -> Array:
    """One pre-norm transformer block of 6 heads: tokens (count, width) -> (count, width).

    Weights: scale and shift (2, width), one row for each layer norm; qkv (width, 3·width); project (width, width);
    widen (width, hidden); narrow (hidden, width).
    """
    count, width = tokens.shape
    heads = 6
    normal = layer_norm(xp, tokens, scale[0], shift[0])
    split = xp.reshape(xp.matmul(normal, qkv), (count, 3, heads, width // heads))
    queries, keys, values = (xp.permute_dims(split[:, part], (1, 0, 2)) for part in range(3))
    attended = xp.permute_dims(attention(xp, queries, keys, values), (1, 0, 2))
    tokens = tokens + xp.matmul(xp.reshape(attended, (count, width)), project)
    normal = layer_norm(xp, tokens, scale[1], shift[1])
    return tokens + xp.matmul(gelu(xp, xp.matmul(normal, widen)), narrow)


def ink_outlines(xp: Namespace, photograph: Array) -> Array:
    """A photograph (height, width, 3) as a sharpened grey picture with inked edges: (height - 6, width - 6).

    Fixed-point int32 arithmetic on values 0 to 255, so that every library must agree to the last bit: grey-scale, 5×5 binomial
    blur in two passes, unsharp masking, Sobel edges of the blurred picture, threshold.
    """
    grey = (77 * photograph[:, :, 0] + 150 * photograph[:, :, 1] + 29 * photograph[:, :, 2]) >> 8
    blurred = _binomial_blur(_binomial_blur(grey, axis=0), axis=1)
    sharp = xp.clip(2 * grey[3:-3, 3:-3] - blurred[1:-1, 1:-1], 0, 255)
    return xp.where(_edge_strength(xp, blurred) > 160, 0, sharp)


def _binomial_blur(x: Array, axis: int) -> Array:
    """Blurs along one axis with the weights 1 4 6 4 1, over 16; the axis loses four elements."""
    taps = [
        x[tap : x.shape[0] - 4 + tap] if axis == 0 else x[:, tap : x.shape[1] - 4 + tap] for tap in range(5)
    ]
    return (taps[0] + 4 * taps[1] + 6 * taps[2] + 4 * taps[3] + taps[4]) >> 4


def _edge_strength(xp: Namespace, x: Array) -> Array:
    """The sum of the two absolute Sobel derivatives; both axes lose two elements."""
    smooth_rows = x[:-2] + 2 * x[1:-1] + x[2:]
    smooth_columns = x[:, :-2] + 2 * x[:, 1:-1] + x[:, 2:]
    return xp.abs(smooth_rows[:, 2:] - smooth_rows[:, :-2]) + xp.abs(smooth_columns[2:] - smooth_columns[:-2])


def classify(xp: Namespace, pixels: Array, first: Array, second: Array) -> Array:
    """Probabilities of the ten digits by a network with one hidden layer.

    pixels (count, inputs), first (inputs + 1, hidden), second (hidden + 1, 10); the last row of each weight is its bias.
    """
    return softmax(xp, _hidden_layer(xp, pixels, first) @ second[:-1] + second[-1])


def training_step(
    xp: Namespace, pixels: Array, targets: Array, first: Array, second: Array
) -> tuple[Array, Array]:
    """The weights after one step of gradient descent on the mean cross-entropy; targets (count, 10) are one-hot.

    The gradients are written out by hand: the derivative of softmax with cross-entropy is probability minus target.
    """
    rate = 0.5 / pixels.shape[0]
    hidden = _hidden_layer(xp, pixels, first)
    error = softmax(xp, hidden @ second[:-1] + second[-1]) - targets
    back = (error @ xp.permute_dims(second[:-1], (1, 0))) * (1.0 - hidden * hidden)
    return (
        first - rate * _weight_gradient(xp, pixels, back),
        second - rate * _weight_gradient(xp, hidden, error),
    )


def _hidden_layer(xp: Namespace, pixels: Array, first: Array) -> Array:
    return xp.tanh(pixels @ first[:-1] + first[-1])


def _weight_gradient(xp: Namespace, inputs: Array, error: Array) -> Array:
    """The gradient of weights with their bias in the last row."""
    return xp.concat([xp.permute_dims(inputs, (1, 0)) @ error, xp.sum(error, axis=0, keepdims=True)], axis=0)


def _floats(*shapes: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], str], ...]:
    return tuple((shape, "float32") for shape in shapes)


_BLOCK = ((512, 192), (2, 192), (2, 192), (192, 576), (192, 192), (192, 768), (768, 192))

PROGRAMS = {
    program.name: program
    for program in (
        Program("softmax", softmax, _floats((4096, 1024)), "softmax of each row"),
        Program("layer_norm", layer_norm, _floats((4096, 1024), (1024,), (1024,)), "layer norm of each row"),
        Program("matmul", matmul, _floats((1024, 1024), (1024, 1024)), "matrix product"),
        Program("elementwise", elementwise_chain, _floats((1 << 24,)), "ten elementwise operations"),
        Program("sum", total, _floats((1 << 24,)), "sum of 64 MiB"),
        Program(
            "conv2d",
            convolution,
            _floats((8, 64, 56, 56), (64, 64, 3, 3)),
            "3×3 convolution, 64 to 64 channels",
            convolution_in_numpy,
        ),
        Program(
            "attention", attention, _floats((8, 512, 64), (8, 512, 64), (8, 512, 64)), "attention, 8 heads"
        ),
        Program("transformer", transformer_block, _floats(*_BLOCK), "transformer block"),
        Program("image", ink_outlines, (((427, 640, 3), "int32"),), "image pipeline"),
        Program("classifier", classify, _floats((1797, 64), (65, 64), (65, 10)), "digit classifier"),
        Program(
            "training",
            training_step,
            _floats((1437, 64), (1437, 10), (65, 64), (65, 10)),
            "one training step",
        ),
    )
}
