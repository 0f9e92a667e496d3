"""eqsat's names for NumPy and SciPy."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy import special

from benchmarks.kernels.names import formulas
from eqsat.demo import programs

Array = NDArray[Any]

softmax = partial(formulas.softmax, np)
rms_norm = partial(formulas.rms_norm, np)
attention = partial(formulas.attention, np)
layer_norm = partial(programs.layer_norm, np)
sigmoid = special.expit
erf = special.erf
logsumexp = special.logsumexp
cumulative_sum = np.cumsum


def __getattr__(name: str) -> Any:
    return getattr(np, name)


def gelu(x: Array, *, approximate: str) -> Array:
    """The GELU by its tanh approximation, the only one that workloads use."""
    return programs.gelu(np, x)


def conv2d(
    images: Array, weights: Array, *, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1
) -> Array:
    """One matrix product over windows; over channels alone for 1×1 filters; a sum over taps if each channel has its own filter."""
    batch, channels = images.shape[:2]
    filters, _, rows, columns = weights.shape
    if rows == columns == stride == groups == 1 and not padding:
        return np.matmul(weights[:, :, 0, 0], images.reshape(batch, channels, -1)).reshape(
            batch, filters, *images.shape[2:]
        )
    framed = np.pad(images, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    extents = tuple(dilation * (taps - 1) + 1 for taps in (rows, columns))
    windows = sliding_window_view(framed, extents, axis=(2, 3))[
        :, :, ::stride, ::stride, ::dilation, ::dilation
    ]
    if groups == channels == filters:
        return sum(
            windows[..., row, column] * weights[:, 0, row, column, None, None]
            for row in range(rows)
            for column in range(columns)
        )
    if groups != 1:
        parts = zip(np.split(images, groups, axis=1), np.split(weights, groups), strict=True)
        each = [conv2d(*part, stride=stride, padding=padding, dilation=dilation) for part in parts]
        return np.concatenate(each, axis=1)
    product = np.tensordot(windows, weights, ((1, 4, 5), (1, 2, 3)))
    return np.ascontiguousarray(product.transpose(0, 3, 1, 2))


def conv1d(signals: Array, weights: Array, *, padding: int = 0) -> Array:
    """One matrix product over windows."""
    framed = np.pad(signals, ((0, 0), (0, 0), (padding, padding)))
    windows = sliding_window_view(framed, weights.shape[2], axis=2)
    return np.ascontiguousarray(np.tensordot(windows, weights, ((1, 3), (1, 2))).transpose(0, 2, 1))


def conv3d(volumes: Array, weights: Array, *, padding: int = 0) -> Array:
    """One matrix product over windows."""
    framed = np.pad(volumes, ((0, 0), (0, 0), *3 * [(padding, padding)]))
    windows = sliding_window_view(framed, weights.shape[2:], axis=(2, 3, 4))
    product = np.tensordot(windows, weights, ((1, 5, 6, 7), (1, 2, 3, 4)))
    return np.ascontiguousarray(product.transpose(0, 4, 1, 2, 3))


def conv_transpose2d(images: Array, weights: Array, *, stride: int = 1, padding: int = 0) -> Array:
    """A matrix product for each tap, added to the places that the tap reaches."""
    (batch, _, *extents), (_, filters, *taps) = images.shape, weights.shape
    sizes = [(extent - 1) * stride + tap for extent, tap in zip(extents, taps, strict=True)]
    result = np.zeros((batch, filters, *sizes), images.dtype)
    for row, column in np.ndindex(*taps):
        places = [
            slice(first, first + stride * n, stride) for first, n in zip((row, column), extents, strict=True)
        ]
        result[:, :, *places] += np.einsum("bcyx,cf->bfyx", images, weights[:, :, row, column], optimize=True)
    return np.ascontiguousarray(result[:, :, padding : sizes[0] - padding, padding : sizes[1] - padding])


def max_pool2d(images: Array, size: int) -> Array:
    """The elementwise maximum of arrays, each of which has one element of every window."""
    taps = [images[..., row::size, column::size] for row in range(size) for column in range(size)]
    greatest = np.maximum(taps[0], taps[1])
    for tap in taps[2:]:
        np.maximum(greatest, tap, out=greatest)
    return greatest
