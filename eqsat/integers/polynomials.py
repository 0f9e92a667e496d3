"""Polynomials with integer coefficients over atoms of any kind: classes of an e-graph, or terms.

A polynomial maps monomials to coefficients. A monomial is the tuple of the atoms that it multiplies, each as often as its power says, in the order
of atoms that the caller chooses; `()` is the monomial of the constant part. Results have no coefficient of zero, unless the docstring says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import gcd
from typing import Any, TypeVar

from eqsat.dtype import DType, wrap
from eqsat.integers.intervals import Interval, add, product_of_naturals, scale

A = TypeVar("A")
Polynomial = Mapping[tuple[A, ...], int]
NewPolynomial = dict[tuple[A, ...], int]

Order = Callable[[Any], Any] | None  # the sorting key of atoms; None if atoms are sorted themselves


def wrapped(polynomial: Polynomial[A], dtype: DType) -> NewPolynomial[A]:
    """The polynomial with its coefficients wrapped to a dtype; coefficients of an index do not wrap."""
    if dtype.is_index:
        return nonzero(polynomial)
    return nonzero({monomial: int(wrap(dtype, value)) for monomial, value in polynomial.items()})


def nonzero(polynomial: Polynomial[A]) -> NewPolynomial[A]:
    """The polynomial without coefficients of zero."""
    return {monomial: value for monomial, value in polynomial.items() if value}


def plus(one: Polynomial[A], other: Polynomial[A], factor: int = 1) -> NewPolynomial[A]:
    """one + factor * other, zeros included."""
    result = dict(one)
    for monomial, value in other.items():
        result[monomial] = result.get(monomial, 0) + factor * value
    return result


def difference(one: Polynomial[A], other: Polynomial[A]) -> NewPolynomial[A]:
    """one - other.

    >>> difference({("x",): 2, (): 1}, {("x",): 2, (): -1})
    {(): 2}
    """
    return nonzero(plus(one, other, -1))


def times(one: Polynomial[A], other: Polynomial[A], order: Order = None) -> NewPolynomial[A]:
    """The product, zeros included.

    >>> times({("x",): 2, (): 1}, {("x",): 2, (): -1})
    {('x', 'x'): 4, ('x',): 0, (): -1}
    """
    key: Any = order
    result: NewPolynomial[A] = {}
    for left, value in one.items():
        for right, coefficient in other.items():
            monomial = tuple(sorted((*left, *right), key=key)) if left and right else left or right
            result[monomial] = result.get(monomial, 0) + value * coefficient
    return result


def substituted(
    polynomial: Polynomial[A], atom: A, value: Polynomial[A], order: Order = None
) -> NewPolynomial[A]:
    """The polynomial with an atom replaced by another polynomial.

    >>> substituted({("r", "r"): 1, ("x",): 1}, "r", {("n",): 1, (): -1})
    {('n', 'n'): 1, ('n',): -2, (): 1, ('x',): 1}
    """
    result: NewPolynomial[A] = {}
    for monomial, coefficient in polynomial.items():
        part = {tuple(factor for factor in monomial if factor != atom): coefficient}
        for _ in range(monomial.count(atom)):
            part = times(part, value, order)
        result = plus(result, part)
    return nonzero(result)


def term_replaced(
    polynomial: Polynomial[A], monomial: tuple[A, ...], value: Polynomial[A]
) -> NewPolynomial[A]:
    """The polynomial with one of its monomials replaced by another polynomial.

    >>> term_replaced({("x",): 3, ("x", "y"): 1}, ("x",), {("a",): 2, (): 1})
    {('x', 'y'): 1, ('a',): 6, (): 3}
    """
    rest = {other: factor for other, factor in polynomial.items() if other != monomial}
    return nonzero(plus(rest, value, polynomial[monomial]))


def interval(polynomial: Polynomial[A], bounds: Callable[[Sequence[A]], list[Interval]]) -> Interval:
    """The interval of a polynomial before it wraps, from the intervals of its atoms; unknown if a product has a factor that can be negative."""
    atoms = list(dict.fromkeys(atom for monomial in polynomial for atom in monomial))
    known = dict(zip(atoms, bounds(atoms), strict=True)) if atoms else {}
    total: Interval = (0, 0)
    for monomial, factor in polynomial.items():
        one = known[monomial[0]] if len(monomial) == 1 else product_of_naturals([known[a] for a in monomial])
        total = add(total, scale(one, factor))
    return total


def operations(polynomial: Polynomial[A]) -> int:
    """The number of additions and multiplications in a polynomial that is written out.

    >>> operations({(): -12, ("x",): -6}), operations({("x",): 1, ("y", "z"): 1}), operations({})
    (2, 2, 0)
    """
    products = sum(len(monomial) - (value == 1) for monomial, value in polynomial.items() if monomial)
    return max(0, len(polynomial) - 1) + products


def content(polynomial: Polynomial[A]) -> int:
    """The greatest number that divides all coefficients."""
    return gcd(*polynomial.values())


def divided(polynomial: Polynomial[A], divisor: int) -> tuple[NewPolynomial[A], NewPolynomial[A]]:
    """Splits a polynomial into a quotient and a rest: divides the terms that `divisor` divides, and the constant with a remainder.

    >>> divided({("x",): 6, ("y",): 5, (): 7}, 3)
    ({('x',): 2, (): 2}, {('y',): 5, (): 1})
    """
    quotient: NewPolynomial[A] = {}
    rest: NewPolynomial[A] = {}
    for monomial, value in polynomial.items():
        if not monomial:
            quotient[()], rest[()] = divmod(value, divisor)
        elif value % divisor == 0:
            quotient[monomial] = value // divisor
        else:
            rest[monomial] = value
    return nonzero(quotient), nonzero(rest)


def divided_by_monomial(
    polynomial: Polynomial[A], factors: Sequence[A], coefficient: int
) -> tuple[NewPolynomial[A], NewPolynomial[A]]:
    """Splits a polynomial into a quotient and a rest: divides the terms that a monomial with a coefficient divides.

    >>> divided_by_monomial({("x", "y"): 6, ("y", "z"): 5, (): 1}, ("y",), 3)
    ({('x',): 2}, {('y', 'z'): 5, (): 1})
    """
    quotient: NewPolynomial[A] = {}
    rest: NewPolynomial[A] = {}
    for monomial, value in polynomial.items():
        left = without_factors(monomial, factors)
        if left is None or value % coefficient:
            rest[monomial] = value
        else:
            quotient[left] = value // coefficient
    return quotient, rest


def without_factors(monomial: tuple[A, ...], factors: Sequence[A]) -> tuple[A, ...] | None:
    """A monomial without some of its factors; None if it does not have all of them."""
    left = list(monomial)
    for factor in factors:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)
