"""Conjunctions and disjunctions of comparisons: keeps the operands that decide the result, and drops comparisons of one value that others imply.

A comparison is read as the integers that it lets a *subject* be. A subject is a value, a sum without its constant part, the order of two values,
or a bool. The operands of an OR are looked at as those of the AND of the negations.

The check reads comparisons as predicates. Between the constants that predicates of one subject compare it with, none of them changes, so points
next to these constants stand for all integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import gcd
from typing import Any, NamedTuple

from eqsat.dtype import DType, bool_
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.differences import Difference, Operand, exclude_each_other, is_difference_of
from eqsat.egraph.theories.polynomial import Polynomial, Polynomials
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import operands_and_constant, operator_of
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.integers.polynomials import difference
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp

Subject = tuple[Any, ...]


class Limit(NamedTuple):
    """The integers that a subject may be.

    Attributes:
        least: None where there is none.
        greatest: None where there is none.
        excluded: the only one that it may not be; then there are no ends.
    """

    subject: Subject
    least: int | None = None
    greatest: int | None = None
    excluded: int | None = None

    def allows(self, value: int) -> bool:
        """Whether the subject may be this integer."""
        above = self.least is None or value >= self.least
        return above and (self.greatest is None or value <= self.greatest) and value != self.excluded

    @property
    def negation(self) -> Limit:
        """All other integers, where at most one end is given, or both are one number."""
        if self.excluded is not None:
            return Limit(self.subject, self.excluded, self.excluded)
        if self.least == self.greatest:
            return Limit(self.subject, excluded=self.least)
        if self.greatest is None:
            return Limit(self.subject, greatest=(self.least or 0) - 1)
        return Limit(self.subject, least=self.greatest + 1)


class Limits:
    """What the bools of an e-graph say of subjects, read when asked for."""

    def __init__(self, polynomials: Polynomials) -> None:
        self.polynomials = polynomials
        self.constants = polynomials.constants
        self.rows: dict[int, list[Row]] = {}
        for row in polynomials.frozen.rows:
            if row.table in ("CMPLT", "CMPNE"):
                self.rows.setdefault(row.owner, []).append(row)
        self.known: dict[Operand, tuple[Limit, ...]] = {}

    def decisive(self, table: str, operands: Sequence[Operand]) -> tuple[Operand, ...] | None:
        """The operands of an AND or OR that all others follow from; None if they exclude each other, or leave nothing out."""
        subjects: dict[Subject, list[tuple[Operand, Limit]]] = {}
        for operand in operands:
            for limit in self.limits(operand):
                meant = limit if table == "AND_N" else limit.negation
                subjects.setdefault(limit.subject, []).append((operand, meant))
        kept = dict.fromkeys(operands)
        for limits in subjects.values():
            present = [(operand, limit) for operand, limit in limits if operand in kept]
            deciding = _deciding(present)
            if deciding is None:
                return None
            for operand, _ in present:
                if operand not in deciding:
                    kept.pop(operand, None)
        return tuple(kept)

    def operands_of_difference(self, owner: int) -> tuple[int, ...] | None:
        """Two bools of which a bool says that they differ, no constants if there are such; None if it is not known as a difference."""
        found = [
            row.children for row in self.rows.get(owner, ()) if row.table == "CMPNE" and row.dtype == "bool"
        ]
        return min(found, key=lambda operands: any(each in self.constants for each in operands), default=None)

    def limits(self, operand: Operand) -> tuple[Limit, ...]:
        """What a bool says, also of itself and of the bool that it negates."""
        found = self.known.get(operand)
        if found is None:
            found = self.known[operand] = tuple(dict.fromkeys(self._limits(operand)))
        return found

    def _limits(self, operand: Operand) -> Iterator[Limit]:
        if isinstance(operand, Difference):
            if len(operand.parts) == 1:
                yield from self._negations(operand.parts[0])
            return
        yield Limit(("bool", operand), least=1)
        for row in self.rows.get(operand, ()):
            inner = self._negated(row)
            yield from self._of_comparison(row) if inner is None else self._negations(inner)

    def _negations(self, owner: int) -> Iterator[Limit]:
        """What the negation of a bool says."""
        yield Limit(("bool", owner), greatest=0)
        for row in self.rows.get(owner, ()):
            yield from (limit.negation for limit in self._of_comparison(row))

    def _negated(self, row: Row) -> int | None:
        """The bool whose negation a comparison is."""
        if row.table == "CMPNE" and row.dtype == "bool":
            left, right = row.children
            for value, other in ((left, right), (right, left)):
                if self.constants.get(other) == 1:
                    return value
        return None

    def _of_comparison(self, row: Row) -> Iterator[Limit]:
        """What a comparison of integers says of its subject."""
        kind = kind_of(self.polynomials.dtype(row.dtype))
        left, right = row.children
        if kind == "x":
            yield from _of_difference(
                row.table, difference(self.polynomials.of(left), self.polynomials.of(right))
            )
        elif kind == "i" and left != right:
            yield from self._of_values(row.table, left, right)

    def _of_values(self, table: str, left: int, right: int) -> Iterator[Limit]:
        """Of integers that wrap: differences say nothing about their order."""
        below, above = self.constants.get(left), self.constants.get(right)
        if below is None and above is None:
            subject = ("order", min(left, right), max(left, right))  # -1, 0 or 1
            if table == "CMPNE":
                yield Limit(subject, excluded=0)
            else:
                yield Limit(subject, greatest=-1) if left < right else Limit(subject, least=1)
        elif table == "CMPNE" and (below is None or above is None):
            yield Limit(
                ("value", left if below is None else right), excluded=above if below is None else below
            )
        elif below is None and above is not None:
            yield Limit(("value", left), greatest=above - 1)
        elif above is None and below is not None:
            yield Limit(("value", right), least=below + 1)


def _of_difference(table: str, form: Polynomial) -> Iterator[Limit]:
    """What left - right says, being below zero or not zero, of its terms together, in lowest terms and the first one positive."""
    terms = sorted((monomial, value) for monomial, value in form.items() if monomial)
    if not terms:
        return
    constant = form.get((), 0)
    divisor = gcd(*(value for _, value in terms))
    factor = divisor if terms[0][1] > 0 else -divisor
    subject = ("sum", *((monomial, value // factor) for monomial, value in terms))
    if table == "CMPNE":
        if constant % divisor == 0:
            yield Limit(subject, excluded=-constant // factor)
    elif factor > 0:
        yield Limit(subject, greatest=(-constant - 1) // divisor)
    else:
        yield Limit(subject, least=constant // divisor + 1)


def _deciding(present: Sequence[tuple[Operand, Limit]]) -> set[Operand] | None:
    """Which operands limit one subject as much as all do together; None if nothing is left."""
    least, at_least = _end(present, max, lambda limit: limit.least)
    greatest, at_most = _end(present, min, lambda limit: limit.greatest)
    excluded: dict[int, Operand] = {}
    for operand, limit in present:
        if limit.excluded is not None:
            excluded.setdefault(limit.excluded, operand)
    if least is not None and greatest is not None:
        if least > greatest or (least == greatest and least in excluded):
            return None
    inside = Limit((), least, greatest)
    found = {operand for value, operand in excluded.items() if inside.allows(value)}
    both = [operand for operand in at_least if operand in at_most]
    found.update(both[:1] or [*at_least[:1], *at_most[:1]])
    return found


def _end(
    present: Sequence[tuple[Operand, Limit]],
    choose: Callable[[Iterable[int]], int],
    end_of: Callable[[Limit], int | None],
) -> tuple[int | None, list[Operand]]:
    """The tightest end of one kind, and the operands that set it."""
    ends = [(operand, end) for operand, limit in present if (end := end_of(limit)) is not None]
    if not ends:
        return None, []
    tightest = choose(end for _, end in ends)
    return tightest, [operand for operand, end in ends if end == tightest]


# The check

Read = tuple[frozenset[UOp], int | None]  # operands and constant, as `operands_and_constant` gives them
_DUAL = {Op.AND: Op.OR, Op.OR: Op.AND, Op.MAX: Op.MIN, Op.MIN: Op.MAX}


class Reading(NamedTuple):
    """A bool as a predicate of a subject: that factor * subject + constant is below zero (or else not zero), or the negation of that."""

    subject: tuple[Any, ...]
    factor: int
    constant: int
    is_less: bool = True
    is_negated: bool = False

    def holds(self, point: int) -> bool:
        """Whether it holds where the subject is this integer."""
        value = self.factor * point + self.constant
        return (value < 0 if self.is_less else value != 0) is not self.is_negated

    @property
    def near(self) -> int:
        """An integer at which it changes, or one away from there."""
        return -self.constant // self.factor


def same_limits(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Whether two applications of AND, OR, MAX or MIN are equal: their differing operands follow from the others, or these exclude each other."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ixb":
        return False
    ops = {op for side in (before, after) if (op := operator_of(side)) is not None}
    return any(
        _are_equal(
            op, operands_and_constant(before, op), operands_and_constant(after, op), before.dtype.scalar
        )
        for op in ops & set(_DUAL)
    )


def _are_equal(op: Op, before: Read, after: Read, dtype: DType) -> bool:
    for (ours, constant), (theirs, other) in ((before, after), (after, before)):
        if constant is not None and constant != other and _decides(op, constant, dtype):
            return not ours and _exclude(op, theirs)
    ours, theirs = (_with_constant(operands, constant, dtype) for operands, constant in (before, after))
    return all(_follows(op, operand, theirs) for operand in ours - theirs) and all(
        _follows(op, operand, ours) for operand in theirs - ours
    )


def _with_constant(operands: frozenset[UOp], constant: int | None, dtype: DType) -> frozenset[UOp]:
    return operands if constant is None else operands | {UOp.const(dtype, constant)}


def _decides(op: Op, constant: int, dtype: DType) -> bool:
    """Whether an AND or OR is this constant where one operand is."""
    return constant == (0 if op is Op.AND else dtype.all_ones) and op in (Op.AND, Op.OR)


def _wanted(op: Op) -> bool:
    """What all operands have to be so that nothing is decided: those of an AND hold, those of an OR fail."""
    return op is Op.AND


def _follows(op: Op, operand: UOp, given: frozenset[UOp]) -> bool:
    """Whether an operand is as wanted wherever all that are given are."""
    if operands_and_constant(operand, _DUAL[op])[0] & (given - {operand}):
        return True
    if op not in (Op.AND, Op.OR):
        return False
    if is_difference_of(op, operand, given):
        return True
    if operand.dtype != bool_:
        return False
    wanted = _wanted(op)
    known = [reading for other in given for reading in _readings(other)]
    for reading in _readings(operand):
        same = [other for other in known if other.subject == reading.subject]
        if same and all(
            reading.holds(point) is wanted
            for point in _points([reading, *same])
            if all(other.holds(point) is wanted for other in same)
        ):
            return True
    return False


def _exclude(op: Op, operands: frozenset[UOp]) -> bool:
    """Whether the operands are never all as wanted."""
    if operands and exclude_each_other(op, operands):
        return True
    if any(operand.dtype != bool_ for operand in operands):
        return False
    wanted = _wanted(op)
    subjects: dict[tuple[Any, ...], list[Reading]] = {}
    for operand in operands:
        for reading in _readings(operand):
            subjects.setdefault(reading.subject, []).append(reading)
    return any(
        not any(all(reading.holds(point) is wanted for reading in readings) for point in _points(readings))
        for readings in subjects.values()
    )


def _points(readings: Iterable[Reading]) -> Iterator[int]:
    """Integers that stand for all that a subject may be."""
    for reading in readings:
        yield from (reading.near - 1, reading.near, reading.near + 1)


def _readings(node: UOp) -> Iterator[Reading]:
    """What a bool says, of itself, and as a comparison or the negation of one."""
    yield Reading(("bool", node), -1, 0)
    if node.op not in COMPARISON:
        return
    inner = _negated(node)
    if inner is None:
        yield from _of_comparison(node)
        return
    yield Reading(("bool", inner), -1, 0, is_negated=True)
    for reading in _of_comparison(inner) if inner.op in COMPARISON else ():
        yield reading._replace(is_negated=True)


def _negated(node: UOp) -> UOp | None:
    """The bool that a comparison with True negates."""
    if node.op is Op.CMPNE and node.src[0].dtype == bool_:
        for value, other in (node.src, node.src[::-1]):
            if constant_of(other) is True:
                return value
    return None


def _of_comparison(node: UOp) -> Iterator[Reading]:
    """What a comparison of integers says."""
    kind = kind_of(node.src[0].dtype)
    is_less = node.op is Op.CMPLT
    left, right = node.src
    if kind == "x":
        form = difference(polynomial(left), polynomial(right))
        constant = form.pop((), 0)
        if form:
            first = min(form, key=lambda monomial: tuple(map(id, monomial)))
            factor = gcd(*form.values()) * (1 if form[first] > 0 else -1)
            terms = frozenset((monomial, value // factor) for monomial, value in form.items())
            yield Reading(("sum", terms), factor, constant, is_less)
    elif kind == "i":
        below, above = constant_of(left), constant_of(right)
        if below is None and above is None:
            turned = id(left) > id(right)  # the order of two values is -1, 0 or 1
            subject = ("order", right, left) if turned else ("order", left, right)
            yield Reading(subject, -1 if turned else 1, 0, is_less)
        elif below is None and above is not None:
            yield Reading(("value", left), 1, -int(above), is_less)
        elif below is not None and above is None:
            yield Reading(("value", right), -1, int(below), is_less)
