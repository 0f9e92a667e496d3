"""N-ary MAX, MIN, AND, OR and XOR: applications with equal operands share one e-class, and operands that others imply are dropped.

These operators are associative and commutative, and all but XOR are idempotent. The normal form of an application is its set of *operands*: inner
applications of the same operator are flattened, repeated and implied operands are dropped, and constants are combined into one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Operation, Place, Term, Theory
from eqsat.egraph.theories.conjunctions import Limits, same_limits
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.differences import Difference, Differences, Operand, same_difference
from eqsat.egraph.theories.terms.operands import combined_constants, same_operands
from eqsat.ops import Op

MOST_OPERANDS = 64  # of an inner application that is taken in


class NormalForm(NamedTuple):
    """An application of an n-ary operator.

    Attributes:
        table: of the operator.
        place: dtype and shape.
        operands: what is no constant, sorted; none where a constant decides the result.
        constant: None where it has no effect.
    """

    table: str
    place: Place
    operands: tuple[Operand, ...]
    constant: int | None

    @property
    def length(self) -> int:
        """How many operands there are, the constant included."""
        return len(self.operands) + (self.constant is not None)

    @property
    def is_difference(self) -> bool:
        """Whether it is an exclusive or of bools, which is written by comparisons, one bool after the other."""
        return self.table == "XOR_N" and self.place[0] == "bool"


def find_nary(context: Context) -> Iterator[Claim]:
    """One class for each normal form; the normal form of a class where it is shorter than what is written."""
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
        elif form.is_difference or _is_shorter(form, row, operands):
            replaced = row if form.length < len(row.columns[2]) else None
            yield Equal("fewer_operands", row.owner, _written(form, context), replaced=replaced)


def _is_shorter(form: NormalForm, row: Row, operands: Sequence[int]) -> bool:
    """Whether a normal form has fewer operands than were written, or others."""
    return form.length < max(len(row.columns[2]), len(operands)) or not {*form.operands} <= {*operands}


def _written(form: NormalForm, context: Context) -> Term:
    """The term of a normal form."""
    terms = [_operand(operand, form.place, context) for operand in form.operands]
    if form.constant is not None or not terms:
        terms.append(Constant(form.place, form.constant or 0))
    if form.is_difference:
        return reduce(lambda left, right: Operation("CMPNE", form.place, (left, right)), terms)
    return terms[0] if len(terms) == 1 else Operation(form.table, form.place, tuple(terms))


def _operand(operand: Operand, place: Place, context: Context) -> Term:
    if not isinstance(operand, Difference):
        return operand
    parts: list[Term] = list(operand.parts)
    if operand.is_turned:
        parts.append(Constant(place, context.dtype(place[0]).all_ones))
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
        """What comparisons say of the values that they compare."""
        return Limits(self.context.polynomials)

    def operands(self, row: Row) -> tuple[int, ...]:
        """The operands, those of inner applications of the same operator included, sorted."""
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
        dtype = self.context.dtype(row.dtype)
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
        if variables is None:  # they exclude each other
            return NormalForm(row.table, place, (), 0 if op is Op.AND else dtype.all_ones)
        return NormalForm(row.table, place, variables, constant)

    def _within_bounds(
        self, table: str, operands: tuple[int, ...], constant: int | None
    ) -> tuple[tuple[int, ...], int | None]:
        """The operands, and the constant, that bounds let be the greatest, or the least."""
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
        """The operands that all others follow from; None if they exclude each other, or leave nothing out."""
        kept = self._absorbing(table, operands)
        if table not in ("AND_N", "OR_N"):
            return kept
        parts = self.limits.operands_of_difference if dtype.is_bool else self._operands_of_difference
        reduced = Differences(self.constants, dtype.all_ones, parts).reduced(table, kept)
        return self.limits.decisive(table, reduced) if dtype.is_bool and reduced is not None else reduced

    def _absorbing(self, table: str, operands: tuple[int, ...]) -> tuple[int, ...]:
        """The operands without those that absorption removes: in a & (a | b), the operand a | b goes."""
        kept = dict.fromkeys(operands)
        for operand in operands:
            dual = self.rows.get((_DUAL.get(table, ""), operand))
            if dual is not None and any(part in kept for part in self.operands(dual) if part != operand):
                del kept[operand]
        return tuple(kept)

    def _operands_of_difference(self, owner: int) -> tuple[int, ...] | None:
        row = self.rows.get(("XOR_N", owner))
        return None if row is None else self.operands(row)


_DUAL = {"AND_N": "OR_N", "OR_N": "AND_N", "MAX_N": "MIN_N", "MIN_N": "MAX_N"}
_OPERATORS = {"XOR_N", *_DUAL}

NARY = Theory(
    find_nary,
    {
        "n-ary operands": Check(
            "Both combine the same operands; order, grouping and repetition do not matter.", same_operands
        ),
        "limits": Check(
            "Where two applications differ, the operands follow from the other ones, or these exclude each other.",
            same_limits,
        ),
        "differences": Check("Both are the exclusive or of the same terms.", same_difference),
    },
)
