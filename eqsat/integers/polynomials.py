"""Polynomials with integer coefficients over atoms of any kind: classes of an e-graph, or terms.

A polynomial maps monomials to coefficients. A monomial is the tuple of the atoms that it multiplies, each as often as its power says, in the order
of atoms that the caller keeps; `()` is the monomial of the constant part. Functions that say nothing else leave coefficients of zero out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import gcd
from typing import Any, TypeVar

from eqsat.dtype import DType, wrap
from eqsat.integers.intervals import Interval, add, product_of_naturals, scale

A = TypeVar("A")

Order = Callable[[Any], Any] | None  # the sorting key of atoms; None where they are sorted as they are


def wrapped(polynomial: Mapping[tuple[A, ...], int], dtype: DType) -> dict[tuple[A, ...], int]:
    """The polynomial with the coefficients that a dtype has, which wrap if its width is fixed."""
    if dtype.is_index:
        return nonzero(polynomial)
    return nonzero({monomial: int(wrap(dtype, value)) for monomial, value in polynomial.items()})


def nonzero(polynomial: Mapping[tuple[A, ...], int]) -> dict[tuple[A, ...], int]:
    """The polynomial without coefficients of zero."""
    return {monomial: value for monomial, value in polynomial.items() if value}


def plus(
    one: Mapping[tuple[A, ...], int], other: Mapping[tuple[A, ...], int], factor: int = 1
) -> dict[tuple[A, ...], int]:
    """one + factor * other, zeros included."""
    result = dict(one)
    for monomial, value in other.items():
        result[monomial] = result.get(monomial, 0) + factor * value
    return result


def difference(
    one: Mapping[tuple[A, ...], int], other: Mapping[tuple[A, ...], int]
) -> dict[tuple[A, ...], int]:
    """one - other.

    >>> difference({("x",): 2, (): 1}, {("x",): 2, (): -1})
    {(): 2}
    """
    return nonzero(plus(one, other, -1))


def times(
    one: Mapping[tuple[A, ...], int], other: Mapping[tuple[A, ...], int], order: Order = None
) -> dict[tuple[A, ...], int]:
    """The product, zeros included.

    >>> times({("x",): 2, (): 1}, {("x",): 2, (): -1})
    {('x', 'x'): 4, ('x',): 0, (): -1}
    """
    result: dict[tuple[A, ...], int] = {}
    for left, value in one.items():
        for right, coefficient in other.items():
            monomial = _sorted((*left, *right), order) if left and right else left or right
            result[monomial] = result.get(monomial, 0) + value * coefficient
    return result


def _sorted(atoms: Sequence[A], order: Order) -> tuple[A, ...]:
    key: Any = order
    return tuple(sorted(atoms, key=key))


def substituted(
    polynomial: Mapping[tuple[A, ...], int], atom: A, value: Mapping[tuple[A, ...], int], order: Order = None
) -> dict[tuple[A, ...], int]:
    """The polynomial with another one for an atom.

    >>> substituted({("r", "r"): 1, ("x",): 1}, "r", {("n",): 1, (): -1})
    {('n', 'n'): 1, ('n',): -2, (): 1, ('x',): 1}
    """
    result: dict[tuple[A, ...], int] = {}
    for monomial, coefficient in polynomial.items():
        part = {tuple(factor for factor in monomial if factor != atom): coefficient}
        for _ in range(monomial.count(atom)):
            part = times(part, value, order)
        result = plus(result, part)
    return nonzero(result)


def term_replaced(
    polynomial: Mapping[tuple[A, ...], int], monomial: tuple[A, ...], value: Mapping[tuple[A, ...], int]
) -> dict[tuple[A, ...], int]:
    """The polynomial with another one for the product of atoms in one of its terms.

    >>> term_replaced({("x",): 3, ("x", "y"): 1}, ("x",), {("a",): 2, (): 1})
    {('x', 'y'): 1, ('a',): 6, (): 3}
    """
    rest = {other: factor for other, factor in polynomial.items() if other != monomial}
    return nonzero(plus(rest, value, polynomial[monomial]))


def interval(
    polynomial: Mapping[tuple[A, ...], int], bounds: Callable[[Sequence[A]], list[Interval]]
) -> Interval:
    """The interval of a polynomial before it wraps, from those of atoms; unknown where a product has a factor that may be below zero."""
    atoms = list(dict.fromkeys(atom for monomial in polynomial for atom in monomial))
    known = dict(zip(atoms, bounds(atoms), strict=True)) if atoms else {}
    total: Interval = (0, 0)
    for monomial, factor in polynomial.items():
        total = add(total, scale(product_of_naturals([known[atom] for atom in monomial]), factor))
    return total


def operations(polynomial: Mapping[tuple[A, ...], int]) -> int:
    """How many additions and multiplications a polynomial takes, written out.

    >>> operations({(): -12, ("x",): -6}), operations({("x",): 1, ("y", "z"): 1}), operations({})
    (2, 2, 0)
    """
    products = sum(len(monomial) - (value == 1) for monomial, value in polynomial.items() if monomial)
    return max(0, len(polynomial) - 1) + products


def content(polynomial: Mapping[tuple[A, ...], int]) -> int:
    """The greatest number that divides all coefficients."""
    return gcd(*polynomial.values())


def divided(
    polynomial: Mapping[tuple[A, ...], int], divisor: int
) -> tuple[dict[tuple[A, ...], int], dict[tuple[A, ...], int]]:
    """The terms that `divisor` divides, divided; and the others. The constant is divided with a remainder.

    >>> divided({("x",): 6, ("y",): 5, (): 7}, 3)
    ({('x',): 2, (): 2}, {('y',): 5, (): 1})
    """
    quotient: dict[tuple[A, ...], int] = {}
    rest: dict[tuple[A, ...], int] = {}
    for monomial, value in polynomial.items():
        if not monomial:
            quotient[()], rest[()] = divmod(value, divisor)
        elif value % divisor == 0:
            quotient[monomial] = value // divisor
        else:
            rest[monomial] = value
    return nonzero(quotient), nonzero(rest)


def divided_by_monomial(
    polynomial: Mapping[tuple[A, ...], int], factors: Sequence[A], coefficient: int
) -> tuple[dict[tuple[A, ...], int], dict[tuple[A, ...], int]]:
    """The terms that a monomial with a coefficient divides, divided; and the others.

    >>> divided_by_monomial({("x", "y"): 6, ("y", "z"): 5, (): 1}, ("y",), 3)
    ({('x',): 2}, {('y', 'z'): 5, (): 1})
    """
    quotient: dict[tuple[A, ...], int] = {}
    rest: dict[tuple[A, ...], int] = {}
    for monomial, value in polynomial.items():
        left = without_factors(monomial, factors)
        if left is None or value % coefficient:
            rest[monomial] = value
        else:
            quotient[left] = value // coefficient
    return quotient, rest


def without_factors(monomial: tuple[A, ...], factors: Sequence[A]) -> tuple[A, ...] | None:
    """A monomial without some of its factors; None if it has not all of them."""
    left = list(monomial)
    for factor in factors:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)
