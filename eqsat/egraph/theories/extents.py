"""Compares index expressions whose loop extents are variables, so that bounds have no numbers.

For r0 < n and r1 < m, r1*n + r0 is below m*n, whatever n and m are. Each loop variable is written as extent - 1 - s, with an s from zero up:
then m*n - 1 - (r1*n + r0) is s1*n + s0, of which nothing is negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from eqsat.dtype import index
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.polynomial import Polynomial
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.sums import Polynomial as TermPolynomial
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.integers.polynomials import difference, plus, substituted
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp

MOST_LOOPS = 8  # that are written by their extents
MOST_TERMS = 64


class Extents:
    """Which index classes are below which, by comparisons that hold everywhere."""

    def __init__(self, context: Context) -> None:
        self.frozen, self.polynomials, constants = context.frozen, context.polynomials, context.constants
        self.ends: dict[int, int] = {
            row.children[0]: row.children[1]
            for row in context.rows
            if row.table == "CMPLT"
            and row.columns[0] == "index"
            and constants.get(row.owner) == 1
            and not any(child in constants for child in row.children)
        }

    def is_below(self, left: int, right: int) -> bool:
        """Whether one class is known to be less than another, by what bounds alone do not say."""
        if not self.ends:
            return False
        gap = difference(self.polynomials.of(right), plus(self.polynomials.of(left), {(): 1}))
        for _ in range(MOST_LOOPS):
            if self._is_natural(gap):
                return True
            atom = self._subtracted(gap)
            if atom is None or len(gap) > MOST_TERMS:
                return False
            gap = self._by_extent(gap, atom)
        return False

    def _is_natural(self, form: Polynomial) -> bool:
        """Whether a form cannot be less than zero; classes below zero stand for numbers from zero up."""
        least = 0
        for monomial, value in form.items():
            lows = [0 if atom < 0 else self.frozen.lo.get(atom, -1) for atom in monomial]
            if value and any(monomial) and (value < 0 or min(lows) < 0):
                return False
            least += value * prod(lows)
        return least >= 0

    def _subtracted(self, form: Polynomial) -> int | None:
        """A loop variable in a term with a negative coefficient."""
        found = (
            atom for monomial, value in form.items() if value < 0 for atom in monomial if atom in self.ends
        )
        return min(found, default=None)

    def _by_extent(self, form: Polynomial, atom: int) -> Polynomial:
        """The form with extent - 1 - s for a loop variable; s is a number of its own."""
        end = self.polynomials.of(self.ends[atom])
        return substituted(form, atom, {**end, (): end.get((), 0) - 1, (~atom,): -1})


# The check


def decided_by_extents(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """What is below a divisor remains, and comparisons are as extents say."""
    if kind_of(before.src[0].dtype if before.src else before.dtype) != "x":
        return False
    if before.op in (Op.FLOORDIV, Op.FLOORMOD):
        dividend, divisor = before.src
        (low, _), *_ = bounds.of([dividend])
        remains = after is dividend if before.op is Op.FLOORMOD else constant_of(after) == 0
        return remains and low is not None and low >= 0 and is_below(dividend, divisor, bounds)
    verdict = constant_of(after)
    if before.op not in COMPARISON or verdict is None:
        return False
    left, right = before.src
    above = is_below(right, left, bounds)
    if before.op is Op.CMPNE:
        return verdict == 1 and (above or is_below(left, right, bounds))
    return above if verdict == 0 else is_below(left, right, bounds)


def is_below(left: UOp, right: UOp, bounds: Bounds) -> bool:
    """Whether right - left - 1 has nothing negative once loop variables are written as extent - 1 - s, with an s from zero up."""
    gap = difference(polynomial(right), plus(polynomial(left), {(): 1}))
    spare: dict[UOp, UOp] = {}
    for _ in range(MOST_LOOPS):
        if _is_natural(gap, spare, bounds):
            return True
        loop = _subtracted(gap)
        if loop is None or len(gap) > MOST_TERMS:
            return False
        gap = _by_extent(gap, loop, spare.setdefault(loop, UOp.variable(f"spare {len(spare)}", 0, 0)))
    return False


def _is_natural(form: TermPolynomial, spare: Mapping[UOp, UOp], bounds: Bounds) -> bool:
    """Whether a form of numbers from zero up, which the spare ones are, cannot be less than zero."""
    numbers = set(spare.values())
    atoms = list(dict.fromkeys(atom for monomial in form for atom in monomial if atom not in numbers))
    lows = {atom: low for atom, (low, _) in zip(atoms, bounds.of(atoms), strict=True)} if atoms else {}
    if any(low is None or low < 0 for low in lows.values()):
        return False
    if any(value < 0 for monomial, value in form.items() if monomial):
        return False
    return (
        sum(value * prod(lows.get(atom) or 0 for atom in monomial) for monomial, value in form.items()) >= 0
    )


def _subtracted(form: TermPolynomial) -> UOp | None:
    """A loop variable in a term with a negative coefficient."""
    for monomial, value in form.items():
        for atom in monomial:
            if value < 0 and atom.op in (Op.RANGE, Op.SPECIAL) and atom.src[0].dtype is index:
                return atom
    return None


def _by_extent(form: TermPolynomial, loop: UOp, spare: UOp) -> TermPolynomial:
    """The form with extent - 1 - spare for a loop variable."""
    value = plus(polynomial(loop.src[0]), {(): -1, (spare,): -1})
    return substituted(form, loop, value, order=id)
