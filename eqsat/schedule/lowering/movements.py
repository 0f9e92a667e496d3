"""Movement operations as arithmetic on indices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from eqsat.ops import MOVEMENT, Op
from eqsat.schedule.lowering.index_arithmetic import add, inside, reshape_index
from eqsat.schedule.lowering.local_memory import ZERO, Indices
from eqsat.schedule.lowering.pieces import MOST
from eqsat.shape import Shape
from eqsat.uop import UOp

Position = tuple[Indices, UOp | None]  # indices of an element, and the condition under which it is needed
SAME = frozenset({Op.CONTIGUOUS, Op.CONTIGUOUS_BACKWARD, Op.DETACH, Op.NOOP, Op.PRECAST})  # the array itself
MOVES = MOVEMENT | SAME
Amounts = Sequence[tuple[int, int]]  # padding before and after each axis
CACHED_MOVES = 4096  # cached results of `moved`: the variants of a kernel share most of them


@lru_cache(CACHED_MOVES)
def moved(op: Op, arg: Any, shape: Shape, position: Position) -> Position:
    """The position at which a movement reads its operand, of this shape, for the element of its result at `position`."""
    indices, gate = position
    match op:
        case Op.RESHAPE:
            return reshape_index(indices, shape, arg), gate
        case Op.PERMUTE:
            axes: tuple[int, ...] = arg
            return tuple(indices[axes.index(axis)] for axis in range(len(shape))), gate
        case Op.EXPAND:
            pairs = zip(shape, indices, strict=True)
            return tuple(ZERO if extent == 1 else place for extent, place in pairs), gate
        case Op.SHRINK:
            return tuple(add(place, begin) for place, (begin, _) in zip(indices, arg, strict=True)), gate
        case Op.FLIP:
            rows = zip(indices, shape, arg, strict=True)
            return tuple(
                add(place * -1, extent - 1) if flipped else place for place, extent, flipped in rows
            ), gate
        case Op.PAD:
            inner = zip(shape, _within(arg, indices), strict=True)
            # an axis of one element has index 0, so that its values vary with no loop
            places = tuple(ZERO if extent == 1 else place for extent, place in inner)
            return places, inside(places, shape) if _is_stacked(arg, shape) else framed(arg, shape, indices)
        case _:
            return position


def framed(amounts: Amounts, shape: Shape, indices: Indices) -> UOp | None:
    """The condition that an element of a padded array is one of the array inside the padding, of this shape; None if it always is."""
    return inside(_within(amounts, indices), shape)


def _within(amounts: Amounts, indices: Indices) -> Indices:
    return tuple(add(place, -before) for place, (before, _) in zip(indices, amounts, strict=True))


def _is_stacked(amounts: Amounts, shape: Shape) -> bool:
    """Whether a PAD puts an array into one position of a short axis, as `stack` does.

    Such arrays are stored piece by piece (`pieces`), so a gate of the padded axes is not needed.
    """
    return all(
        extent == 1 and before + 1 + after <= MOST
        for extent, (before, after) in zip(shape, amounts, strict=True)
        if before or after
    )
