"""Random bits, integers, bools and categories."""

from __future__ import annotations

from operator import index as as_index
from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, as_dtype, node
from eqsat.array.elementwise import less
from eqsat.array.mathematics import log
from eqsat.array.nodes.axes import normalize_axis, normalize_shape
from eqsat.array.nodes.operands import broadcast_shapes, dtype_of
from eqsat.array.nodes.views import shape as shape_of_node
from eqsat.array.random.continuous import uniform
from eqsat.array.random.draws import Extents, draw, pairs, words_of
from eqsat.array.random.keys import keys_of
from eqsat.array.random.philox import halves
from eqsat.array.reduction import argmax
from eqsat.dtype import DType, float32, int32, int64, uint32, uint64
from eqsat.errors import BuildError, DTypeError, ShapeError
from eqsat.uop import UOp

WIDEST = 1 << 32  # the greatest number of values that randint can choose from


@array_function
def bits(key: ArrayLike, shape: Extents = (), dtype: Dtype = uint32) -> Array:
    """Random unsigned integers of shape (*key.shape, *shape), in which every bit is random.

    One block of the generator gives four uint32, or two uint64 (lower word first). So number i of a key comes from block i // 4 (i // 2),
    whose counter is (block mod 2³², block // 2³², 0, 0). Numbers of narrower dtypes are the lower bits of 32-bit words.

    Raises:
        DTypeError: the keys are not uint64, or `dtype` is not an unsigned integer dtype.
        ShapeError: `shape` is not a valid shape.
    """
    wanted = as_dtype(dtype)
    if wanted.kind != "u":
        raise DTypeError(f"cannot draw bits as {wanted}; use an unsigned integer, and bitcast that")
    return draw(key, shape, lambda block: [word.cast(wanted) for word in words_of(block, wanted.bits)])


@array_function
def randint(
    key: ArrayLike, shape: Extents, low: SupportsIndex, high: SupportsIndex, dtype: Dtype = int32
) -> Array:
    """Random integers of shape (*key.shape, *shape), uniform in low <= x < high.

    Each is `low` plus the integer part of (high - low) times a random fraction of 64 bits. The probabilities of two values therefore differ by
    at most 2**-64.

    Raises:
        BuildError: the interval holds no integer, or more than 2**32.
        DTypeError: the keys are not uint64, `dtype` is not an integer dtype, or a value does not fit it.
        ShapeError: `shape` is not a valid shape.
    """
    wanted, least, end = as_dtype(dtype), as_index(low), as_index(high)
    if not wanted.is_int:
        raise DTypeError(f"cannot draw integers as {wanted}; use an integer dtype, then astype")
    if not 0 < end - least <= WIDEST:
        raise BuildError(
            f"cannot draw integers from {least} to before {end}; give 1 to 2**32 values, or draw bits"
        )
    if least < wanted.min or end - 1 > wanted.max:
        raise DTypeError(f"integers from {least} to before {end} do not fit {wanted}; use a wider dtype")
    return draw(key, shape, lambda block: [_below(word, end - least, least, wanted) for word in pairs(block)])


@array_function
def bernoulli(key: ArrayLike, p: ArrayLike = 0.5, shape: Extents | None = None) -> Array:
    """Random bools of shape (*key.shape, *shape), true with probability `p`, to within 2**-24.

    `p` broadcasts to `shape`, which by default is the shape of `p`. Probabilities in an array are not checked: one below 0 acts as 0, one
    above 1 as 1.

    Raises:
        BuildError: `p` is a Python number outside [0, 1].
        DTypeError: the keys are not uint64.
        ShapeError: `shape` is not a valid shape, or `p` does not broadcast to it.
    """
    if isinstance(p, int | float) and not 0 <= p <= 1:
        raise BuildError(f"{p} is no probability; give a number in [0, 1]")
    probability = node(p)
    extents = normalize_shape(shape) if shape is not None else shape_of_node(probability)
    if broadcast_shapes("draw", shape_of_node(probability), extents) != extents:
        raise ShapeError(
            f"probabilities of shape {shape_of_node(probability)} do not broadcast to {extents}; draw that shape"
        )
    return less(uniform(key, extents), Array(probability.cast(float32)))


@array_function
def categorical(key: ArrayLike, logits: ArrayLike, axis: SupportsIndex = -1) -> Array:
    """Random int64 positions along `axis`, with probabilities proportional to exp(logits).

    The shape is the shape of the keys, followed by the shape of the logits without `axis`. Each result is the position of the greatest logit after
    Gumbel noise is added to all. The noise has a resolution of 2**-24, so it lacks events of smaller probability.

    Raises:
        DTypeError: the keys are not uint64, or the logits are not floats.
        ShapeError: there is no such axis, or it has no elements.
    """
    keys, weights = keys_of(key), node(logits)
    dtype, extents = dtype_of(weights), shape_of_node(weights)
    if not dtype.is_float:
        raise DTypeError(f"logits are logarithms of probabilities, and {dtype} is no float; use astype")
    place = normalize_axis(axis, len(extents), "choose along")
    if not extents[place]:
        raise ShapeError(f"cannot choose along axis {place} of {extents}, which has no elements")
    noise = draw(Array(keys), extents, lambda block: [_open_unit(word) for word in block])
    gumbel = -log(-log(noise))
    return argmax(gumbel + Array(weights), axis=len(shape_of_node(keys)) + place)


def _open_unit(word: UOp) -> UOp:
    """A fraction in (0, 1) from the upper bits of a word: an odd multiple of 2**-24, so never 0 or 1."""
    return ((word >> 9).cast(float32) + 0.5) * 2.0**-23


def _below(word: UOp, count: int, least: int, dtype: DType) -> UOp:
    """`least` plus the integer part of `count` times a 64-bit fraction: the top 32 bits of their 96-bit product."""
    low, high = halves(word)
    product = high.cast(uint64) * count + ((low.cast(uint64) * count) >> 32)
    return (
        ((product >> 32).cast(int64) + least).cast(dtype) if dtype is not uint64 else (product >> 32) + least
    )
