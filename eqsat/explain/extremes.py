"""The check of a theory step: MAX and MIN of complements and negatives, which reverse the order, and of what bounds keep from being the result."""

from __future__ import annotations

from math import inf

from eqsat.dtype import DType
from eqsat.egraph.schema import kind_of
from eqsat.explain.bounds import Bounds, Interval
from eqsat.explain.constants import constant_of
from eqsat.explain.elements import chain_op_of
from eqsat.ops import Op
from eqsat.uop import UOp

_DUAL = {Op.MAX: Op.MIN, Op.MIN: Op.MAX}

Element = tuple[tuple[Op, ...], UOp]  # the reversals around a term, from outside


def same_extremes(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Whether two numbers are the greatest, or the least, of the same terms, once reversals are taken inside, and what bounds exclude is left out."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ix":
        return False
    for op in _DUAL:
        one, other = _elements(before, op), _elements(after, op)
        if one == other or _possible(one, op, bounds) == _possible(other, op, bounds):
            return True
    return False


def _elements(root: UOp, op: Op) -> set[Element]:
    """What a number is the greatest or least of; itself if it is none."""
    found: set[Element] = set()
    seen: set[tuple[UOp, Op, tuple[Op, ...]]] = set()
    stack: list[tuple[UOp, Op, tuple[Op, ...]]] = [(root, op, ())]
    while stack:
        place = stack.pop()
        if place in seen:
            continue
        seen.add(place)
        node, current, around = place
        kind, inner = _reversed(node)
        if chain_op_of(node) is current:
            stack += [(source, current, around) for source in node.src]
        elif kind is None:
            found.add((around, node))
        elif around[-1:] == (kind,):
            stack.append((inner, _DUAL[current], around[:-1]))
        else:
            stack.append((inner, _DUAL[current], (*around, kind)))
    return found


def _possible(elements: set[Element], op: Op, bounds: Bounds) -> set[Element]:
    """The elements that bounds let be the greatest or least; of those that are sure to be at one end of the others, the first one."""
    sign = 1 if op is Op.MAX else -1
    ends: dict[Element, tuple[float, float]] = {}
    for element in elements:
        low, high = _interval(element, bounds)
        least, greatest = (-inf if low is None else low), (inf if high is None else high)
        ends[element] = (least, greatest) if sign > 0 else (-greatest, -least)
    limit = max(least for least, _ in ends.values())
    first = max(
        (greatest, -number, element)
        for number, (element, (least, greatest)) in enumerate(ends.items())
        if least == limit
    )[2]
    return {element for element in elements if element == first or ends[element][1] > limit}


def _interval(element: Element, bounds: Bounds) -> Interval:
    """The interval of an element with what reverses it."""
    around, node = element
    ((low, high),) = bounds.of([node])
    dtype = node.dtype
    assert isinstance(dtype, DType)
    for kind in reversed(around):
        turned = 0 if kind is Op.NEG else dtype.all_ones
        low, high = (None if high is None else turned - high), (None if low is None else turned - low)
    return low, high


def _reversed(node: UOp) -> tuple[Op | None, UOp]:
    """The operation that reverses the order, and what it is applied to."""
    dtype = node.dtype
    if constant_of(node) is not None or not isinstance(dtype, DType):
        return None, node
    if node.op is Op.NEG and dtype.is_index:
        return Op.NEG, node.src[0]
    if node.op is Op.XOR or (node.op is Op.MUL and dtype.is_index):
        turning = dtype.all_ones if node.op is Op.XOR else -1
        for value, other in (node.src, node.src[::-1]):
            if constant_of(other) == turning:
                return (Op.XOR if node.op is Op.XOR else Op.NEG), value
    return None, node
