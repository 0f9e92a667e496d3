"""Vectors along an axis with a dynamic extent: the last vector is moved back so that it ends with the axis.

It then stores again some elements that the vector before has stored. Otherwise its lanes beyond the axis would need a gate each, in all
steps of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from eqsat.dtype import index
from eqsat.errors import ShapeError
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import ABREAST, AxisType, Op
from eqsat.schedule.dynamic.ends import Statement
from eqsat.schedule.dynamic.positions import PARALLEL, Limit, is_plain
from eqsat.schedule.lowering.index_arithmetic import add, floor_divide, multiply
from eqsat.shape import extent_of
from eqsat.uop import UOp, rewrite, toposort

Begins = Mapping[UOp, UOp]
"""Beginnings of vectors that a MIN clamps to the capacity of an axis, each with the expression without the MIN."""

_IN_ORDER = (Op.SCAN, Op.RECUR, Op.WMMA)  # operations that identify lanes by their loops


@dataclass(frozen=True)
class Moved:
    """Lanes of vectors that are moved back where they would exceed a limit.

    Attributes:
        limits: the limits below which the lanes stay.
        places: the replacements of loops over lanes, and of clamped beginnings.
        ends: ends of loops, such that no two work-items store the same elements.
        begins: beginnings of vectors that need not be clamped to the capacity.
    """

    limits: tuple[Limit, ...] = ()
    places: Mapping[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    ends: Mapping[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    begins: Begins = field(default_factory=dict[UOp, UOp])

    def are_below(self, limit: Limit) -> bool:
        """Whether a position stays below its limit because it is the position of moved lanes, or at a known distance from one."""
        return any(self._is_below(each, limit) for each in self.limits)

    def _is_below(self, known: Limit, limit: Limit) -> bool:
        reach = known.reach(without(self.begins, limit.position))
        with suppress(ShapeError):
            return reach is not None and reach <= limit.extent
        return False

    @property
    def kept(self) -> Mapping[UOp, Affine]:
        """For each loop over moved lanes, a sum that is at least 0 where the lanes are not moved."""
        return {
            loop: Affine.of(UOp.extent(limit.extent)).plus(limit.position, -1).plus(Affine(-1))
            for limit in self.limits
            for loop in limit.loops
            if loop in self.places
        }

    def of(self, sink: UOp) -> UOp:
        """The kernel with moved lanes in its stores."""
        if not self.places:
            return sink
        stores = [each.with_src((*rewrite(each.src[:2], self.places), *each.src[2:])) for each in sink.src]
        return sink.with_src(tuple(stores))


def beginnings(order: Sequence[UOp]) -> Begins:
    """The beginnings of vectors in a kernel that are clamped to a capacity."""
    return {
        node: node.src[0]
        for node in order
        if node.op is Op.MIN
        and node.dtype is index
        and node.src[1].op is Op.CONST
        and is_plain(_form(node.src[0]))
    }


def without(begins: Begins, position: Affine) -> Affine:
    """The position with the beginnings of `begins` not clamped to the capacity."""
    for atom, step in position.terms:
        if atom in begins:
            position = position.plus(Affine(0, ((atom, step),)), -1).plus(_form(begins[atom]), step)
    return position


def moved_lanes(
    order: Sequence[UOp],
    statements: Sequence[Statement],
    limits: Iterable[Limit],
    ends: Mapping[UOp, UOp],
    begins: Begins,
) -> Moved:
    """The lanes of stores that are moved back.

    No lane is moved in kernels that load from buffers that they store to, or in which the order of lanes matters. Nor is one moved if other
    limits or reductions depend on its position, or if its loops also fill local memory.
    """
    if any(node.op in _IN_ORDER for node in order):
        return Moved()
    known = list(dict.fromkeys(limits))
    stores = [each.node for each in statements if each.node.op is Op.STORE]
    written = {each.src[0].src[0] for each in stores}
    read = {node.src[0].src[0] for node in order if node.op is Op.LOAD and node.src[0].op is Op.INDEX}
    if any(memory.op is Op.PARAM for memory in written & read):
        return Moved()
    fills = [each for each in stores if each.src[0].src[0].op is not Op.PARAM]
    filling = {node for node in toposort(fills) if node.op is Op.RANGE} if fills else set[UOp]()
    found = {
        limit: lanes
        for limit in known
        if filling.isdisjoint(limit.loops)
        and all(each is limit or each.loops.isdisjoint(limit.loops) for each in known)
        and all(each.node.op is Op.STORE for each in statements if not each.loops.isdisjoint(limit.loops))
        and (lanes := _moved(limit, ends)) is not None
    }
    ended = {loop for limit in found for loop in limit.loops if _is_of_lanes(loop) or loop in ends}
    if not found or any(not begin.ranges <= ended for begin in begins.values()):
        return Moved()
    places = {lane: place for lanes in found.values() for lane, place in lanes.places.items()}
    ended_apart = {loop: end for lanes in found.values() for loop, end in lanes.ends.items()}
    return Moved(tuple(found), {**places, **begins}, ended_apart, begins)


def _moved(limit: Limit, ends: Mapping[UOp, UOp]) -> Moved | None:
    """The loop over neighbouring lanes along a limit, with its replacement; None if these lanes cannot, or need not, be moved."""
    lanes = sorted((step, loop.arg, loop) for loop, step in limit.position.terms if _is_of_lanes(loop))
    count = 1
    for step, _, loop in lanes:
        if step != count:
            return None
        count *= extent_of(loop)
    is_whole = limit.extent.least < count or limit.extent.is_multiple(count)
    if not lanes or is_whole or not is_plain(limit.position) or limit.multiple != 1:
        return None
    apart = _ends_apart(limit, count, ends)
    if apart is None:
        return None
    first = limit.position.plus(Affine(0, tuple((loop, step) for step, _, loop in lanes)), -1).build()
    beyond = add(add(first, count), multiply(UOp.extent(limit.extent), -1))
    back = UOp(Op.MAX, index, (beyond, UOp.const(index, 0)))
    return Moved((limit,), {lanes[0][2]: add(lanes[0][2], multiply(back, -1))}, apart)


def _ends_apart(limit: Limit, count: int, ends: Mapping[UOp, UOp]) -> Mapping[UOp, UOp] | None:
    """Ends of loops such that no work-item moves lanes back into elements that another one stores; None if there are none such.

    Work-item g has the elements from g·T on, in steps of a loop inside it. If the last work-item would have less than a vector, the one before
    computes these elements, too, in one more step.
    """
    if any(loop.arg[1] not in (*PARALLEL, AxisType.LOOP, *ABREAST) for loop, _ in limit.position.terms):
        return None
    terms = sorted(limit.position.terms, key=lambda term: -term[1])
    if not any(loop.arg[1] in PARALLEL for loop, _ in terms):
        return {}
    (item, tile), (loop, step) = terms[:2]  # the loops over lanes are further terms
    is_one = item.arg[1] in PARALLEL and not any(each.arg[1] in PARALLEL for each, _ in terms[1:])
    if (
        not is_one
        or loop.arg[1] is not AxisType.LOOP
        or {item, loop} - ends.keys()
        or extent_of(loop) * step != tile
    ):
        return None
    end = UOp.extent(limit.extent)
    left = add(end, multiply(item, -tile))
    is_not_last = UOp(Op.MIN, index, (floor_divide(add(left, -count), tile), UOp.const(index, 1)))
    steps = add(UOp.const(index, extent_of(loop) + 1), multiply(is_not_last, -1))
    return {
        item: floor_divide(add(end, tile - count), tile),
        loop: UOp(Op.MIN, index, (floor_divide(add(left, step - 1), step), steps)),
    }


def _is_of_lanes(loop: UOp) -> bool:
    return loop.op is Op.RANGE and loop.arg[1] is AxisType.UPCAST


def _form(position: UOp) -> Affine:
    return affine_forms([position])[position]
