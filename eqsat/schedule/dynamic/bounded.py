"""Bounds kernels that were made for the capacities of axes to the extents of a call.

A schedule is chosen for arrays as large as their capacities. Here its loops are made to end at the extents: loops over outputs where no
further element is needed, loops of reductions where only identity elements follow. The needed part of each buffer follows from the reads of
later kernels. The caller's arrays have the extents of the call. So strides in their addresses are expressions, and a tile that reaches
beyond the last element reads the last element again and does not store.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import lcm, prod
from typing import NamedTuple

from eqsat.dtype import DType, bool_
from eqsat.extents import Extent, capacities, capacity, is_dynamic
from eqsat.integers.conditions import conjuncts
from eqsat.integers.linear import Affine
from eqsat.ops import REDUCES, TABLE, KernelInfo, Op, identity_element
from eqsat.schedule.dynamic.arrays import Dynamic
from eqsat.schedule.dynamic.buffers import joined_parts, sized
from eqsat.schedule.dynamic.ends import Statement, agreed, ends_of, over
from eqsat.schedule.dynamic.filling import fills_in, limit_of_fill
from eqsat.schedule.dynamic.gates import Guard, with_choices_in_gates, without_capacities
from eqsat.schedule.dynamic.overlapping import Begins, Moved, beginnings, moved_lanes, without
from eqsat.schedule.dynamic.peeling import Peel, Vector, narrowed
from eqsat.schedule.dynamic.positions import (
    WHOLE,
    Capacity,
    Limit,
    Place,
    below,
    capacity_in_tiles,
    capacity_product,
    exact_capacity,
    folded,
    has_lanes,
    is_below,
    is_plain,
    lanes_are_apart,
    limits_in,
    packed,
    places_of,
)
from eqsat.schedule.kernel import BufferSpec, Kernel, Role, Schedule
from eqsat.shape import Shape, extent_of
from eqsat.uop import UOp, rewrite, toposort

TRUE = UOp.const(bool_, True)


class Bounded(NamedTuple):
    """A schedule whose loops end at the extents, and whether all loops that fill local memory do so, too."""

    schedule: Schedule
    is_filled_as_needed: bool


def bounded(schedule: Schedule, dynamic: Dynamic) -> Bounded:
    """The schedule, chosen for capacities, with loops that end at the extents."""
    shapes: list[Shape] = []
    needs: list[Shape | None] = []
    for number, spec in enumerate(schedule.buffers):
        given = dynamic.inputs.get(spec.slot) if spec.role is Role.INPUT else None
        if number in schedule.outputs:
            given = dynamic.outputs[schedule.outputs.index(number)]
        shape = given if given is not None else spec.shape or (spec.size,)
        shapes.append(shape)
        needs.append(shape if given is not None else None)
    steps: dict[tuple[int, int], set[int]] = {}
    is_filled_as_needed = True
    for kernel in reversed(schedule.kernels):
        bounding = _Bounding(kernel, schedule.buffers, shapes, needs, dynamic.extents)
        bounding.kernel()
        is_filled_as_needed &= bounding.is_filled_as_needed
        for number, need in bounding.needs.items():
            needs[number] = joined_parts(needs[number], need, shapes[number])
        for place, found in bounding.steps.items():
            steps.setdefault(place, set()).update(found)
    sizes: list[tuple[Capacity, ...]] = []
    for number, (spec, shape, need) in enumerate(zip(schedule.buffers, shapes, needs, strict=True)):
        if spec.role is not Role.TEMPORARY:
            sizes.append(tuple(map(exact_capacity, shape)))
            continue
        used = enumerate(zip(need or shape, shape, strict=True))
        sizes.append(
            tuple(
                capacity_in_tiles(part, steps.get((number, axis), ()), whole) for axis, (part, whole) in used
            )
        )
    kernels = tuple(
        _Bounding(kernel, schedule.buffers, shapes, needs, dynamic.extents, sizes).kernel()
        for kernel in schedule.kernels
    )
    rows = zip(schedule.buffers, shapes, needs, sizes, strict=True)
    buffers = tuple(sized(spec, shape, need or shape, size) for spec, shape, need, size in rows)
    return Bounded(replace(schedule, kernels=kernels, buffers=buffers), is_filled_as_needed)


@dataclass
class _Bounding:
    """The bounding of one kernel.

    Attributes:
        given: the kernel, made for capacities.
        specs: all buffers of the schedule.
        shapes: their shapes.
        stored: the part of each buffer that has to be stored; None if it is not known yet.
        extents: the dynamic extents, by their expressions.
        sizes: the capacity of each buffer along its axes; None in the first pass, which finds out the needs.
        needs: the part that the kernel reads of each buffer.
        steps: the lengths of tiles that reach beyond the needed part, by buffer and axis.
        limits: the limits of positions, as far as all statements in the loops of a position agree on its limit.
        ends: the loops that end early, with their ends.
        is_filled_as_needed: whether no loop fills local memory up to the capacity of a dynamic axis.
        peel: the loops that reductions are peeled into.
        begins: the beginnings of vectors that need not be clamped to a capacity.
        moved: the lanes that are moved back from the ends of axes.
    """

    given: Kernel
    specs: Sequence[BufferSpec]
    shapes: Sequence[Shape]
    stored: Sequence[Shape | None]
    extents: dict[UOp, Extent]
    sizes: Sequence[tuple[Capacity, ...]] | None = None
    needs: dict[int, Shape] = field(default_factory=dict[int, Shape])
    steps: dict[tuple[int, int], set[int]] = field(default_factory=dict[tuple[int, int], set[int]])
    limits: list[Limit] = field(init=False)
    ends: dict[UOp, UOp] = field(init=False)
    is_filled_as_needed: bool = True
    peel: Peel = field(init=False)
    begins: Begins = field(default_factory=dict[UOp, UOp])
    moved: Moved = field(default_factory=Moved)
    _done: dict[UOp, UOp] = field(init=False)

    def kernel(self) -> Kernel:
        """The kernel with bounded loops."""
        sink = with_choices_in_gates(self.given.ast)
        order = toposort([sink])
        conditions = limits_in(self.extents, order)
        statements = self._with_moved_lanes(order, conditions)
        self.is_filled_as_needed = not any(map(self._is_filled_whole, statements))
        self._done = {condition: TRUE for condition, limit in conditions if self._is_kept(limit)}
        narrow = {
            condition: narrowed(condition) for condition, _ in conditions if condition not in self._done
        }
        number = 1 + max((node.arg[0] for node in order if node.op is Op.RANGE), default=0)
        self.peel = peel = Peel(self.ends, number, kept=self.moved.kept)
        reduced = {node: own for node, _, own in statements if node.op is Op.REDUCE}
        for node in order:
            if node not in self._done:
                self._done[node] = self._renewed(node, narrow)
            if node in reduced:
                inside = [limit for limit in reduced[node] if limit in self.limits]
                self._done[node] = peel.peeled(self._done[node], inside, narrow)
        ast = over(self.moved.of(self._done[sink]), self.ends | peel.ends)
        # In most calls the arrays fit caches that arrays of full capacity would not
        if isinstance(ast.arg, KernelInfo):
            ast = ast.replace(arg=replace(ast.arg, streams=False))
        return replace(self.given, ast=ast)

    def _with_moved_lanes(
        self, order: Sequence[UOp], conditions: Sequence[tuple[UOp, Limit]]
    ) -> Sequence[Statement]:
        """The statements of the kernel, after deciding which lanes are moved back from the ends of axes."""
        statements: Sequence[Statement] = ()
        fills = toposort(fills_in(order))
        outside = {begin: bare for begin, bare in beginnings(order).items() if begin not in fills}
        for begins in dict.fromkeys((tuple(outside.items()), ())):
            self.begins = dict(begins)
            statements = self._with_fills(order, self._statements(order, conditions))
            self.moved = moved_lanes(order, statements, self.limits, self.ends, self.begins)
            if self.moved.limits:
                self.ends.update(self.moved.ends)
                break
        return statements

    def _renewed(self, node: UOp, narrow: Mapping[UOp, UOp]) -> UOp:
        """A node rebuilt on its renewed sources."""
        sources = tuple(self._done[source] for source in node.src)
        if node.op is Op.INDEX and self._number(node) is not None:
            return self._address(node)
        if node.op is Op.LOAD and sources[0].op is Op.INDEX:
            assert isinstance(node.dtype, DType)
            otherwise = sources[1:] or (UOp.const(node.dtype, 0),)
            return node.with_src((sources[0], *otherwise) if len(sources[0].src) > 2 else sources[:1])
        if node.op is Op.WHERE:
            sources = (*rewrite(sources[:1], narrow), *sources[1:])
        return folded(node.with_src(sources))

    def _is_kept(self, limit: Limit) -> bool:
        return limit.is_kept(self.ends) or self.moved.are_below(limit)

    # ends of loops

    def _statements(self, order: Sequence[UOp], conditions: Sequence[tuple[UOp, Limit]]) -> list[Statement]:
        """The stores and reductions with loops of their own, each with the limits of the positions that it needs."""
        found: list[Statement] = []
        for node in order:
            start = TABLE[node.op].range_start
            loops = [each for each in node.src[start:] if each.op is Op.RANGE] if start is not None else []
            if loops and node.op is Op.STORE:
                found.append(Statement(node, frozenset(loops), self._limits_of_store(node)))
            elif loops:
                found.append(Statement(node, frozenset(loops), self._limits_of_reduction(node, conditions)))
        return found

    def _with_fills(self, order: Sequence[UOp], statements: Sequence[Statement]) -> Sequence[Statement]:
        """The statements; those that fill local memory get limits where it is not read any more."""
        fills = fills_in(order)
        while True:
            self.limits, self.ends = agreed(statements), ends_of(statements)
            renewed = [self._filling(each, fills.get(each.node, ())) for each in statements]
            if renewed == statements:
                return statements
            statements = renewed

    def _filling(self, statement: Statement, reads: Sequence[UOp]) -> Statement:
        """A statement that fills local memory, with its limit if the limits of the `reads` of that memory are known."""
        if not reads or statement.limits:
            return statement
        begins = beginnings(toposort([statement.node.src[0]]))
        limit = limit_of_fill(statement.node, statement.loops, reads, self.limits, self.ends, begins)
        return statement if limit is None else statement._replace(limits=[limit])

    def _is_filled_whole(self, statement: Statement) -> bool:
        """Whether a statement fills local memory along an axis with a dynamic extent, up to its capacity."""
        node, loops, limits = statement
        if node.op is not Op.STORE or limits or self._number(node.src[0]) is not None:
            return False
        inside = [each for each in toposort([node.src[1]]) if each.op is Op.INDEX]
        numbered = [(each, number) for each in inside if (number := self._number(each)) is not None]
        return any(
            isinstance(place.extent(self.shapes[number]), Extent)
            and any(loop in loops and loop.arg[1] not in WHOLE for loop in place.position.ranges)
            and not self._is_of_a_tile(place.form, loops)
            for each, number in numbered
            for place in places_of(each.src[1], self.shapes[number], each.src[2:])
        )

    def _is_of_a_tile(self, position: Affine, loops: Collection[UOp]) -> bool:
        """Whether the loops cover less than two steps of an ended loop around them: a tile, and the elements read around it."""
        if any(atom.op is not Op.RANGE for atom, _ in position.terms):
            return False
        span = sum((extent_of(loop) - 1) * abs(step) for loop, step in position.terms if loop in loops)
        around = [abs(step) for loop, step in position.terms if loop not in loops and loop in self.ends]
        return bool(around) and span < 2 * min(around)

    def _limits_of_store(self, store: UOp) -> list[Limit]:
        """The limits of positions along axes that have to be stored only in part."""
        number = self._number(store.src[0])
        need = None if number is None else self.stored[number]
        if number is None or need is None:
            return []
        return [
            Limit(without(self.begins, place.form), extent)
            for place in places_of(store.src[0].src[1], self.shapes[number])
            if isinstance(extent := place.extent(need), Extent)
        ]

    def _limits_of_reduction(self, node: UOp, conditions: Sequence[tuple[UOp, Limit]]) -> list[Limit]:
        """The limits of positions beyond which the reduction combines only identity elements."""
        if node.op not in REDUCES:
            return []
        value = node.src[0]
        inside = set(toposort([value]))
        op: Op = node.arg if node.op is Op.REDUCE else node.arg[0]
        assert isinstance(value.dtype, DType)
        neutral = UOp.const(value.dtype, identity_element(op, value.dtype))
        false = UOp.const(bool_, False)
        return [
            limit
            for condition, limit in conditions
            if condition in inside and rewrite([value], {condition: false}, folded)[0] is neutral
        ]

    # addresses of loads and stores

    def _number(self, address: UOp) -> int | None:
        """The number of the buffer that an address is in; None for local memory."""
        memory = address.src[0]
        slot: int = memory.arg[0] if memory.op is Op.PARAM else -1
        return self.given.buffers[slot] if slot >= 0 else None

    def _address(self, node: UOp) -> UOp:
        """The address in an array with the extents of the call, kept inside them."""
        number = self._number(node)
        assert number is not None
        memory, flat, *gates = node.src
        shape = self.shapes[number]
        is_callers = self.specs[number].role is not Role.TEMPORARY
        places = places_of(flat, shape, gates)
        if is_callers:
            gates = without_capacities(gates, places, shape, self.extents)
        positions, gates, beyond = self._kept_inside(node, number, places, gates)
        extents = tuple(place.extent(shape) for place in places)
        sizes = self._sizes(number, places, extents)
        is_moved = any(new is not place.position for new, place in zip(positions, places, strict=True))
        if is_moved or any(isinstance(size, UOp) for size in sizes[1:]):
            flat = packed(positions, sizes)
        is_guarded = is_callers and bool(gates) and not self._is_stored(node)
        guard = Guard.of(node.with_src((memory, flat)), gates, beyond) if is_guarded else None
        if beyond or (is_guarded and is_dynamic(shape) and any(map(has_lanes, gates))):
            gates = [_both(gates, is_below(flat, _elements(shape)))]  # the main loop loads whole vectors
        flat, *gates = rewrite([flat, *gates], self._done)  # they may contain loads
        address = node.with_src((memory, flat, *gates))
        if beyond and len(node.src) == 2:
            bare = node.with_src((memory, flat))
            self.peel.vectors[address] = Vector(bare, UOp.extent(_elements(shape)), tuple(beyond))
        if guard is not None:
            self.peel.guards[address] = guard
        return address

    def _kept_inside(
        self, node: UOp, number: int, places: Sequence[Place], gates: list[UOp]
    ) -> tuple[list[UOp], list[UOp], list[Limit]]:
        """(positions of an address, its gates, limits that lanes of a vector may still exceed); other positions are clamped or gated."""
        shape = self.shapes[number]
        is_callers = self.specs[number].role is not Role.TEMPORARY
        stored = self.stored[number] if self._is_stored(node) else None
        positions = [place.position for place in places]
        need = list(capacities(shape))
        beyond: list[Limit] = []
        for number_of_place, place in enumerate(places):
            limit = self._limit_of(place.form)
            if stored is not None:
                need[place.first] = stored[place.first]
            elif limit is not None and limit.extent.is_multiple(place.inner):
                need[place.first] = limit.extent // place.inner
            extent = place.extent(shape if is_callers else tuple(need))
            if not isinstance(extent, Extent) or self._stays_below(place, extent, limit):
                continue
            if not is_callers:
                self.steps.setdefault((number, place.first), set()).add(self._step(place, extent))
            if not is_callers and (has_lanes(place.position) or stored is not None):
                continue  # temporaries have room there
            if stored is not None:
                gates = [_both(gates, is_below(place.position, extent))]
            elif has_lanes(place.position) and not lanes_are_apart(node):
                beyond.append(Limit(place.form, extent))  # lanes beyond a row load from the next row
            elif not self._is_gated(place, extent, gates):
                positions[number_of_place] = below(place.position, extent)
        if stored is None:
            self.needs[number] = joined_parts(self.needs.get(number), tuple(need), shape)
        return positions, gates, beyond

    def _stays_below(self, place: Place, extent: Extent, limit: Limit | None) -> bool:
        """Whether a position stays below an extent because its loops end there, or because lanes are moved."""
        is_kept = limit is not None and limit.extent == extent and limit.is_kept(self.ends)
        return is_kept or self.moved.are_below(Limit(place.form, extent))

    def _is_gated(self, place: Place, extent: Extent, gates: Sequence[UOp]) -> bool:
        """Whether a gate already has the condition that a position is below an extent."""
        conditions = [each for gate in gates for each in conjuncts(gate)]
        known = Limit(place.form, extent)
        return any(limit == known for _, limit in limits_in(self.extents, conditions))

    def _step(self, place: Place, extent: Extent) -> int:
        """The length of the tiles that reach beyond an extent along a place; the whole capacity if no loop ends there."""
        form = place.form
        outer, step = max(form.terms, key=lambda term: term[1], default=(None, 0))
        found = [limit for limit in self.limits if (limit.position, limit.extent) == (form, extent)]
        is_ended = is_plain(form) and bool(found) and outer in self.ends
        return lcm(step, *(limit.multiple for limit in found)) if is_ended else capacity(extent)

    def _sizes(self, number: int, places: Sequence[Place], extents: Shape) -> tuple[Capacity, ...]:
        """The capacity of a buffer along each place, that is, along neighbouring axes that loops walk together."""
        if self.sizes is None:
            return tuple(map(exact_capacity, extents))
        sizes = self.sizes[number]
        return tuple(capacity_product(sizes[place.first], place.inner) for place in places)

    def _is_stored(self, address: UOp) -> bool:
        return any(store.src[0] is address for store in self.given.ast.src)

    def _limit_of(self, form: Affine) -> Limit | None:
        """The limit of a position: its own, or one derived from the limit of a position at a known distance; None if there is neither."""
        known = next((limit for limit in self.limits if limit.position == form), None)
        if known is not None:
            return known
        further = ((each.reach(form), each.multiple) for each in self.limits)
        return next((Limit(form, reach, multiple) for reach, multiple in further if reach is not None), None)


def _elements(shape: Shape) -> Extent:
    """The number of elements of an array that has an axis with a dynamic extent."""
    found = prod(shape)
    assert isinstance(found, Extent)
    return found


def _both(gates: Sequence[UOp], condition: UOp) -> UOp:
    return gates[0] & condition if gates else condition
