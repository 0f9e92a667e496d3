"""Reductions that the work-items of a group share.

Before: a kernel with REDUCEs over GROUP_REDUCE and WARP ranges. After: a LOCAL range takes the place of each GROUP_REDUCE range, and no REDUCE ends a
WARP range; these ranges are coordinates of the work-item. An item reduces its part into a register, and stores it in local memory. Then, in rounds,
each item combines the values that up to `RADIX` items have stored. After the last round every item has the whole result, with the same bits in all,
because all combine the same values in the same order. All items do all of this, so all of them reach the BARRIERs, which linearization puts between
the rounds. The items of a sub-group need no rounds if the device has a function for the reduction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from math import prod

from eqsat.codegen.expansion.combining import joining, members
from eqsat.codegen.expansion.dependence import nesting
from eqsat.codegen.expansion.lanes import balanced
from eqsat.dtype import AddrSpace, DType, PtrDType, void
from eqsat.integers.linear import Affine
from eqsat.ops import REDUCES, AxisType, Op
from eqsat.shape import extent_of
from eqsat.sub_groups import RADIX, function, reduces
from eqsat.uop import UOp, toposort


def shared_by_groups(sink: UOp, sub_group: int) -> UOp:
    """The kernel with the parts of reductions in local memory; the same kernel if no group shares a reduction.

    If the device has sub-groups of `sub_group` items, which are consecutive in coordinate 0, a sub-group reduces first.
    """
    order = toposort([sink])
    coordinates = _coordinates(order)
    if not coordinates:
        return sink
    items = {*coordinates.values(), *(node for node in order if node not in coordinates and _is_item(node))}
    rounds = _Rounds(tuple(sorted(items, key=_by_coordinate)), sub_group)
    done: dict[UOp, UOp] = dict(coordinates)
    for node in order:
        if node in done:
            continue
        renewed = node.with_src(tuple(done[source] for source in node.src))
        shared = (
            [coordinates[bound] for bound in node.src if bound in coordinates] if node.op in REDUCES else []
        )
        fastest_first = sorted(shared, key=_by_coordinate, reverse=True)
        done[node] = rounds.whole(renewed, fastest_first) if shared else renewed
    return done[sink]


def unshared(sink: UOp) -> UOp:
    """The kernel without reductions that sub-groups share: each WARP range that a REDUCE ends becomes a loop in each item."""
    ended = lanes_reduced(toposort([sink]))
    loops = {bound: bound.replace(arg=(bound.arg[0], AxisType.GROUP_REDUCE)) for bound in ended}
    return sink.substitute(loops) if loops else sink


def lanes_reduced(order: Sequence[UOp]) -> list[UOp]:
    """The WARP ranges that REDUCEs end."""
    found = (bound for node in order if node.op in REDUCES for bound in node.src if _is(bound, AxisType.WARP))
    return list(dict.fromkeys(found))


def _is(node: UOp, axis: AxisType) -> bool:
    return node.op is Op.RANGE and not isinstance(node.arg, int) and node.arg[1] is axis


def _is_item(node: UOp) -> bool:
    """Whether this is a range over the work-items of a group."""
    return _is(node, AxisType.LOCAL) or _is(node, AxisType.WARP)


def _by_coordinate(item: UOp) -> tuple[bool, int]:
    """The sort key of ranges over the items of a group: from the slowest coordinate of a launch to the fastest."""
    return item.arg[1] is AxisType.WARP, item.arg[0]


def _coordinates(order: Sequence[UOp]) -> dict[UOp, UOp]:
    """For each GROUP_REDUCE range a LOCAL range, and for each WARP range that a REDUCE ends another WARP range, of the same extent.

    This is an existing range with which no reduced value varies, or a new one if there is none.
    """
    ended = set(lanes_reduced(order))
    others = [node for node in order if _is_item(node) and node not in ended]
    local = sorted(others, key=nesting)
    found: dict[UOp, UOp] = {}
    for node in order:
        if not _is(node, AxisType.GROUP_REDUCE) and node not in ended:
            continue
        kind = AxisType.LOCAL if _is(node, AxisType.GROUP_REDUCE) else AxisType.WARP
        values = [
            value for other in order if other.op in REDUCES and node in other.src for value in members(other)
        ]
        beside = {bound for other in order if node in other.ranges for bound in other.ranges}
        # Also if a value does not vary with `node`
        beside |= {bound for value in values for bound in value.ranges}
        taken = {found.get(bound, bound) for bound in beside}
        free = [each for each in local if each.src == node.src and each.arg[1] is kind and each not in taken]
        if not free:
            local.append(node.replace(arg=(node.arg[0], kind)))
        found[node] = free[-1] if free else local[-1]
    return found


class _Rounds:
    """Combines the parts of reductions; each round has local memory of its own."""

    def __init__(self, items: tuple[UOp, ...], sub_group: int) -> None:
        self._items = items
        self._fastest = items[-1]
        self._sub_group = sub_group
        self._numbers = count()  # numbers of local memories

    def whole(self, node: UOp, shared: Sequence[UOp]) -> UOp:
        """The result of a REDUCE or ARGREDUCE, of which each item along the `shared` ranges has a part."""
        values = members(node)
        own = tuple(bound for bound in node.src[len(values) :] if bound not in shared)
        parts = [self._part(node, value, member, own) for member, value in enumerate(values)]
        together = tuple(bound for bound in node.ranges if bound.arg[1] in (AxisType.UNROLL, AxisType.UPCAST))
        for item in shared:
            first = 1
            if self._reduces_by_itself(node, item, parts[0]):
                parts = [UOp(Op.CUSTOM, parts[0].dtype, (parts[0],), function(node))]
                first = self._sub_group
            for step, radix in _steps(extent_of(item), first):
                places = list(self._places(item, step, radix))
                read = [self._exchanged(part, together, places) for part in parts]
                parts = list(balanced(list(zip(*read, strict=True)), joining(node)))
        return parts[node.arg[1] if node.op is Op.ARGREDUCE else 0]

    def _reduces_by_itself(self, node: UOp, item: UOp, part: UOp) -> bool:
        """Whether sub-groups have a function for this reduction, and the items along `item` are whole sub-groups."""
        whole = bool(self._sub_group) and extent_of(item) % self._sub_group == 0
        return whole and item is self._fastest and reduces(node) and not _has_lanes(part)

    def _part(self, node: UOp, value: UOp, member: int, own: tuple[UOp, ...]) -> UOp:
        """The part that one item has reduced over its own loops."""
        if not own:
            return value
        if node.op is Op.REDUCE:
            return node.with_src((value, *own))
        assert isinstance(value.dtype, DType)
        return UOp(Op.ARGREDUCE, value.dtype, (*members(node), *own), (node.arg[0], member))

    def _places(self, item: UOp, step: int, radix: int) -> Iterator[Mapping[UOp, UOp]]:
        """The coordinates, in place of `item`, of the items whose parts one item combines: they differ in one digit."""
        above = step * radix
        around = Affine(0)
        if above < extent_of(item):
            around = around.plus(Affine.of(item // above), above)
        if step > 1:
            around = around.plus(Affine.of(item % step))
        for digit in range(radix):
            yield {item: around.plus(Affine(digit * step)).build()}

    def _exchanged(
        self, part: UOp, together: Sequence[UOp], places: Sequence[Mapping[UOp, UOp]]
    ) -> list[UOp]:
        """The parts of other items, read from local memory. Each copy and each lane has an element of its own there."""
        copies = tuple(sorted((each for each in together if each.arg[1] is AxisType.UNROLL), key=nesting))
        lanes = tuple(each for each in together if each.arg[1] is AxisType.UPCAST)
        size = prod(map(extent_of, (*copies, *self._items, *lanes)))
        assert isinstance(part.dtype, DType)
        dtype = part.dtype
        memory = UOp(
            Op.DEFINE_LOCAL, PtrDType(dtype, AddrSpace.LOCAL, size), (), f"part{next(self._numbers)}"
        )

        def element(pointer: UOp, elsewhere: Mapping[UOp, UOp]) -> UOp:
            flat = Affine(0)
            for axis in (*copies, *self._items, *lanes):
                flat = flat.times(extent_of(axis)).plus(Affine.of(elsewhere.get(axis, axis)))
            return UOp(Op.INDEX, dtype, (pointer, flat.build()))

        stored = UOp(Op.STORE, void, (element(memory, {}), part))
        ready = UOp(Op.AFTER, memory.dtype, (memory, stored))
        return [UOp(Op.LOAD, dtype, (element(ready, place),)) for place in places]


def _has_lanes(part: UOp) -> bool:
    return any(_is(bound, AxisType.UPCAST) for bound in part.ranges)


def _steps(items: int, step: int) -> Iterator[tuple[int, int]]:
    """The (step, radix) of each round, one for each digit of a coordinate, lowest first; digits below `step` are reduced already.

    >>> list(_steps(32, 1)), list(_steps(18, 1)), list(_steps(22, 1))
    ([(1, 8), (8, 4)], [(1, 6), (6, 3)], [(1, 2), (2, 11)])
    """
    while step < items:
        left = items // step
        radix = max((number for number in range(2, RADIX + 1) if left % number == 0), default=left)
        yield step, radix
        step *= radix
