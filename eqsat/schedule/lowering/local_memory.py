"""What a kernel keeps of an array in local memory: along some axes all elements, or the part that loops inside the others walk.

An index is `beginning + own_part` along an axis of which a part is kept: with parts of 256, `p * 256 + k` is in the part that begins at `p * 256`.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.dtype import index
from eqsat.integers.linear import affine_forms
from eqsat.ops import Op
from eqsat.schedule.lowering.index_arithmetic import add, bounds, floor_modulo, multiply
from eqsat.shape import Shape
from eqsat.uop import UOp

Indices = tuple[UOp, ...]
Kept = tuple[
    tuple[int, int], ...
]  # axes, and of each the elements that are kept at a time: all of it, or a part
ZERO = UOp.const(index, 0)


def kept_of(node: UOp) -> Kept:
    """What of an array is kept in local memory: the argument of a CONTIGUOUS inside a kernel; nothing of others."""
    kept: Kept = node.arg if node.op is Op.CONTIGUOUS and node.arg else ()
    return kept


def own_part(place: UOp, part: int) -> UOp:
    """Where an index is in its part.

    >>> p, k = UOp.range(32, 0), UOp.range(256, 1)
    >>> own_part(add(multiply(p, 256), k), 256) is k
    True
    """
    return floor_modulo(place, part)


def beginning(place: UOp, part: int) -> UOp:
    """Where the part begins that an index is in."""
    return add(place, multiply(own_part(place, part), -1))


def beginnings(indices: Indices, kept: Kept, shape: Shape) -> Indices:
    """The first element that is kept with the one at `indices`."""
    extents = dict(kept)
    return tuple(
        place
        if axis not in extents
        else ZERO
        if extents[axis] == shape[axis]
        else beginning(place, extents[axis])
        for axis, place in enumerate(indices)
    )


def positions(indices: Indices, kept: Kept, shape: Shape) -> list[UOp]:
    """Where the element at `indices` is among those that are kept with it, along each axis that they are kept along."""
    return [
        indices[axis] if extent == shape[axis] else own_part(indices[axis], extent)
        for axis, extent in kept
        if shape[axis] > 1
    ]


def is_inside(around: Indices, kept: Kept, shape: Shape) -> bool:
    """Whether all that is kept with the element at `around`, the first of it, is in the array."""
    extents = dict(kept)
    reached = [bounds(place) for place in around]
    return all(
        least >= 0 and greatest + extents.get(axis, 1) <= shape[axis]
        for axis, (least, greatest) in enumerate(reached)
    )


def part_of(place: UOp, inner: Sequence[UOp], extent: int) -> int:
    """The length of the parts of an axis of which loops `inner` walk one, the others standing still; all of it if there are no parts."""
    strides = [abs(factor) for atom, factor in affine_forms([place])[place].terms if atom not in inner]
    part = min(strides, default=0)
    if not 1 < part < extent:
        return extent
    begin, own = beginning(place, part), own_part(place, part)
    is_part = begin.ranges.isdisjoint(inner) and own.ranges <= set(inner)
    return part if is_part and bounds(begin)[1] + part <= extent else extent
