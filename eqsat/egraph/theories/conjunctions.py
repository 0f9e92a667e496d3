"""Conjunctions and disjunctions of comparisons: keeps the operands that decide the result, and drops comparisons of one value that others imply.

A comparison limits a *subject* to a set of integers. A subject is a value, a sum without its constant part, the order of two values, or a bool. An
OR is treated as the AND of the negated operands.

The check reads terms in the same way and then tries points. Whether a limit allows an integer changes only at the ends of the limit, so the points
next to these ends stand for all integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import gcd
from typing import Any, Generic, NamedTuple, TypeVar

from eqsat.dtype import DType, bool_
from eqsat.egraph.snapshot.constants import plain_dtype
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.exclusive_ors import ExclusiveOr, Operand, exclude_each_other, is_exclusive_or_of
from eqsat.egraph.theories.polynomial import Polynomials
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import operands_and_constant, operator_of
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.integers.polynomials import difference
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp

A = TypeVar("A")
Subject = tuple[Any, ...]


class Limit(NamedTuple):
    """The integers that a subject may be.

    Attributes:
        least: the lower end; None if there is none.
        greatest: the upper end; None if there is none.
        excluded: the only integer that the subject may not be; then there are no ends.
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
        """All other integers. The limit must have at most one end, or two equal ends."""
        if self.excluded is not None:
            return Limit(self.subject, self.excluded, self.excluded)
        if self.least == self.greatest:
            return Limit(self.subject, excluded=self.least)
        if self.greatest is None:
            return Limit(self.subject, greatest=(self.least or 0) - 1)
        return Limit(self.subject, least=self.greatest + 1)

    @property
    def near(self) -> Iterator[int]:
        """The integers on both sides of each place where the limit begins or ceases to allow integers."""
        for end in (
            self.least,
            self.excluded,
            *(None if last is None else last + 1 for last in (self.greatest, self.excluded)),
        ):
            if end is not None:
                yield from (end - 1, end)


class Comparison(NamedTuple, Generic[A]):
    """The comparison left < right or left != right; `kind` is the kind of the sides, see `kind_of`."""

    is_less: bool
    kind: str
    left: A
    right: A


class Reader(NamedTuple, Generic[A]):
    """Reads bools, which are classes or terms.

    Attributes:
        comparisons: returns the comparisons that equal a bool.
        form: returns an index as a polynomial.
        constant: returns the value of a constant, None for anything else.
        order: returns a number for each atom.
    """

    comparisons: Callable[[A], Iterable[Comparison[A]]]
    form: Callable[[A], Mapping[tuple[A, ...], int]]
    constant: Callable[[A], int | None]
    order: Callable[[A], int]

    def limits(self, truth: A) -> Iterator[Limit]:
        """The limits that a true bool puts on subjects. The bool itself and the bool that it negates are among the subjects."""
        yield Limit(("bool", truth), least=1)
        for comparison in self.comparisons(truth):
            inner = self._negated(comparison)
            yield from self._of_comparison(comparison) if inner is None else self.negations(inner)

    def negations(self, truth: A) -> Iterator[Limit]:
        """The limits that a false bool puts on subjects."""
        yield Limit(("bool", truth), greatest=0)
        for comparison in self.comparisons(truth):
            yield from (limit.negation for limit in self._of_comparison(comparison))

    def _negated(self, comparison: Comparison[A]) -> A | None:
        """The bool that a comparison with True negates."""
        if not comparison.is_less and comparison.kind == "b":
            _, _, left, right = comparison
            for value, other in ((left, right), (right, left)):
                if self.constant(other) == 1:
                    return value
        return None

    def _of_comparison(self, comparison: Comparison[A]) -> Iterator[Limit]:
        """The limits that a true comparison of integers puts on its subject."""
        is_less, kind, left, right = comparison
        if kind == "x":
            yield from self._of_difference(is_less, difference(self.form(left), self.form(right)))
        elif kind == "i" and left != right:
            yield from self._of_values(is_less, left, right)

    def _of_difference(self, is_less: bool, form: dict[tuple[A, ...], int]) -> Iterator[Limit]:
        """The limit on a sum if left - right is negative (`is_less`), or is not zero.

        The sum is divided by its common factor, with the sign that makes its first term positive.
        """
        constant = form.pop((), 0)
        if not form:
            return
        divisor = gcd(*form.values())
        first = min(form, key=lambda monomial: tuple(map(self.order, monomial)))
        factor = divisor if form[first] > 0 else -divisor
        subject = ("sum", frozenset((monomial, value // factor) for monomial, value in form.items()))
        if not is_less:
            if constant % divisor == 0:
                yield Limit(subject, excluded=-constant // factor)
        elif factor > 0:
            yield Limit(subject, greatest=(-constant - 1) // divisor)
        else:
            yield Limit(subject, least=constant // divisor + 1)

    def _of_values(self, is_less: bool, left: A, right: A) -> Iterator[Limit]:
        """The limits of a comparison of integers that wrap. The difference of such integers does not decide their order."""
        below, above = self.constant(left), self.constant(right)
        if below is None and above is None:
            is_turned = self.order(right) < self.order(left)
            subject = ("order", right, left) if is_turned else ("order", left, right)  # -1, 0 or 1
            if not is_less:
                yield Limit(subject, excluded=0)
            else:
                yield Limit(subject, least=1) if is_turned else Limit(subject, greatest=-1)
        elif below is None and above is not None:
            subject = ("value", left)
            yield Limit(subject, greatest=above - 1) if is_less else Limit(subject, excluded=above)
        elif below is not None and above is None:
            subject = ("value", right)
            yield Limit(subject, least=below + 1) if is_less else Limit(subject, excluded=below)


class Limits:
    """The limits that the bools of an e-graph put on subjects, computed when asked for."""

    def __init__(self, polynomials: Polynomials) -> None:
        self.constants = polynomials.constants
        self.rows: dict[int, list[Row]] = {}
        for row in polynomials.frozen.rows:
            if row.table in ("CMPLT", "CMPNE"):
                self.rows.setdefault(row.owner, []).append(row)

        def comparisons(owner: int) -> Iterator[Comparison[int]]:
            for row in self.rows.get(owner, ()):
                yield Comparison(row.table == "CMPLT", kind_of(plain_dtype(row.dtype)), *row.children)

        self.reader = Reader[int](comparisons, polynomials.of, self.constants.get, int)
        self.known: dict[Operand, tuple[Limit, ...]] = {}

    def decisive(self, table: str, operands: Sequence[Operand]) -> tuple[Operand, ...] | None:
        """The operands from which all others follow. None if the operands decide the result: an AND is never true, or an OR always is."""
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

    def operands_of_exclusive_or(self, owner: int) -> tuple[int, ...] | None:
        """Two bools whose exclusive or equals a bool, if possible without constants. None if the bool is not known as an exclusive or."""
        found = [
            row.children for row in self.rows.get(owner, ()) if row.table == "CMPNE" and row.dtype == "bool"
        ]
        return min(found, key=lambda operands: any(each in self.constants for each in operands), default=None)

    def limits(self, operand: Operand) -> tuple[Limit, ...]:
        """The limits of an operand. An exclusive or of one class counts as its negation."""
        found = self.known.get(operand)
        if found is None:
            if not isinstance(operand, ExclusiveOr):
                read = self.reader.limits(operand)
            else:
                read = self.reader.negations(operand.parts[0]) if len(operand.parts) == 1 else ()
            found = self.known[operand] = tuple(dict.fromkeys(read))
        return found


def _deciding(present: Sequence[tuple[Operand, Limit]]) -> set[Operand] | None:
    """The operands that limit one subject as much as all operands do together. None if no integer is left."""
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
DUAL = {Op.AND: Op.OR, Op.OR: Op.AND, Op.MAX: Op.MIN, Op.MIN: Op.MAX}


def same_limits(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that two applications of AND, OR, MAX or MIN are equal: operands of one alone follow from the others, or these exclude each other."""
    if before.dtype != after.dtype or kind_of(before.dtype) not in "ixb":
        return False
    ops = {op for side in (before, after) if (op := operator_of(side)) is not None}
    return any(
        _are_equal(
            op, operands_and_constant(before, op), operands_and_constant(after, op), before.dtype.scalar
        )
        for op in ops & set(DUAL)
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
    """Whether an AND or OR is this constant if one operand is."""
    return constant == (0 if op is Op.AND else dtype.all_ones) and op in (Op.AND, Op.OR)


def _follows(op: Op, operand: UOp, given: frozenset[UOp]) -> bool:
    """Whether an operand of an AND is true wherever all given operands are; for an OR, whether it is false wherever all given ones are."""
    if operands_and_constant(operand, DUAL[op])[0] & (given - {operand}):
        return True
    if op not in (Op.AND, Op.OR):
        return False
    if is_exclusive_or_of(op, operand, given):
        return True
    if operand.dtype != bool_:
        return False
    known = [limit for other in given for limit in _limits(op, other)]
    for limit in _limits(op, operand):
        same = [other for other in known if other.subject == limit.subject]
        if same and all(map(limit.allows, _allowed(same, [limit, *same]))):
            return True
    return False


def _exclude(op: Op, operands: frozenset[UOp]) -> bool:
    """Whether the operands of an AND are never all true, or the operands of an OR never all false."""
    if operands and exclude_each_other(op, operands):
        return True
    if any(operand.dtype != bool_ for operand in operands):
        return False
    subjects: dict[Subject, list[Limit]] = {}
    for operand in operands:
        for limit in _limits(op, operand):
            subjects.setdefault(limit.subject, []).append(limit)
    return any(not any(True for _ in _allowed(limits, limits)) for limits in subjects.values())


def _allowed(limits: Sequence[Limit], ends: Iterable[Limit]) -> Iterator[int]:
    """The integers next to some ends that all limits allow."""
    return (point for end in ends for point in end.near if all(limit.allows(point) for limit in limits))


def _limits(op: Op, node: UOp) -> Iterator[Limit]:
    """The limits of an operand of an AND if it is true, or of an OR if it is false."""
    limits = _READER.limits(node)
    return limits if op is Op.AND else (limit.negation for limit in limits)


def _comparisons(node: UOp) -> Iterator[Comparison[UOp]]:
    if node.op in COMPARISON:
        yield Comparison(node.op is Op.CMPLT, kind_of(node.src[0].dtype), *node.src)


def _integer(node: UOp) -> int | None:
    value = constant_of(node)
    return None if value is None else int(value)


_READER = Reader[UOp](_comparisons, polynomial, _integer, id)
