"""The loops over the outputs of a kernel: one for each axis, or several if a reshaped array has other axes.

Suppose that an output of shape (8, 64) is computed from an array of shape (8, 32, 2). A loop over 64 columns would compute values that
depend only on the first two axes of that array at index `c // 2`, so twice for each pair of columns. Therefore the columns become two loops
of 32 and 2 iterations. `merge` joins loops again if nothing distinguishes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod

from eqsat.ops import Op
from eqsat.schedule.layouts import row_major_strides
from eqsat.schedule.lowering.index_arithmetic import flatten_index
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort


def output_indices(shape: Shape, others: Iterable[Shape], loop: Callable[[int], UOp]) -> tuple[UOp, ...]:
    """The indices of an output's element, over new loops made by `loop`, the outermost first.

    `others` are the shapes of reshaped arrays with as many elements, at whose axes loops are cut.
    """
    return tuple(
        _index([loop(extent) for extent in extents], extents) for extents in loops_of_axes(shape, others)
    )


def _index(loops: Sequence[UOp], extents: Sequence[int]) -> UOp:
    return loops[0] if len(loops) == 1 else flatten_index(loops, tuple(extents))


def reshaped(nodes: Sequence[UOp]) -> list[Shape]:
    """The shapes before and after each reshape in a kernel, if they have as many elements as its outputs; none if a scan needs whole axes."""
    below = toposort(nodes)
    if any(node.op in (Op.SCAN_AXIS, Op.RECUR_AXIS) for node in below):
        return []
    shapes = [each.shape or () for node in below if node.op is Op.RESHAPE for each in (node, node.src[0])]
    return [shape for shape in shapes if prod(shape) == nodes[0].elements]


def loops_of_axes(shape: Shape, others: Iterable[Shape]) -> list[list[int]]:
    """The extents of the loops over each axis, outermost first: loops are cut where axes of the `others` end, which have as many elements.

    >>> loops_of_axes((8, 64, 5), [(8, 32, 10), (8, 2, 160)])
    [[8], [2, 16, 2], [5]]
    """
    ends = sorted({end for other in others for end in row_major_strides(other)})
    return [
        _cut(extent, stride, ends) for extent, stride in zip(shape, row_major_strides(shape), strict=True)
    ]


def _cut(extent: int, stride: int, ends: Iterable[int]) -> list[int]:
    def lengths() -> Iterator[int]:
        begin, end = stride, stride * extent
        for cut in (*ends, end):
            if begin < cut <= end and cut % begin == 0 and end % cut == 0:
                yield cut // begin
                begin = cut

    return [*lengths()][::-1] or [extent]
