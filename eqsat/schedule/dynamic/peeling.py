"""Reductions over tiles that need not fill an axis: whole tiles without any condition first, and then what is left, under conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from eqsat.dtype import bool_, index, int32
from eqsat.integers.bounds import bounds
from eqsat.ops import TABLE, AxisType, Op
from eqsat.schedule.dynamic.positions import WHOLE, Limit, below, folded
from eqsat.schedule.lowering.index_arithmetic import add, floor_divide, multiply
from eqsat.shape import extent_of
from eqsat.uop import UOp, rewrite, toposort

TRUE = UOp.const(bool_, True)
ZERO, ONE = UOp.const(index, 0), UOp.const(index, 1)


@dataclass(frozen=True)
class Vector:
    """An address whose lanes may be beyond the caller's array, where it is gated: without the gate, and the elements that there are."""

    address: UOp
    size: UOp

    def steps_inside(self, loop: UOp, others: Mapping[UOp, UOp], around: Collection[UOp]) -> UOp | None:
        """For how many steps of a loop all lanes are inside, `others` of the reduction having their last values; None if that cannot be told.

        `around` are the loops around the reduction.
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


@dataclass
class Peel:
    """The loops that reductions are peeled into.

    Attributes:
        given: the loops that end early, with their ends.
        number: of the next loop.
        ends: of the new loops.
        vectors: addresses that are gated.
    """

    given: Mapping[UOp, UOp]
    number: int
    ends: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    vectors: dict[UOp, Vector] = field(default_factory=dict[UOp, Vector])
    _made: dict[tuple[UOp, Limit], tuple[UOp, UOp, UOp]] = field(
        default_factory=dict[tuple[UOp, Limit], tuple[UOp, UOp, UOp]]
    )

    _parts: dict[tuple[UOp, UOp], tuple[UOp, UOp]] = field(
        default_factory=dict[tuple[UOp, UOp], tuple[UOp, UOp]]
    )

    def peeled(self, node: UOp, limits: Sequence[Limit], narrow: Mapping[UOp, UOp]) -> UOp:
        """A reduction as one over the whole tiles of a loop and one over the last tile, which may be a part of one."""
        for limit in limits:
            found = self._tiles(node, limit)
            if found is not None:
                break
        else:
            return node
        loop, step = found
        if _has_loops_in(node, loop):
            return node
        whole, last, count = self._loops(loop, step, limit)
        inside = self._inside(node, limit, narrow)
        value = node.src[0]
        others = [each for each in node.src[1:] if each is not loop]
        first = rewrite(rewrite([value], inside, folded), {loop: whole})[0]
        rest = rewrite([value], {loop: add(count, last)})[0]
        one, other = (node.with_src((part, own, *others)) for part, own in ((first, whole), (rest, last)))
        return one.alu(node.arg, other)

    def ungated(self, node: UOp) -> UOp:
        """Reductions with gated vectors as those without gates, for as many steps as all lanes are inside, and as they are for the last steps.

        Gates in the main loop would take registers, and time also where all lanes are inside.
        """
        if node.op is not Op.REDUCE:  # it is peeled
            return node.with_src(tuple(map(self.ungated, node.src)))
        own = {each: self._end(each) for each in node.src[1:] if each.arg[1] is AxisType.REDUCE}
        loads = [each for each in _computed_in(node) if each.op is Op.LOAD and each.src[0] in self.vectors]
        if not own or not loads:
            return node
        loop, *others = own
        if _has_loops_in(node, loop):
            return node
        last = {each: add(own[each], -1) for each in others}
        counts = [own[loop]]
        for each in loads:
            steps = self.vectors[each.src[0]].steps_inside(loop, last, node.ranges)
            if steps is None:
                return node
            counts.append(steps)
        count = _least(list(dict.fromkeys(counts)))
        first, rest = self._in_two(loop, count)
        bare = {each: each.with_src((self.vectors[each.src[0]].address,)) for each in loads}
        one = rewrite(rewrite([node], bare), {loop: first})[0]
        value = rewrite(node.src[:1], {loop: add(count, rest)})[0]
        loops = (rest if each is loop else each for each in node.src[1:])
        return one.alu(node.arg, node.with_src((value, *loops)))

    def _in_two(self, loop: UOp, count: UOp) -> tuple[UOp, UOp]:
        """A loop for so many steps, and one for what is left; the same for all reductions that are computed in one loop."""
        if (loop, count) not in self._parts:
            first, rest = (loop.replace(arg=(self.number + each, loop.arg[1])) for each in (0, 1))
            self.number += 2
            self.ends |= {first: count, rest: add(self._end(loop), multiply(count, -1))}
            self._parts[loop, count] = first, rest
        return self._parts[loop, count]

    def _end(self, loop: UOp) -> UOp:
        """Where a loop ends."""
        return self.ends.get(loop, self.given.get(loop, loop.src[0]))

    def _tiles(self, node: UOp, limit: Limit) -> tuple[UOp, int] | None:
        """The loop over tiles of a limit, and their length, if the last tile may be a part of one."""
        terms = sorted(limit.position.terms, key=lambda term: -term[1])
        if not terms or limit.position.constant or limit.is_kept(self.given):
            return None
        loop, step = terms[0]
        is_loop = loop in self.given and loop in node.src[1:] and loop.arg[1] is AxisType.REDUCE
        return (loop, step) if is_loop and step > 1 and limit.is_tiled else None

    def _loops(self, loop: UOp, step: int, limit: Limit) -> tuple[UOp, UOp, UOp]:
        """The loop over whole tiles, that over the last one, and how many whole ones there are."""
        key = loop, limit
        if key not in self._made:
            count = floor_divide(limit.end, step)
            whole, last = (loop.replace(arg=(self.number + each, loop.arg[1])) for each in (0, 1))
            self.number += 2
            self.ends |= {whole: count, last: add(self.given[loop], count * -1)}
            self._made[key] = whole, last, count
        return self._made[key]

    def _inside(self, node: UOp, limit: Limit, narrow: Mapping[UOp, UOp]) -> dict[UOp, UOp]:
        """What is known of positions in whole tiles."""
        place = limit.position.build()
        condition = place < limit.end
        known = {condition: TRUE, below(place, limit.extent): place}
        if condition in narrow:
            known[narrow[condition]] = TRUE
        return {each: known[each] for each in toposort([node]) if each in known}


def narrowed(condition: UOp) -> UOp:
    """A comparison of positions in 32 bits, if they fit: compilers make a mask of that for lanes as wide."""
    fits = all(int32.min <= end <= int32.max for source in condition.src for end in bounds(source))
    if not fits or any(source.dtype is not index for source in condition.src):
        return condition
    left, right = (source.cast(int32) for source in condition.src)
    return left.alu(Op.CMPLT, right)


def _has_loops_in(reduction: UOp, loop: UOp) -> bool:
    """Whether other loops run in each step of a loop of a reduction: in two parts of that they would have to be others."""
    inside = toposort([reduction.src[0]])
    return any(TABLE[each.op].range_start is not None and loop in each.ranges for each in inside)


def _computed_in(reduction: UOp) -> list[UOp]:
    """What is computed in each step of a reduction: not what other reductions or stores in it compute."""
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
    """Whether a loop occurs in a position in products and sums only."""
    with_loop = [node for node in toposort([position]) if loop in node.ranges and node is not loop]
    return all(node.op in (Op.ADD, Op.MUL) for node in with_loop)
