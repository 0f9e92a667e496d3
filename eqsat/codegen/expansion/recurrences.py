"""Recurrences with unrolled iterations: each copy takes what the copy before has computed, and the loop keeps what the last copy computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from eqsat.codegen.expansion.demand import Expanding, Request
from eqsat.codegen.expansion.dependence import CopyAxis, by_kind, extent, place_in, row_major
from eqsat.codegen.expansion.lanes import broadcast, pick
from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.uop import UOp

Copy = dict[CopyAxis, int]
Requesting = Callable[[UOp, Copy], Request]


def following_values(order: Sequence[UOp]) -> Mapping[UOp, UOp]:
    """What each CARRY of a kernel has in the next iteration."""
    return {
        node.src[place + 1]: node.src[place]
        for node in order
        if node.op is Op.RECUR
        for place in range(1, 1 + 2 * node.arg, 2)
    }


def recurrence(
    node: UOp,
    copy: Copy,
    lane: int | None,
    lanes: Mapping[UOp, UOp],
    following: Mapping[UOp, UOp],
    request: Requesting,
) -> Expanding:
    """A CARRY or a RECUR in one copy: a vector if any value varies along lanes."""
    if lane is not None:
        return pick((yield request(node, copy)), (lane,))
    count = extent(lanes[node]) if node in lanes else 1
    if node.op is Op.CARRY:
        return (yield from _carry(node, copy, count, following[node], request))
    return (yield from _recur(node, copy, count, request))


def _carry(node: UOp, copy: Copy, lanes: int, following: UOp, request: Requesting) -> Expanding:
    """A CARRY in one copy. Only the first copy of an iteration has it from the iteration before, which there is none of without a loop."""
    loops, unrolled, _ = by_kind(node.src[node.arg[2] :])
    sizes = tuple(map(extent, unrolled))
    number = row_major(sizes, [copy[axis] for axis in unrolled])
    if number:
        before = dict(zip(unrolled, place_in(sizes, number - 1), strict=True))
        return broadcast((yield request(following, copy | before)), lanes)
    if not loops:
        assert isinstance(node.dtype, DType)
        return broadcast(UOp.const(node.dtype, 0), lanes)
    elements: list[UOp] = []
    for source in node.src[: node.arg[2]]:
        elements.append(broadcast((yield request(source, copy)), lanes))
    return node.replace(dtype=node.dtype.scalar.vec(lanes), src=(*elements, *loops))


def _recur(node: UOp, copy: Copy, lanes: int, request: Requesting) -> Expanding:
    """A RECUR in one copy."""
    loops, unrolled, _ = by_kind(node.src[1 + 2 * node.arg :])
    first, last = dict.fromkeys(unrolled, 0), {axis: extent(axis) - 1 for axis in unrolled}
    value = broadcast((yield request(node.src[0], copy)), lanes)
    if not loops:
        return value
    pairs: list[UOp] = []
    for place in range(1, 1 + 2 * node.arg, 2):
        pairs.append(broadcast((yield request(node.src[place], copy | last)), lanes))
        pairs.append((yield request(node.src[place + 1], copy | first)))
    return node.replace(dtype=node.dtype.scalar.vec(lanes), src=(value, *pairs, *loops))
