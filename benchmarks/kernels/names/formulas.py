"""Functions that NumPy and JAX lack, as formulas of functions that both have. `xp` is either module."""

from __future__ import annotations

from math import sqrt
from typing import Any

Namespace = Any
Array = Any


def softmax(xp: Namespace, x: Array, axis: int = -1) -> Array:
    """Exponentials divided by their sum along an axis."""
    exponentials = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return exponentials / xp.sum(exponentials, axis=axis, keepdims=True)


def rms_norm(xp: Namespace, x: Array, scale: Array) -> Array:
    """Each row divided by its root mean square, then scaled."""
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * scale


def attention(xp: Namespace, queries: Array, keys: Array, values: Array, mask: Array | None = None) -> Array:
    """Scaled dot-product attention; a mask says which keys each query sees."""
    scores = xp.matmul(queries, xp.matrix_transpose(keys)) * (1.0 / sqrt(queries.shape[-1]))
    if mask is not None:
        scores = xp.where(mask, scores, -xp.inf)
    return xp.matmul(softmax(xp, scores), values)
