"""Ways to write a dividend, or one side of a comparison, as divisor * quotient + rest.

What a rule such as `(x * c + y) // c == x + y // c` needs is a good choice of x and y among the terms of a sum. Few choices help: all terms that
`c` divides; coefficients reduced modulo `c`; and, for a divisor g of `c`, all terms that g divides, if the rest lies in 0..g-1.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from eqsat.egraph.polynomial import Monomial, Polynomial, Polynomials, fits, operations

MOST_FORMS = 32  # ways to write one dividend that are looked at

Split = tuple[int, Polynomial, Polynomial]  # divisor, quotient, rest


def forms(polynomials: Polynomials, owner: int) -> list[Polynomial]:
    """The ways to write a class as a sum: its polynomial, its alternatives, and its polynomial with one atom replaced."""
    main = polynomials.of(owner)
    found = [main, *polynomials.alternatives(owner)]
    for monomial, coefficient in main.items():
        if len(monomial) != 1 or monomial[0] == owner:
            continue
        for alternative in polynomials.alternatives(monomial[0]):
            found.append(substituted(main, monomial[0], coefficient, alternative))
    distinct: dict[tuple[object, ...], Polynomial] = {}
    for form in found:
        distinct.setdefault(tuple(sorted(form.items())), form)
    return list(distinct.values())[:MOST_FORMS]


def substituted(polynomial: Polynomial, atom: int, coefficient: int, alternative: Polynomial) -> Polynomial:
    """`polynomial` with the term coefficient * atom written by an alternative for the atom."""
    result = {monomial: value for monomial, value in polynomial.items() if monomial != (atom,)}
    for monomial, value in alternative.items():
        result[monomial] = result.get(monomial, 0) + coefficient * value
    return {monomial: value for monomial, value in result.items() if value}


def division_splits(
    polynomials: Polynomials, form: Polynomial, divisor: int, is_remainder: bool
) -> Iterator[Split]:
    """The splits that help to divide `form` by a constant greater than 1, or to find its remainder."""
    yield from _whole_terms(form, divisor)
    yield from _reduced(polynomials, form, divisor, is_remainder)
    yield from _rounded(polynomials, form, divisor)
    for factor in sorted(
        {gcd(value, divisor) for monomial, value in form.items() if monomial} - {1, divisor}, reverse=True
    ):
        yield from _bounded_rest(polynomials, form, factor)
        yield from _rounded(polynomials, form, factor)


def comparison_splits(polynomials: Polynomials, form: Polynomial) -> Iterator[Split]:
    """The splits that help to compare `form` with a constant."""
    magnitudes = sorted({abs(value) for monomial, value in form.items() if monomial} - {1}, reverse=True)
    common = gcd(*(value for monomial, value in form.items() if monomial), 0)
    for factor in dict.fromkeys([*magnitudes, common]):
        if factor > 1:
            yield from _bounded_rest(polynomials, form, factor)


def _whole_terms(form: Polynomial, divisor: int) -> Iterator[Split]:
    quotient, rest = divided(form, divisor)
    if quotient:
        yield divisor, quotient, rest


def _reduced(polynomials: Polynomials, form: Polynomial, divisor: int, is_remainder: bool) -> Iterator[Split]:
    """Every coefficient as divisor * quotient + remainder, if the rest lies in 0..divisor-1, is an atom, or is shorter than without multiples."""
    quotient = {monomial: value // divisor for monomial, value in form.items() if value // divisor}
    rest = {monomial: value % divisor for monomial, value in form.items() if value % divisor}
    if not quotient or not any(rest):
        return
    shorter = is_remainder and operations(rest) < operations(divided(form, divisor)[1])
    if shorter or _within(polynomials, rest, divisor) or (len(form) == 1 and 1 in rest.values()):
        yield divisor, quotient, rest


def _rounded(polynomials: Polynomials, form: Polynomial, divisor: int) -> Iterator[Split]:
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
) -> Iterator[Split]:
    """The split with these coefficients of the quotient, if the rest keeps within one multiple of the divisor."""
    rest = {monomial: value - divisor * quotient.get(monomial, 0) for monomial, value in form.items()}
    bounds = polynomials.bounds(_nonzero(rest))
    if bounds is None or not any(rest[monomial] for monomial in quotient):
        return
    whole = bounds[0] // divisor
    if bounds[1] // divisor == whole:
        quotient[()] = whole
        rest[()] = rest.get((), 0) - divisor * whole
        yield divisor, _nonzero(quotient), _nonzero(rest)


def _bounded_rest(polynomials: Polynomials, form: Polynomial, factor: int) -> Iterator[Split]:
    quotient, rest = divided(form, factor)
    if quotient and any(quotient) and _within(polynomials, rest, factor):
        yield factor, quotient, rest


def divided(form: Polynomial, divisor: int) -> tuple[Polynomial, Polynomial]:
    """The terms that `divisor` divides, divided; and the others. The constant is divided with a remainder."""
    quotient: Polynomial = {}
    rest: Polynomial = {}
    for monomial, value in form.items():
        if not monomial:
            quotient[()], rest[()] = divmod(value, divisor)
        elif value % divisor == 0:
            quotient[monomial] = value // divisor
        else:
            rest[monomial] = value
    return _nonzero(quotient), _nonzero(rest)


def _within(polynomials: Polynomials, form: Polynomial, end: int) -> bool:
    bounds = polynomials.bounds(form)
    return bounds is not None and bounds[0] >= 0 and bounds[1] < end


def _nonzero(form: Polynomial) -> Polynomial:
    return {monomial: value for monomial, value in form.items() if value}


def divided_by_monomial(
    form: Polynomial, factors: Monomial, coefficient: int
) -> tuple[Polynomial, Polynomial]:
    """The terms that a monomial with a coefficient divides, divided; and the others.

    >>> divided_by_monomial({(1, 2): 6, (2, 3): 5, (): 1}, (2,), 3)
    ({(1,): 2}, {(2, 3): 5, (): 1})
    """
    quotient: Polynomial = {}
    rest: Polynomial = {}
    for monomial, value in form.items():
        left = list(monomial)
        for factor in factors:
            if factor in left:
                left.remove(factor)
        if value % coefficient or len(left) != len(monomial) - len(factors):
            rest[monomial] = value
        else:
            quotient[tuple(left)] = value // coefficient
    return quotient, rest


def on_a_line(
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
    return _nonzero(line) if all(map(fits, line.values())) else None
