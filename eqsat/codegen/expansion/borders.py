"""Vectors that cross the border of a padded array: whole loads, of which only the lanes inside are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from eqsat.codegen.expansion.lanes import broadcast, fold, vector_of
from eqsat.dtype import PtrDType, index, int32
from eqsat.integers.bounds import bounds
from eqsat.integers.conditions import conjuncts, slack
from eqsat.integers.linear import Affine
from eqsat.ops import Op
from eqsat.uop import UOp


def parts_of(
    gate: UOp, lane: Mapping[UOp, UOp], forms: Mapping[UOp, Affine]
) -> list[tuple[UOp, Affine | None, int]]:
    """The conditions of a convex gate, each with its slack in lane 0 and the step of the slack from lane to lane.

    A condition holds in the lanes in which its slack is at least 0. A condition that is the same in all lanes has None and 0 instead.
    """
    found: list[tuple[UOp, Affine | None, int]] = []
    for condition in conjuncts(gate):
        if condition not in lane:
            found.append((condition, None, 0))
            continue
        free = slack(condition, forms)
        assert free is not None  # the gate is convex
        # the lane may cancel out: both sides of an inequality may move by the same steps
        along, step = next((term for term in free.terms if term[0] in lane), (None, 0))
        found.append((condition, free if along is None else free.plus(Affine.of(along), -step), step))
    return found


def lanes_where(step: int, start: UOp, lanes: int) -> UOp:
    """A vector of bools: whether `start + step · lane` is at least 0.

    It compares in 32 bits if these are enough: compilers make a mask for lanes of 32 bits of that.
    """
    least, greatest = bounds(start)
    dtype = int32 if max(abs(least), abs(greatest)) + abs(step) * lanes < int32.max else index
    below = Affine.of(start).times(-1).plus(Affine(-1)).build()
    steps = UOp(Op.VCONST, dtype.vec(lanes), (), tuple(step * lane for lane in range(lanes)))
    return broadcast(below if dtype is index else below.cast(int32), lanes).alu(Op.CMPLT, steps)


def ends_among(conditions: Sequence[UOp], position: Affine, forms: Mapping[UOp, Affine]) -> list[UOp]:
    """The conditions that compare a position with an end. If the size of the buffer depends on a variable, one of them bounds the position by it."""
    return [each for each in conditions if each.op is Op.CMPLT and forms.get(each.src[0]) == position]


def masked(first: UOp, ends: list[UOp], conditions: list[UOp], lanes: list[UOp], otherwise: UOp) -> UOp:
    """A whole load where it lies in the buffer, of which the lanes inside the array are taken; at the ends of the buffer, loads of single lanes.

    Before and after a row of a padded array lie its neighbouring rows, so nearly all loads are whole.

    Args:
        first: the address of the first lane.
        ends: positions at or before the end of the buffer; empty if only its size is known.
        conditions: bools that are true inside the array, as vectors or as scalars for all lanes.
        lanes: the lanes, each loaded by itself if it is inside.
        otherwise: the value of lanes outside.
    """
    buffer, position = first.src[:2]
    known = [each for each in conditions if each.op is not Op.CONST]
    whole = vector_of(lanes)
    if not all(each.arg for each in conditions if each.op is Op.CONST):
        return whole
    size = buffer.dtype.size if isinstance(buffer.dtype, PtrDType) else buffer.arg[1]
    if not any(bounds(each)[1] <= size for each in ends):
        ends = [*ends, UOp.const(index, size)]
    before = [position < Affine.of(each).plus(Affine(1 - len(lanes))).build() for each in ends]
    is_in_buffer = fold(reduce(lambda left, right: left & right, before, position >= 0))
    load = UOp(Op.LOAD, whole.dtype, (first.with_src((buffer, position, is_in_buffer)), whole))
    if not known:
        return load
    inside = reduce(
        lambda left, right: left.alu(Op.AND, right), [broadcast(each, len(lanes)) for each in known]
    )
    return inside.where(load, otherwise)
