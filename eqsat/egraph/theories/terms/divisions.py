"""Checks of claims about quotients and remainders, on the terms that they claim to be equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import product
from typing import Any

from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.terms import sums
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import operands_and_constant
from eqsat.egraph.theories.terms.sums import divides, is_nonzero, polynomial
from eqsat.integers.polynomials import difference, interval, plus
from eqsat.ops import Op
from eqsat.uop import UOp

MOST_LEVELS = 4  # most levels of nested remainders that the check opens
MOST_FACTORS = 64  # most factors of a product that is opened: repeated squaring doubles them each time


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
    """Checks a division of a sum of one atom with two possible values: the result is right for both values."""
    if before.op not in (Op.FLOORDIV, Op.FLOORMOD) or kind_of(before.dtype) != "x":
        return False
    divisor, dividend, result = constant_of(before.src[1]), polynomial(before.src[0]), polynomial(after)
    values = {value for monomial in (*dividend, *result) for value in monomial}
    if len(values) != 1 or not isinstance(divisor, int) or divisor <= 0:
        return False
    low, high = interval({(values.pop(),): 1}, bounds.of)
    if low is None or high is None or high - low != 1:
        return False
    divide = int.__mod__ if before.op is Op.FLOORMOD else int.__floordiv__
    return all(divide(value_at(dividend, end), divisor) == value_at(result, end) for end in (low, high))


def same_remainder(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks two remainders by one constant c: once each x % (c * k) is replaced by x, their dividends differ by a multiple of c."""
    if before.op is not Op.FLOORMOD or after.op is not Op.FLOORMOD or kind_of(before.dtype) != "x":
        return False
    divisor, other = (constant_of(side.src[1]) for side in (before, after))
    if not isinstance(divisor, int) or divisor <= 0 or divisor != other:
        return False
    apart = differences(before.src[0], after.src[0], divisor)
    return any(all(value % divisor == 0 for value in form.values()) for form in apart)


def differences(one: UOp, other: UOp, divisor: int) -> Iterator[sums.Polynomial]:
    """Yields polynomials that are congruent to one - other, with inner remainders and masks replaced by their dividends, or not.

    The divisor must be a power of two unless the numbers are indices.
    """
    others = list(_openings(polynomial(other), divisor))
    for left, right in product(_openings(polynomial(one), divisor), others):
        yield difference(left, right)


def _openings(form: sums.Polynomial, divisor: int) -> Iterator[sums.Polynomial]:
    """Yields a polynomial, then the same with its remainders replaced by their dividends, until no remainder is left."""
    for _ in range(MOST_LEVELS):
        yield form
        if len(form) > sums.MOST_TERMS or any(len(monomial) > MOST_FACTORS for monomial in form):
            return
        result: sums.Polynomial = {}
        for monomial, coefficient in form.items():
            factors = [_dividend(atom, divisor) for atom in monomial]
            result = plus(result, reduce(sums.times, factors, {(): coefficient}))
        if result == form:
            return
        form = result


def _dividend(atom: UOp, divisor: int) -> sums.Polynomial:
    """Returns the dividend of an atom that is a remainder by a multiple of the divisor; the atom itself if it is no such remainder."""
    value, inner = atom, 0
    if atom.op is Op.FLOORMOD:
        value, inner = atom.src[0], constant_of(atom.src[1])
    elif atom.op is Op.AND and not atom.dtype.scalar.is_bool:
        operands, mask = operands_and_constant(atom, Op.AND)
        if len(operands) == 1 and mask is not None:
            value, inner = next(iter(operands)), (mask + 1) & ~mask
    return polynomial(value) if isinstance(inner, int) and inner and inner % divisor == 0 else {(atom,): 1}


def value_at(form: Mapping[tuple[Any, ...], int], value: int) -> int:
    """The value of a polynomial all of whose atoms have one value."""
    return sum(factor * value ** len(monomial) for monomial, factor in form.items())
