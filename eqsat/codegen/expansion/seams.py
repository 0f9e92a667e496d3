"""Arrays that are joined along the lanes: a vector of which all lanes are in one of them is one whole load."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from eqsat.codegen.expansion.borders import parts_of
from eqsat.codegen.expansion.demand import Expanding, Request
from eqsat.codegen.expansion.dependence import extent
from eqsat.codegen.expansion.lanes import fold
from eqsat.codegen.expansion.strides import Strides
from eqsat.integers.linear import Affine
from eqsat.ops import Op
from eqsat.uop import UOp


@dataclass(frozen=True)
class Part:
    """One of the arrays.

    Attributes:
        inside: by condition, whether it holds where a lane is in this array, and what is at least 0 there and below 0 elsewhere.
        value: the load of its element; before it is found, what still chooses between arrays.
    """

    inside: Mapping[UOp, tuple[bool, Affine]]
    value: UOp

    def where(self, condition: UOp, holds: bool, slack: Affine, value: UOp) -> Part | None:
        """The part of it for which something else holds, too, in which another value is taken; None if there is no such part."""
        if not holds:
            slack = slack.times(-1).plus(Affine(-1))
        for _, other in self.inside.values():
            both = other.plus(slack)
            if not both.terms and both.constant < 0:
                return None
        if any(_follows(slack, other) for _, other in self.inside.values()):
            return Part(self.inside, value)
        kept = {
            each: (held, other) for each, (held, other) in self.inside.items() if not _follows(other, slack)
        }
        return Part({**kept, condition: (holds, slack)}, value)

    def decisive(self, strides: Strides) -> list[tuple[UOp, bool, int]]:
        """All lanes are in it, and inside the gate of its load, if each of these conditions holds, or does not, in the lane that is told."""
        inside = [(condition, holds) for condition, (holds, _) in self.inside.items()]
        gates = [(gate, True) for gate in self.value.src[0].src[2:]]
        last = extent(strides.lane[self.value]) - 1
        return [
            (each, holds, 0 if (step >= 0) is holds else last)
            for condition, holds in inside + gates
            for each, _, step in parts_of(condition, strides.lane, strides.forms)
        ]


def _follows(slack: Affine, other: Affine) -> bool:
    """Whether the one is at least 0 wherever the other is."""
    difference = slack.plus(other, -1)
    return not difference.terms and difference.constant >= 0


def joined(choice: UOp, value: UOp, strides: Strides, request: Callable[..., Request]) -> Expanding:
    """The vector of a WHERE, `value`; if it takes elements of several arrays, a whole load where all lanes are in one of them.

    `request` asks for a copy of a node in one `lane`.
    """
    parts = parts_joined(choice, strides.slack, strides.is_whole)
    if len(parts) < 2:
        return value
    wholes: list[tuple[UOp, list[UOp]]] = []
    for part in parts:
        conditions: list[UOp] = []
        for condition, holds, lane in part.decisive(strides):
            held = yield request(condition, lane=lane)
            conditions.append(held if holds else fold(held.logical_not()))
        wholes.append(((yield request(part.value.src[0], lane=0)), conditions))
    return first_inside(wholes, value)


def parts_joined(
    choice: UOp, slack_of: Callable[[UOp], Affine | None], is_whole: Callable[[UOp], bool]
) -> list[Part]:
    """The arrays of which a WHERE, and those in its branches, take elements; none where something else is taken, too.

    Args:
        choice: the WHERE.
        slack_of: what is at least 0 where a condition holds, and below 0 elsewhere, if that is linear.
        is_whole: whether a load takes lanes side by side where its gate holds for all.
    """
    found: list[Part] = []
    pending = [Part({}, choice)]
    while pending:
        part = pending.pop()
        node = part.value
        slack = slack_of(node.src[0]) if node.op is Op.WHERE else None
        if slack is not None:
            condition, then, otherwise = node.src
            branches = (
                part.where(condition, False, slack, otherwise),
                part.where(condition, True, slack, then),
            )
            pending += [branch for branch in branches if branch is not None]
        elif node.op is Op.LOAD and is_whole(node):
            found.append(part)
        else:
            return []
    return found


def first_inside(loads: Sequence[tuple[UOp, Sequence[UOp]]], otherwise: UOp) -> UOp:
    """What is loaded from the first of these addresses of which all conditions hold, and something else where there is none."""
    value = otherwise
    for address, conditions in reversed(loads):
        bare = address.with_src(address.src[:2])
        gate = reduce(lambda left, right: fold(left.alu(Op.AND, right)), dict.fromkeys(conditions))
        if gate.op is not Op.CONST:
            value = UOp(Op.LOAD, value.dtype, (bare.with_src((*bare.src, gate)), value))
        elif gate.arg:
            value = UOp(Op.LOAD, value.dtype, (bare,))
    return value
