"""Peels reductions over tiles that need not fill an axis: whole tiles run first, without any condition, then the rest, under conditions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from eqsat.dtype import bool_, index, int32
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import Affine
from eqsat.ops import ABREAST, TABLE, AxisType, Op
from eqsat.schedule.dynamic.gates import Guard, holds, least_of, ungated
from eqsat.schedule.dynamic.positions import WHOLE, Limit, below, folded
from eqsat.schedule.lowering.index_arithmetic import add, floor_divide, floor_modulo, multiply
from eqsat.shape import extent_of
from eqsat.uop import UOp, rewrite, toposort

TRUE = UOp.const(bool_, True)
ZERO, ONE = UOp.const(index, 0), UOp.const(index, 1)


@dataclass(frozen=True)
class Vector:
    """An address that is gated because its lanes may be beyond the caller's array.

    Attributes:
        address: the address without the gate.
        size: the number of elements of the array.
        beyond: the positions along axes that may exceed their extents.
    """

    address: UOp
    size: UOp
    beyond: tuple[Limit, ...]

    def is_inside(self, limit: Limit) -> bool:
        """Whether all lanes are inside the array where a position is below its limit."""
        return all(
            each.extent == limit.extent and each.position.plus(limit.position, -1) == Affine(0)
            for each in self.beyond
        )

    def steps_inside(self, loop: UOp, others: Mapping[UOp, UOp], around: Collection[UOp]) -> UOp | None:
        """The number of steps of a loop for which all lanes are inside the array; None if it is not known.

        `others` are the other loops of the reduction with their last values, and `around` the loops around the reduction.
        """
        flat = self.address.src[1]
        if loop not in flat.ranges or not _is_sum(flat, loop):
            return None
        last = {each: UOp.const(index, extent_of(each) - 1) for each in flat.ranges if each.arg[1] in WHOLE}
        last |= others
        if any(each is not loop and each not in last and each not in around for each in flat.ranges):
            return None
        first, second = (
            rewrite([flat], {**last, loop: UOp.const(index, place)}, folded)[0] for place in (0, 1)
        )
        step = UOp(Op.MAX, index, (add(second, multiply(first, -1)), ONE))
        left = add(add(self.size, multiply(first, -1)), add(step, -1))
        return UOp(Op.MAX, index, (left, ZERO)) // step


Tiles = tuple[tuple[UOp, int], ...]  # loops with the elements of one step, the longest tiles first


class _Part(NamedTuple):
    """A part of a reduction.

    Attributes:
        positions: the replacements of the loops over the whole axis.
        loop: the loop of this part.
        is_inside: whether all of its elements are below the limit.
    """

    positions: Mapping[UOp, UOp]
    loop: UOp
    is_inside: bool


@dataclass
class Peel:
    """The loops that reductions are peeled into.

    Attributes:
        given: the loops that end early, with their ends.
        number: the number of the next new loop.
        ends: the ends of the new loops.
        vectors: addresses gated because of their lanes, with their descriptions.
        guards: addresses with other gates, with the meaning of these.
        kept: for each loop over moved lanes, a sum that is at least 0 where the lanes are not moved.
    """

    given: Mapping[UOp, UOp]
    number: int
    ends: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    vectors: dict[UOp, Vector] = field(default_factory=dict[UOp, Vector])
    guards: dict[UOp, Guard] = field(default_factory=dict[UOp, Guard])
    kept: Mapping[UOp, Affine] = field(default_factory=dict[UOp, Affine])
    _made: dict[tuple[Tiles, Limit], list[_Part]] = field(
        default_factory=dict[tuple[Tiles, Limit], "list[_Part]"]
    )

    _apart: dict[tuple[tuple[UOp, ...], UOp], Sequence[Mapping[UOp, UOp]]] = field(
        default_factory=dict[tuple[tuple[UOp, ...], UOp], "Sequence[Mapping[UOp, UOp]]"]
    )
    _parts: dict[tuple[UOp, UOp], tuple[UOp, UOp]] = field(
        default_factory=dict[tuple[UOp, UOp], tuple[UOp, UOp]]
    )

    def peeled(self, node: UOp, limits: Sequence[Limit], narrow: Mapping[UOp, UOp]) -> UOp:
        """A reduction in parts, of which only the last has conditions; lanes of vectors are combined at the end, once for all parts."""
        lanes = [each for each in node.src[1:] if each.arg[1] is AxisType.UPCAST]
        in_lanes = node.with_src(tuple(each for each in node.src if each not in lanes))
        parts = [part for tiles in self._tiled(in_lanes, limits, narrow) for part in self._ungated(tiles)]
        parts = [each for part in parts for each in self._inside_or_not(part, lanes)]
        if parts == [in_lanes]:
            return node
        combined = reduce(lambda one, other: one.alu(node.arg, other), parts)
        return node.with_src((combined, *lanes)) if lanes else combined

    def _tiled(self, node: UOp, limits: Sequence[Limit], narrow: Mapping[UOp, UOp]) -> list[UOp]:
        """The parts of a reduction: over whole tiles of a loop, over whole vectors of the rest, and over the last elements, under conditions."""
        limit, tiles = next(
            ((limit, tiles) for limit in limits if (tiles := self._tiles(node, limit))), (None, ())
        )
        if limit is None or any(_has_loops_in(node, loop) for loop, _ in tiles):
            return [node]
        value = node.src[0]
        bare = self._without_gates(node, lambda vector: vector.is_inside(limit))
        whole = rewrite(rewrite([value], bare), self._inside(node, limit, narrow), folded)[0]
        parts: list[UOp] = []
        for part in self._parts_of(tiles, limit):
            others = [each for each in node.src[1:] if each not in part.positions]
            source = rewrite([whole if part.is_inside else value], part.positions)[0]
            parts.append(node.with_src((source, part.loop, *others)))
        return parts

    def _ungated(self, node: UOp) -> list[UOp]:
        """The parts of a reduction with gated vectors: one without gates for the steps in which all lanes are inside, one with gates for the rest.

        Gates in the main loop would take registers, and they would take time even where all lanes are inside.
        """
        own = {each: self._end(each) for each in node.src[1:] if each.arg[1] is AxisType.REDUCE}
        bare = self._without_gates(node, lambda vector: True)
        if not own or not bare:
            return [node]
        loop, *others = own
        if _has_loops_in(node, loop):
            return [node]
        last = {each: add(own[each], -1) for each in others}
        counts = [own[loop]]
        for each in bare:
            steps = self.vectors[each.src[0]].steps_inside(loop, last, node.ranges)
            if steps is None:
                return [node]
            counts.append(steps)
        count = _least(list(dict.fromkeys(counts)))
        first, rest = self._in_two(loop, count)
        one = rewrite(rewrite([node], bare), {loop: first})[0]
        value = rewrite(node.src[:1], {loop: add(count, rest)})[0]
        loops = (rest if each is loop else each for each in node.src[1:])
        return [one, node.with_src((value, *loops))]

    def _inside_or_not(self, node: UOp, lanes: Sequence[UOp]) -> list[UOp]:
        """Two versions of a reduction with guarded loads: one without gates, which runs if all elements are inside, and one with gates otherwise."""
        loops = [each for each in node.src[1:] if each.arg[1] is AxisType.REDUCE]
        addresses = [each.src[0] for each in _computed_in(node) if each.op is Op.LOAD]
        found = {each: self.guards[each] for each in addresses if each in self.guards}
        if not found or not loops or any(_has_loops_in(node, loop) for loop in loops):
            return [node]
        slacks = [slack for guard in found.values() for slack in guard.slacks]
        moved = {self.kept[atom] for slack in slacks for atom, _ in slack.terms if atom in self.kept}
        inner = (*node.src[1:], *lanes, *(each for each in toposort([node]) if _is_abreast(each)))
        ends = {each: self._end(each) for each in inner}
        around = [each for each in node.ranges if each.arg[1] is not AxisType.REDUCE]
        values = [least_of(slack, ends, around) for slack in (*slacks, *moved)]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return [node]
        inside, elsewhere = self._loops_inside_or_not(loops, holds(known))
        bare = node.with_src((ungated(node.src[0], found), *node.src[1:]))
        return [rewrite([bare], inside)[0], rewrite([node], elsewhere)[0]]

    def _loops_inside_or_not(self, loops: Sequence[UOp], is_inside: UOp) -> Sequence[Mapping[UOp, UOp]]:
        """(loops that run if all elements are inside, loops that run otherwise), the same for all reductions in the loops `loops`."""
        key = tuple(loops), is_inside
        if key not in self._apart:
            both = [{each: self._loop(each, self._end(each)) for each in loops} for _ in range(2)]
            end = self._end(loops[0])
            count = is_inside * end
            self.ends[both[0][loops[0]]] = count
            self.ends[both[1][loops[0]]] = add(end, count * -1)
            self._apart[key] = both
        return self._apart[key]

    def _without_gates(self, reduction: UOp, is_chosen: Callable[[Vector], bool]) -> dict[UOp, UOp]:
        """The chosen loads of gated vectors in each step of a reduction, each with the load without its gate."""
        return {
            each: each.with_src((vector.address,))
            for each in _computed_in(reduction)
            if each.op is Op.LOAD and (vector := self.vectors.get(each.src[0])) and is_chosen(vector)
        }

    def _in_two(self, loop: UOp, count: UOp) -> tuple[UOp, UOp]:
        """(a loop of `count` steps, a loop of the remaining steps), the same for all reductions in one loop."""
        if (loop, count) not in self._parts:
            first, rest = (loop.replace(arg=(self.number + each, loop.arg[1])) for each in (0, 1))
            self.number += 2
            self.ends |= {first: count, rest: add(self._end(loop), multiply(count, -1))}
            self._parts[loop, count] = first, rest
        return self._parts[loop, count]

    def _end(self, loop: UOp) -> UOp:
        """The end of a loop."""
        return self.ends.get(loop, self.given.get(loop, loop.src[0]))

    def _tiles(self, node: UOp, limit: Limit) -> Tiles:
        """The loop over tiles of a limit and, if any, the unrolled loop over vectors in a tile, with their steps.

        It is empty if the reduction has no such loop, or no partial tile.
        """
        terms = sorted(limit.position.terms, key=lambda term: -term[1])
        if not terms or limit.position.constant or limit.is_kept(self.given) or not limit.is_tiled:
            return ()
        (loop, step), *inner = terms
        if (
            loop not in self.given
            or loop not in node.src[1:]
            or loop.arg[1] is not AxisType.REDUCE
            or step == 1
        ):
            return ()
        found = [(loop, step)]
        if inner and inner[0][0] in node.src[1:] and inner[0][0].arg[1] is AxisType.UNROLL:
            unrolled, width = inner[0]
            if extent_of(unrolled) * width == step:
                found.append((unrolled, width))
        return tuple(found)

    def _parts_of(self, tiles: Tiles, limit: Limit) -> list[_Part]:
        """The parts of an axis in order: a loop over whole tiles of each length, and a loop over the last, partial tile."""
        key = tiles, limit
        if key in self._made:
            return self._made[key]
        found: list[_Part] = []
        before: dict[UOp, UOp] = {}
        left = limit.end
        for loop, step in tiles:
            count = floor_divide(left, step)
            whole = self._loop(loop, count)
            found.append(_Part({**before, loop: whole}, whole, is_inside=True))
            before[loop] = count
            left = floor_modulo(left, step)
        loop, step = tiles[-1]
        if step > 1:
            last = self._loop(loop, floor_divide(add(left, step - 1), step))
            found.append(_Part({**before, loop: add(before[loop], last)}, last, is_inside=False))
        self._made[key] = found
        return found

    def _loop(self, like: UOp, end: UOp) -> UOp:
        """A new loop of a reduction with this end."""
        made = like.replace(arg=(self.number, AxisType.REDUCE))
        self.number += 1
        self.ends[made] = end
        return made

    def _inside(self, node: UOp, limit: Limit, narrow: Mapping[UOp, UOp]) -> dict[UOp, UOp]:
        """Replacements that hold in whole tiles: conditions that are true there, and clamped positions that need no clamping."""
        place = limit.position.build()
        condition = place < limit.end
        known = {condition: TRUE, below(place, limit.extent): place}
        if condition in narrow:
            known[narrow[condition]] = TRUE
        return {each: known[each] for each in toposort([node]) if each in known}


def narrowed(condition: UOp) -> UOp:
    """A comparison of positions, in 32 bits if they fit: compilers turn it into a mask for lanes of that width."""
    fits = all(int32.min <= end <= int32.max for source in condition.src for end in bounds(source))
    if not fits or any(source.dtype is not index for source in condition.src):
        return condition
    left, right = (source.cast(int32) for source in condition.src)
    return left.alu(Op.CMPLT, right)


def _is_abreast(loop: UOp) -> bool:
    return loop.op is Op.RANGE and loop.arg[1] in ABREAST


def _has_loops_in(reduction: UOp, loop: UOp) -> bool:
    """Whether other loops run in each step of a reduction's loop; two parts of the reduction could not share these."""
    inside = toposort([reduction.src[0]])
    return any(TABLE[each.op].range_start is not None and loop in each.ranges for each in inside)


def _computed_in(reduction: UOp) -> list[UOp]:
    """The nodes computed in each step of a reduction, without the nodes inside nested reductions or stores."""
    found: dict[UOp, None] = {}
    pending = [reduction.src[0]]
    while pending:
        node = pending.pop()
        if node not in found and TABLE[node.op].range_start is None:
            found[node] = None
            pending += node.src
    return list(found)


def _least(values: Sequence[UOp]) -> UOp:
    return reduce(lambda one, other: UOp(Op.MIN, index, (one, other)), values)


def _is_sum(position: UOp, loop: UOp) -> bool:
    """Whether a loop occurs only in products and sums of a position."""
    with_loop = [node for node in toposort([position]) if loop in node.ranges and node is not loop]
    return all(node.op in (Op.ADD, Op.MUL) for node in with_loop)
