"""Values that a kernel stages in local memory, so that it computes them once for all index maps at which it needs them.

An element of e-class c at index map x equals a LOAD from local memory that the kernel has filled with c along some axes: `inline(c, x)` has
a node whose only operand is `inline(c, y)`, where `y` is `x` with loops of its own along these axes. An axis is one of them if the index maps
of c differ in it, if a reduction walks it, or if elements are gathered along it. Of a long axis that reductions walk in parts, one part is
staged at a time. The other indices of `x` may only depend on output loops, inside which the memory is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from eqsat.rules.reductions.split_axes import LONG_AXIS
from eqsat.schedule.lowering.local_memory import Part, StagedParts, beginnings, is_inside, window_of
from eqsat.schedule.placement.index_maps import is_outer
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.schedule.placement.array_graph import ArrayGraph
    from eqsat.schedule.placement.index_maps import IndexMaps

# Cycles that a processor takes for a vector register of a value; a value that takes fewer is computed again.
COSTLY, COSTLY_OF_INPUTS = 6.0, 3.0
MOST_BYTES = 1 << 16  # bytes of a staged value, for one iteration of the loops around it
# Bytes of a copy of an array in memory: weights of 512 channels and nine taps; a dim of up to 4,096 floats has room for 4,224.
MOST_COPIED_BYTES = 4 * 4608
LOCAL_ARRAYS = 4  # staged arrays that local memory must have room for
MOST_WINDOW_BYTES = 1 << 17  # bytes of a window of rows of a padded array
FEWEST_PLACES = 64  # iterations of the loops around a window, so that all cores have some


def parts_to_stage(
    graph: ArrayGraph, maps: IndexMaps, c: int, index_maps: Sequence[int], most_bytes: int
) -> StagedParts:
    """The part of an e-class to stage at a time for these index maps; empty if it cannot be staged, or not in so many bytes."""
    shape = graph.shapes[c]
    indices = [maps.by_number[at][0] for at in index_maps]
    staged = tuple(
        Part(axis, _extent(maps, own, shape[axis]))
        for axis, own in enumerate(zip(*indices, strict=True))
        if shape[axis] > 1
        and (len(set(own)) > 1 or any(maps.is_reduced(place) or maps.is_gathered(place) for place in own))
    )
    around = beginnings(indices[0], staged, shape, is_outer)
    is_bounded = _bytes(graph, c, staged) <= most_bytes and is_inside(around, staged, shape)
    is_left = any(place.ranges for place in around)
    return staged if is_bounded and is_left else ()


def _bytes(graph: ArrayGraph, c: int, staged: StagedParts) -> int:
    return prod(part.extent for part in staged) * graph.itemsizes[c]


def window_to_stage(
    graph: ArrayGraph, maps: IndexMaps, c: int, index_maps: Sequence[int], most_bytes: int
) -> StagedParts:
    """The same for an array whose indices are sums of output loops and other loops, as those of convolutions and stencils are.

    As many of the last axes as fit are staged whole, and a window along the axes before them, such as some rows. Empty if all index maps are
    the same and no reduction walks the array.
    """
    shape = graph.shapes[c]
    indices = [maps.by_number[at][0] for at in index_maps]
    whole: list[Part] = []
    windows: list[Part] = []
    for axis, own in enumerate(zip(*indices, strict=True)):
        if shape[axis] == 1 or (len(set(own)) == 1 and not maps.is_reduced(own[0])):
            continue
        window = window_of(own, is_outer)
        whole.append(Part(axis, shape[axis]))
        windows.append(whole[-1] if window is None else Part(axis, window[1], window[0]))
    for count in range(len(whole) + 1):
        staged = (*windows[:count], *whole[count:])
        around = beginnings(indices[0], staged, shape, is_outer)
        loops = frozenset[UOp]().union(*(place.ranges for place in around))
        if (
            _bytes(graph, c, staged) <= most_bytes
            and is_inside(around, staged, shape)
            and all(map(is_outer, loops))
            and prod(loop.src[0].arg for loop in loops) >= FEWEST_PLACES
        ):
            return staged
    return ()


def _extent(maps: IndexMaps, places: Sequence[UOp], extent: int) -> int:
    """How much of an axis to stage: one part of a long axis if all index maps have the same index, otherwise the whole axis."""
    if extent < LONG_AXIS or len(set(places)) > 1:
        return extent
    return maps.parts_of(places[0], extent)
