"""Concatenates arrays along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.extents import Extent, may_have_elements
from eqsat.ops import Op
from eqsat.shape import Shape
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
    is_left = along(UOp.iota(boundary + rest), axis, wide.shape or ()) < boundary
    return is_left.where(wide, extended(right, boundary, 0))


def piece_at(value: UOp, axis: int, place: int) -> UOp:
    """The elements at one place of an axis, which stays with extent 1. Those of a concatenation are taken from the piece that has them."""
    while (pieces := _pieces(value, axis)) is not None:
        left, right = pieces
        boundary = _extent(left, axis)
        value, place = (left, place) if place < boundary else (right, place - boundary)
    whole = value.shape or ()
    return value.shrink(
        [(place, place + 1) if each == axis else (0, extent) for each, extent in enumerate(whole)]
    )


def _pieces(value: UOp, axis: int) -> tuple[UOp, UOp] | None:
    """The two pieces of which `join` made a value; None if it did not."""
    if value.op is not Op.WHERE or any(each.op is not Op.PAD for each in value.src[1:]):
        return None
    left, right = (each.src[0] for each in value.src[1:])
    shapes = [_without(axis, each.shape or ()) for each in (left, right, value)]
    is_join = shapes[0] == shapes[1] == shapes[2] and value is _join_two(left, right, axis)
    return (left, right) if is_join else None


def _without(axis: int, shape: Shape) -> Shape:
    return (*shape[:axis], *shape[axis + 1 :])


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
