"""Integer classes as polynomials: the normal form of sums and products.

A polynomial maps monomials to coefficients. A monomial is the sorted tuple of the classes that it multiplies, () for the constant part. A class is
an *atom* if one of its terms is not a sum, product, multiple or quotient; its polynomial is then itself. Other terms of an atom (the parts of a split
loop, a simplified remainder) are its `alternatives`, which do not replace it. A class with a quotient and a sum is read as the sum: every value is
the quotient of its own multiples, so otherwise all multiples of an atom would be atoms, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from eqsat.egraph.snapshot.constants import plain_dtype
from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.tables.schema import MOVED
from eqsat.integers.intervals import Interval
from eqsat.integers.polynomials import interval, plus, times, wrapped

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, int]
Key = tuple[str, str, tuple[tuple[Monomial, int], ...]]

LONGEST = 64  # most terms of a polynomial; a class with a longer one is an atom
HIGHEST_DEGREE = 48  # most factors of a monomial; the operands of a longer product are atoms (repeated squaring doubles the factors each time)
LONGEST_SHARED = 24  # most terms of a value that is expanded in the sums that use it
RING = frozenset({"ADD_N", "MUL_N", "SCALE"})
# A class that also has a sum is read as the sum
_READ_THROUGH = frozenset({"FLOORDIV", *(op.name for op in MOVED)})


class Polynomials:
    """The polynomial of every integer class of a frozen e-graph, computed when asked for."""

    def __init__(self, frozen: FrozenEGraph, constants: Mapping[int, int]) -> None:
        self.frozen = frozen
        self.constants = constants
        self.ring_rows: dict[int, list[Row]] = {}
        self.places: dict[int, tuple[str, str]] = {}
        others: set[int] = set()
        for row in frozen.rows:
            if row.table in RING:
                self.ring_rows.setdefault(row.owner, []).append(row)
                self.places[row.owner] = (row.dtype, row.shape)
            elif row.table not in _READ_THROUGH and not _is_multiple(row, constants):
                others.add(row.owner)
        self.spread = {owner for owner in self.ring_rows if owner not in others and owner not in frozen.atoms}
        self.known: dict[int, Polynomial] = {}
        self.written_otherwise: dict[int, list[Polynomial]] = {}

    def of(self, owner: int) -> Polynomial:
        """The polynomial of a class."""
        found = self.known.get(owner)
        return self._compute(owner) if found is None else found

    def of_row(self, row: Row) -> Polynomial:
        """The polynomial of one sum, product or multiple, made from the polynomials of its operands."""
        dtype = plain_dtype(row.dtype)
        match row.table:
            case "SCALE":
                result = {
                    monomial: row.columns[2] * value for monomial, value in self.of(row.columns[3]).items()
                }
            case "ADD_N":
                result = self._sum(row.columns[2])
            case _:
                result = self._product(row.columns[2])
        return wrapped(result, dtype)

    def alternatives(self, owner: int) -> list[Polynomial]:
        """The polynomials of an atom's other terms: sums and multiples."""
        found = self.written_otherwise.get(owner)
        if found is None:
            rows = [
                row
                for row in self.ring_rows.get(owner, ())
                if row.table != "MUL_N" and owner not in row.children
            ]
            found = self.written_otherwise[owner] = [self.of_row(row) for row in rows]
        return found

    def key(self, owner: int, polynomial: Polynomial) -> Key:
        """A key that is equal for values with the same dtype, shape and polynomial."""
        return (*self.places[owner], tuple(sorted(polynomial.items())))

    def bounds(self, polynomial: Polynomial) -> tuple[int, int] | None:
        """The bounds of a polynomial before it wraps, from the bounds of its atoms; None if one of the two is not known."""
        low, high = interval(polynomial, self.intervals)
        return None if low is None or high is None else (low, high)

    def intervals(self, atoms: Sequence[int]) -> list[Interval]:
        """The interval of each class."""
        return [(self.frozen.lo.get(atom), self.frozen.hi.get(atom)) for atom in atoms]

    def _compute(self, owner: int) -> Polynomial:
        """Computes polynomials depth first, without recursion. A class whose polynomial would need itself is an atom."""
        stack, open_classes = [owner], set[int]()
        while stack:
            current = stack[-1]
            if current in self.known:
                stack.pop()
            elif current in self.constants:
                value = self.constants[current]
                self.known[current] = {(): value} if value else {}
            elif current not in self.spread:
                self.known[current] = {(current,): 1}
            else:
                row = self.ring_rows[current][0]
                missing = [child for child in row.children if child not in self.known]
                if not missing:
                    polynomial = self.of_row(row)
                    small = len(polynomial) <= LONGEST and all(map(fits, polynomial.values()))
                    self.known[current] = polynomial if small else {(current,): 1}
                elif current in open_classes and any(child in open_classes for child in missing):
                    self.known[current] = {(current,): 1}
                else:
                    open_classes.add(current)
                    stack.extend(missing)
        return self.known[owner]

    def _sum(self, terms: tuple[int, ...]) -> Polynomial:
        result: Polynomial = {}
        for term in terms:
            polynomial = self.of(term)
            if len(polynomial) > LONGEST_SHARED:
                polynomial = {(term,): 1}
            result = plus(result, polynomial)
        return result

    def _product(self, factors: tuple[int, ...]) -> Polynomial:
        """The product of some factors. Only constants are multiplied into a sum; a product of two sums keeps them as atoms."""
        polynomials = [self.of(factor) for factor in factors]
        degree = sum(max(map(len, polynomial), default=0) for polynomial in polynomials)
        if degree > HIGHEST_DEGREE:
            polynomials = [
                polynomial if not any(polynomial) else {(factor,): 1}
                for factor, polynomial in zip(factors, polynomials, strict=True)
            ]
        if sum(any(polynomial) for polynomial in polynomials) > 1:
            polynomials = [
                self.as_factor(factor) if len(polynomial) > 1 else polynomial
                for factor, polynomial in zip(factors, polynomials, strict=True)
            ]
        return reduce(times, polynomials, {(): 1})

    def as_factor(self, owner: int) -> Polynomial:
        """A sum as a factor of products: an atom, or if it is a multiple of another sum, that sum with the constant factor."""
        scales = [row for row in self.ring_rows.get(owner, ()) if row.table == "SCALE"]
        if owner not in self.spread or not scales:
            return {(owner,): 1}
        _, _, factor, inner = max((row.columns for row in scales), key=lambda columns: abs(columns[2]))
        return {(inner,): factor}


def _is_multiple(row: Row, constants: Mapping[int, int]) -> bool:
    """Whether a term is a left shift by a constant; a rule rewrites it as a multiple."""
    return row.table == "SHL" and row.children[1] in constants


def fits(coefficient: int) -> bool:
    """Whether a program can hold a number as an index: programs compute indices in 64 bits."""
    return -(1 << 63) < coefficient < 1 << 63
