"""Reductions over tiles that need not fill an axis: whole tiles without any condition first, and then what is left, under conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import mul

from eqsat.dtype import bool_, index, int32
from eqsat.extents import Extent
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import Affine
from eqsat.ops import AxisType, Op
from eqsat.schedule.dynamic.positions import WHOLE, Limit, below, folded
from eqsat.schedule.lowering.index_arithmetic import add, floor_divide, multiply
from eqsat.shape import extent_of
from eqsat.uop import UOp, rewrite, toposort

TRUE = UOp.const(bool_, True)
ZERO, ONE = UOp.const(index, 0), UOp.const(index, 1)


@dataclass(frozen=True)
class Tile:
    """An address of a vector, which is gated where lanes may be beyond the caller's array.

    Attributes:
        address: without the gate.
        positions: that have lanes, with the extents of their axes.
    """

    address: UOp
    positions: tuple[tuple[Affine, Extent], ...]

    def is_whole(self) -> list[UOp]:
        """For each position 1 where all of its lanes and copies are below the extent, else 0."""
        found: list[UOp] = []
        for position, extent in self.positions:
            inner = [
                (atom, step) for atom, step in position.terms if atom.op is Op.RANGE and atom.arg[1] in WHOLE
            ]
            last = position.plus(Affine(0, tuple(inner)), -1).plus(
                Affine(sum((extent_of(loop) - 1) * step for loop, step in inner))
            )
            room = add(UOp.extent(extent), last.times(-1).build())
            found.append(UOp(Op.MIN, index, (UOp(Op.MAX, index, (room, ZERO)), ONE)))
        return found


@dataclass
class Peel:
    """The loops that reductions are peeled into.

    Attributes:
        given: the loops that end early, with their ends.
        number: of the next loop.
        ends: of the new loops.
        tiles: addresses of vectors that are gated.
    """

    given: Mapping[UOp, UOp]
    number: int
    ends: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    tiles: dict[UOp, Tile] = field(default_factory=dict[UOp, Tile])
    _made: dict[tuple[UOp, Limit], tuple[UOp, UOp, UOp]] = field(
        default_factory=dict[tuple[UOp, Limit], tuple[UOp, UOp, UOp]]
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
        whole, last, count = self._loops(loop, step, limit)
        inside = self._inside(node, limit, narrow)
        value = node.src[0]
        others = [each for each in node.src[1:] if each is not loop]
        first = rewrite(rewrite([value], inside, folded), {loop: whole})[0]
        rest = rewrite([value], {loop: add(count, last)})[0]
        one, other = (node.with_src((part, own, *others)) for part, own in ((first, whole), (rest, last)))
        return one.alu(node.arg, other)

    def in_whole_tiles(self, node: UOp) -> UOp:
        """Reductions whose vectors are gated as those without gates, for tiles that are whole, and as they are, for others.

        Of the two one has no steps: gates in the main loop would take registers and time also where all lanes are inside.
        """
        given = [each for each in toposort([node]) if each.op is Op.REDUCE]
        return rewrite(
            [node], {each: new for each in given if (new := self._whole_or_not(each)) is not None}
        )[0]

    def _whole_or_not(self, node: UOp) -> UOp | None:
        """One reduction as two, if none of its gates is of its own loops."""
        own = [each for each in node.src[1:] if each.arg[1] is AxisType.REDUCE]
        inside = toposort([node.src[0]])
        loads = [each for each in inside if each.op is Op.LOAD and each.src[0] in self.tiles]
        flags = {flag: None for each in loads for flag in self.tiles[each.src[0]].is_whole()}
        if not flags or not own or any(loop in own for flag in flags for loop in flag.ranges):
            return None
        loop = own[0]
        whole = reduce(mul, flags)
        count = self.ends.get(loop, self.given.get(loop, loop.src[0]))
        first, second = (loop.replace(arg=(self.number + each, loop.arg[1])) for each in (0, 1))
        self.number += 2
        self.ends |= {first: count * whole, second: count * add(ONE, multiply(whole, -1))}
        bare = {each: each.with_src((self.tiles[each.src[0]].address,)) for each in loads}
        one = rewrite(rewrite([node], bare), {loop: first})[0]
        return one.alu(node.arg, rewrite([node], {loop: second})[0])

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
