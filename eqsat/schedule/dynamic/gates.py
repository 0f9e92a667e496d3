"""Gates of loads along axes with dynamic extents: which conditions they need, and where all of these hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from eqsat.dtype import index
from eqsat.extents import Extent
from eqsat.integers.conditions import conjuncts, slack
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import ABREAST, Op
from eqsat.schedule.dynamic.positions import Limit, Place, limits_in
from eqsat.schedule.lowering.index_arithmetic import add, is_arithmetic, multiply
from eqsat.shape import Shape
from eqsat.uop import UOp, rewrite, toposort

ZERO = UOp.const(index, 0)
_NUMBERS = (Op.RANGE, Op.CONST, Op.DEFINE_VAR)


def with_choices_in_gates(sink: UOp) -> UOp:
    """The kernel with conditions moved from choices into gates.

    This applies to a choice between a gated load and the value that the load has outside of its gate, if the condition consists of
    inequalities of positions.
    """
    renewed: dict[UOp, UOp] = {}
    for node in toposort([sink]):
        made = node.with_src(tuple(renewed[source] for source in node.src))
        renewed[node] = _in_gate(made) if made.op is Op.WHERE else made
    return renewed[sink]


def _in_gate(choice: UOp) -> UOp:
    condition, load, otherwise = choice.src
    if load.op is not Op.LOAD or load.src[1:] != (otherwise,) or len(load.src[0].src) < 3:
        return choice
    if any(slack(each, affine_forms([each])) is None for each in conjuncts(condition)):
        return choice
    memory, flat, gate = load.src[0].src
    return load.with_src((load.src[0].with_src((memory, flat, gate & condition)), otherwise))


def without_capacities(gates: Sequence[UOp], places: Sequence[Place], shape: Shape, extents: Mapping[UOp, Extent]) -> list[UOp]:  # fmt: skip
    """The gate of an address in an array of the caller, without conditions that positions are below capacities.

    Elements beyond a dynamic extent have no promised value, so it does not matter which value is read there. A position below the extent is
    below its capacity anyway.
    """
    every = list(dict.fromkeys(each for gate in gates for each in conjuncts(gate)))
    ends = [(limit.position, limit.extent.greatest) for _, limit in limits_in(extents, every)]
    ended = [(place.form, place.extent(shape)) for place in places]
    ends += [(form, extent.greatest) for form, extent in ended if isinstance(extent, Extent)]
    kept = [each for each in every if not any(_is_implied(each, *end) for end in ends)]
    return [reduce(lambda left, right: left & right, kept)] if kept else []


def _is_implied(condition: UOp, position: Affine, end: int) -> bool:
    """Whether `condition`, a comparison with a number, holds whenever the position is below `end`."""
    if condition.op is not Op.CMPLT or condition.src[1].op is not Op.CONST:
        return False
    least = slack(condition, affine_forms([condition]))
    apart = None if least is None else least.plus(position)
    return apart is not None and not apart.terms and end - 1 <= apart.constant


@dataclass(frozen=True)
class Guard:
    """An address with a gate, and the meaning of the gate.

    Attributes:
        address: the address without the gate.
        slacks: sums that are all at least 0 exactly where the gate holds.
    """

    address: UOp
    slacks: tuple[Affine, ...]

    @staticmethod
    def of(address: UOp, gates: Sequence[UOp], beyond: Sequence[Limit]) -> Guard | None:
        """The guard of an address with these gates and the positions `beyond` below their limits; None if a condition is no inequality of sums."""
        slacks = [
            Affine.of(UOp.extent(each.extent)).plus(each.position, -1).plus(Affine(-1)) for each in beyond
        ]
        for each in (each for gate in gates for each in conjuncts(gate)):
            least = slack(each, affine_forms([each]))
            if least is None:
                return None
            slacks.append(least)
        return Guard(address, tuple(dict.fromkeys(slacks)))


def least_of(form: Affine, ends: Mapping[UOp, UOp], around: Collection[UOp]) -> UOp | None:
    """The least value of a sum over all iterations of loops with these ends, as an expression of the loops around them.

    It is None if the sum contains anything else.
    """
    total = Affine(form.constant)
    expression: UOp = ZERO
    for atom, step in form.terms:
        if atom in ends:
            if step < 0:
                expression = add(expression, multiply(add(ends[atom], -1), step))
        elif _is_known_around(atom, around):
            total = total.plus(Affine(0, ((atom, step),)))
        else:
            return None
    return add(expression, total.build())


def _is_known_around(atom: UOp, around: Collection[UOp]) -> bool:
    """Whether a position is arithmetic on the loops `around` without any load, and the same for all lanes."""
    is_outer = all(loop in around and loop.arg[1] not in ABREAST for loop in atom.ranges)
    return is_outer and all(is_arithmetic(node) or node.op in _NUMBERS for node in toposort([atom]))


def holds(values: Sequence[UOp]) -> UOp:
    """An index that is 1 where all values are at least 0, otherwise 0."""
    least = reduce(lambda one, other: UOp(Op.MIN, index, (one, other)), dict.fromkeys(values), ZERO)
    return UOp(Op.MAX, index, (add(least, 1), ZERO))


def ungated(value: UOp, guards: Mapping[UOp, Guard]) -> UOp:
    """The value with its guarded loads ungated."""
    loads = {
        node: node.with_src((guards[node.src[0]].address,))
        for node in toposort([value])
        if node.op is Op.LOAD and node.src[0] in guards
    }
    return rewrite([value], loads)[0]
