"""Products of sums, multiplied out: what tells a*(b + c) and a*b + a*c to be one value.

Polynomials keep a sum inside a product as an atom, since multiplying out makes terms that nothing else needs. Here it is done for comparison
only: no term of an expansion is built unless it is shorter than what is written.
"""

from __future__ import annotations

from eqsat.egraph.polynomial import Monomial, Polynomial, Polynomials

MOST_TERMS = 32  # of an expansion; a polynomial with a longer one is compared as it is


def expanded(polynomials: Polynomials, polynomial: Polynomial) -> Polynomial:
    """`polynomial` without sums inside its products, coefficients not yet wrapped; itself where that gets too long."""
    result: Polynomial = {}
    pending = list(polynomial.items())
    steps = 0
    while pending:
        monomial, coefficient = pending.pop()
        place = _sum_in(polynomials, monomial)
        if place is None:
            result[monomial] = result.get(monomial, 0) + coefficient
            continue
        rest = monomial[:place] + monomial[place + 1 :]
        for inner, value in polynomials.of(monomial[place]).items():
            pending.append((tuple(sorted((*rest, *inner))), coefficient * value))
        steps += 1
        if steps > MOST_TERMS or len(pending) + len(result) > MOST_TERMS:
            return polynomial
    return result


def _sum_in(polynomials: Polynomials, monomial: Monomial) -> int | None:
    """The position of a factor that is a sum."""
    for position, factor in enumerate(monomial):
        if factor in polynomials.spread and polynomials.of(factor) != {(factor,): 1}:
            return position
    return None
