"""Removes inner remainders: modulo c, x % (c * k) is congruent to x, so (x % 12 + y) % 4 is (x + y) % 4."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product

from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.polynomial import Polynomial
from eqsat.egraph.theories.terms import sums
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import operands_and_constant
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.integers.polynomials import difference, nonzero, operations, plus, times
from eqsat.ops import Op
from eqsat.uop import UOp

MOST_LEVELS = 4  # of remainders in remainders that the check opens at once
MOST_FACTORS = 64  # of a product that is opened: those of repeated squares double each time


class Remainders:
    """The e-classes that are `x % constant`, or `x & mask` with a mask of low bits, and the dividend x of each."""

    def __init__(self, context: Context) -> None:
        self.constants = context.constants
        self.polynomials = context.polynomials
        self.dividends: dict[int, list[tuple[int, int]]] = {}
        named = {row.owner for row in context.rows if row.table == "LEAF"}
        for row in context.rows:
            if row.table in ("FLOORMOD", "AND_N") and row.dtype != "bool" and row.owner not in named:
                self._note(
                    row.owner, row.children, masks=row.table == "AND_N", unbounded=row.dtype == "index"
                )

    def _note(self, owner: int, operands: tuple[int, ...], *, masks: bool, unbounded: bool) -> None:
        fixed = [operand for operand in operands if operand in self.constants]
        others = [operand for operand in operands if operand not in self.constants]
        if len(fixed) != 1 or len(others) != 1 or (not masks and operands[1] != fixed[0]):
            return
        number = self.constants[fixed[0]]
        divisor = (number + 1) & ~number if masks else number  # of a mask, what its low bits are all below
        if divisor > 1 and (unbounded or divisor & (divisor - 1) == 0):
            self.dividends.setdefault(owner, []).append((others[0], divisor))

    def opened(self, form: Polynomial, divisor: int) -> Polynomial | None:
        """A polynomial that is congruent modulo `divisor` and has no inner remainders; None if it is no shorter.

        The divisor is a power of two unless the numbers are indices: others do not divide what wraps.
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


# The check


def same_remainder(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Remainders of indices by one constant, whose dividends differ by a multiple of it once x % (c * k) in them is x."""
    if before.op is not Op.FLOORMOD or after.op is not Op.FLOORMOD or kind_of(before.dtype) != "x":
        return False
    divisor, other = (constant_of(side.src[1]) for side in (before, after))
    if not isinstance(divisor, int) or divisor <= 0 or divisor != other:
        return False
    apart = differences(before.src[0], after.src[0], divisor)
    return any(all(value % divisor == 0 for value in form.values()) for form in apart)


def differences(one: UOp, other: UOp, divisor: int) -> Iterator[sums.Polynomial]:
    """What is equal to one - other modulo a divisor, with remainders by its multiples in them, and masks of as many low bits, opened or not.

    The divisor is a power of two unless the numbers are indices.
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
    """What has the same remainder as an atom."""
    value, inner = atom, 0
    if atom.op is Op.FLOORMOD:
        value, inner = atom.src[0], constant_of(atom.src[1])
    elif atom.op is Op.AND and not atom.dtype.scalar.is_bool:
        operands, mask = operands_and_constant(atom, Op.AND)
        if len(operands) == 1 and mask is not None:
            value, inner = next(iter(operands)), (mask + 1) & ~mask
    return polynomial(value) if isinstance(inner, int) and inner and inner % divisor == 0 else {(atom,): 1}
