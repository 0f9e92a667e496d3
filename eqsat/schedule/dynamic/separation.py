"""The positions along axes of a gated address, read off the terms of its row-major index.

Positions in a padded array begin below 0, so they are not the quotients and remainders of the index: -2 in one row is 4,222 in the row
before. Instead each term is assigned to the axis whose stride divides it, and the gate shows that these positions are inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from eqsat.extents import Extent, capacities
from eqsat.integers.bounds import bounds
from eqsat.integers.conditions import conjuncts, inequality
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp

Known = list[tuple[Affine, int | None, int | None]]
"""Sums, each with its least and its greatest value where a gate holds; None for a bound that is not known."""


class Separated(NamedTuple):
    """A position along neighbouring axes that loops walk together; usually it is one axis."""

    first: int
    last: int
    position: UOp


def separated(flat: UOp, shape: Shape, gates: Sequence[UOp]) -> list[Separated] | None:
    """The positions of a gated address along the axes of its array; None if the terms of the index and the gates do not determine them.

    >>> from eqsat.dtype import index
    >>> row, column = UOp.range(4, 0), UOp.range(9, 1)
    >>> place = column + UOp.const(index, -1)
    >>> found = separated(row * 8 + place, (4, 8), [(place >= 0) & (place < UOp.const(index, 8))])
    >>> [each.position for each in found] == [row, Affine(-1, ((column, 1),)).build()]
    True
    """
    known = _known(gates)
    return _from(0, affine_forms([flat])[flat], shape, known) if known else None


def _from(first: int, left: Affine, shape: Shape, known: Known) -> list[Separated] | None:
    """The positions along the axes from `first` on, where `left` is the index without the terms of the axes before."""
    if first == len(shape):
        return [] if left == Affine(0) else None
    sizes = capacities(shape)
    for last in range(first, len(shape)):
        if last > first and isinstance(shape[last], Extent):
            break
        stride = prod(sizes[last + 1 :])
        position = _position(left, stride, prod(sizes[first : last + 1]), known)
        if position is None:
            continue
        inner = _from(last + 1, left.plus(position, -stride), shape, known)
        if inner is not None:
            return [Separated(first, last, position.build()), *inner]
    return None


def _position(left: Affine, stride: int, size: int, known: Known) -> Affine | None:
    """The position along an axis with this stride, taken from the terms of an index; None if it may be outside of the axis's capacity."""
    terms = tuple((atom, digit) for atom, step in left.terms if (digit := _towards_zero(step, stride)))
    nearest = _towards_zero(left.constant, stride)
    found = (Affine(nearest + apart, terms) for apart in (0, 1, -1))
    return next((position for position in found if _is_inside(position, size, known)), None)


def _towards_zero(number: int, divisor: int) -> int:
    return number // divisor if number >= 0 else -(-number // divisor)


def _known(gates: Sequence[UOp]) -> Known:
    found: Known = []
    for each in (each for gate in gates for each in conjuncts(gate)):
        condition = inequality(each)
        if condition is not None and condition.src[1].op is Op.CONST:
            position, end = condition.src[0], condition.src[1].arg
            form = affine_forms([position]).get(position)
            if form is not None:
                found.append((form, end, None) if condition is not each else (form, None, end - 1))
    return found


def _is_inside(position: Affine, size: int, known: Known) -> bool:
    """Whether a position is inside an axis of this size, according to its bounds and to the known bounds under the gate."""
    least, greatest = bounds(position.build())
    for form, low, high in known:
        apart = position.plus(form, -1)
        if not apart.terms:
            least = least if low is None else max(least, low + apart.constant)
            greatest = greatest if high is None else min(greatest, high + apart.constant)
    return least >= 0 and greatest < size
