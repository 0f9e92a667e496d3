"""Quotients and remainders of indices: multiples of the divisor are taken out of the dividend, and inner remainders are removed.

For divisions by a constant, the theory splits the dividend into divisor * quotient + rest, and rules such as `(x * c + y) // c == x + y // c`
match the split. The rest has all terms that `c` does not divide, or their coefficients modulo `c`, or, for a divisor g of `c`, all terms that g
does not divide, if they lie in 0..g-1. Modulo c, x % (c * k) is congruent to x, so that (x % 12 + y) % 4 is (x + y) % 4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import gcd
from typing import Any

from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.theories.claims import Check, Claim, Equal, Operation, Split, Sum, Term, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.polynomial import Polynomial, Polynomials, fits
from eqsat.egraph.theories.terms.divisions import (
    divided_by_factor,
    same_for_two_values,
    same_remainder,
    value_at,
)
from eqsat.integers.polynomials import (
    divided,
    divided_by_monomial,
    nonzero,
    operations,
    plus,
    term_replaced,
    times,
)

MOST_FORMS = 32  # most equal forms of one dividend that are tried

Parts = tuple[int, Polynomial, Polynomial]  # divisor, quotient, rest


def find_divisions(context: Context) -> Iterator[Claim]:
    """Claims shorter quotients and remainders, and splits of their dividends for rules to match."""
    finder = _Divisions(context)
    for row in context.rows:
        if row.table in ("FLOORDIV", "FLOORMOD") and row.dtype == "index":
            yield from finder.of_row(row)


class _Divisions:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.polynomials = context.polynomials
        self.remainders = Remainders(context)
        self.tried = defaultdict[int, set[Any]](set)  # for each dividend, pairs of a form and a factor

    def of_row(self, row: Row) -> Iterator[Claim]:
        dividend, divisor = row.children
        if divisor not in self.context.constants:
            yield from self.by_varying_divisor(row)
        value = self.context.constants.get(divisor, 0)
        if value > 1 and dividend not in self.context.constants:
            yield from self.by_constant(row, value)

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
            for parts in division_parts(
                self.polynomials, written, divisor, is_remainder, self.tried[dividend]
            ):
                yield Split("splits", dividend, place, *parts)

    def by_varying_divisor(self, row: Row) -> Iterator[Claim]:
        """Takes multiples of the divisor out of the dividend."""
        dividend, divisor = row.children
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
        """Claims the result of dividing quotient * divisor + rest by the divisor."""
        place = (row.dtype, row.shape)
        terms: list[Term] = [Sum(place, quotient)] if row.table == "FLOORDIV" else []
        if rest or not terms:
            left = Sum(place, rest)
            terms.append(Operation(row.table, place, (left, row.children[1])) if rest else left)
        whole = terms[0] if len(terms) == 1 else Operation("ADD_N", place, tuple(terms))
        return Equal(
            "division_by_monomial", row.owner, whole, identity=("divide", row.table, Sum(place, quotient))
        )


def _on_a_line(
    polynomials: Polynomials, form: Polynomial, divisor: int, is_remainder: bool
) -> Polynomial | None:
    """Divides a sum over one atom that has two possible values by a constant: returns the line through both results; None for other sums."""
    atoms = {atom for monomial in form for atom in monomial}
    ends = polynomials.bounds({(atom,): 1 for atom in atoms}) if len(atoms) == 1 else None
    if ends is None or ends[1] - ends[0] != 1:
        return None
    divide = int.__mod__ if is_remainder else int.__floordiv__
    first, last = (divide(value_at(form, end), divisor) for end in ends)
    (atom,) = atoms
    line = {(atom,): last - first, (): first - (last - first) * ends[0]}
    return nonzero(line) if all(map(fits, line.values())) else None


# Splits


def forms(polynomials: Polynomials, owner: int) -> list[Polynomial]:
    """Lists the sums that equal a class: its polynomial, its alternatives, and its polynomial with one atom replaced by an alternative."""
    main = polynomials.of(owner)
    found = [main, *polynomials.alternatives(owner)]
    for monomial in main:
        if len(monomial) != 1 or monomial[0] == owner:
            continue
        for alternative in polynomials.alternatives(monomial[0]):
            found.append(term_replaced(main, monomial, alternative))
    distinct: dict[tuple[object, ...], Polynomial] = {}
    for form in found:
        distinct.setdefault(tuple(sorted(form.items())), form)
    return list(distinct.values())[:MOST_FORMS]


def division_parts(
    polynomials: Polynomials, form: Polynomial, divisor: int, is_remainder: bool, tried: set[Any]
) -> Iterator[Parts]:
    """Yields the splits that help to divide `form` by a constant above 1, or to find its remainder. Skips forms and factors that were `tried`."""
    yield from _whole_terms(form, divisor)
    yield from _reduced(polynomials, form, divisor, is_remainder)
    common = {gcd(value, divisor) for monomial, value in form.items() if monomial} - {1, divisor}
    for factor in (divisor, *sorted(common, reverse=True)):
        if (key := (tuple(form.items()), factor)) not in tried:
            tried.add(key)
            yield from _bounded_rest(polynomials, form, factor)
            yield from _rounded(polynomials, form, factor)


def comparison_parts(polynomials: Polynomials, form: Polynomial) -> Iterator[Parts]:
    """Yields the splits that help to compare `form` with a constant."""
    magnitudes = sorted({abs(value) for monomial, value in form.items() if monomial} - {1}, reverse=True)
    common = gcd(*(value for monomial, value in form.items() if monomial), 0)
    for factor in dict.fromkeys([*magnitudes, common]):
        if factor > 1:
            yield from _bounded_rest(polynomials, form, factor)


def _whole_terms(form: Polynomial, divisor: int) -> Iterator[Parts]:
    quotient, rest = divided(form, divisor)
    if quotient:
        yield divisor, quotient, rest


def _reduced(polynomials: Polynomials, form: Polynomial, divisor: int, is_remainder: bool) -> Iterator[Parts]:
    """Divides every coefficient with remainder, if the rest then lies in 0..divisor-1, is an atom, or is shorter than the rest of `divided`."""
    quotient = {monomial: value // divisor for monomial, value in form.items() if value // divisor}
    rest = {monomial: value % divisor for monomial, value in form.items() if value % divisor}
    if not quotient or not any(rest):
        return
    shorter = is_remainder and operations(rest) < operations(divided(form, divisor)[1])
    if shorter or _within(polynomials, rest, divisor) or (len(form) == 1 and 1 in rest.values()):
        yield divisor, quotient, rest


def _rounded(polynomials: Polynomials, form: Polynomial, divisor: int) -> Iterator[Parts]:
    """Divides every coefficient with a remainder of either sign, if the rest then lies within one multiple of the divisor.

    (3 * a + 3) is 4 * a + (3 - a), so for a in 0..3 its quotient by 4 is a.
    """
    nearest = {
        monomial: (2 * value + divisor) // (2 * divisor) for monomial, value in form.items() if monomial
    }
    above = {monomial: -(-value // divisor) for monomial, value in form.items() if monomial}
    for quotient in (nearest, above) if above != nearest else (nearest,):
        yield from _completed(polynomials, form, divisor, quotient)


def _completed(
    polynomials: Polynomials, form: Polynomial, divisor: int, quotient: Polynomial
) -> Iterator[Parts]:
    """Yields the split whose quotient has these coefficients, if the rest stays within one multiple of the divisor."""
    rest = {monomial: value - divisor * quotient.get(monomial, 0) for monomial, value in form.items()}
    is_split = any(rest[monomial] for monomial in quotient)
    bounds = polynomials.bounds(nonzero(rest)) if is_split else None
    if bounds is None:
        return
    whole = bounds[0] // divisor
    if bounds[1] // divisor == whole:
        quotient[()] = whole
        rest[()] = rest.get((), 0) - divisor * whole
        yield divisor, nonzero(quotient), nonzero(rest)


def _bounded_rest(polynomials: Polynomials, form: Polynomial, factor: int) -> Iterator[Parts]:
    quotient, rest = divided(form, factor)
    if quotient and any(quotient) and _within(polynomials, rest, factor):
        yield factor, quotient, rest


def _within(polynomials: Polynomials, form: Polynomial, end: int) -> bool:
    bounds = polynomials.bounds(form)
    return bounds is not None and bounds[0] >= 0 and bounds[1] < end


# Inner remainders


class Remainders:
    """Finds the e-classes that equal `x % constant`, or `x & mask` with a mask of low bits, and the dividend x of each."""

    def __init__(self, context: Context) -> None:
        self.constants = context.constants
        self.polynomials = context.polynomials
        self.dividends: dict[int, list[tuple[int, int]]] = {}
        named = {row.owner for row in context.rows if row.table == "LEAF"}
        for row in context.rows:
            if row.table in ("FLOORMOD", "AND_N") and row.dtype != "bool" and row.owner not in named:
                self._note(row)

    def _note(self, row: Row) -> None:
        is_mask = row.table == "AND_N"
        fixed = [operand for operand in row.children if operand in self.constants]
        others = [operand for operand in row.children if operand not in self.constants]
        if len(fixed) != 1 or len(others) != 1 or (not is_mask and row.children[1] != fixed[0]):
            return
        number = self.constants[fixed[0]]
        divisor = (number + 1) & ~number if is_mask else number  # 2ᵏ, if the mask ends in k ones
        if divisor > 1 and (row.dtype == "index" or divisor & (divisor - 1) == 0):
            self.dividends.setdefault(row.owner, []).append((others[0], divisor))

    def opened(self, form: Polynomial, divisor: int) -> Polynomial | None:
        """A polynomial that is congruent modulo `divisor` and has no inner remainders; None if it is no shorter.

        The divisor must be a power of two unless the numbers are indices: wrapping changes remainders by other divisors.
        """
        atoms = {atom for monomial in form for atom in monomial}
        if operations(form) == 0 or atoms.isdisjoint(self.dividends):
            return None
        result: Polynomial = {}
        for monomial, coefficient in form.items():
            term: Polynomial = {(): coefficient}
            for atom in monomial:
                term = times(term, self._dividend(atom, divisor, alone=len(monomial) == 1))
            result = plus(result, term)
        if result == form:
            return None
        nearest = {key: (value + divisor // 2) % divisor - divisor // 2 for key, value in result.items()}
        result = nonzero(nearest)
        spared = sum(atom in self.dividends for monomial in form for atom in monomial)
        return result if operations(result) <= operations(form) + spared else None

    def _dividend(self, atom: int, divisor: int, *, alone: bool) -> Polynomial:
        """Follows nested remainders: the innermost dividend that is congruent to the atom modulo `divisor`. Sums inside products stay together."""
        for dividend, inner in self.dividends.get(atom, ()):
            if inner % divisor == 0 and dividend != atom:
                written = self.polynomials.of(dividend)
                return written if alone or len(written) == 1 else self.polynomials.as_factor(dividend)
        return {(atom,): 1}


DIVISION = Theory(
    find_divisions,
    {
        "division by a factor": Check(
            "Multiples of the divisor are taken out of the dividend.", divided_by_factor
        ),
        "division of two values": Check(
            "The dividend has one atom with two possible values, and the quotient or remainder equals the sum for both.",
            same_for_two_values,
        ),
        "inner remainders": Check(
            "Inside a remainder, `x % (c * k)` may be replaced by x, where c is the divisor.", same_remainder
        ),
    },
)
