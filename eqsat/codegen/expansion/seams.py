"""Arrays that are concatenated along the lanes: a vector whose lanes all lie in one of the arrays is one whole load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

from eqsat.codegen.expansion.borders import parts_of
from eqsat.codegen.expansion.demand import Expanding, Request
from eqsat.codegen.expansion.dependence import extent
from eqsat.codegen.expansion.lanes import fold
from eqsat.codegen.expansion.strides import Strides
from eqsat.integers.bounds import bounds
from eqsat.integers.conditions import conjuncts
from eqsat.integers.linear import Affine
from eqsat.ops import Op
from eqsat.uop import UOp


@dataclass(frozen=True)
class Part:
    """The part of the lanes that take their elements from one array.

    Attributes:
        inside: for each condition on a lane in this part, whether it must hold, and its slack: at least 0 in the part, and below 0 elsewhere.
        value: the load of the element; during the search also a WHERE that still chooses between arrays.
    """

    inside: Mapping[UOp, tuple[bool, Affine]]
    value: UOp

    def where(self, condition: UOp, holds: bool, slack: Affine, value: UOp) -> Part | None:
        """The lanes of this part where a condition holds, or fails if not `holds`, with another value; None if there are none.

        `slack` is at least 0 where the condition holds, and below 0 elsewhere.
        """
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

    def share(self) -> float:
        """The share of all lanes that is in this part, if its conditions on different positions are independent."""
        limits: dict[tuple[tuple[UOp, int], ...], tuple[int, int]] = {}
        for _, slack in self.inside.values():
            sign = -1 if slack.terms[0][1] < 0 else 1
            position = slack.times(sign).plus(Affine(-sign * slack.constant))
            least, most = limits.get(position.terms) or bounds(position.build())
            if sign > 0:
                limits[position.terms] = max(least, -slack.constant), most
            else:
                limits[position.terms] = least, min(most, slack.constant)
        return prod(
            (most - least + 1) / (last - first + 1)
            for terms, (least, most) in limits.items()
            for first, last in (bounds(Affine(0, terms).build()),)
        )

    def decisive(self, strides: Strides) -> list[tuple[UOp, bool, int]]:
        """The tests that show that all lanes are in this part, and inside the gate of its load.

        A test is a condition, whether it must hold, and the number of the lane in which to test it.
        """
        inside = [(condition, holds) for condition, (holds, _) in self.inside.items()]
        gates = [(gate, True) for gate in self.value.src[0].src[2:]]
        last = extent(strides.lane[self.value]) - 1
        return [
            (each, holds, 0 if (step >= 0) is holds else last)
            for condition, holds in inside + gates
            for each, _, step in parts_of(condition, strides.lane, strides.forms)
        ]


def _follows(slack: Affine, other: Affine) -> bool:
    """Whether `slack` is surely at least 0 wherever `other` is."""
    difference = slack.plus(other, -1)
    return not difference.terms and difference.constant >= 0


def joined(choice: UOp, value: UOp, strides: Strides, request: Callable[..., Request]) -> Expanding:
    """The vector of a WHERE: `value`, or a whole load where all lanes are in one of several arrays from which it takes elements.

    `request` makes a request for a node in one `lane`.
    """
    parts = parts_joined(choice, strides.slack, strides.is_whole)
    if not parts:
        return value
    wholes: list[tuple[UOp, list[UOp]]] = []
    for part in sorted(parts, key=Part.share, reverse=True):  # the interior of a padded array first
        conditions: list[UOp] = []
        for condition, holds, lane in part.decisive(strides):
            held = yield request(condition, lane=lane)
            conditions.append(held if holds else fold(held.logical_not()))
        wholes.append(((yield request(part.value.src[0], lane=0)), conditions))
    return first_inside(wholes, value)


def parts_joined(
    choice: UOp, slack_of: Callable[[UOp], Affine | None], is_whole: Callable[[UOp], bool]
) -> list[Part]:
    """The arrays from which a WHERE, and the WHEREs in its branches, take elements, if whole vectors can be loaded from them.

    Empty if there is only one array, or a branch is no load.

    Args:
        choice: the WHERE.
        slack_of: gives the slack of a condition, which is at least 0 where it holds and below 0 elsewhere; None if it is not linear.
        is_whole: whether a load takes adjacent lanes where its gate holds for all of them.
    """
    found: list[Part] = []
    pending = [Part({}, choice)]
    while pending:
        part = pending.pop()
        if part.value.op is Op.WHERE:
            pending += _branches(part, slack_of)
        elif part.value.op is Op.LOAD:
            found.append(part)
        else:
            return []
    return [part for part in found if is_whole(part.value)] if len(found) > 1 else []


def _branches(part: Part, slack_of: Callable[[UOp], Affine | None]) -> Iterator[Part]:
    """The parts of a part whose value is a WHERE, without those in which it is not known which of several conditions fails."""
    condition, then, otherwise = part.value.src
    slacks = [(each, slack_of(each)) for each in conjuncts(condition)]
    if len(slacks) == 1 and slacks[0][1] is not None:
        yield from filter(None, [part.where(condition, False, slacks[0][1], otherwise)])
    inside: Part | None = part
    for each, slack in slacks:
        inside = inside.where(each, True, slack, then) if inside is not None and slack is not None else None
    if inside is not None:
        yield inside


def first_inside(loads: Sequence[tuple[UOp, Sequence[UOp]]], otherwise: UOp) -> UOp:
    """A load from the first of these addresses whose conditions all hold; `otherwise` if there is none."""
    value = otherwise
    for address, conditions in reversed(loads):
        bare = address.with_src(address.src[:2])
        gate = reduce(lambda left, right: fold(left.alu(Op.AND, right)), dict.fromkeys(conditions))
        if gate.op is not Op.CONST:
            value = UOp(Op.LOAD, value.dtype, (bare.with_src((*bare.src, gate)), value))
        elif gate.arg:
            value = UOp(Op.LOAD, value.dtype, (bare,))
    return value
