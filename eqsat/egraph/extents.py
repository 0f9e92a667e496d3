"""Loop variables with computed extents: what lies below what, without numbers for bounds.

For r0 < n and r1 < m, r1*n + r0 is below m*n, whatever n and m are. Each loop variable is written as extent - 1 - s, with an s from zero up:
then m*n - 1 - (r1*n + r0) is s1*n + s0, of which nothing is negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from eqsat.egraph.frozen import Frozen
from eqsat.egraph.polynomial import Polynomial, Polynomials, times

MOST_STEPS = 8  # loop variables that are written by their extents
MOST_TERMS = 64


class Extents:
    """Which index classes are below which, by comparisons that hold everywhere."""

    def __init__(self, frozen: Frozen, constants: Mapping[int, int], polynomials: Polynomials) -> None:
        self.frozen = frozen
        self.polynomials = polynomials
        self.ends: dict[int, int] = {
            row.children[0]: row.children[1]
            for row in frozen.rows
            if row.table == "CMPLT"
            and row.columns[0] == "index"
            and constants.get(row.owner) == 1
            and not any(child in constants for child in row.children)
        }

    def is_below(self, left: int, right: int) -> bool:
        """Whether one class is known to be less than another, by what bounds alone do not say."""
        if not self.ends:
            return False
        gap = dict(self.polynomials.of(right))
        for monomial, value in [*self.polynomials.of(left).items(), ((), 1)]:
            gap[monomial] = gap.get(monomial, 0) - value
        for _ in range(MOST_STEPS):
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
        value: Polynomial = {**end, (): end.get((), 0) - 1, (~atom,): -1}
        result: Polynomial = {}
        for monomial, coefficient in form.items():
            powers: Polynomial = {tuple(factor for factor in monomial if factor != atom): coefficient}
            for _ in range(monomial.count(atom)):
                powers = times(powers, value)
            for product, factor in powers.items():
                result[product] = result.get(product, 0) + factor
        return {monomial: factor for monomial, factor in result.items() if factor}
