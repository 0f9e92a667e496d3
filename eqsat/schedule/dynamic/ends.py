"""The ends of loops over axes with dynamic extents: all statements in a loop have to agree on its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eqsat.schedule.dynamic.positions import Limit
from eqsat.uop import UOp, rewrite


class Statement(NamedTuple):
    """A store or reduction, its own loops, and the limits of positions in them."""

    node: UOp
    loops: frozenset[UOp]
    limits: list[Limit]


def agreed(statements: Sequence[Statement]) -> list[Limit]:
    """The limits that all statements share that have a loop of the limit's position."""
    every = dict.fromkeys(limit for each in statements for limit in each.limits)
    return [
        limit
        for limit in every
        if all(limit in each.limits for each in statements if not each.loops.isdisjoint(limit.loops))
    ]


def ends_of(statements: Sequence[Statement]) -> dict[UOp, UOp]:
    """The loops that end before their capacity, with their ends: all statements in such a loop agree on its end."""
    wanted: dict[UOp, set[UOp | None]] = {}
    for _, loops, limits in statements:
        ends: dict[UOp, UOp] = {}
        for limit in limits:
            ends |= limit.ends()
        for loop in loops:
            wanted.setdefault(loop, set()).add(ends.get(loop))
    return {
        loop: end
        for loop, found in wanted.items()
        if len(found) == 1 and (end := next(iter(found))) is not None
    }


def over(sink: UOp, ends: Mapping[UOp, UOp]) -> UOp:
    """The kernel with these ends of loops, which may depend on other loops."""
    made: dict[UOp, UOp] = {}

    def made_of(loop: UOp) -> UOp:
        if loop not in made:
            around = {each: made_of(each) for each in ends[loop].ranges if each in ends}
            made[loop] = loop.with_src((rewrite([ends[loop]], around)[0], *loop.src[1:]))
        return made[loop]

    return rewrite([sink], {loop: made_of(loop) for loop in ends})[0]
