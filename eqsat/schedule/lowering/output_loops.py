"""The loops over the outputs of a kernel: one for each axis, or several where a reshaped array has its axes elsewhere.

Where an output of shape (8, 64) is made of an array of shape (8, 32, 2), what depends on the first two axes of that would be computed for
index `c // 2` of a loop over 64 columns, twice for each pair of them. So these columns are two loops, 32 and 2. `merge` joins those
that nothing tells apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from math import prod
from operator import mul

from eqsat.ops import Op
from eqsat.schedule.lowering.index_arithmetic import flatten_index
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort


def output_indices(shape: Shape, others: Iterable[Shape], loop: Callable[[int], UOp]) -> tuple[UOp, ...]:
    """The index of any element of an output, over loops of given extents, the outermost first; `others` are shapes of arrays of as many elements."""
    return tuple(
        _index([loop(extent) for extent in extents], extents) for extents in loops_of_axes(shape, others)
    )


def _index(loops: Sequence[UOp], extents: Sequence[int]) -> UOp:
    return loops[0] if len(loops) == 1 else flatten_index(loops, tuple(extents))


def reshaped(nodes: Sequence[UOp]) -> list[Shape]:
    """The shapes of arrays as large as what a kernel stores that are reshaped in it; none where a scan has to find whole axes."""
    below = toposort(nodes)
    if any(node.op is Op.SCAN_AXIS for node in below):
        return []
    shapes = [each.shape or () for node in below if node.op is Op.RESHAPE for each in (node, node.src[0])]
    return [shape for shape in shapes if prod(shape) == prod(nodes[0].shape or ())]


def loops_of_axes(shape: Shape, others: Iterable[Shape]) -> list[list[int]]:
    """Of each axis the extents of the loops over it, outermost first: cut where axes of arrays of as many elements end.

    >>> loops_of_axes((8, 64, 5), [(8, 32, 10), (8, 2, 160)])
    [[8], [2, 16, 2], [5]]
    """
    ends = sorted({end for other in others for end in _strides(other)})
    return [_cut(extent, stride, ends) for extent, stride in zip(shape, _strides(shape), strict=True)]


def _strides(shape: Shape) -> list[int]:
    return [*accumulate(shape[:0:-1], mul, initial=1)][::-1] if shape else []


def _cut(extent: int, stride: int, ends: Iterable[int]) -> list[int]:
    def lengths() -> Iterator[int]:
        begin, end = stride, stride * extent
        for cut in (*ends, end):
            if begin < cut <= end and cut % begin == 0 and end % cut == 0:
                yield cut // begin
                begin = cut

    return [*lengths()][::-1] or [extent]
