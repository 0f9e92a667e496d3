"""Remainders inside of remainders: where only the remainder counts, x % 12 is x as good as anything, if the divisor divides 12."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.egraph.frozen import Frozen
from eqsat.egraph.polynomial import Polynomial, Polynomials, operations, times


class Remainders:
    """The integer classes that are remainders by constants, or what masks leave of low bits, and of what."""

    def __init__(self, frozen: Frozen, constants: Mapping[int, int], polynomials: Polynomials) -> None:
        self.constants = constants
        self.polynomials = polynomials
        self.dividends: dict[int, list[tuple[int, int]]] = {}
        named = {row.owner for row in frozen.rows if row.table == "LEAF"}
        for row in frozen.rows:
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
        """A sum or product with the same remainder, without remainders in it; None if that is no shorter.

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
            for product, value in term.items():
                result[product] = result.get(product, 0) + value
        if result == form:
            return None
        nearest = {key: (value + divisor // 2) % divisor - divisor // 2 for key, value in result.items()}
        result = {monomial: value for monomial, value in nearest.items() if value}
        spared = sum(atom in self.dividends for monomial in form for atom in monomial)
        return result if operations(result) <= operations(form) + spared else None

    def _dividend(self, atom: int, divisor: int, *, alone: bool) -> Polynomial:
        """What has the same remainder as an atom: what that is a remainder of; in products sums stay together."""
        for dividend, inner in self.dividends.get(atom, ()):
            if inner % divisor == 0 and dividend != atom:
                written = self.polynomials.of(dividend)
                return written if alone or len(written) == 1 else self.polynomials.as_factor(dividend)
        return {(atom,): 1}
