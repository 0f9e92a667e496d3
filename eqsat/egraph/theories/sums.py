"""Sums and products of integers: merges the classes of equal polynomials, and writes a sum shorter where like terms are collected or cancel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eqsat.egraph.snapshot.constants import plain_dtype
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Equal, Scaled, Sum, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.polynomial import Key, Monomial, Polynomial
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.integers.polynomials import content, operations, term_replaced, wrapped
from eqsat.uop import UOp

MOST_TERMS = 32  # most terms of a polynomial that is multiplied out


def find_sums(context: Context) -> Iterator[Claim]:
    """Claims that classes with equal polynomials are equal, and that a class equals a shorter sum."""
    finder = _Sums(context)
    known: dict[Key, int] = {}
    for owner, rows in context.polynomials.ring_rows.items():
        if owner not in context.constants:
            yield from finder.of_class(owner, rows, known)


class _Sums:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.polynomials = context.polynomials

    def of_class(self, owner: int, rows: Sequence[Row], known: dict[Key, int]) -> Iterator[Claim]:
        form = self.polynomials.of(owner)
        whole = wrapped(self.multiplied_out(form), plain_dtype(self.polynomials.places[owner][0]))
        first = known.setdefault(self.polynomials.key(owner, whole), owner)
        if first != owner:
            yield Equal("same_polynomial", owner, first)
        elif owner in self.polynomials.spread:
            yield from self.shortened(owner, rows, min(form, whole, key=len))
        else:
            yield from self.each_shortened(owner, rows)
        yield from self.by_alternatives(owner, form)

    def multiplied_out(self, form: Polynomial) -> Polynomial:
        """Multiplies out the sums inside products; coefficients are not wrapped yet. Returns the polynomial itself if the result would be too long.

        Polynomials keep a sum inside a product as an atom, because multiplying out makes many terms. Here it shows that a*(b + c) and
        a*b + a*c are equal. No term of the result is built unless it is shorter than the existing terms.
        """
        result: Polynomial = {}
        pending = list(form.items())
        steps = 0
        while pending:
            monomial, coefficient = pending.pop()
            place = self._sum_in(monomial)
            if place is None:
                result[monomial] = result.get(monomial, 0) + coefficient
                continue
            rest = monomial[:place] + monomial[place + 1 :]
            for inner, value in self.polynomials.of(monomial[place]).items():
                pending.append((tuple(sorted((*rest, *inner))), coefficient * value))
            steps += 1
            if steps > MOST_TERMS or len(pending) + len(result) > MOST_TERMS:
                return form
        return result

    def _sum_in(self, monomial: Monomial) -> int | None:
        """The position of a factor that is a sum."""
        for position, factor in enumerate(monomial):
            if factor in self.polynomials.spread and self.polynomials.of(factor) != {(factor,): 1}:
                return position
        return None

    def shortened(self, owner: int, rows: Sequence[Row], form: Polynomial) -> Iterator[Claim]:
        """Claims that a class equals its polynomial if that is shorter than every row, or a multiple of a shorter polynomial."""
        if len(form) < min(self.length(row) for row in rows) or not form:
            yield self.sum(owner, form)
            return
        fewest = min(self.operations_of_row(row) for row in rows)
        if operations(form) < fewest:
            yield self.sum(owner, form)
        divisor = content(form)
        place = self.polynomials.places[owner]
        if divisor > 1 and plain_dtype(place[0]).is_index and operations(form) > 1:
            inner = {monomial: value // divisor for monomial, value in form.items()}
            if 1 + operations(inner) < min(fewest, operations(form)):
                yield Equal("common_factor", owner, Scaled(place, divisor, Sum(place, inner)))

    def each_shortened(self, owner: int, rows: Sequence[Row]) -> Iterator[Claim]:
        """Claims shorter forms of the sums that an atom equals: each by itself, or with one of its own atoms replaced by an alternative."""
        for row in rows:
            if row.table == "ADD_N" and owner not in row.children:
                form = self.polynomials.of_row(row)
                if len(form) < self.length(row):
                    yield self.sum(owner, form)
                yield from self.by_alternatives(owner, form)

    def by_alternatives(self, owner: int, form: Polynomial) -> Iterator[Claim]:
        """Claims that a class equals its sum with one atom replaced by an alternative, if that is shorter."""
        dtype = plain_dtype(self.polynomials.places[owner][0])
        for monomial in form:
            if len(monomial) != 1 or monomial[0] == owner:
                continue
            for alternative in self.polynomials.alternatives(monomial[0]):
                found = wrapped(term_replaced(form, monomial, alternative), dtype)
                is_shorter = len(found) < len(form) - 1 + len(alternative)
                if is_shorter or operations(found) < operations(form) + operations(alternative):
                    yield self.sum(owner, found)

    def sum(self, owner: int, form: Polynomial) -> Equal:
        return Equal("like_terms", owner, Sum(self.polynomials.places[owner], form))

    def operations_of_row(self, row: Row) -> int:
        """Counts the operations of a row whose operands are written as polynomials."""
        inner = sum(operations(self.polynomials.of(child)) for child in set(row.children))
        return inner + (1 if row.table == "SCALE" else len(row.columns[2]) - 1)

    def length(self, row: Row) -> int:
        """Counts the terms of a row before like terms are collected."""
        children = row.columns[3:] if row.table == "SCALE" else row.columns[2]
        if row.table == "MUL_N":
            return 2 if any(child in self.context.constants for child in children) else 1
        return sum(max(1, len(self.polynomials.of(child))) for child in children)


def same_sum(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that both have the same polynomial."""
    return kind_of(before.dtype) in "ix" and polynomial(before) == polynomial(after)


SUMS = Theory(
    find_sums, {"sums": Check("Both are the same polynomial, in the arithmetic of the dtype.", same_sum)}
)
