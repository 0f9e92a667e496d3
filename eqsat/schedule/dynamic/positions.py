"""Positions along the axes of an array, and their limits: a kernel needs only positions below a dynamic extent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, inf, prod
from typing import Any

from eqsat.dtype import DType, bool_, index
from eqsat.extents import Extent, capacities, capacity
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import selected_strides
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
    """A position that is needed only below `extent`, or below the next multiple of `multiple`.

    Attributes:
        position: the position, as a sum.
        extent: the dynamic extent.
        multiple: the end is rounded up to a multiple of this number.
        is_fill: whether the position is that of a fill of local memory. Such a position covers a whole axis, and it may begin below 0, because
            reads need some elements more.
    """

    position: Affine
    extent: Extent
    multiple: int = 1
    is_fill: bool = False

    @property
    def end(self) -> UOp:
        """The end of the needed positions, as an expression."""
        end = UOp.extent(self.extent)
        if self.multiple == 1:
            return end
        return multiply(floor_divide(add(end, self.multiple - 1), self.multiple), self.multiple)

    @property
    def loops(self) -> frozenset[UOp]:
        """The loops that the position depends on."""
        return frozenset[UOp]().union(*(atom.ranges for atom, _ in self.position.terms))

    @property
    def is_tiled(self) -> bool:
        """Whether each step of the outermost loop covers one tile of positions, and tiles do not overlap."""
        if not is_plain(self.position):
            return False
        (_, step), *inner = sorted(self.position.terms, key=lambda term: -term[1])
        return sum((extent_of(loop) - 1) * factor for loop, factor in inner) < step

    def reach(self, position: Affine) -> Extent | None:
        """The extent below which another position stays where this one is below its extent.

        It is None if the other position is not a multiple of this one plus a sum of other loops.
        """
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
        """The end of each loop in the position that may end early, as an expression over the loops with larger steps.

        It is empty if the position is not a sum of multiples of loops and a number.
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
        """Whether these ends of loops keep the position below the extent, because tiles of the loops divide it."""
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
    """Whether the loops of a position are around another loop, so that its end may depend on them."""

    def depth(each: UOp) -> tuple[bool, int, int]:
        return each.arg[1] not in PARALLEL, each.arg[1].priority, each.arg[0]

    return all(depth(each) < depth(loop) for each, _ in position.terms)


def positions_of(flat: UOp, shape: Shape) -> tuple[UOp, ...]:
    """The positions along each axis of the element at a row-major index, in an array with the capacities of `shape`."""
    positions: list[UOp] = []
    for extent in reversed(capacities(shape)[1:]):
        positions.append(floor_modulo(flat, extent))
        flat = floor_divide(flat, extent)
    return (flat, *reversed(positions)) if shape else ()


@dataclass(frozen=True)
class Place:
    """The position of an element along neighbouring axes of an array that loops walk together; usually it is one axis.

    Attributes:
        first, last: the first and the last of the axes.
        position: the position along all of them.
        inner: the elements of one step along the first axis.
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
        """The number of elements along the axes, in an array of this shape."""
        return shape[self.first] * self.inner


def places_of(flat: UOp, shape: Shape, gates: Sequence[UOp] = ()) -> list[Place]:
    """The places of a row-major index.

    A place is along a single axis, or along several if only the position along these is a sum of multiples of loops.
    """
    known = separated(flat, shape, gates)
    if known is not None:
        return [Place(*each, prod(shape[each.first + 1 : each.last + 1])) for each in known]
    sizes = capacities(shape)
    positions = positions_of(flat, shape)
    found: list[Place] = []
    last = len(shape) - 1
    while last >= 0:
        place = Place(last, last, positions[last], 1)
        wider = place
        while not is_plain(wider.form) and wider.first > 0 and not isinstance(shape[wider.first], Extent):
            first = wider.first - 1
            whole = positions_of(flat, (*sizes[:first], prod(sizes[first : last + 1]), *sizes[last + 1 :]))
            wider = Place(first, last, whole[first], prod(sizes[first + 1 : last + 1]))
        found.append(wider if is_plain(wider.form) else place)
        last = found[-1].first - 1
    return found[::-1]


def is_plain(position: Affine) -> bool:
    """Whether a position is a sum of positive multiples of loops and a number that is not negative."""
    return position.constant >= 0 and _is_of_loops(position)


def _is_of_loops(position: Affine) -> bool:
    return all(atom.op is Op.RANGE and step > 0 for atom, step in position.terms)


Capacity = int | UOp  # the capacity of an axis, in elements


def packed(positions: Sequence[UOp], sizes: Sequence[Capacity]) -> UOp:
    """The row-major index of these positions in an array with these capacities."""
    total, stride = UOp.const(index, 0), 1
    for position, size in zip(reversed(positions), reversed(sizes), strict=True):
        total = add(total, _times(position, stride))
        stride = capacity_product(size, stride)
    return total


def capacity_product(one: Capacity, other: Capacity) -> Capacity:
    """The product of two capacities; an int if both are ints."""
    if isinstance(one, UOp):
        return one * other if isinstance(other, UOp) else multiply(one, other)
    return multiply(other, one) if isinstance(other, UOp) else one * other


def exact_capacity(extent: int) -> Capacity:
    """The capacity that an extent needs, not rounded."""
    return UOp.extent(extent) if isinstance(extent, Extent) else extent


def capacity_in_tiles(extent: int, steps: Collection[int], whole: int) -> Capacity:
    """The capacity of an axis: `extent` rounded up to whole tiles of these lengths.

    The extent is rounded up to its unit. If it has none, or tiles do not divide the unit, it is the whole capacity.
    """
    if not isinstance(extent, Extent):
        return extent
    (monomial, factor), *others = extent.terms
    unit = factor * monomial[0].unit if len(monomial) == 1 and not others else 0
    if not unit or any(unit % step for step in steps):
        return capacity(whole)
    return multiply(floor_divide(add(UOp.extent(extent), unit - 1), unit), unit)


def _times(position: UOp, stride: Capacity) -> UOp:
    """A position times a stride, term by term, so that each loop has a single step."""
    if not isinstance(stride, UOp):
        return multiply(position, stride)
    form = affine_forms([position])[position]
    total = multiply(stride, form.constant)
    for atom, factor in form.terms:
        total = add(total, multiply(atom * stride, factor))
    return total


def below(position: UOp, extent: Extent) -> UOp:
    """The position, clamped to the last one below the extent: elements beyond have no promised value, so any element will do."""
    return UOp(Op.MIN, index, (position, add(UOp.extent(extent), -1)))


def is_below(position: UOp, extent: Extent) -> UOp:
    """The condition that a position is below an extent; if tiles divide both, the condition of the tile, which is the same for all of its lanes."""
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


def lanes_are_apart(address: UOp) -> bool:
    """Whether each lane of a vector is loaded by itself, because its stride is too large to select lanes from whole loads."""
    flat = address.src[1]
    steps = [
        step
        for atom, step in affine_forms([flat])[flat].terms
        if atom.op is Op.RANGE and atom.arg[1] is AxisType.UPCAST
    ]
    assert isinstance(address.dtype, DType)
    greatest = max(selected_strides(address.dtype.itemsize))
    return bool(steps) and all(abs(step) > greatest for step in steps)


def limits_in(extents: Mapping[UOp, Extent], nodes: Iterable[UOp]) -> list[tuple[UOp, Limit]]:
    """(comparison, its limit) for each comparison among nodes of a position with an extent, or with an extent plus a number."""
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
    """The kernel as if all positions were below the dynamic extents; conditions that choose between two arrays stay."""
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
    """The node with constants folded: an operation on constants, or a WHERE with a constant condition; other nodes are returned unchanged."""
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
