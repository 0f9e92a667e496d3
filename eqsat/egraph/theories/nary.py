"""N-ary MAX, MIN, AND, OR and XOR: applications with equal operands share one e-class, and operands that others imply are dropped.

These operators are associative and commutative, and all but XOR are idempotent. The normal form of an application is its set of *operands*: inner
applications of the same operator are flattened, repeated and implied operands are dropped, and constants are combined into one.

MAX of complements or negatives is the complement or negative of MIN, and vice versa.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from math import inf
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.egraph.snapshot.constants import plain_dtype
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Operation, Place, Scaled, Term, Theory
from eqsat.egraph.theories.conjunctions import DUAL, Limits, same_limits
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.exclusive_ors import ExclusiveOr, ExclusiveOrs, Operand, same_exclusive_or
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import combined_constants, operator_of, same_operands
from eqsat.integers.intervals import Interval
from eqsat.ops import Op
from eqsat.uop import UOp

MOST_OPERANDS = 64  # most operands of an inner application that is flattened


class NormalForm(NamedTuple):
    """An application of an n-ary operator.

    Attributes:
        table: the table of the operator.
        place: dtype and shape.
        operands: the operands that are not constants, sorted; none if the constant decides the result.
        constant: the constants combined; None if they have no effect.
    """

    table: str
    place: Place
    operands: tuple[Operand, ...]
    constant: int | None

    @property
    def length(self) -> int:
        """The number of operands, including the constant."""
        return len(self.operands) + (self.constant is not None)

    @property
    def is_exclusive_or(self) -> bool:
        """Whether it is an exclusive or of bools, which is written as nested comparisons."""
        return self.table == "XOR_N" and self.place[0] == "bool"


def find_nary(context: Context) -> Iterator[Claim]:
    """Claims that applications with equal normal forms are equal, and that a class equals its normal form if that is shorter than its terms."""
    operators = NaryOperators(context)
    known: dict[NormalForm, int] = {}
    for row in operators.rows.values():
        if row.owner in context.constants:
            continue
        form = operators.normal(row)
        first = known.setdefault(form, row.owner)
        operands = operators.operands(row)
        if first != row.owner:
            yield Equal("same_operands", row.owner, first)
        elif form.is_exclusive_or or _is_shorter(form, row, operands):
            replaced = row if form.length < len(row.columns[2]) else None
            yield Equal("fewer_operands", row.owner, _written(form, context), replaced=replaced)
    yield from _reversals(context)


def _is_shorter(form: NormalForm, row: Row, operands: Sequence[int]) -> bool:
    """Whether a normal form has fewer operands than the term, or other operands."""
    return form.length < max(len(row.columns[2]), len(operands)) or not {*form.operands} <= {*operands}


def _written(form: NormalForm, context: Context) -> Term:
    """The term of a normal form."""
    terms = [_operand(operand, form.place, context) for operand in form.operands]
    if form.constant is not None or not terms:
        terms.append(Constant(form.place, form.constant or 0))
    if form.is_exclusive_or:
        return reduce(lambda left, right: Operation("CMPNE", form.place, (left, right)), terms)
    return terms[0] if len(terms) == 1 else Operation(form.table, form.place, tuple(terms))


def _operand(operand: Operand, place: Place, context: Context) -> Term:
    if not isinstance(operand, ExclusiveOr):
        return operand
    parts: list[Term] = list(operand.parts)
    if operand.is_turned:
        parts.append(Constant(place, plain_dtype(place[0]).all_ones))
    if place[0] == "bool":
        return reduce(lambda left, right: Operation("CMPNE", place, (left, right)), parts)
    return Operation("XOR_N", place, tuple(parts))


class NaryOperators:
    """The applications of n-ary operators in an e-graph, their operands computed when asked for."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.constants = context.constants
        self.rows: dict[tuple[str, int], Row] = {}
        others: dict[int, set[str]] = {}
        for row in context.rows:
            others.setdefault(row.owner, set()).add(row.table)
            if row.table in _OPERATORS:
                self.rows.setdefault((row.table, row.owner), row)
        self.spread = {place for place in self.rows if others[place[1]] == {place[0]}}
        self.known: dict[tuple[str, int], tuple[int, ...]] = {}

    @cached_property
    def limits(self) -> Limits:
        """The limits that comparisons put on the values that they compare."""
        return Limits(self.context.polynomials)

    def operands(self, row: Row) -> tuple[int, ...]:
        """The operands, sorted, with inner applications of the same operator flattened."""
        stack = [row]
        while stack:
            current = stack[-1]
            inner = [(current.table, child) for child in current.columns[2]]
            missing = [place for place in inner if place in self.spread and place not in self.known]
            missing = [place for place in missing if self.rows[place] not in stack]
            if missing:
                stack.extend(self.rows[place] for place in missing)
                continue
            stack.pop()
            self.known[current.table, current.owner] = self._joined(current)
        return self._joined(row)

    def _joined(self, row: Row) -> tuple[int, ...]:
        found: list[int] = []
        for child in row.columns[2]:
            inner = self.known.get((row.table, child), ())
            found += inner if 0 < len(inner) <= MOST_OPERANDS else (child,)
        if row.table == "XOR_N":
            return tuple(sorted(child for child in set(found) if found.count(child) % 2))
        return tuple(sorted(set(found)))

    def normal(self, row: Row) -> NormalForm:
        """The normal form of an application; equal applications have equal normal forms."""
        place = (row.dtype, row.shape)
        dtype = plain_dtype(row.dtype)
        operands = self.operands(row)
        numbers = [self.constants[operand] for operand in operands if operand in self.constants]
        variables: tuple[Operand, ...] | None
        variables = tuple(operand for operand in operands if operand not in self.constants)
        op = Op[row.table.removesuffix("_N")]
        constant, decides = combined_constants(op, dtype, numbers, bool(variables))
        if decides:
            return NormalForm(row.table, place, (), constant)
        if row.table in ("MAX_N", "MIN_N") and not dtype.is_bool:
            variables, constant = self._within_bounds(row.table, variables, constant)
        if len(variables) > 1:
            variables = self._decisive(row.table, dtype, variables)
        if variables is None:  # the operands decide the result
            return NormalForm(row.table, place, (), 0 if op is Op.AND else dtype.all_ones)
        return NormalForm(row.table, place, variables, constant)

    def _within_bounds(
        self, table: str, operands: tuple[int, ...], constant: int | None
    ) -> tuple[tuple[int, ...], int | None]:
        """The operands, and the constant, that can be the greatest (of a MAX) or the least (of a MIN), judged by bounds."""
        frozen = self.context.frozen
        sign, first, last = (1, frozen.lo, frozen.hi) if table == "MAX_N" else (-1, frozen.hi, frozen.lo)
        sure = {operand: sign * first[operand] for operand in operands if operand in first}
        best = max(sure, key=lambda each: (sure[each], sign * last.get(each, first[each])), default=None)
        if best is not None and (constant is None or sure[best] >= sign * constant):
            limit, constant = sure[best], None
        elif constant is not None:
            limit, best = sign * constant, None
        else:
            return operands, None
        kept = (each for each in operands if each == best or each not in last or sign * last[each] > limit)
        return tuple(kept), constant

    def _decisive(self, table: str, dtype: DType, operands: tuple[int, ...]) -> tuple[Operand, ...] | None:
        """The operands from which all others follow. None if the operands decide the result: an AND is never true, or an OR always is."""
        kept = self._absorbing(table, operands)
        if table not in ("AND_N", "OR_N"):
            return kept
        parts = self.limits.operands_of_exclusive_or if dtype.is_bool else self._operands_of_exclusive_or
        reduced = ExclusiveOrs(self.constants, dtype.all_ones, parts).reduced(table, kept)
        return self.limits.decisive(table, reduced) if dtype.is_bool and reduced is not None else reduced

    def _absorbing(self, table: str, operands: tuple[int, ...]) -> tuple[int, ...]:
        """The operands without those that absorption removes: a & (a | b) is a."""
        kept = dict.fromkeys(operands)
        for operand in operands:
            dual = self.rows.get((_DUAL.get(table, ""), operand))
            if dual is not None and any(part in kept for part in self.operands(dual) if part != operand):
                del kept[operand]
        return tuple(kept)

    def _operands_of_exclusive_or(self, owner: int) -> tuple[int, ...] | None:
        row = self.rows.get(("XOR_N", owner))
        return None if row is None else self.operands(row)


_DUAL = {"AND_N": "OR_N", "OR_N": "AND_N", "MAX_N": "MIN_N", "MIN_N": "MAX_N"}
_OPERATORS = {"XOR_N", *_DUAL}


# Reversals of MAX and MIN


def _reversals(context: Context) -> Iterator[Claim]:
    """Claims that the greatest of several complements is the complement of the least, and likewise for negatives of indices.

    Handles all operands at once: a rule about two operands would make a term for each subset.
    """
    rows = [
        row for row in context.rows if row.table in ("MAX_N", "MIN_N") and row.owner not in context.constants
    ]
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
                turned = _turned(context, table, Operation(_DUAL[row.table], place, inner))
                whole = Operation(row.table, place, (*others, turned)) if others else turned
                yield Equal(
                    "reversed_order", row.owner, whole, identity=("reversed", row.table, table, *inner)
                )


def _turned(context: Context, table: str, value: Operation) -> Term:
    """The complement or negative of a value."""
    if table == "SCALE":
        return Scaled(value.place, -1, value)
    return Operation(
        "XOR_N", value.place, (value, Constant(value.place, plain_dtype(value.place[0]).all_ones))
    )


def _inside(context: Context, row: Row) -> int | None:
    """The class whose complement or negative this row is; None if it is neither."""
    if row.table == "SCALE":
        return row.columns[3] if row.columns[2] == -1 and row.dtype == "index" else None
    if row.table != "XOR_N" or row.dtype == "bool" or len(row.children) != 2:
        return None
    ones = plain_dtype(row.dtype).all_ones
    for one, other in (row.children, row.children[::-1]):
        if context.constants.get(one) == ones and other not in context.constants:
            return other
    return None


# The check of extremes

Reversed = tuple[tuple[Op, ...], UOp]  # the reversals around a term, from outside


def same_extremes(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that two numbers are the greatest, or the least, of the same terms. Pushes reversals inside, and drops terms that bounds exclude."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ix":
        return False
    for op in (Op.MAX, Op.MIN):
        one, other = _inside_out(before, op), _inside_out(after, op)
        if one == other or _possible(one, op, bounds) == _possible(other, op, bounds):
            return True
    return False


def _inside_out(root: UOp, op: Op) -> set[Reversed]:
    """The operands of a MAX or MIN (`op`), each with the reversals around it; the term itself if it is no such operation."""
    found: set[Reversed] = set()
    seen: set[tuple[UOp, Op, tuple[Op, ...]]] = set()
    stack: list[tuple[UOp, Op, tuple[Op, ...]]] = [(root, op, ())]
    while stack:
        place = stack.pop()
        if place in seen:
            continue
        seen.add(place)
        node, current, around = place
        kind, inner = _inner(node)
        if operator_of(node) is current:
            stack += [(source, current, around) for source in node.src]
        elif kind is None:
            found.add((around, node))
        elif around[-1:] == (kind,):
            stack.append((inner, DUAL[current], around[:-1]))
        else:
            stack.append((inner, DUAL[current], (*around, kind)))
    return found


def _possible(operands: set[Reversed], op: Op, bounds: Bounds) -> set[Reversed]:
    """The operands that can be the greatest or least, judged by bounds. If several are equal for certain, only one of them is returned."""
    sign = 1 if op is Op.MAX else -1
    ends: dict[Reversed, tuple[float, float]] = {}
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


def _interval(operand: Reversed, bounds: Bounds) -> Interval:
    """The interval of an operand with its reversals."""
    around, node = operand
    ((low, high),) = bounds.of([node])
    dtype = node.dtype
    assert isinstance(dtype, DType)
    for kind in reversed(around):
        turned = 0 if kind is Op.NEG else dtype.all_ones
        low, high = (None if high is None else turned - high), (None if low is None else turned - low)
    return low, high


def _inner(node: UOp) -> tuple[Op | None, UOp]:
    """The operation with which a term reverses the order of its operand, and the operand. None and the term itself if it does not."""
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


NARY = Theory(
    find_nary,
    {
        "n-ary operands": Check(
            "Both combine the same operands; order, grouping and repetition do not matter.", same_operands
        ),
        "limits": Check(
            "Each operand in which the two differ follows from the other operands, or the operands exclude each other.",
            same_limits,
        ),
        "differences": Check("Both are the exclusive or of the same terms.", same_exclusive_or),
        "extremes": Check(
            "Complements, and negatives of indices, reverse the order; operands that the bounds rule out are left out.",
            same_extremes,
        ),
    },
)
