"""Reductions over tiles that need not fill an axis: whole tiles without any condition first, and then what is left, under conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eqsat.dtype import bool_, index, int32
from eqsat.integers.bounds import bounds
from eqsat.ops import AxisType, Op
from eqsat.schedule.dynamic.positions import Limit, below, folded
from eqsat.schedule.lowering.index_arithmetic import add, floor_divide
from eqsat.uop import UOp, rewrite, toposort

TRUE = UOp.const(bool_, True)


@dataclass
class Peel:
    """The loops that reductions are peeled into.

    Attributes:
        given: the loops that end early, with their ends.
        number: of the next loop.
        ends: of the new loops.
    """

    given: Mapping[UOp, UOp]
    number: int
    ends: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
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
