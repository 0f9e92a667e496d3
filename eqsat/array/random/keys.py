"""Keys of the random number generator, made from seeds and from other keys."""

from __future__ import annotations

from operator import index as as_index
from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import normalize_shape
from eqsat.array.nodes.operands import broadcast_shapes, dtype_of
from eqsat.array.nodes.views import shape
from eqsat.array.random.comprehension import comprehension, element
from eqsat.array.random.philox import Block, block, halves, joined
from eqsat.dtype import uint32, uint64
from eqsat.errors import DTypeError, ShapeError, brief
from eqsat.uop import UOp

DRAWING, SPLITTING = (
    0,
    1,
)  # the last word of counters, so that drawn numbers and derived keys come from different blocks


@array_function
def key(seed: SupportsIndex) -> Array:
    """The key of a seed, a uint64 of shape (). Distinct seeds from 0 to 2⁶⁴ - 1 give distinct keys; a negative seed counts modulo 2⁶⁴.

    Raises:
        DTypeError: the seed is not an integer, or does not fit 64 bits.

    >>> key(7).item()
    7
    """
    try:
        number = as_index(seed)
    except TypeError as error:
        raise DTypeError(f"cannot make a key of {brief(seed)}; a seed is an integer") from error
    if not -(1 << 63) <= number < 1 << 64:
        raise DTypeError(f"cannot make a key of {brief(number)}; a seed has 64 bits, take it modulo 2**64")
    return Array(UOp.const(uint64, number % (1 << 64)))


@array_function
def split(key: ArrayLike, n: SupportsIndex = 2) -> Array:
    """Splits each key into `n` new keys: keys of shape S give keys of shape S + (n,). New key i is `fold_in(key, i)`.

    Raises:
        DTypeError: the keys are not uint64.
        ShapeError: `n` is negative.
    """
    count = normalize_shape(n)
    if len(count) != 1:
        raise ShapeError(f"cannot split a key into {brief(n)} keys; give one number")
    keys = keys_of(key)
    return Array(comprehension(keys, count, lambda each, _, places: _child(each, places[0].cast(uint64))))


@array_function
def fold_in(key: ArrayLike, data: ArrayLike) -> Array:
    """A new key derived from a key and an integer, such as the number of a step or of a batch member. Keys and integers broadcast.

    Raises:
        DTypeError: the keys are not uint64, or the data are not integers.
        ShapeError: the shapes do not broadcast.
    """
    keys, numbers = keys_of(key), node(data)
    if not dtype_of(numbers).is_int:
        raise DTypeError(f"cannot fold {dtype_of(numbers)} into a key; use integers")
    common = broadcast_shapes("fold", shape(keys), shape(numbers))
    numbers = numbers.cast(uint64).broadcast(common)
    keys = keys.broadcast(common)
    return Array(
        comprehension(keys, (), lambda each, places, _: _child(each, element(numbers, places)), numbers)
    )


def keys_of(key: ArrayLike) -> UOp:
    """The UOp of the keys.

    Raises:
        DTypeError: the keys are not uint64.
    """
    keys = node(key)
    if dtype_of(keys) is not uint64:
        raise DTypeError(f"{dtype_of(keys)} is no dtype of keys; make a key by eqsat.random.key(seed)")
    return keys


def _child(key: UOp, number: UOp) -> UOp:
    return joined(block_of(key, number, SPLITTING)[:2])


def block_of(key: UOp, number: UOp, purpose: int) -> Block:
    """The four words of block `number` (a uint64) of a key; `purpose` is DRAWING or SPLITTING."""
    zero = UOp.const(uint32, 0)
    return block((*halves(number), zero, UOp.const(uint32, purpose)), halves(key))
