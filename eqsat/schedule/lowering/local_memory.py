"""Which elements of an array a kernel stages in local memory at a time: all elements along some axes, a part of an axis, or a window.

An axis may be cut into parts, and one part is staged at a time. An index is then `beginning + own_part`: with parts of 256, `p * 256 + k` is
in the part that begins at `p * 256`. A window moves with loops over outputs: if a convolution reads rows `2 * y + k`, the window begins at
row `2 * y`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from eqsat.dtype import index
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.schedule.lowering.index_arithmetic import add, bounds, floor_modulo, multiply
from eqsat.shape import Shape
from eqsat.uop import UOp

Indices = tuple[UOp, ...]
IsOuter = Callable[[UOp], bool]  # whether a loop is over outputs


class Part(NamedTuple):
    """The elements of one axis that are staged at a time.

    Attributes:
        axis: the axis of the array.
        extent: the number of staged elements: the whole axis, one of its parts, or a window.
        first: for a window, its first element relative to the terms of the index over outputs; None if it is no window.
    """

    axis: int
    extent: int
    first: int | None = None


StagedParts = tuple[Part, ...]
ZERO = UOp.const(index, 0)


def staged_parts(node: UOp) -> StagedParts:
    """The parts of an array that are staged in local memory: the argument of a CONTIGUOUS inside a kernel; empty for other nodes."""
    staged: StagedParts = node.arg if node.op is Op.CONTIGUOUS and node.arg else ()
    return staged


def stretch(staged: StagedParts, shape: Shape) -> int:
    """The number of staged elements of an array of this shape if they are contiguous in it; 0 if they are not.

    >>> stretch((Part(1, 4), Part(3, 6)), (8, 32, 1, 6))
    24
    >>> stretch((Part(1, 4), Part(3, 3)), (8, 32, 1, 6))
    0
    """
    parts, size, is_whole = {part.axis: part for part in staged}, 1, True
    for axis in reversed(range(len(shape))):
        if axis in parts:
            part = parts.pop(axis)
            if not is_whole or part.first is not None:
                return 0
            size *= part.extent
            is_whole = part.extent == shape[axis]
        elif shape[axis] > 1:
            is_whole = False
    return size


def own_part(place: UOp, part: int) -> UOp:
    """The position of an index in its part.

    >>> p, k = UOp.range(32, 0), UOp.range(256, 1)
    >>> own_part(add(multiply(p, 256), k), 256) is k
    True
    """
    return floor_modulo(place, part)


def outer_part(place: UOp, is_outer: IsOuter) -> UOp:
    """The terms of an index that vary with loops over outputs only.

    >>> y, k = UOp.range(32, 0), UOp.range(3, 1)
    >>> outer_part(add(add(y, k), -1), lambda loop: loop is y) is y
    True
    """
    terms = affine_forms([place])[place].terms
    return Affine(0, tuple(term for term in terms if all(map(is_outer, term[0].ranges)))).build()


def beginning(place: UOp, part: Part, is_outer: IsOuter) -> UOp:
    """The first position of the part, or window, that is staged with the element at an index."""
    if part.first is None:
        return add(place, multiply(own_part(place, part.extent), -1))
    return add(outer_part(place, is_outer), part.first)


def beginnings(indices: Indices, staged: StagedParts, shape: Shape, is_outer: IsOuter) -> Indices:
    """The indices of the first element that is staged with the one at `indices`."""
    parts = {part.axis: part for part in staged}
    return tuple(
        place
        if axis not in parts
        else ZERO
        if parts[axis].extent == shape[axis]
        else beginning(place, parts[axis], is_outer)
        for axis, place in enumerate(indices)
    )


def positions(indices: Indices, staged: StagedParts, shape: Shape, is_outer: IsOuter) -> list[UOp]:
    """The position of the element at `indices` among the elements staged with it, along each staged axis of extent above 1."""
    begin = beginnings(indices, staged, shape, is_outer)
    return [
        indices[part.axis]
        if part.extent == shape[part.axis]
        else own_part(indices[part.axis], part.extent)
        if part.first is None
        else add(indices[part.axis], multiply(begin[part.axis], -1))
        for part in staged
        if shape[part.axis] > 1
    ]


def is_inside(around: Indices, staged: StagedParts, shape: Shape) -> bool:
    """Whether all elements staged together are inside the array; the first of them is at `around`."""
    extents = {part.axis: part.extent for part in staged}
    reached = [bounds(place) for place in around]
    return all(
        least >= 0 and greatest + extents.get(axis, 1) <= shape[axis]
        for axis, (least, greatest) in enumerate(reached)
    )


def part_of(place: UOp, inner: Sequence[UOp], extent: int) -> int:
    """The length of the part of an axis that the loops `inner` walk while all other loops stand still; `extent` if there are no such parts."""
    strides = [abs(factor) for atom, factor in affine_forms([place])[place].terms if atom not in inner]
    part = min(strides, default=0)
    if not 1 < part < extent:
        return extent
    own = own_part(place, part)
    begin = add(place, multiply(own, -1))
    is_part = begin.ranges.isdisjoint(inner) and own.ranges <= set(inner)
    return part if is_part and bounds(begin)[1] + part <= extent else extent


def window_of(places: Sequence[UOp], is_outer: IsOuter) -> tuple[int, int] | None:
    """(first element, length) of a window that contains all these indices; None if no window contains them, or it would not move."""
    outer = outer_part(places[0], is_outer)
    if outer is ZERO or any(outer_part(place, is_outer) is not outer for place in places):
        return None
    own = [add(place, multiply(outer, -1)) for place in places]
    if any(is_outer(loop) for place in own for loop in place.ranges):
        return None
    ends = [bounds(place) for place in own]
    first = min(least for least, _ in ends)
    return first, max(greatest for _, greatest in ends) + 1 - first


def is_within_windows(indices: Indices, around: Indices, staged: StagedParts, shape: Shape) -> bool:
    """Whether windows that begin at `around` contain the element at `indices` in each step of the loops inside."""
    for axis, extent, first in staged:
        if first is not None and extent != shape[axis]:
            least, greatest = bounds(add(indices[axis], multiply(around[axis], -1)))
            if least < 0 or greatest >= extent:
                return False
    return True


def grown(staged: StagedParts, indices: Indices, steps: Mapping[UOp, int]) -> StagedParts:
    """The staged parts if a window serves several steps of some loops; `steps` has their numbers, and `indices` the indices of the first step."""
    return tuple(_grown(part, indices[part.axis], steps) for part in staged)


def _grown(part: Part, place: UOp, steps: Mapping[UOp, int]) -> Part:
    """One staged part after `grown`. A loop that walks an axis backwards makes a window begin earlier."""
    if part.first is None:
        return part
    terms = affine_forms([place])[place].terms
    moves = [factor * (steps[atom] - 1) for atom, factor in terms if atom in steps]
    return part._replace(
        extent=part.extent + sum(map(abs, moves)), first=part.first + sum(min(0, move) for move in moves)
    )
