"""Finds ways to write a sum as divisor * quotient + rest (Euclidean division of a polynomial by an integer).

What a rule such as `(x * c + y) // c == x + y // c` needs is a good choice of x and y among the terms of a sum. Few choices help: all terms that
`c` divides; coefficients reduced modulo `c`; and, for a divisor g of `c`, all terms that g divides, if the rest lies in 0..g-1.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from eqsat.egraph.theories.polynomial import Polynomial, Polynomials
from eqsat.integers.polynomials import divided, nonzero, operations, term_replaced

MOST_FORMS = 32  # ways to write one dividend that are looked at

Parts = tuple[int, Polynomial, Polynomial]  # divisor, quotient, rest


def forms(polynomials: Polynomials, owner: int) -> list[Polynomial]:
    """The ways to write a class as a sum: its polynomial, its alternatives, and its polynomial with one atom replaced."""
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
    polynomials: Polynomials, form: Polynomial, divisor: int, is_remainder: bool
) -> Iterator[Parts]:
    """The splits that help to divide `form` by a constant greater than 1, or to find its remainder."""
    yield from _whole_terms(form, divisor)
    yield from _reduced(polynomials, form, divisor, is_remainder)
    yield from _rounded(polynomials, form, divisor)
    for factor in sorted(
        {gcd(value, divisor) for monomial, value in form.items() if monomial} - {1, divisor}, reverse=True
    ):
        yield from _bounded_rest(polynomials, form, factor)
        yield from _rounded(polynomials, form, factor)


def comparison_parts(polynomials: Polynomials, form: Polynomial) -> Iterator[Parts]:
    """The splits that help to compare `form` with a constant."""
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
    """Every coefficient as divisor * quotient + remainder, if the rest lies in 0..divisor-1, is an atom, or is shorter than without multiples."""
    quotient = {monomial: value // divisor for monomial, value in form.items() if value // divisor}
    rest = {monomial: value % divisor for monomial, value in form.items() if value % divisor}
    if not quotient or not any(rest):
        return
    shorter = is_remainder and operations(rest) < operations(divided(form, divisor)[1])
    if shorter or _within(polynomials, rest, divisor) or (len(form) == 1 and 1 in rest.values()):
        yield divisor, quotient, rest


def _rounded(polynomials: Polynomials, form: Polynomial, divisor: int) -> Iterator[Parts]:
    """Every coefficient as divisor * quotient + remainder, the remainder of either sign, if then the rest lies in 0..divisor-1.

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
    """The split with these coefficients of the quotient, if the rest keeps within one multiple of the divisor."""
    rest = {monomial: value - divisor * quotient.get(monomial, 0) for monomial, value in form.items()}
    bounds = polynomials.bounds(nonzero(rest))
    if bounds is None or not any(rest[monomial] for monomial in quotient):
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
