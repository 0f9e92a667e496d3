"""The factors of dynamic extents: variables, and quotients of sums of products by whole numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple, TypeVar

from eqsat.errors import brief

ROUND = (384, 96, 24, 8)  # units of capacities; 384 = 2⁷·3 is a multiple of nearly all tile sizes of loops
MOST_PARTS = 1 << 10  # largest k for which m - ⌊m / k⌋ is rewritten as a sum of k - 1 quotients
WHOLE = 256  # a power of two up to this is its own unit, so it is not rounded up

Number = TypeVar("Number", int, Fraction)


class Dim(NamedTuple):
    """A variable of extents, from `least` to `greatest`."""

    name: str
    least: int
    greatest: int

    @property
    def unit(self) -> int:
        """A number that tiles divide; the capacity is a multiple of it."""
        return _unit(self.greatest)

    @property
    def capacity(self) -> int:
        """The greatest value, rounded up to a multiple of `unit`."""
        return _rounded(self.greatest, self.unit)

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The variable itself, as a tuple of one; a quotient may have several variables."""
        return (self,)

    @property
    def text(self) -> str:
        """Its text, for people."""
        return self.name

    def at(self, values: Mapping[str, int]) -> int:
        """What it is for values of variables."""
        return values[self.name]


class Quotient(NamedTuple):
    """A sum of products of variables, divided by a whole number and rounded down."""

    terms: Terms
    divisor: int

    @property
    def least(self) -> int:
        """Its least possible value."""
        return value_of_terms(self.terms, lambda factor: factor.least) // self.divisor

    @property
    def greatest(self) -> int:
        """Its greatest possible value."""
        return value_of_terms(self.terms, lambda factor: factor.greatest) // self.divisor

    @property
    def unit(self) -> int:
        """A number that tiles divide; the capacity is a multiple of it."""
        return _unit(self.greatest)

    @property
    def capacity(self) -> int:
        """The quotient of the dividend's capacity, rounded up to a multiple of `unit`."""
        most = value_of_terms(self.terms, lambda factor: factor.capacity) // self.divisor
        return _rounded(most, self.unit)

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The variables of the sum, in order."""
        return tuple(sorted({dim for factor in factors_in(self.terms) for dim in factor.dims}))

    @property
    def text(self) -> str:
        """Its text, for people."""
        dividend = text_of_terms(self.terms)
        return (
            f"(({dividend}) // {brief(self.divisor)})"
            if " " in dividend
            else f"({dividend} // {brief(self.divisor)})"
        )

    def at(self, values: Mapping[str, int]) -> int:
        """What it is for values of variables."""
        return value_of_terms(self.terms, lambda factor: factor.at(values)) // self.divisor


Factor = Dim | Quotient
Monomial = tuple[Factor, ...]  # a product, its factors in order
Terms = tuple[tuple[Monomial, int], ...]  # the terms of a sum, in order: products with their integer factors


def in_order(found: Mapping[Monomial, int]) -> Terms:
    """The non-zero terms of a sum, in order."""
    rows = [(monomial, factor) for monomial, factor in found.items() if factor]
    return tuple(sorted(rows, key=lambda row: tuple(map(place_of, row[0]))))


def place_of(factor: Factor) -> tuple[bool, str, int, int]:
    """The sort key of a factor in a product: variables come before quotients."""
    if isinstance(factor, Dim):
        return False, factor.name, factor.least, factor.greatest
    return True, factor.text, factor.divisor, factor.greatest


def value_of_terms(terms: Terms, value: Callable[[Factor], int]) -> int:
    """The value of a sum, given the value of each factor."""
    return sum(factor * prod(map(value, monomial)) for monomial, factor in terms)


def factors_in(terms: Terms) -> Iterator[Factor]:
    """All factors of a sum."""
    return (factor for monomial, _ in terms for factor in monomial)


def text_of_terms(terms: Terms) -> str:
    """The text of a sum, for people."""
    parts = sorted(terms, key=lambda term: not term[0])
    return " + ".join(_monomial_text(monomial, factor) for monomial, factor in parts).replace("+ -", "- ")


def ends_of(difference: Mapping[Monomial, int]) -> tuple[Fraction, Fraction]:
    """A lower and an upper bound of a sum, from the bounds of its factors and from the dividends of its quotients."""
    exact = {monomial: Fraction(factor) for monomial, factor in difference.items()}
    low, high = _end(exact, upper=False), _end(exact, upper=True)
    if any(isinstance(factor, Quotient) for monomial in exact for factor in monomial):
        low = max(low, _end(_of_dividends(exact, upper=False), upper=False))
        high = min(high, _end(_of_dividends(exact, upper=True), upper=True))
    return low, high


def never_falls(terms: Terms) -> bool:
    """Whether a sum is sure never to fall when a factor grows.

    The sum is written in the distances of factors from their least values; then no product may be subtracted. So the elements of an axis may be
    cut, as in (n - 2)·m = m·n - 2·m.
    """
    if all(scale >= 0 for monomial, scale in terms if monomial):
        return True
    found: Counter[Monomial] = Counter()
    for monomial, scale in terms:
        rows: Counter[Monomial] = Counter({(): scale})
        for factor in monomial:
            times: Counter[Monomial] = Counter()
            for product, each in rows.items():
                times[(*product, factor)] += each
                times[product] += each * factor.least
            rows = times
        for product, each in rows.items():
            found[product] += each
    return all(scale >= 0 for monomial, scale in found.items() if monomial)


def _of_dividends(difference: Mapping[Monomial, Fraction], *, upper: bool) -> dict[Monomial, Fraction]:
    """The sum with (m - k + 1) / k or m / k in place of each ⌊m / k⌋: an upper bound of it if `upper`, else a lower bound."""
    found: dict[Monomial, Fraction] = {}
    for monomial, factor in difference.items():
        if len(monomial) != 1 or not isinstance(monomial[0], Quotient):
            found[monomial] = found.get(monomial, Fraction(0)) + factor
            continue
        terms, divisor = monomial[0]
        for each, scale in terms:
            found[each] = found.get(each, Fraction(0)) + factor * scale / divisor
        if upper is (factor < 0):
            found[()] = found.get((), Fraction(0)) - factor * Fraction(divisor - 1, divisor)
    return found


def _end(difference: Mapping[Monomial, Fraction], *, upper: bool) -> Fraction:
    total = Fraction(0)
    for monomial, scale in difference.items():
        is_greatest = upper is (scale > 0)
        total += scale * prod(factor.greatest if is_greatest else factor.least for factor in monomial)
    return total


def _unit(greatest: int) -> int:
    if greatest <= WHOLE and greatest.bit_count() == 1:
        return greatest
    return next((unit for unit in ROUND if unit <= greatest), 1)


def _rounded(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def _monomial_text(monomial: Monomial, factor: int) -> str:
    names = [each.text for each in monomial]
    return "·".join(names if factor == 1 and names else [brief(factor), *names])


def are_terms(terms: Any) -> bool:
    """Whether this is a sum of products in the form in which extents hold it, with at least one variable."""
    try:
        factors = [factor for monomial, scale in terms for factor in (*monomial, scale)]
    except (TypeError, ValueError):  # these are no pairs of a product and a number
        return False
    return (
        isinstance(terms, tuple)
        and any(map(_is_variable, factors))
        and all(_is_variable(factor) or type(factor) is int for factor in factors)
    )


def _is_variable(factor: Any) -> bool:
    return isinstance(factor, Dim | Quotient)


def simplified(found: Mapping[Monomial, int]) -> Mapping[Monomial, int]:
    """An equal sum without zero terms, in which quotients that add up to their dividend are replaced by it."""
    return _completed(_without_differences(found))


def _without_differences(found: Mapping[Monomial, int]) -> Mapping[Monomial, int]:
    """The sum with ⌊(m + 1) / k⌋ + … + ⌊(m + k - 1) / k⌋ in place of m - ⌊m / k⌋."""
    for monomial, factor in found.items():
        if factor < 0 and len(monomial) == 1 and isinstance(monomial[0], Quotient):
            terms, divisor = monomial[0]
            if divisor > MOST_PARTS:
                continue
            dividend = dict(terms)
            last = dividend.pop((), 0)
            rows = [(each, factor * scale) for each, scale in dividend.items()]
            rows += [
                ((Quotient(in_order({**dividend, (): each}), divisor),), -factor)
                for each in range(divisor)
                if each != last
            ]
            left = {**found, monomial: 0}
            for each, scale in rows:
                left[each] = left.get(each, 0) + scale
            return _without_differences(left)
    return found


def _completed(found: Mapping[Monomial, int]) -> Mapping[Monomial, int]:
    """The sum with m in place of ⌊m / k⌋ + ⌊(m + 1) / k⌋ + … + ⌊(m + k - 1) / k⌋, which are the extents of k parts of an axis."""
    found = {monomial: factor for monomial, factor in found.items() if factor}
    for monomial, factor in found.items():
        quotients = [each for each in monomial if isinstance(each, Quotient)]
        if len(quotients) != 1 or () in dict(quotients[0].terms):
            continue
        ((terms, divisor),) = quotients
        if divisor > len(found):
            continue
        rest = tuple(each for each in monomial if isinstance(each, Dim))
        parts = [
            tuple(sorted((*rest, Quotient(in_order({**dict(terms), (): each}), divisor)), key=place_of))
            for each in range(divisor)
        ]
        if all(found.get(part) == factor for part in parts):
            left = {each: scale for each, scale in found.items() if each not in parts}
            for each, scale in terms:
                whole = tuple(sorted((*each, *rest), key=place_of))
                left[whole] = left.get(whole, 0) + factor * scale
            return _completed(left)
    return found
