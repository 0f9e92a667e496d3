"""eqsat's names for torch. Every name is defined explicitly, so that torch.compile can follow it."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

Tensor = torch.Tensor

abs = torch.abs
add = torch.add
arange = torch.arange
argmax = torch.argmax
argmin = torch.argmin
atan = torch.atan
atan2 = torch.atan2
byte_matmul = torch._int_mm
cdist = torch.cdist
clip = torch.clip
concat = torch.concat
conv1d = torch.conv1d
conv2d = torch.conv2d
conv3d = torch.conv3d
conv_transpose2d = torch.conv_transpose2d
cos = torch.cos
erf = torch.erf
exp = torch.exp
expm1 = torch.expm1
float32 = torch.float32
float64 = torch.float64
floor = torch.floor
gru_cell = torch.gru_cell
hypot = torch.hypot
int32 = torch.int32
int64 = torch.int64
int8 = torch.int8
log = torch.log
log1p = torch.log1p
log2 = torch.log2
log_softmax = torch.log_softmax
logaddexp = torch.logaddexp
lstm_cell = torch.lstm_cell
matmul = torch.matmul
maximum = torch.maximum
minimum = torch.minimum
multiply = torch.multiply
reshape = torch.reshape
roll = torch.roll
round = torch.round
sigmoid = torch.sigmoid
sin = torch.sin
sqrt = torch.sqrt
stack = torch.stack
sum = torch.sum
tanh = torch.tanh
uint8 = torch.uint8
where = torch.where
permute_dims = torch.permute
max_pool2d = functional.max_pool2d
gelu = functional.gelu
cross_entropy = functional.cross_entropy
take_along_axis = torch.take_along_dim
group_norm = functional.group_norm


def astype(x: Tensor, dtype: torch.dtype) -> Tensor:
    """The array in another dtype."""
    return x.to(dtype)


def matrix_transpose(x: Tensor) -> Tensor:
    """The array with its last two axes exchanged."""
    return x.mT


def take(x: Tensor, positions: Tensor, *, axis: int) -> Tensor:
    """Slices at positions along an axis."""
    return torch.index_select(x, axis, positions)


def max(x: Tensor, *, axis: Any, keepdims: bool = False) -> Tensor:
    """The greatest element over axes."""
    return torch.amax(x, dim=axis, keepdim=keepdims)


def min(x: Tensor, *, axis: Any, keepdims: bool = False) -> Tensor:
    """The least element over axes."""
    return torch.amin(x, dim=axis, keepdim=keepdims)


def mean(x: Tensor, *, axis: Any, keepdims: bool = False) -> Tensor:
    """The mean over axes."""
    return torch.mean(x, dim=axis, keepdim=keepdims)


def std(x: Tensor, *, axis: int) -> Tensor:
    """The standard deviation: the root of the mean square distance from the mean."""
    return torch.std(x, dim=axis, correction=0)


def cumulative_sum(x: Tensor, *, axis: int) -> Tensor:
    """The running sums along an axis; each includes its own element."""
    return torch.cumsum(x, dim=axis)


def logsumexp(x: Tensor, *, axis: int) -> Tensor:
    """The logarithm of the sum of exponentials along an axis, without overflow."""
    return torch.logsumexp(x, dim=axis)


def softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    """The softmax along an axis."""
    return functional.softmax(x, dim=axis)


def layer_norm(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """The layer norm of each row."""
    return functional.layer_norm(x, scale.shape, scale, shift)


def rms_norm(x: Tensor, scale: Tensor) -> Tensor:
    """Each row divided by its root mean square, then scaled."""
    return functional.rms_norm(x, scale.shape, scale, 1e-5)


def attention(queries: Tensor, keys: Tensor, values: Tensor, **options: Any) -> Tensor:
    """Attention of arrays (heads, tokens, width). torch's quick kernels need a batch axis; `options` are those of torch's function."""
    batch = (each[None] for each in (queries, keys, values))
    return functional.scaled_dot_product_attention(*batch, **options)[0]
