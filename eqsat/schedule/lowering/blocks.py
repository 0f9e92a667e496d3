"""Windows in local memory that serve several steps of the loop that moves them.

Rows `2 * y + k` of an array, with k below 3, are a window that a convolution's loop over y moves. Windows of neighbouring y share rows. So
the loop is cut in two, `y = 8 * b + r`, and the window moves with b alone. It then has all rows that a block of eight y needs: 17 rows
instead of 24.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.schedule.lowering.in_order import NoKernelError
from eqsat.schedule.lowering.local_memory import Indices, StagedParts, grown, staged_parts
from eqsat.schedule.lowering.lower import Lowering, lower
from eqsat.schedule.lowering.scatter import scattered
from eqsat.uop import UOp

LONGEST = 8  # most steps of a loop that share a window
FEWEST_PLACES = 16  # fewest positions of a window, so that all cores have work


def lower_in_blocks(nodes: Sequence[UOp], buffers: Mapping[UOp, int], depth: Mapping[UOp, int], name: str,
                    most: int | None, room: int) -> UOp:  # fmt: skip
    """The SINK of one kernel, as `lower` makes it, with the loop that moves windows cut into blocks if their windows fit `room` bytes.

    Raises:
        NoKernelError: as `lower`.
    """
    if nodes[0].op is Op.SCATTER_AXIS:
        (node,) = nodes
        stored = {each: number for each, number in buffers.items() if each is not node}
        return scattered(node, buffers[node], Lowering(stored, depth, most), name)
    sink, lowering = lower(nodes, buffers, depth, name, most)
    steps = _steps(lowering, room)
    if not steps:
        return sink
    try:
        return lower(nodes, buffers, depth, name, most, steps)[0]
    except NoKernelError:
        return sink


def _steps(lowering: Lowering, room: int) -> dict[int, int]:
    """The steps of a block, by number of the loop over outputs that moves windows; empty if several loops move windows or no block fits."""
    windows = [(node, around, staged_parts(node)) for node, around, _ in lowering.staged]
    moving = {
        loop
        for _, around, staged in windows
        for part in staged
        if part.first is not None
        for loop in around[part.axis].ranges
    }
    if len(moving) != 1 or lowering.walk is not None:
        return {}
    (loop,) = moving
    extent = loop.src[0].arg
    for steps in range(min(LONGEST, extent // 2), 1, -1):
        if extent % steps == 0 and all(
            _fits(node, around, staged, loop, steps, room) for node, around, staged in windows
        ):
            return {loop.arg[0]: steps}
    return {}


def _fits(node: UOp, around: Indices, staged: StagedParts, loop: UOp, steps: int, room: int) -> bool:
    """Whether the staged window of a block is small enough, and enough blocks are left; also if blocks do not change it."""
    assert isinstance(node.dtype, DType)
    block = grown(staged, around, {loop: steps})
    places = prod(each.src[0].arg for each in frozenset[UOp]().union(*(place.ranges for place in around)))
    size = prod(part.extent for part in block) * node.dtype.itemsize
    return block == staged or (size <= room and places // steps >= FEWEST_PLACES)
