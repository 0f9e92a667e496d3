"""eqsat's names for tinygrad."""

from __future__ import annotations

from typing import Any

from tinygrad import Tensor, dtypes

float32, int8, int32, uint8 = dtypes.float32, dtypes.int8, dtypes.int32, dtypes.uint8

abs = Tensor.abs
arange = Tensor.arange
argmax = Tensor.argmax
argmin = Tensor.argmin
astype = Tensor.cast
clip = Tensor.clip
conv1d = conv2d = conv3d = Tensor.conv2d
conv_transpose2d = Tensor.conv_transpose2d
cumulative_sum = Tensor.cumsum
erf = Tensor.erf
logsumexp = Tensor.logsumexp
matmul = Tensor.matmul
maximum = Tensor.maximum
minimum = Tensor.minimum
permute_dims = Tensor.permute
reshape = Tensor.reshape
round = Tensor.round
sigmoid = Tensor.sigmoid
softmax = Tensor.softmax
sqrt = Tensor.sqrt
sum = Tensor.sum
tanh = Tensor.tanh
where = Tensor.where


def logaddexp(x: Tensor, y: Tensor) -> Tensor:
    """The logarithm of the sum of exponentials, without overflow."""
    return x.logaddexp(y)


def matrix_transpose(x: Tensor) -> Tensor:
    """The array with its last two axes exchanged."""
    return x.transpose(-1, -2)


def gelu(x: Tensor, *, approximate: str) -> Tensor:
    """The GELU by its tanh approximation, the only one that workloads use."""
    return x.gelu()


def stack(tensors: list[Tensor], *, axis: int) -> Tensor:
    """The arrays, joined along a new axis."""
    return Tensor.stack(*tensors, dim=axis)


def take(x: Tensor, positions: Tensor, *, axis: int) -> Tensor:
    """Rows at positions; workloads take no other slices."""
    return x[positions]


def take_along_axis(x: Tensor, positions: Tensor, axis: int) -> Tensor:
    """Elements at positions along an axis."""
    return x.gather(axis, positions)


def max(x: Tensor, *, axis: int, keepdims: bool = False) -> Tensor:
    """The greatest element along an axis."""
    return x.max(axis=axis, keepdim=keepdims)


def mean(x: Tensor, *, axis: Any, keepdims: bool = False) -> Tensor:
    """The mean over axes."""
    return x.mean(axis, keepdims)


def std(x: Tensor, *, axis: int) -> Tensor:
    """The standard deviation: the root of the mean square distance from the mean."""
    return x.std(axis, correction=0)


def max_pool2d(images: Tensor, size: int) -> Tensor:
    """The greatest element of each window; windows are adjacent."""
    return images.max_pool2d((size, size))


def layer_norm(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """The layer norm of each row."""
    return x.layernorm() * scale + shift


def rms_norm(x: Tensor, scale: Tensor) -> Tensor:
    """Each row divided by its root mean square, then scaled."""
    return x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * scale


def attention(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> Tensor:
    """Scaled dot-product attention; a mask says which keys each query sees."""
    return queries.scaled_dot_product_attention(keys, values, attn_mask=mask)
