"""Integers, truth values and categories."""

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

WIDEST = 1 << 32  # values that randint chooses among, at most


@array_function
def bits(key: ArrayLike, shape: Extents = (), dtype: Dtype = uint32) -> Array:
    """Unsigned integers of shape (*key.shape, *shape), all bits random.

    Four uint32, or two uint64 (the lower word first), are one block of the generator: number i of a key is made of block i // 4 (i // 2),
    whose counter is (block mod 2³², block // 2³², 0, 0). Of narrower dtypes, each is the lower bits of a word.

    Raises:
        DTypeError: the keys are no uint64, or the dtype is no unsigned integer.
        ShapeError: the shape is none.
    """
    wanted = as_dtype(dtype)
    if wanted.kind != "u":
        raise DTypeError(f"cannot draw bits as {wanted}; use an unsigned integer, and bitcast that")
    return draw(key, shape, lambda block: [word.cast(wanted) for word in words_of(block, wanted.bits)])


@array_function
def randint(
    key: ArrayLike, shape: Extents, low: SupportsIndex, high: SupportsIndex, dtype: Dtype = int32
) -> Array:
    """Integers of shape (*key.shape, *shape), uniform in low <= x < high.

    Each is the integer part of a fraction of 64 bits times high - low, so that no two values differ in probability by more than 2**-64.

    Raises:
        BuildError: there are no such integers, or more than 2**32.
        DTypeError: the keys are no uint64, the dtype is no integer, or a value does not fit it.
        ShapeError: the shape is none.
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
    """Truth values of shape (*key.shape, *shape), true with probability `p`, to within 2**-24; without a shape, that of `p`.

    `p` broadcasts to `shape`. Arrays of probabilities are not checked: below 0 is never, above 1 always.

    Raises:
        BuildError: a probability that is a number is outside of [0, 1].
        DTypeError: the keys are no uint64.
        ShapeError: the shape is none, or `p` does not broadcast to it.
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
    """Positions along `axis`, int64, with probabilities proportional to exp(logits); of one key, in the shape of the logits without that axis.

    From keys of shape S the shape is S with that. It is the position of the greatest of the logits with Gumbel's noise, of which events of
    probability below 2**-24 have none.

    Raises:
        DTypeError: the keys are no uint64, or the logits no floats.
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
    """An odd multiple of 2**-24: never 0 or 1."""
    return ((word >> 9).cast(float32) + 0.5) * 2.0**-23


def _below(word: UOp, count: int, least: int, dtype: DType) -> UOp:
    """The upper 64 bits of a product of 96, and `least`."""
    low, high = halves(word)
    product = high.cast(uint64) * count + ((low.cast(uint64) * count) >> 32)
    return (
        ((product >> 32).cast(int64) + least).cast(dtype) if dtype is not uint64 else (product >> 32) + least
    )
