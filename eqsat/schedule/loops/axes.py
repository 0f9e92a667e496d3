"""Builds a kernel under one tiling: each range becomes loops of the chosen axis types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod

from eqsat.dtype import AddrSpace, DType, PtrDType, void
from eqsat.integers.conditions import gated
from eqsat.ops import AxisType, Op, identity_element
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.loops.bases import clamped, tile_of
from eqsat.schedule.lowering.index_arithmetic import add, flatten_index, loop_or_zero, multiply, simplified
from eqsat.schedule.tiling import Axis, Tiling
from eqsat.shape import extent_of
from eqsat.uop import UOp, loops_begin, rewrite, toposort


@dataclass(frozen=True)
class Split:
    """One range of a kernel, split into loops.

    Attributes:
        position: the value of the old range, as an expression over the new loops.
        variables: the loop variables of the basis (the range, or a tile's outer and inner variables), as expressions over the new loops.
        loops: the new ranges.
        fresh: a condition that holds exactly once per element although the last tile overlaps the one before; None if tiles do not overlap.
        gated: whether elements may be stored only where `fresh` holds, since another work-item stores them otherwise.
    """

    position: UOp
    variables: dict[UOp, UOp]
    loops: tuple[UOp, ...]
    fresh: UOp | None
    gated: bool = False


def tiles_of(kernel: Profile, tiling: Tiling) -> dict[UOp, int]:
    """The basis of a tiling: the tile size of each range."""
    return {bound: axis.tile for bound, axis in zip(kernel.ranges, tiling.axes, strict=True)}


def split(kernel: Profile, tiling: Tiling, sub_group: int = 1) -> dict[UOp, Split]:
    """Each range of the kernel, split as the tiling says. Loops are numbered in the order in which they nest.

    With `sub_group` above 1, the fast coordinate of a group is a LOCAL range around a WARP range of that many items. It needs whole sub-groups.
    """
    numbers = _loop_numbers(kernel, tiling)
    group = _Group.of(tiling, 4 * len(numbers), sub_group)
    return {
        old: _split_one(old, axis, numbers[position], group, in_order=kernel.combines)
        for position, (old, axis) in enumerate(zip(kernel.ranges, tiling.axes, strict=True))
    }


def _loop_numbers(kernel: Profile, tiling: Tiling) -> list[int]:
    """A base number for each range; a range uses four loop numbers from its base on."""
    others = [position for position in range(len(kernel.ranges)) if position not in tiling.order]
    numbers = [0] * len(kernel.ranges)
    for rank, position in enumerate([*tiling.order, *others]):
        numbers[position] = 4 * rank
    return numbers


@dataclass(frozen=True)
class _Group:
    """The items of a group.

    Attributes:
        fast, slow: items along the fast and the slow coordinate.
        sub_group: items of the fast coordinate that are a sub-group; 1 without sub-groups.
        number: number of the first loop over items.
    """

    fast: int
    slow: int
    sub_group: int
    number: int

    @staticmethod
    def of(tiling: Tiling, number: int, sub_group: int) -> _Group:
        """The group of a tiling, with loops numbered from `number` on."""
        fast, slow = (
            max((axis.items for axis in tiling.axes if axis.slow is slow), default=1)
            for slow in (False, True)
        )
        whole = all(axis.slow or axis.items in (1, fast) for axis in tiling.axes) and fast % sub_group == 0
        return _Group(fast, slow, sub_group if whole else 1, number)

    def items(self, axis: Axis) -> tuple[UOp, ...]:
        """The ranges over the items that share an axis, the fastest last; the fast coordinate has the higher number."""
        if axis.slow:
            return (loop_or_zero(self.slow, self.number, AxisType.LOCAL),)
        return self._along(self.fast, AxisType.LOCAL, self.number + 1, self.number + 2)

    def parts(self, axis: Axis, number: int) -> tuple[UOp, ...]:
        """The ranges over items that share an axis of a reduction, which are its own; the first has this number."""
        if axis.slow:
            return (loop_or_zero(axis.items, number, AxisType.GROUP_REDUCE),)
        return self._along(axis.items, AxisType.GROUP_REDUCE, number, self.number + 3 + number)

    def _along(self, items: int, around: AxisType, number: int, last: int) -> tuple[UOp, ...]:
        if self.sub_group == 1:
            return (loop_or_zero(items, number, around),)
        return loop_or_zero(items // self.sub_group, number, around), loop_or_zero(
            self.sub_group, last, AxisType.WARP
        )


def _split_one(old: UOp, axis: Axis, number: int, group: _Group, *, in_order: bool) -> Split:
    """Splits one range.

    `in_order` is set if iterations combine with stored results: all loops but those of reductions then nest in the order of their numbers.
    """
    extent, kind = old.src[0].arg, old.arg[1]
    if in_order and kind is AxisType.SCAN:
        kind = AxisType.LOOP
    tiles = -(-extent // axis.tile)
    outer = loop_or_zero(-(-tiles // axis.serial), number, AxisType.GLOBAL if axis.parallel else kind)
    serial = loop_or_zero(min(axis.serial, tiles), number + 1, AxisType.LOOP)
    copy = loop_or_zero(axis.copies, number + 2, AxisType.UNROLL)
    lane = loop_or_zero(axis.lanes, number + 3, AxisType.UPCAST)
    items: tuple[UOp, ...] = ()
    if axis.items > 1:
        shares = kind in (AxisType.REDUCE, AxisType.GROUP_REDUCE)
        items = group.parts(axis, number + 1) if shares else group.items(axis)
    item = flatten_index(items, tuple(map(_extent, items)))
    loops = tuple(loop for loop in (outer, serial, *items, copy, lane) if loop.op is Op.RANGE)
    # the last work-item may have fewer tiles, and then computes the last one again
    whole = clamped(add(multiply(outer, axis.serial), serial), tiles - 1)
    if axis.tile == 1:
        return Split(whole, {old: whole}, loops, None)
    inner = add(add(multiply(copy, axis.lanes * axis.items), multiply(item, axis.lanes)), lane)
    tile = tile_of(old, axis.tile)
    start = multiply(whole, axis.tile)
    position = add(clamped(start, extent - axis.tile), inner)
    return Split(
        position,
        {tile.outer: whole, tile.inner: inner},
        loops,
        position >= start if extent % axis.tile else None,
        axis.items > 1,
    )


def _extent(loop: UOp) -> int:
    return extent_of(loop) if loop.op is Op.RANGE else 1


def over_loops(expressions: Mapping[UOp, UOp], splits: Mapping[UOp, Split]) -> dict[UOp, UOp]:
    """Expressions in the variables of a basis, with the variables replaced by expressions over the loops."""
    variables = {variable: value for each in splits.values() for variable, value in each.variables.items()}
    return dict(zip(expressions, rewrite(list(expressions.values()), variables, simplified), strict=True))


@dataclass(frozen=True)
class Scratch:
    """The local memory of a BUFFERIZE inside a kernel, with a row for each element of a tile of the loops around it.

    Attributes:
        memory: the local memory; lanes of the tile vary fastest in it.
        ready: the memory after all stores.
        row: elements of the BUFFERIZE, plus one if that makes the number odd and neighbouring items have rows of their own: the items then
            access different banks.
        copies, lanes: the loops of the tile; the items of a group are among the copies.
    """

    memory: UOp
    ready: UOp
    row: int
    copies: tuple[UOp, ...]
    lanes: tuple[UOp, ...]

    @staticmethod
    def of(node: UOp, value: UOp, splits: Mapping[UOp, Split], number: int) -> Scratch:
        """The local memory, with this number, of a BUFFERIZE that stores `value`."""
        around = [
            loop
            for bound in sorted(node.ranges, key=lambda bound: bound.arg[0])
            for loop in splits[bound].loops
        ]
        together = (AxisType.LOCAL, AxisType.WARP, AxisType.UNROLL)
        copies = tuple(loop for loop in around if loop.arg[1] in together)
        lanes = tuple(loop for loop in around if loop.arg[1] is AxisType.UPCAST)
        own = node.src[1:]
        elements = prod(map(extent_of, own))
        row = elements | 1 if fast_items(splits) in copies else elements
        size = row * prod(map(extent_of, (*copies, *lanes)))
        assert isinstance(node.dtype, DType)
        memory = UOp(Op.DEFINE_LOCAL, PtrDType(node.dtype, AddrSpace.LOCAL, size), (), number)
        made = Scratch(memory, memory, row, copies, lanes)
        flat = flatten_index([splits[bound].position for bound in own], tuple(map(extent_of, own)))
        loops = tuple(loop for bound in own for loop in splits[bound].loops)
        gates = gates_of(own, splits)
        address = UOp(Op.INDEX, node.dtype, (memory, made.place(flat), *gates))
        store = UOp(Op.STORE, void, (address, value, *loops))
        return replace(made, ready=UOp(Op.AFTER, memory.dtype, (memory, store)))

    def place(self, flat: UOp) -> UOp:
        """The position of element `flat` in the memory, for the current element of the tile."""
        copy = flatten_index(self.copies, tuple(map(extent_of, self.copies)))
        place = add(multiply(copy, self.row), flat)
        for lane in self.lanes:
            place = add(multiply(place, extent_of(lane)), lane)
        return place


def fast_items(splits: Mapping[UOp, Split]) -> UOp | None:
    """The innermost range over neighbouring items of a group, along its fast coordinate; None if groups have a single item."""
    loops = [loop for each in splits.values() for loop in each.loops]
    items = [loop for loop in loops if loop.arg[1] in (AxisType.LOCAL, AxisType.WARP)]
    return max(items, key=lambda loop: (loop.arg[1] is AxisType.WARP, loop.arg[0]), default=None)


def apply(sink: UOp, splits: Mapping[UOp, Split], given: Mapping[UOp, UOp]) -> UOp:
    """The kernel over the split loops. `given` maps nodes to their replacements; other index expressions are simplified as they are rebuilt."""
    done = {**{old: each.position for old, each in splits.items()}, **given}
    scratch: dict[UOp, Scratch] = {}
    for node in toposort([sink]):
        if node in done:
            continue
        if node.op is Op.BUFFERIZE:
            scratch[node] = Scratch.of(node, done[node.src[0]], splits, len(scratch))
            continue
        if node.op is Op.INDEX and node.src[0] in scratch:
            own = scratch[node.src[0]]
            gates = (done[gate] for gate in node.src[2:])
            done[node] = node.with_src((own.ready, simplified(own.place(done[node.src[1]])), *gates))
            continue
        if node.op is Op.AFTER:  # results of a scatter, after the store of identity elements
            memory, begun = (done[source] for source in node.src)
            done[node] = node.with_src((memory, _by_itself(begun, node.src[1], splits)))
            continue
        start = loops_begin(node)
        sources = [done[source] for source in node.src[:start]]
        if node.op is Op.REDUCE:
            sources = [_once(node.arg, sources[0], node.src[1:], splits)]
        if node.op is Op.STORE and node.arg is not None:
            sources[1] = _once(node.arg, sources[1], node.src[2:], splits)
        if node.op is Op.STORE and (gates := gates_of(node.src[2:], splits)):
            sources[0] = gated(sources[0], gates)
        if start is not None:
            sources.extend(loop for each in node.src[start:] for loop in splits[each].loops)
        done[node] = (
            sources[0]
            if node.op is Op.REDUCE and len(sources) == 1
            else simplified(node.with_src(tuple(sources)))
        )
    return done[sink]


def _by_itself(store: UOp, before: UOp, splits: Mapping[UOp, Split]) -> UOp:
    """The store of identity elements before the results of a scatter are combined.

    It gets loops of its own for ranges that are not spread over work-items, and for ranges with overlapping tiles: otherwise a tile would
    reset elements that the tile before has combined.
    """
    inner = [
        loop
        for bound in before.ranges
        for loop in splits[bound].loops
        if loop.arg[1] is AxisType.LOOP and (not _is_shared(splits[bound]) or splits[bound].fresh is not None)
    ]
    last = 8 * len(splits) + 8  # after all loops of tilings and groups
    own = {
        loop: loop.replace(arg=(last + loop.arg[0], AxisType.LOOP))
        for loop in sorted(inner, key=lambda loop: loop.arg[0])
    }
    moved = store.substitute(own)
    return moved.with_src((*moved.src, *own.values()))


def _is_shared(split: Split) -> bool:
    return any(loop.arg[1] is AxisType.GLOBAL for loop in split.loops)


def gates_of(bounds: Sequence[UOp], splits: Mapping[UOp, Split]) -> tuple[UOp, ...]:
    """The condition under which a work-item stores elements of these ranges; none if no other work-item stores the same elements."""
    fresh = [splits[bound].fresh for bound in bounds if splits[bound].gated]
    conditions = [condition for condition in fresh if condition is not None]
    return (_all(conditions),) if conditions else ()


def _all(conditions: Sequence[UOp]) -> UOp:
    return reduce(lambda left, right: left & right, conditions)


def _once(op: Op, value: UOp, bounds: Sequence[UOp], splits: Mapping[UOp, Split]) -> UOp:
    """The value to combine over these ranges, replaced by the identity element where an overlapping tile would count it twice."""
    if op in (Op.MAX, Op.MIN):
        return value
    for each in bounds:
        fresh = splits[each].fresh
        if fresh is not None:
            assert isinstance(value.dtype, DType)
            value = fresh.where(value, UOp.const(value.dtype, identity_element(op, value.dtype)))
    return value
