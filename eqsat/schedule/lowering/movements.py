"""Movements as arithmetic on indices."""

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

Position = tuple[Indices, UOp | None]  # of an element, and the condition under which it is needed
SAME = frozenset({Op.CONTIGUOUS, Op.CONTIGUOUS_BACKWARD, Op.DETACH, Op.NOOP, Op.PRECAST})  # the same elements
MOVES = MOVEMENT | SAME
Amounts = Sequence[tuple[int, int]]  # before and after each axis
KEPT = 4096  # movements of positions that are remembered: the ways to compute a value have most of them in common


@lru_cache(KEPT)
def moved(op: Op, arg: Any, shape: Shape, position: Position) -> Position:
    """Where the operand, of this shape, of a movement is read for an element of its result."""
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
            # what is computed for the only place varies with no loop
            places = tuple(ZERO if extent == 1 else place for extent, place in inner)
            return places, inside(places, shape) if _is_stacked(arg, shape) else framed(arg, shape, indices)
        case _:
            return position


def framed(amounts: Amounts, shape: Shape, indices: Indices) -> UOp | None:
    """The condition that an element of an array in a frame is one of the array, of this shape; None if always."""
    return inside(_within(amounts, indices), shape)


def _within(amounts: Amounts, indices: Indices) -> Indices:
    return tuple(add(place, -before) for place, (before, _) in zip(indices, amounts, strict=True))


def _is_stacked(amounts: Amounts, shape: Shape) -> bool:
    """Whether an array is put among few that are stored piece by piece: it need not be told for which of these it is computed."""
    return all(
        extent == 1 and before + 1 + after <= MOST
        for extent, (before, after) in zip(shape, amounts, strict=True)
        if before or after
    )
