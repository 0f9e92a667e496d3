"""Quotients and remainders of indices: multiples of the divisor leave the dividend, and so do remainders that do not matter."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Operation, Split, Sum, Term, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.euclidean_splits import comparison_parts, division_parts, forms
from eqsat.egraph.theories.extents import Extents
from eqsat.egraph.theories.polynomial import Polynomial, Polynomials, fits
from eqsat.egraph.theories.remainders import Remainders, same_remainder
from eqsat.egraph.theories.terms import sums
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.sums import divides, is_nonzero, polynomial
from eqsat.integers.polynomials import difference, divided_by_monomial, interval, nonzero, plus
from eqsat.ops import Op
from eqsat.uop import UOp


def find_divisions(context: Context) -> Iterator[Claim]:
    """What follows about quotients and remainders, and splits of their dividends on which rules match."""
    finder = _Divisions(context)
    for row in context.rows:
        if row.table in ("FLOORDIV", "FLOORMOD") and row.dtype == "index":
            yield from finder.of_row(row)


def comparison_splits(context: Context, row: Row) -> Iterator[Split]:
    """Splits of what is compared with a constant."""
    left, right = row.children
    if right in context.constants:
        for form in forms(context.polynomials, left):
            for parts in comparison_parts(context.polynomials, form):
                yield Split("splits", left, (row.dtype, row.shape), *parts)


class _Divisions:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.polynomials = context.polynomials
        self.extents = Extents(context)
        self.remainders = Remainders(context)

    def of_row(self, row: Row) -> Iterator[Claim]:
        dividend, divisor = row.children
        if divisor not in self.context.constants:
            yield from self.by_varying_divisor(row)
        value = self.context.constants.get(divisor, 0)
        if value > 1 and dividend not in self.context.constants:
            yield from self.by_constant(row, value)

    # by a constant

    def by_constant(self, row: Row, divisor: int) -> Iterator[Claim]:
        dividend, _ = row.children
        place, is_remainder = (row.dtype, row.shape), row.table == "FLOORMOD"
        form = self.polynomials.of(dividend)
        line = _on_a_line(self.polynomials, form, divisor, is_remainder)
        if line is not None:  # no splits: these could go on for ever where v is (v + 3) // 4
            if line != {(row.owner,): 1}:
                yield Equal("division_of_two_values", row.owner, Sum(place, line))
            return
        opened = self.remainders.opened(form, divisor) if is_remainder else None
        if opened is not None:
            sides = (Sum(place, opened), row.children[1])
            yield Equal("remainder_in_remainder", row.owner, Operation("FLOORMOD", place, sides))
        for written in forms(self.polynomials, dividend):
            for parts in division_parts(self.polynomials, written, divisor, is_remainder):
                yield Split("splits", dividend, place, *parts)

    # by what is no constant

    def by_varying_divisor(self, row: Row) -> Iterator[Claim]:
        """Multiples of the divisor leave the dividend, and what is below the divisor remains."""
        dividend, divisor = row.children
        place = (row.dtype, row.shape)
        if self.context.frozen.lo.get(dividend, -1) >= 0 and self.extents.is_below(dividend, divisor):
            remaining: Term = dividend if row.table == "FLOORMOD" else Constant(place, 0)
            yield Equal("dividend_below_divisor", row.owner, remaining)
        written = self.polynomials.of(divisor)
        factors = self.polynomials.as_factor(divisor) if len(written) > 1 else written
        if len(factors) != 1 or () in factors:
            return
        ((monomial, coefficient),) = factors.items()
        if all(map(self.is_nonzero, monomial)):
            for form in forms(self.polynomials, dividend):
                quotient, rest = divided_by_monomial(form, monomial, coefficient)
                if quotient:
                    yield self.without_multiples(row, quotient, rest)

    def is_nonzero(self, owner: int) -> bool:
        """Whether bounds keep an atom from being zero."""
        least, greatest = self.context.frozen.lo.get(owner), self.context.frozen.hi.get(owner)
        return (least is not None and least > 0) or (greatest is not None and greatest < 0)

    def without_multiples(self, row: Row, quotient: Polynomial, rest: Polynomial) -> Equal:
        """A division of quotient * divisor + rest."""
        place = (row.dtype, row.shape)
        terms: list[Term] = [Sum(place, quotient)] if row.table == "FLOORDIV" else []
        if rest or not terms:
            left = Sum(place, rest)
            terms.append(Operation(row.table, place, (left, row.children[1])) if rest else left)
        whole = terms[0] if len(terms) == 1 else Operation("ADD_N", place, tuple(terms))
        return Equal("division_by_monomial", row.owner, whole, by=("divide", row.table, Sum(place, quotient)))


def _on_a_line(
    polynomials: Polynomials, form: Polynomial, divisor: int, is_remainder: bool
) -> Polynomial | None:
    """The quotient, or remainder, by a positive constant of a sum of one atom that has two values; None of other sums."""
    atoms = {atom for monomial in form for atom in monomial}
    ends = polynomials.bounds({(atom,): 1 for atom in atoms})
    if len(atoms) != 1 or ends is None or ends[1] - ends[0] != 1:
        return None
    whole = [sum(factor * end ** len(monomial) for monomial, factor in form.items()) for end in ends]
    first, last = (value % divisor if is_remainder else value // divisor for value in whole)
    (atom,) = atoms
    line = {(atom,): last - first, (): first - (last - first) * ends[0]}
    return nonzero(line) if all(map(fits, line.values())) else None


# The checks


def divided_by_factor(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """(q * d + r) // d is q + r // d, and (q * d + r) % d is r % d, for indices and a d that is not zero."""
    if before.op not in (Op.FLOORDIV, Op.FLOORMOD) or kind_of(before.dtype) != "x":
        return False
    dividend, divisor = before.src
    if not is_nonzero(polynomial(divisor), bounds):
        return False
    result = polynomial(after)
    rest: sums.Polynomial = {}
    for monomial, factor in list(result.items()):
        if (
            len(monomial) == 1
            and monomial[0].op is before.op
            and monomial[0].src[1] is divisor
            and factor == 1
        ):
            rest = polynomial(monomial[0].src[0])
            del result[monomial]
            break
    if before.op is Op.FLOORDIV:
        whole = plus(sums.times(result, polynomial(divisor)), rest)
        return difference(polynomial(dividend), whole) == {}
    return not result and divides(polynomial(divisor), difference(polynomial(dividend), rest))


def same_for_two_values(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """A division by a constant of a sum of one value that is one of two, and a sum of it: the same for both."""
    if before.op not in (Op.FLOORDIV, Op.FLOORMOD) or kind_of(before.dtype) != "x":
        return False
    divisor, dividend, result = constant_of(before.src[1]), polynomial(before.src[0]), polynomial(after)
    values = {value for monomial in (*dividend, *result) for value in monomial}
    if len(values) != 1 or not isinstance(divisor, int) or divisor <= 0:
        return False
    low, high = interval({(values.pop(),): 1}, bounds.of)
    if low is None or high is None or high - low != 1:
        return False
    divide = int.__floordiv__ if before.op is Op.FLOORDIV else int.__mod__
    return all(divide(_value_at(dividend, end), divisor) == _value_at(result, end) for end in (low, high))


def _value_at(form: sums.Polynomial, value: int) -> int:
    """The value of a polynomial whose factors all have one value."""
    return sum(factor * value ** len(monomial) for monomial, factor in form.items())


DIVISION = Theory(
    find_divisions,
    {
        "division by a factor": Check("Multiples of the divisor leave a dividend.", divided_by_factor),
        "division of two values": Check(
            "A quotient or remainder is the same sum for both values that there are.", same_for_two_values
        ),
        "inner remainders": Check(
            "Where only a remainder counts, remainders by multiples of its divisor are their dividends.",
            same_remainder,
        ),
    },
)
