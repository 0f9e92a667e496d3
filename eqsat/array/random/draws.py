"""Draws random numbers from keys, several from each block of the generator."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import SupportsIndex

from eqsat.array.core import Array, ArrayLike
from eqsat.array.nodes.axes import normalize_shape
from eqsat.array.nodes.views import shape as shape_of_node
from eqsat.array.random.comprehension import comprehension
from eqsat.array.random.keys import DRAWING, block_of, keys_of
from eqsat.array.random.philox import Block, joined
from eqsat.dtype import index, uint32, uint64
from eqsat.extents import is_dynamic, quotient
from eqsat.shape import Shape
from eqsat.uop import UOp

Extents = SupportsIndex | Sequence[SupportsIndex]
Numbers = Callable[[Block], Sequence[UOp]]  # the numbers of one block; their count is a power of two


def draw(key: ArrayLike, shape: Extents, numbers: Numbers) -> Array:
    """Numbers of shape (*key.shape, *shape): with n numbers per block, number i of a key is number i % n of block i // n.

    Raises:
        DTypeError: the keys are not uint64.
        ShapeError: `shape` is not a valid shape.
    """
    keys, extents = keys_of(key), normalize_shape(shape)
    whole = (*shape_of_node(keys), *extents)
    count = math.prod(extents)
    if count == 1:
        zero = UOp.const(uint64, 0)
        one = comprehension(keys, (), lambda each, _, __: numbers(block_of(each, zero, DRAWING))[0])
        return Array(one.reshape(whole))
    word = UOp.const(uint32, 0)
    every = len(numbers((word, word, word, word)))
    if is_dynamic(extents[1:]):
        return Array(_one_by_one(keys, extents, numbers, every))
    blocks = quotient(count + every - 1, every)

    def number(each: UOp, _: Sequence[UOp], places: Sequence[UOp]) -> UOp:
        block, position = places
        return _chosen(numbers(block_of(each, block.cast(uint64), DRAWING)), position)

    found = comprehension(keys, (blocks, every), number)
    flat = found.reshape((*whole[: len(whole) - len(extents)], blocks * every))
    window = [(0, extent) for extent in flat.shape or ()]
    window[-1] = (0, count)
    return Array(flat.shrink(window).reshape(whole))


def _one_by_one(keys: UOp, extents: Shape, numbers: Numbers, every: int) -> UOp:
    """The same numbers, but each computes its own block. It is for a dynamic extent after the first axis, where a flat array would have gaps."""

    def number(each: UOp, _: Sequence[UOp], places: Sequence[UOp]) -> UOp:
        flat = UOp.const(index, 0)
        for place, extent in zip(places, extents, strict=True):
            flat = flat * UOp.extent(extent) + place
        return _chosen(numbers(block_of(each, (flat // every).cast(uint64), DRAWING)), flat % every)

    return comprehension(keys, extents, number)


def pairs(block: Block) -> tuple[UOp, UOp]:
    """Two 64-bit numbers made from the four words of a block."""
    return joined(block[:2]), joined(block[2:])


def words_of(block: Block, bits: int) -> Sequence[UOp]:
    """The words of a block: four of 32 bits if `bits` is at most 32, else two of 64."""
    return block if bits <= 32 else pairs(block)


def _chosen(numbers: Sequence[UOp], position: UOp, first: int = 0) -> UOp:
    """Selects number `position - first` from a power of two of numbers, by halving."""
    if len(numbers) == 1:
        return numbers[0]
    half = len(numbers) // 2
    lower, upper = _chosen(numbers[:half], position, first), _chosen(numbers[half:], position, first + half)
    return (position < first + half).where(lower, upper)
