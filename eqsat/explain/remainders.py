"""The check that two remainders are equal because remainders inside of them do not matter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product

from eqsat.egraph.schema import kind_of
from eqsat.explain.bounds import Bounds
from eqsat.explain.constants import constant_of
from eqsat.explain.elements import chain_elements
from eqsat.explain.polynomials import MOST_TERMS, Polynomial, difference, plus, polynomial, times
from eqsat.ops import Op
from eqsat.uop import UOp

MOST_LEVELS = 4  # of remainders in remainders that are opened at once
MOST_FACTORS = 64  # of a product that is opened: those of repeated squares double each time


def same_remainder(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Remainders of indices by one constant, whose dividends differ by a multiple of it once x % (c * k) in them is x."""
    if before.op is not Op.FLOORMOD or after.op is not Op.FLOORMOD or kind_of(before.dtype) != "x":
        return False
    divisor, other = (constant_of(side.src[1]) for side in (before, after))
    if not isinstance(divisor, int) or divisor <= 0 or divisor != other:
        return False
    apart = differences(before.src[0], after.src[0], divisor)
    return any(all(value % divisor == 0 for value in form.values()) for form in apart)


def differences(one: UOp, other: UOp, divisor: int) -> Iterator[Polynomial]:
    """What is equal to one - other modulo a divisor, with remainders by its multiples in them, and masks of as many low bits, opened or not.

    The divisor is a power of two unless the numbers are indices.
    """
    others = list(_openings(polynomial(other), divisor))
    for left, right in product(_openings(polynomial(one), divisor), others):
        yield difference(left, right)


def _openings(form: Polynomial, divisor: int) -> Iterator[Polynomial]:
    """A polynomial, then with its remainders opened, then with those opened that come up, and so on."""
    for _ in range(MOST_LEVELS):
        yield form
        if len(form) > MOST_TERMS or any(len(monomial) > MOST_FACTORS for monomial in form):
            return
        result: Polynomial = {}
        for monomial, coefficient in form.items():
            factors = [_dividend(atom, divisor) for atom in monomial]
            result = plus(result, reduce(times, factors, {(): coefficient}))
        if result == form:
            return
        form = result


def _dividend(atom: UOp, divisor: int) -> Polynomial:
    """What has the same remainder as an atom."""
    value, inner = atom, 0
    if atom.op is Op.FLOORMOD:
        value, inner = atom.src[0], constant_of(atom.src[1])
    elif atom.op is Op.AND and not atom.dtype.scalar.is_bool:
        elements, mask = chain_elements(atom, Op.AND)
        if len(elements) == 1 and mask is not None:
            value, inner = next(iter(elements)), (mask + 1) & ~mask
    return polynomial(value) if isinstance(inner, int) and inner and inner % divisor == 0 else {(atom,): 1}
