"""Arrays that are concatenated along the lanes: a vector whose lanes all lie in one of the arrays is one whole load."""

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
    """The arrays from which a WHERE, and the WHEREs in its branches, take elements; empty if a branch is anything else.

    Args:
        choice: the WHERE.
        slack_of: gives the slack of a condition, which is at least 0 where it holds and below 0 elsewhere; None if it is not linear.
        is_whole: whether a load takes adjacent lanes where its gate holds for all of them.
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
