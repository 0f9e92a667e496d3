"""Finds numbers less the maximum of the row that contains them, which are at most 0.

Both must be loaded from one memory: a value that is computed twice may be rounded in two ways. Both may have been multiplied by the same number
that is not negative, if both products are rounded (`schedule.own_products` sees to it) or exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from eqsat.floats.intervals import ANYTHING, Bounds
from eqsat.floats.rounding import is_power_of_two, without_bits
from eqsat.ops import Op
from eqsat.shape import extent_of
from eqsat.uop import UOp, rewrite

GAPS = frozenset({Op.SUB, Op.ADD, Op.MULACC})  # operations that subtract a maximum
MOST_ROWS = 64  # choices of loops that are tried to find a load in the row of a maximum


def is_below_own_maximum(node: UOp, found: Mapping[UOp, Bounds]) -> bool:
    """Whether a float is a number less the maximum of its row, or so many times that; `found` has the bounds of its operands."""
    match node.op:
        case Op.SUB:
            value, greatest = node.src
            return _is_gap(value, greatest, found)
        case Op.ADD:
            return any(
                more.op is Op.NEG and _is_gap(less, more.src[0], found)
                for less, more in (node.src, node.src[::-1])
            )
        case Op.MULACC:
            more = node.src[2]
            return more.op is Op.NEG and _is_gap_of_products(node.src[:2], False, more.src[0], found)
        case Op.MUL:
            return any(
                found.get(factor, ANYTHING).low >= 0 and is_below_own_maximum(gap, found)
                for factor, gap in {node.src, node.src[::-1]}
            )
        case _:
            return False


def _is_gap(value: UOp, greatest: UOp, found: Mapping[UOp, Bounds]) -> bool:
    if _is_in_row(value, greatest):
        return True
    value, is_rounded = without_bits(value)
    return value.op is Op.MUL and _is_gap_of_products(value.src, is_rounded, greatest, found)


def _is_gap_of_products(
    factors: Sequence[UOp], is_rounded: bool, greatest: UOp, found: Mapping[UOp, Bounds]
) -> bool:
    """Whether the product of `factors` less `greatest` is a gap between two products with one number that is not negative."""
    greatest, is_greatest_rounded = without_bits(greatest)
    return greatest.op is Op.MUL and any(
        factor is other
        and found.get(factor, ANYTHING).low >= 0
        and (is_power_of_two(factor) or (is_rounded and is_greatest_rounded))
        and _is_in_row(one, row)
        for factor, one in (factors, factors[::-1])
        for other, row in (greatest.src, greatest.src[::-1])
    )


def _is_in_row(value: UOp, greatest: UOp) -> bool:
    """Whether a value is one of those that a maximum combines: both are loaded from one memory."""
    if greatest.op is not Op.REDUCE or greatest.arg is not Op.MAX or value.op is not Op.LOAD:
        return False
    element, *row = greatest.src
    if element.op is not Op.LOAD or element.src[0].src[0] is not value.src[0].src[0]:
        return False
    loops = [each for each in value.ranges if each not in greatest.ranges]
    fitting = [[loop for loop in loops if extent_of(loop) <= extent_of(each)] for each in row]
    if prod(map(len, fitting)) > MOST_ROWS:
        return False
    return any(
        rewrite([element], dict(zip(row, chosen, strict=True)))[0] is value for chosen in product(*fitting)
    )
