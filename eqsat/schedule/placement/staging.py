"""Values that a kernel keeps in local memory, so that it computes them once for all places where it needs them.

An element of e-class c at index map x equals a LOAD from local memory that the kernel has filled with c along some axes: `inline(c, x)` has
a node whose only operand is `inline(c, y)`, where `y` is `x` with loops of its own along these axes. The axes are those in which
the places differ where the kernel needs c, which a reduction walks, or along which elements are gathered. What is left of `x`
must be loops over outputs, in which the memory is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eqsat.schedule.lowering.lower import ZERO, inside

if TYPE_CHECKING:
    from eqsat.schedule.placement.array_graph import ArrayGraph
    from eqsat.schedule.placement.index_maps import IndexMaps

COSTLY = 6.0  # cycles of a vector register; what takes less is computed again
MOST_BYTES = 1 << 16  # of one array in local memory, for one place around it
MOST_COPIED_BYTES = 1 << 14  # of a copy of an input


def axes_of(graph: ArrayGraph, maps: IndexMaps, c: int, places: Sequence[int], most_bytes: int) -> tuple[int, ...]:  # fmt: skip
    """The axes along which an e-class that is needed at these index maps may be kept; none if it cannot be, in so many bytes."""
    shape = graph.shapes[c]
    indices = [maps.positions[at][0] for at in places]
    kept = tuple(
        axis
        for axis, own in enumerate(zip(*indices, strict=True))
        if shape[axis] > 1
        and (len(set(own)) > 1 or any(maps.is_reduced(place) or maps.is_gathered(place) for place in own))
    )
    around = tuple(ZERO if axis in kept else place for axis, place in enumerate(indices[0]))
    elements = 1
    for axis in kept:
        elements *= shape[axis]
    is_bounded = elements * graph.itemsizes[c] <= most_bytes and inside(around, shape) is None
    return kept if is_bounded and any(place.ranges for place in around) else ()
