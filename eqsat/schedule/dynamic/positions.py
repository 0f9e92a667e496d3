"""Positions along the axes of an array, and which of them a kernel needs: those below an extent that only calls know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, inf, prod
from typing import Any

from eqsat.dtype import DType, bool_, index
from eqsat.extents import Extent, capacities, capacity
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import SELECTED
from eqsat.ops import ALU, AxisType, Op
from eqsat.schedule.dynamic.separation import separated
from eqsat.schedule.lowering.index_arithmetic import add, floor_divide, floor_modulo, multiply
from eqsat.shape import Shape, extent_of
from eqsat.uop import UOp, rewrite, toposort

TRUE = UOp.const(bool_, True)
PARALLEL = (AxisType.GLOBAL, AxisType.THREAD)
WHOLE = (
    AxisType.UPCAST,
    AxisType.UNROLL,
    AxisType.LOCAL,
    AxisType.WARP,
    AxisType.GROUP_REDUCE,
)  # loops that are never shortened


@dataclass(frozen=True)
class Limit:
    """A position of which nothing is needed from `extent` on, or from the next multiple of a number.

    That of a fill of local memory goes over a whole axis, and may begin below 0: it needs some elements more.
    """

    position: Affine
    extent: Extent
    multiple: int = 1
    is_fill: bool = False

    @property
    def end(self) -> UOp:
        """The end as an expression."""
        end = UOp.extent(self.extent)
        if self.multiple == 1:
            return end
        return multiply(floor_divide(add(end, self.multiple - 1), self.multiple), self.multiple)

    @property
    def loops(self) -> frozenset[UOp]:
        """The loops that the position varies with."""
        return frozenset[UOp]().union(*(atom.ranges for atom, _ in self.position.terms))

    @property
    def is_tiled(self) -> bool:
        """Whether the position is one of a tile in each step of its outermost loop, tiles not overlapping."""
        if not is_plain(self.position):
            return False
        (_, step), *inner = sorted(self.position.terms, key=lambda term: -term[1])
        return sum((extent_of(loop) - 1) * factor for loop, factor in inner) < step

    def reach(self, position: Affine) -> Extent | None:
        """Below which extent another position stays where this one is below its own; None if it is not steps of this one, and some loops on."""
        if not self.position.terms:
            return None
        atom, once = self.position.terms[0]
        steps, rest = divmod(position.coefficients.get(atom, 0), once)
        apart = position.plus(self.position, -steps)
        if steps < 1 or rest or not is_plain(apart):
            return None
        last = apart.constant + sum((extent_of(loop) - 1) * step for loop, step in apart.terms)
        return self.extent * steps + (1 - steps + last)

    def ends(self) -> dict[UOp, UOp]:
        """For each loop that the position is a multiple of, where it may end, in terms of the loops of larger steps.

        Empty where the position is something else than a sum of multiples of loops, and a number.
        """
        if not (_is_of_loops(self.position) if self.is_fill else is_plain(self.position)):
            return {}
        found: dict[UOp, UOp] = {}
        before = Affine(self.position.constant)
        for loop, step in sorted(self.position.terms, key=lambda term: -term[1]):
            is_parallel = before.terms and loop.arg[1] in PARALLEL
            if loop.arg[1] not in WHOLE and not is_parallel and _are_around(before, loop):
                found[loop] = self._end_of(loop, step, before)
            before = before.plus(Affine(0, ((loop, step),)))
        return found

    def _end_of(self, loop: UOp, step: int, before: Affine) -> UOp:
        if not before.terms and not before.constant and self.multiple == 1 and self.extent.is_multiple(step):
            return UOp.extent(self.extent // step)
        left = add(add(self.end, before.times(-1).build()), step - 1)
        end = floor_divide(left, step)
        return end if not before.terms else UOp(Op.MIN, index, (end, UOp.const(index, extent_of(loop))))

    def is_kept(self, ends: Mapping[UOp, UOp]) -> bool:
        """Whether the position stays below the extent, the loops ending there: if tiles of the loops divide it."""
        terms = sorted(self.position.terms, key=lambda term: -term[1])
        if not terms or any(atom.op is not Op.RANGE for atom, _ in terms):
            return False
        (outer, step), inner = terms[0], terms[1:]
        most = self.position.constant + sum((extent_of(loop) - 1) * factor for loop, factor in inner)
        return (
            self.position.constant >= 0 and most < step and self.extent.is_multiple(step)
            and ends.get(outer) is UOp.extent(self.extent // step)
        )  # fmt: skip


def _are_around(position: Affine, loop: UOp) -> bool:
    """Whether the loops of a position stand around another one, whose end may depend on them."""

    def depth(each: UOp) -> tuple[bool, int, int]:
        return each.arg[1] not in PARALLEL, each.arg[1].priority, each.arg[0]

    return all(depth(each) < depth(loop) for each, _ in position.terms)


def positions_of(flat: UOp, shape: Shape) -> tuple[UOp, ...]:
    """Where the element at a row-major index is along each axis, with room for capacities."""
    positions: list[UOp] = []
    for extent in reversed(capacities(shape)[1:]):
        positions.append(floor_modulo(flat, extent))
        flat = floor_divide(flat, extent)
    return (flat, *reversed(positions)) if shape else ()


@dataclass(frozen=True)
class Place:
    """Where an element is along neighbouring axes of an array that loops go over at once; mostly it is one axis.

    Attributes:
        first, last: the axes.
        position: along all of them.
        inner: elements of each step along the first one.
    """

    first: int
    last: int
    position: UOp
    inner: int

    @property
    def form(self) -> Affine:
        """The position as a sum."""
        return affine_forms([self.position])[self.position]

    def extent(self, shape: Shape) -> int:
        """How many elements there are along the axes, in an array of this shape."""
        return shape[self.first] * self.inner


def places_of(flat: UOp, shape: Shape, gates: Sequence[UOp] = ()) -> list[Place]:
    """The places of a row-major index: along single axes, or where that is no sum of multiples of loops and along several it is, along those."""
    known = separated(flat, shape, gates)
    if known is not None:
        return [Place(*each, prod(shape[each.first + 1 : each.last + 1])) for each in known]
    room = capacities(shape)
    positions = positions_of(flat, shape)
    found: list[Place] = []
    last = len(shape) - 1
    while last >= 0:
        place = Place(last, last, positions[last], 1)
        wider = place
        while not is_plain(wider.form) and wider.first > 0 and not isinstance(shape[wider.first], Extent):
            first = wider.first - 1
            whole = positions_of(flat, (*room[:first], prod(room[first : last + 1]), *room[last + 1 :]))
            wider = Place(first, last, whole[first], prod(room[first + 1 : last + 1]))
        found.append(wider if is_plain(wider.form) else place)
        last = found[-1].first - 1
    return found[::-1]


def is_plain(position: Affine) -> bool:
    """Whether a position is a sum of multiples of loops."""
    return position.constant >= 0 and _is_of_loops(position)


def _is_of_loops(position: Affine) -> bool:
    return all(atom.op is Op.RANGE and step > 0 for atom, step in position.terms)


Room = int | UOp  # elements along an axis


def packed(positions: Sequence[UOp], rooms: Sequence[Room]) -> UOp:
    """The row-major index in an array with such room along its axes."""
    total, stride = UOp.const(index, 0), 1
    for position, room in zip(reversed(positions), reversed(rooms), strict=True):
        total = add(total, _times(position, stride))
        stride = room_times(room, stride)
    return total


def room_times(one: Room, other: Room) -> Room:
    """The product of two rooms, a number if both are."""
    if isinstance(one, UOp):
        return one * other if isinstance(other, UOp) else multiply(one, other)
    return multiply(other, one) if isinstance(other, UOp) else one * other


def room_of(extent: int) -> Room:
    """The room that an extent takes without any to spare."""
    return UOp.extent(extent) if isinstance(extent, Extent) else extent


def rounded(extent: int, steps: Collection[int], whole: int) -> Room:
    """The room for tiles of these lengths along an axis, of which an extent is needed: all of it where such tiles do not fit a rounded extent."""
    if not isinstance(extent, Extent):
        return extent
    (monomial, factor), *others = extent.terms
    unit = factor * monomial[0].unit if len(monomial) == 1 and not others else 0
    if not unit or any(unit % step for step in steps):
        return capacity(whole)
    return multiply(floor_divide(add(UOp.extent(extent), unit - 1), unit), unit)


def _times(position: UOp, stride: Room) -> UOp:
    """A position times a stride, term by term, so that each loop has one step."""
    if not isinstance(stride, UOp):
        return multiply(position, stride)
    form = affine_forms([position])[position]
    total = multiply(stride, form.constant)
    for atom, factor in form.terms:
        total = add(total, multiply(atom * stride, factor))
    return total


def below(position: UOp, extent: Extent) -> UOp:
    """The position, or the last one there is where it is further on: elements there have no promised value, whichever they are."""
    return UOp(Op.MIN, index, (position, add(UOp.extent(extent), -1)))


def is_below(position: UOp, extent: Extent) -> UOp:
    """The condition that a position is below an extent. Where tiles divide both, it is that of the tile, the same for all lanes of a vector in it."""
    form = affine_forms([position])[position]
    terms = sorted(form.terms, key=lambda term: -abs(term[1]))
    for count in range(len(terms)):
        outer, inner = terms[:count], terms[count:]
        tile = gcd(*(step for _, step in outer), *(factor for _, factor in extent.terms))
        first = form.constant % tile
        is_loops = all(atom.op is Op.RANGE and step > 0 for atom, step in inner)
        if is_loops and first + sum((extent_of(loop) - 1) * step for loop, step in inner) < tile:
            return Affine(form.constant - first, tuple(outer)).build() < UOp.extent(extent)
    return position < UOp.extent(extent)


def has_lanes(position: UOp) -> bool:
    """Whether the position differs between the lanes of a vector."""
    return any(loop.arg[1] is AxisType.UPCAST for loop in position.ranges)


def lanes_are_apart(flat: UOp) -> bool:
    """Whether each lane of a vector is loaded by itself, from addresses that lie too far apart for whole loads."""
    steps = [
        step
        for atom, step in affine_forms([flat])[flat].terms
        if atom.op is Op.RANGE and atom.arg[1] is AxisType.UPCAST
    ]
    return bool(steps) and all(abs(step) > max(SELECTED) for step in steps)


def limits_in(extents: Mapping[UOp, Extent], nodes: Iterable[UOp]) -> list[tuple[UOp, Limit]]:
    """The comparisons of positions with extents among nodes: `position < extent`, or with a number more than an extent."""
    found: list[tuple[UOp, Limit]] = []
    for node in nodes:
        if node.op is not Op.CMPLT or node.src[0].dtype is not index:
            continue
        position, end = node.src
        more = 0
        if end not in extents and end.op is Op.ADD and end.src[1].op is Op.CONST:
            end, more = end.src[0], end.src[1].arg
        if end in extents:
            form = affine_forms([position])[position].plus(Affine(-more))
            found.append((node, Limit(form, extents[end])))
    return found


def without_masks(sink: UOp) -> UOp:
    """A kernel in which all positions are below the extents that calls know; conditions that choose between two arrays stay."""
    nodes = toposort([sink])
    choices = [node.src[0] for node in nodes if node.op is Op.WHERE and node.src[2].op is not Op.CONST]
    chosen_by = set(toposort(choices))
    masks = {
        node: TRUE
        for node in nodes
        if node.op is Op.CMPLT
        and node.src[0].dtype is index
        and _is_extent(node.src[1])
        and node not in chosen_by
    }
    return rewrite([sink], masks, folded)[0]


def _is_extent(end: UOp) -> bool:
    return end.dtype is index and not end.ranges and any(node.op is Op.DEFINE_VAR for node in toposort([end]))


def folded(node: UOp) -> UOp:
    """An operation on constants, or a choice by one, as what it is; others as they are."""
    if node.op is Op.WHERE and node.src[0].op is Op.CONST:
        return node.src[1 if node.src[0].arg else 2]
    if node.op in (Op.AND, Op.OR) and node.dtype is bool_:
        for one, other in (node.src, node.src[::-1]):
            if one.op is Op.CONST:
                return (other if one.arg else one) if node.op is Op.AND else (one if one.arg else other)
    if (
        node.op is Op.MUL
        and not node.dtype.scalar.is_float
        and any(each.op is Op.CONST and each.arg == 0 for each in node.src)
    ):
        return UOp.const(node.dtype, 0)  # pyright: ignore[reportArgumentType]
    if node.op in ALU and node.src and all(each.op is Op.CONST for each in node.src):
        return _computed(node)
    return node


def _computed(node: UOp) -> UOp:
    values: list[Any] = [each.arg for each in node.src]
    dtype = node.dtype
    assert isinstance(dtype, DType)
    match node.op:
        case Op.MUL | Op.ADD if all(value == 0 for value in values):
            return UOp.const(dtype, values[0] * values[1] if node.op is Op.MUL else values[0] + values[1])
        case Op.CAST if values[0] in (0, 1) or (abs(values[0]) == inf and dtype.scalar.is_float):
            return UOp.const(dtype, values[0])
        case Op.CMPNE:
            return UOp.const(dtype, values[0] != values[1])
        case _:
            return node
