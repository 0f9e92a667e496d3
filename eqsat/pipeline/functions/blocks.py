"""Scans in blocks, for functions without formulas of single elements, such as products of large matrices.

An axis of n elements is n = a·b·c… for few small factors. Blocks of a elements are combined to one element each, in straight code that is
vectorized across blocks and other axes. The elements of the blocks are scanned in the same way, as an axis of b·c·…. Then each block is scanned,
beginning with what precedes it. So each element is read twice and each result is written once, and the code grows with log n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, combinations_with_replacement
from itertools import count as count_from
from math import prod

from eqsat.array import Array, stack, where
from eqsat.array.nodes.views import cut, extend, merge_axes, positions, remove_axis, split_axis
from eqsat.ops import Op
from eqsat.uop import UOp

SHORTEST, LONGEST = 4, 16  # elements of a block
Elements = tuple[Array, ...]  # an array for each leaf
Combine = Callable[[Elements, Elements], Elements]


def in_blocks(combine: Combine, elements: Elements) -> Elements:
    """The elements along axis 0, each combined with all before it; `combine` does so for many at once, and may get more than there are."""
    count = elements[0].shape[0]
    factors = block_lengths(count)
    filled = [Array(extend(each.uop, 0, 0, prod(factors) - count)) for each in elements]
    found = _scanned(combine, tuple(filled), factors)
    return tuple(Array(cut(each.uop, 0, 0, count)) for each in found)


def _scanned(combine: Combine, elements: Elements, factors: Sequence[int]) -> Elements:
    """The results for as many elements as the product of the factors, in blocks of as many elements as the first factor."""
    length, *others = factors
    blocks = [tuple(map(partial(_at, length=length, place=place), elements)) for place in range(length)]
    if others:
        totals = stored(list(accumulate(blocks, combine))[-1])
        blocks[0] = _begun(combine, stored(_scanned(combine, totals, others)), blocks[0])
    stacked = (stack(results, axis=1) for results in zip(*accumulate(blocks, combine), strict=True))
    return tuple(Array(merge_axes(each.uop, 0)) for each in stacked)


def _at(array: Array, length: int, place: int) -> Array:
    """The element at one place of each block."""
    split = split_axis(array.uop, 0, array.shape[0] // length, length)
    return Array(remove_axis(cut(split, 1, place, place + 1), 1))


def _begun(combine: Combine, totals: Elements, first: Elements) -> Elements:
    """The first element of each block, combined with all blocks before it; `totals` has the results of all blocks."""
    shifted = tuple(Array(cut(extend(each.uop, 0, 1, 0), 0, 0, each.shape[0])) for each in totals)
    return tuple(
        where(Array(positions(each.uop, 0)) < 1, each, other)
        for each, other in zip(first, combine(shifted, first), strict=True)
    )


def block_lengths(count: int) -> tuple[int, ...]:
    """The lengths of blocks, blocks of blocks and so on for an axis of `count` elements: few numbers whose product is `count`, or not much greater.

    >>> block_lengths(12), block_lengths(1000), block_lengths(1009)
    ((12,), (10, 10, 10), (13, 13, 6))
    """
    fewest = next(number for number in count_from(1) if LONGEST**number >= count)
    if fewest == 1:
        return (count,)
    lengths = range(SHORTEST, LONGEST + 1)
    choices = (
        each for number in (fewest, fewest + 1) for each in combinations_with_replacement(lengths, number)
    )
    least = min((each for each in choices if prod(each) >= count), key=lambda each: (prod(each), len(each)))
    return least[::-1]


def stored(arrays: Elements) -> Elements:
    """The arrays, in memory. They are small, and kernels that computed them again would do so for each block."""
    return tuple(Array(UOp(Op.CONTIGUOUS, each.dtype, (each.uop,))) for each in arrays)
