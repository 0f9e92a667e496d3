"""MAX of complements or negatives is the complement or negative of MIN, and vice versa. All operands are handled at once: a rule about two operands
would make a term for each subset.

The check takes all reversals inside, and leaves out what bounds keep from being the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from eqsat.dtype import DType
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Operation, Scaled, Term, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import operator_of
from eqsat.integers.intervals import Interval
from eqsat.ops import Op
from eqsat.uop import UOp

_DUAL_TABLE = {"MAX_N": "MIN_N", "MIN_N": "MAX_N"}


def find_reversals(context: Context) -> Iterator[Claim]:
    """The greatest of several complements is the complement of the least, and so on for negatives of indices."""
    rows = [row for row in context.rows if row.table in _DUAL_TABLE and row.owner not in context.constants]
    if not rows:
        return
    kinds = {"XOR_N": dict[int, int](), "SCALE": dict[int, int]()}
    for row in context.rows:
        inner = _inside(context, row)
        if inner is not None:
            kinds[row.table].setdefault(row.owner, inner)
    for row in rows:
        for table, inner_of in kinds.items():
            inner = tuple(inner_of[operand] for operand in row.columns[2] if operand in inner_of)
            others = tuple(operand for operand in row.columns[2] if operand not in inner_of)
            if len(inner) > 1:
                place = (row.dtype, row.shape)
                turned = _turned(context, table, Operation(_DUAL_TABLE[row.table], place, inner))
                whole = Operation(row.table, place, (*others, turned)) if others else turned
                yield Equal("reversed_order", row.owner, whole, by=("reversed", row.table, table, *inner))


def _turned(context: Context, table: str, value: Operation) -> Term:
    """The complement or negative of a value."""
    if table == "SCALE":
        return Scaled(value.place, -1, value)
    return Operation(
        "XOR_N", value.place, (value, Constant(value.place, context.dtype(value.place[0]).all_ones))
    )


def _inside(context: Context, row: Row) -> int | None:
    """What a class is the complement or negative of, if a row says that."""
    if row.table == "SCALE":
        return row.columns[3] if row.columns[2] == -1 and row.dtype == "index" else None
    if row.table != "XOR_N" or row.dtype == "bool" or len(row.children) != 2:
        return None
    ones = context.dtype(row.dtype).all_ones
    for one, other in (row.children, row.children[::-1]):
        if context.constants.get(one) == ones and other not in context.constants:
            return other
    return None


# The check

_DUAL = {Op.MAX: Op.MIN, Op.MIN: Op.MAX}

Operand = tuple[tuple[Op, ...], UOp]  # the reversals around a term, from outside


def same_extremes(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Whether two numbers are the greatest, or the least, of the same terms, once reversals are taken inside, and what bounds exclude is left out."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ix":
        return False
    for op in _DUAL:
        one, other = _operands(before, op), _operands(after, op)
        if one == other or _possible(one, op, bounds) == _possible(other, op, bounds):
            return True
    return False


def _operands(root: UOp, op: Op) -> set[Operand]:
    """What a number is the greatest or least of; itself if it is none."""
    found: set[Operand] = set()
    seen: set[tuple[UOp, Op, tuple[Op, ...]]] = set()
    stack: list[tuple[UOp, Op, tuple[Op, ...]]] = [(root, op, ())]
    while stack:
        place = stack.pop()
        if place in seen:
            continue
        seen.add(place)
        node, current, around = place
        kind, inner = _reversed(node)
        if operator_of(node) is current:
            stack += [(source, current, around) for source in node.src]
        elif kind is None:
            found.add((around, node))
        elif around[-1:] == (kind,):
            stack.append((inner, _DUAL[current], around[:-1]))
        else:
            stack.append((inner, _DUAL[current], (*around, kind)))
    return found


def _possible(operands: set[Operand], op: Op, bounds: Bounds) -> set[Operand]:
    """The operands that bounds let be the greatest or least; of those that are sure to be at one end of the others, the first one."""
    sign = 1 if op is Op.MAX else -1
    ends: dict[Operand, tuple[float, float]] = {}
    for operand in operands:
        low, high = _interval(operand, bounds)
        least, greatest = (-inf if low is None else low), (inf if high is None else high)
        ends[operand] = (least, greatest) if sign > 0 else (-greatest, -least)
    limit = max(least for least, _ in ends.values())
    first = max(
        (greatest, -number, operand)
        for number, (operand, (least, greatest)) in enumerate(ends.items())
        if least == limit
    )[2]
    return {operand for operand in operands if operand == first or ends[operand][1] > limit}


def _interval(operand: Operand, bounds: Bounds) -> Interval:
    """The interval of an operand with what reverses it."""
    around, node = operand
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


EXTREMES = Theory(
    find_reversals,
    {
        "extremes": Check(
            "Complements, and negatives of indices, reverse the order; what bounds exclude is neither greatest nor least.",
            same_extremes,
        )
    },
)
