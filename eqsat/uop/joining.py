"""Concatenates arrays along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.extents import Extent, may_have_elements
from eqsat.uop.node import UOp
from eqsat.uop.taking import along, taken


def join(pieces: Sequence[UOp], axis: int) -> UOp:
    """The concatenation of the pieces along an axis. Pairs are joined by a WHERE on the position, in a balanced tree."""
    level = [piece for piece in pieces if may_have_elements(_extent(piece, axis))] or list(pieces[:1])
    while len(level) > 1:
        joined = [_join_two(level[first], level[first + 1], axis) for first in range(0, len(level) - 1, 2)]
        level = joined + level[len(joined) * 2 :]
    return level[0]


def _join_two(left: UOp, right: UOp, axis: int) -> UOp:
    boundary, rest = _extent(left, axis), _extent(right, axis)
    rank = len(left.shape or ())
    if isinstance(boundary, Extent):
        return _join_where_calls_know(left, right, axis)

    def extended(value: UOp, before: int, after: int) -> UOp:
        return value.pad([(before, after) if each == axis else (0, 0) for each in range(rank)])

    wide = extended(left, 0, rest)
    position = UOp.iota(boundary + rest).reshape(
        [boundary + rest if each == axis else 1 for each in range(rank)]
    )
    return (position.expand(wide.shape or ()) < boundary).where(wide, extended(right, boundary, 0))


def _join_where_calls_know(left: UOp, right: UOp, axis: int) -> UOp:
    """The concatenation of two arrays where the extent of `left` is known only at a call.

    `right` then starts at a position that depends on the call, so elements are taken at computed positions instead of padded into place.
    """
    boundary = _extent(left, axis)
    place = UOp.iota(boundary + _extent(right, axis))
    first, second = taken(left, axis, place), taken(right, axis, place + place.like(boundary) * -1)
    return along(place < boundary, axis, first.shape or ()).where(first, second)


def _extent(value: UOp, axis: int) -> int:
    assert value.shape is not None, "what is joined has a value"
    return value.shape[axis]
