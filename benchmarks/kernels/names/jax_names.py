"""eqsat's names for JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp

from benchmarks.kernels.names import formulas
from eqsat.demo import programs

Array = Any

rms_norm = partial(formulas.rms_norm, jnp)
attention = partial(formulas.attention, jnp)
layer_norm = partial(programs.layer_norm, jnp)
softmax = jax.nn.softmax
sigmoid = jax.nn.sigmoid
erf = jax.scipy.special.erf
logsumexp = jax.scipy.special.logsumexp
cumulative_sum = jnp.cumsum


def __getattr__(name: str) -> Any:
    return getattr(jnp, name)


def gelu(x: Array, *, approximate: str) -> Array:
    """The GELU by its tanh approximation, or exactly."""
    return jax.nn.gelu(x, approximate=approximate == "tanh")


def conv2d(
    images: Array, weights: Array, *, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1
) -> Array:
    """A convolution of images with channels first."""
    return lax.conv_general_dilated(
        images,
        weights,
        (stride, stride),
        [(padding, padding)] * 2,
        rhs_dilation=(dilation, dilation),
        feature_group_count=groups,
    )


def conv1d(signals: Array, weights: Array, *, padding: int = 0) -> Array:
    """A convolution of signals with channels first."""
    return lax.conv_general_dilated(signals, weights, (1,), [(padding, padding)])


def conv3d(volumes: Array, weights: Array, *, padding: int = 0) -> Array:
    """A convolution of volumes with channels first."""
    return lax.conv_general_dilated(volumes, weights, (1, 1, 1), [(padding, padding)] * 3)


def conv_transpose2d(images: Array, weights: Array, *, stride: int = 1, padding: int = 0) -> Array:
    """A transposed convolution: a convolution of images with zeros between their elements."""
    frame = [(taps - 1 - padding,) * 2 for taps in weights.shape[2:]]
    filters = jnp.flip(weights, (2, 3)).swapaxes(0, 1)
    return lax.conv_general_dilated(images, filters, (1, 1), frame, lhs_dilation=(stride, stride))


def max_pool2d(images: Array, size: int) -> Array:
    """The greatest element of each window; windows are adjacent."""
    window = (1, 1, size, size)
    return lax.reduce_window(images, -jnp.inf, lax.max, window, window, "VALID")
