"""Comparisons in AND and OR chains: of those that limit one value the decisive ones stay, or the constant that they make.

A comparison is read as the integers that it lets a subject be. A subject is a value, a sum without its constant part, the order of two values, or
a bool. An OR chain is looked at as the AND chain of the negations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd
from typing import Any, NamedTuple

from eqsat.egraph.differences import Difference, Element
from eqsat.egraph.frozen import Row
from eqsat.egraph.polynomial import Polynomial, Polynomials
from eqsat.egraph.schema import kind_of

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


class Comparisons:
    """What the bools of a frozen e-graph say of subjects, read when asked for."""

    def __init__(self, polynomials: Polynomials) -> None:
        self.polynomials = polynomials
        self.constants = polynomials.constants
        self.rows: dict[int, list[Row]] = {}
        for row in polynomials.frozen.rows:
            if row.table in ("CMPLT", "CMPNE"):
                self.rows.setdefault(row.owner, []).append(row)
        self.known: dict[Element, tuple[Limit, ...]] = {}

    def decisive(self, table: str, elements: Sequence[Element]) -> tuple[Element, ...] | None:
        """The elements of an AND or OR chain that all others follow from; None if they exclude each other, or leave nothing out."""
        subjects: dict[Subject, list[tuple[Element, Limit]]] = {}
        for element in elements:
            for limit in self.limits(element):
                meant = limit if table == "AND_N" else limit.negation
                subjects.setdefault(limit.subject, []).append((element, meant))
        kept = dict.fromkeys(elements)
        for limits in subjects.values():
            present = [(element, limit) for element, limit in limits if element in kept]
            deciding = _deciding(present)
            if deciding is None:
                return None
            for element, _ in present:
                if element not in deciding:
                    kept.pop(element, None)
        return tuple(kept)

    def operands_of_difference(self, owner: int) -> tuple[int, ...] | None:
        """Two bools of which a bool says that they differ, no constants if there are such; None if it is not known as a difference."""
        found = [
            row.children for row in self.rows.get(owner, ()) if row.table == "CMPNE" and row.dtype == "bool"
        ]
        return min(found, key=lambda operands: any(each in self.constants for each in operands), default=None)

    def limits(self, element: Element) -> tuple[Limit, ...]:
        """What a bool says, also of itself and of the bool that it negates."""
        found = self.known.get(element)
        if found is None:
            found = self.known[element] = tuple(dict.fromkeys(self._limits(element)))
        return found

    def _limits(self, element: Element) -> Iterator[Limit]:
        if isinstance(element, Difference):
            if len(element.parts) == 1:
                yield from self._negations(element.parts[0])
            return
        yield Limit(("bool", element), least=1)
        for row in self.rows.get(element, ()):
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
            yield from _of_difference(row.table, self._difference(left, right))
        elif kind == "i" and left != right:
            yield from self._of_values(row.table, left, right)

    def _difference(self, left: int, right: int) -> Polynomial:
        form = dict(self.polynomials.of(left))
        for monomial, value in self.polynomials.of(right).items():
            form[monomial] = form.get(monomial, 0) - value
        return {monomial: value for monomial, value in form.items() if value}

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


def _of_difference(table: str, difference: Polynomial) -> Iterator[Limit]:
    """What left - right says, being below zero or not zero, of its terms together, in lowest terms and the first one positive."""
    terms = sorted((monomial, value) for monomial, value in difference.items() if monomial)
    if not terms:
        return
    constant = difference.get((), 0)
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


def _deciding(present: Sequence[tuple[Element, Limit]]) -> set[Element] | None:
    """Which elements limit one subject as much as all do together; None if nothing is left."""
    least = max((limit.least for _, limit in present if limit.least is not None), default=None)
    greatest = min((limit.greatest for _, limit in present if limit.greatest is not None), default=None)
    excluded: dict[int, Element] = {}
    for element, limit in present:
        if limit.excluded is not None:
            excluded.setdefault(limit.excluded, element)
    if (
        least is not None
        and greatest is not None
        and (least > greatest or (least == greatest and least in excluded))
    ):
        return None
    found = {
        element
        for value, element in excluded.items()
        if (least is None or value >= least) and (greatest is None or value <= greatest)
    }
    at_least = [element for element, limit in present if limit.least is not None and limit.least == least]
    at_most = [
        element for element, limit in present if limit.greatest is not None and limit.greatest == greatest
    ]
    both = [element for element in at_least if element in at_most]
    found.update(both[:1] or [*at_least[:1], *at_most[:1]])
    return found
