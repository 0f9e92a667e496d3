"""What egglog rules cannot find well, computed beside it between runs and fed back as equalities.

Each step reads the frozen e-graph and states: constants that operations on constants or bounds determine; sums, products and chains in
normal form, so that equal ones are one class however they were written; comparisons decided by the bounds of a difference; splits of
dividends, on which the rules about division match; and, where these have nothing new, what divisors and bits tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eqsat.dtype import DType
from eqsat.egraph.bitcast_statements import collect_bitcasts
from eqsat.egraph.chain_statements import collect_chains
from eqsat.egraph.deductions import deduce
from eqsat.egraph.expansion import expanded
from eqsat.egraph.feeder import Feeder
from eqsat.egraph.frozen import Frozen, Row
from eqsat.egraph.polynomial import Polynomial, content, normal, operations
from eqsat.egraph.reversals import collect_reversals
from eqsat.egraph.splits import (
    comparison_splits,
    division_splits,
    forms,
    on_a_line,
    substituted,
)
from eqsat.egraph.statements import Memory, Statements
from eqsat.egraph.terms import Action
from eqsat.egraph.varying_divisors import divide

_DIVISIONS = frozenset({"FLOORDIV", "FLOORMOD"})
_COMPARISONS = frozenset({"CMPLT", "CMPNE"})


@dataclass(slots=True)
class Theory(Memory):
    """The theory steps of one saturation."""

    def step(self, frozen: Frozen) -> list[Action]:
        """What follows from the e-graph as it is, as statements to carry out; none if that is nothing new."""
        feeder = Feeder(frozen, self.next_name)
        self.state(frozen, feeder)
        self.next_name = feeder.next_name
        return feeder.actions

    def state(self, frozen: Frozen, feeder: Any) -> None:
        """Tells a `Feeder`, or what can be called like one, everything new that follows from an e-graph."""
        _Step(self, frozen, feeder).run()


class _Step(Statements):
    def run(self) -> None:
        known = dict(self.theory.counts)
        self.state_constants()
        self.collect_sums()
        collect_chains(self)
        collect_reversals(self)
        collect_bitcasts(self)
        for row in self.frozen.rows:
            if row.table in _DIVISIONS and row.dtype == "index":
                self.split_dividend(row)
            elif row.table in _COMPARISONS and row.dtype == "index":
                self.compare(row)
        if self.theory.counts == known:
            deduce(self)

    def collect_sums(self) -> None:
        """One class for each polynomial; a shorter sum where terms cancel or join."""
        known: dict[tuple[Any, ...], int] = {}
        for owner, rows in self.polynomials.ring_rows.items():
            if owner in self.constants:
                continue
            polynomial = self.polynomials.of(owner)
            dtype = self.polynomials.dtype(self.polynomials.places[owner][0])
            whole = normal(expanded(self.polynomials, polynomial), dtype)
            key = self.polynomials.key(owner, whole)
            first = known.setdefault(key, owner)
            if first != owner:
                self.feeder.union(owner, self.feeder.name(first))
                self.theory.count("one_sum_one_class")
            elif owner in self.polynomials.spread:
                self.shorten(owner, rows, min(polynomial, whole, key=len))
            else:
                self.shorten_each(owner, rows)
            self.spread_alternatives(owner, polynomial)

    def shorten(self, owner: int, rows: list[Row], polynomial: Polynomial) -> None:
        written = min(self.length(row) for row in rows)
        if len(polynomial) < written or len(polynomial) == 0:
            self.state_sum(owner, polynomial)
            return
        fewest = min(self.operations_of_row(row) for row in rows)
        if operations(polynomial) < fewest:
            self.state_sum(owner, polynomial)
        divisor = content(polynomial)
        if divisor > 1 and self.frozen_dtype(owner).is_index and operations(polynomial) > 1:
            inner = {monomial: value // divisor for monomial, value in polynomial.items()}
            if 1 + operations(inner) < min(fewest, operations(polynomial)):
                self.state_multiple(owner, divisor, inner)

    def frozen_dtype(self, owner: int) -> DType:
        """The dtype of a sum, product or multiple."""
        return self.polynomials.dtype(self.polynomials.places[owner][0])

    def state_multiple(self, owner: int, factor: int, form: Polynomial) -> None:
        """States that a sum is a multiple of another one."""
        with self.once(lambda: ("multiple", factor, self.stable(owner), self.stable_form(form))) as is_new:
            if is_new:
                place = self.polynomials.places[owner]
                inner = self.feeder.polynomial(place, form)
                self.feeder.union(owner, self.feeder.term("SCALE", *place, factor, inner))
                self.theory.count("common_factor")

    def operations_of_row(self, row: Row) -> int:
        """The operations that a row writes, its operands being written by their polynomials."""
        inner = sum(operations(self.polynomials.of(child)) for child in set(row.children))
        return inner + (1 if row.table == "SCALE" else len(row.columns[2]) - 1)

    def shorten_each(self, owner: int, rows: list[Row]) -> None:
        """Collects the sums that are other ways to write an atom, each by itself or with one of its own atoms written otherwise."""
        for row in rows:
            if row.table == "ADD_N" and owner not in row.children:
                form = self.polynomials.of_row(row)
                if len(form) < self.length(row):
                    self.state_sum(owner, form)
                self.spread_alternatives(owner, form)

    def length(self, row: Row) -> int:
        """How many terms a row writes, if nothing were collected; a SCALE is one where what it multiplies is one."""
        children = row.columns[3:] if row.table == "SCALE" else row.columns[2]
        if row.table == "MUL_N":
            return 2 if any(child in self.constants for child in children) else 1
        return sum(max(1, len(self.polynomials.of(child))) for child in children)

    def spread_alternatives(self, owner: int, polynomial: Polynomial) -> None:
        """Sums that become shorter when one atom is written otherwise."""
        for monomial, coefficient in polynomial.items():
            if len(monomial) != 1 or monomial[0] == owner:
                continue
            for alternative in self.polynomials.alternatives(monomial[0]):
                form = substituted(polynomial, monomial[0], coefficient, alternative)
                form = normal(form, self.frozen_dtype(owner))
                shorter = len(form) < len(polynomial) - 1 + len(alternative)
                if shorter or operations(form) < operations(polynomial) + operations(alternative):
                    self.state_sum(owner, form)

    def state_sum(self, owner: int, form: Polynomial) -> None:
        with self.once(lambda: ("sum", self.stable(owner), self.stable_form(form))) as is_new:
            if is_new:
                self.feeder.union(owner, self.feeder.polynomial(self.polynomials.places[owner], form))
                self.theory.count("like_terms")

    def split_dividend(self, row: Row) -> None:
        dividend, divisor = row.children
        value = self.constants.get(divisor, 0)
        if divisor not in self.constants:
            divide(self, row)
        if value <= 1 or dividend in self.constants:
            return
        is_remainder = row.table == "FLOORMOD"
        line = on_a_line(self.polynomials, self.polynomials.of(dividend), value, is_remainder)
        if line is not None:
            self.state_line(row, line)
            return
        if is_remainder:
            self.open_remainders(row, value)
        for form in forms(self.polynomials, dividend):
            for split in division_splits(self.polynomials, form, value, is_remainder):
                self.state_split(dividend, (row.dtype, row.shape), *split)

    def open_remainders(self, row: Row, divisor: int) -> None:
        """States that a remainder is that of its dividend, a sum or product, without the remainders in it."""
        form = self.polynomials.of(row.children[0])
        opened = self.remainders.opened(form, divisor)
        if opened is None:
            return
        with self.once(lambda: ("opened", self.stable(row.owner), self.stable_form(opened))) as is_new:
            if is_new:
                place = (row.dtype, row.shape)
                sides = (self.feeder.polynomial(place, opened), self.feeder.name(row.children[1]))
                self.feeder.union(row.owner, self.feeder.term("FLOORMOD", *place, *sides))
                self.theory.count("remainder_in_remainder")

    def state_line(self, row: Row, line: Polynomial) -> None:
        """States that a division is a sum, and so needs no splits: these could go on for ever where v is (v + 3) // 4."""
        if line == {(row.owner,): 1}:
            return
        with self.once(lambda: ("line", self.stable(row.owner), self.stable_form(line))) as is_new:
            if is_new:
                self.feeder.union(row.owner, self.feeder.polynomial((row.dtype, row.shape), line))
                self.theory.count("division_of_two_values")

    def compare_count(self, row: Row) -> None:
        """A sum of multiples of numbers from zero up is above zero where one of the numbers is, whatever they are multiplied by."""
        left, right = row.children
        value, end = (left, 1) if right in self.constants else (right, 0)
        other = right if value == left else left
        if row.table != "CMPLT" or other not in self.constants or value in self.constants:
            return
        form = self.polynomials.of(value)
        limit = self.constants[other] - form.get((), 0)
        terms = {monomial: factor for monomial, factor in form.items() if monomial}
        if limit != end or min(terms.values()) < 1 or max(terms.values()) == 1:
            return
        least = [self.polynomials.bounds({monomial: 1}) for monomial in terms]
        if any(bounds is None or bounds[0] < 0 for bounds in least):
            return
        plain: Polynomial = dict.fromkeys(terms, 1)
        place = (row.dtype, row.shape)
        with self.once(lambda: ("count", self.stable(row.owner), self.stable_form(plain))) as is_new:
            if is_new:
                sides = [self.feeder.polynomial(place, plain), self.feeder.term("CONST", *place, end)]
                self.feeder.union(row.owner, self.feeder.term("CMPLT", *place, *sides[:: 1 if end else -1]))
                self.theory.count("comparison_of_counts")

    def compare(self, row: Row) -> None:
        left, right = row.children
        if row.owner in self.constants:
            return
        difference = dict(self.polynomials.of(left))
        for monomial, value in self.polynomials.of(right).items():
            difference[monomial] = difference.get(monomial, 0) - value
        bounds = self.polynomials.bounds({monomial: value for monomial, value in difference.items() if value})
        verdict = _verdict(row.table, bounds)
        if verdict is None:
            verdict = self.verdict_by_extents(row)
        if verdict is not None:
            self.feeder.union(row.owner, self.feeder.term("CONST", "bool", row.shape, verdict))
            self.theory.count("comparison_of_bounds")
            return
        self.compare_count(row)
        if right in self.constants:
            for form in forms(self.polynomials, left):
                for split in comparison_splits(self.polynomials, form):
                    self.state_split(left, (row.dtype, row.shape), *split)

    def verdict_by_extents(self, row: Row) -> int | None:
        """What loop variables with computed extents decide about a comparison."""
        left, right = row.children
        if self.extents.is_below(left, right):
            return 1
        if self.extents.is_below(right, left):
            return 0 if row.table == "CMPLT" else 1
        return None

    def state_split(
        self, owner: int, place: tuple[str, str], divisor: int, quotient: Polynomial, rest: Polynomial
    ) -> None:
        def key() -> tuple[Any, ...]:
            return ("split", self.stable(owner), divisor, self.stable_form(quotient), self.stable_form(rest))

        with self.once(key) as is_new:
            if is_new:
                terms = [self.feeder.polynomial(place, polynomial) for polynomial in (quotient, rest)]
                self.feeder.split(owner, divisor, *terms)
                self.theory.count("splits")


def _verdict(table: str, bounds: tuple[int, int] | None) -> int | None:
    """What the bounds of left - right say about a comparison."""
    if bounds is None:
        return None
    least, greatest = bounds
    if table == "CMPLT":
        return 1 if greatest < 0 else 0 if least >= 0 else None
    if least == greatest == 0:
        return 0
    return 1 if greatest < 0 or least > 0 else None
