"""What divisors and bits of integers tell beyond bounds: constants, comparisons, operands without effect, sums that cannot wrap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from eqsat.egraph.analysis import Analysis, integer_dtype
from eqsat.egraph.folding import can_be_written
from eqsat.egraph.frozen import Row
from eqsat.egraph.polynomial import Polynomial, normal
from eqsat.egraph.splits import divided, forms
from eqsat.egraph.statements import Statements
from eqsat.integer_arithmetic import product_of_facts
from eqsat.integer_facts import Facts

_BITWISE = frozenset({"AND_N", "OR_N", "XOR_N", "SHL", "SHR"})
_COMPARISONS = frozenset({"CMPLT", "CMPNE"})
_DECIDED = frozenset({"FLOORDIV", "FLOORMOD", "IDIV", "MOD"}) | _COMPARISONS
_CHOICES = frozenset({"MAX_N", "MIN_N", "WHERE"})


def deduce(step: Statements) -> None:
    """States what follows from the facts of an e-graph, if it has terms of which divisors and bits may tell something."""
    if _says_more_than_bounds(step.frozen.rows):
        _Deductions(step).run()


def _says_more_than_bounds(rows: Iterable[Row]) -> bool:
    """Whether there are terms of which more than bounds tells something: of sums of indices, the other theories know all."""
    tables: dict[str, set[str]] = {}
    for row in rows:
        tables.setdefault(row.columns[0], set()).add(row.table)
    return any(
        not found.isdisjoint(_BITWISE)
        or (not found.isdisjoint(_DECIDED) and (dtype != "index" or not found.isdisjoint(_CHOICES)))
        or (dtype == "index" and "CMPNE" in found)
        for dtype, found in tables.items()
        if integer_dtype(dtype)
    )


class _Deductions:
    def __init__(self, step: Statements) -> None:
        self.step = step
        self.analysis = Analysis(step.frozen, step.constants)

    def run(self) -> None:
        self.state_values()
        for row in self.step.frozen.rows:
            if row.owner in self.step.constants or integer_dtype(row.columns[0]) is None:
                continue
            if row.table in _COMPARISONS:
                self.decide(row)
            elif row.table in ("AND_N", "OR_N", "XOR_N"):
                self.combine(row)
            elif row.table in ("FLOORDIV", "FLOORMOD", "SHR") and row.columns[0] != "index":
                self.divide(row)

    def state_values(self) -> None:
        """A class with one possible value is that constant."""
        for owner, facts in self.analysis.found.items():
            value = facts.value
            if value is None or owner in self.step.constants or facts.is_contradiction:
                continue
            place = self.analysis.places[owner]
            if can_be_written(value, place[0]):
                self.step.feeder.union(owner, self.step.feeder.term("CONST", *place, value))
                self.step.theory.count("one_value_by_facts")

    def decide(self, row: Row) -> None:
        """A comparison that facts of both sides decide."""
        left, right = (self.analysis.of(operand) for operand in row.children)
        if left.is_contradiction or right.is_contradiction:
            return
        verdict = left.is_below(right) if row.table == "CMPLT" else left.excludes(right) or None
        if verdict is not None:
            self.step.feeder.union(row.owner, self.step.feeder.term("CONST", "bool", row.shape, int(verdict)))
            self.step.theory.count("comparison_of_facts")

    def combine(self, row: Row) -> None:
        """Bitwise operations with fewer operands, or none."""
        kept = self.without_effect(row)
        if len(kept) < len(row.children):
            self.state_chain(row, row.table, kept, "operands_without_effect")
        elif row.table == "AND_N":
            self.mask_less(row)
        elif self.is_disjoint(row.children):
            self.state_chain(row, "ADD_N", row.children, "sum_of_disjoint_bits")

    def without_effect(self, row: Row) -> list[int]:
        """The operands of AND and OR without those that change no bit of what the others give."""
        kept = list(row.children)
        for element in row.children if row.table != "XOR_N" else ():
            others = list(kept)
            others.remove(element)
            facts = [self.analysis.of(other) for other in others]
            if row.table == "AND_N":
                changed = (
                    ~reduce(int.__or__, (other.zeros for other in facts), 0) & ~self.analysis.of(element).ones
                )
            else:
                changed = (
                    ~reduce(int.__or__, (other.ones for other in facts), 0)
                    & self.analysis.of(element).possible
                )
            if others and not changed:
                kept = others
        return kept

    def is_disjoint(self, elements: Sequence[int]) -> bool:
        """Whether no bit may be set in two of them, so that OR and XOR add them."""
        taken = 0
        for element in elements:
            possible = self.analysis.of(element).possible
            if taken & possible:
                return False
            taken |= possible
        return True

    def mask_less(self, row: Row) -> None:
        """Below a mask of low bits, multiples of the next power of two have no say."""
        masks = [child for child in row.children if child in self.step.constants]
        others = [child for child in row.children if child not in self.step.constants]
        mask = self.step.constants[masks[0]] if len(masks) == 1 else 0
        if mask <= 0 or mask & (mask + 1) or len(others) != 1:
            return
        for form in forms(self.step.polynomials, others[0]):
            shorter = self.modulo(form, mask + 1)
            if len(shorter) < len(form):
                self.state_masked(row, shorter, masks[0])
            opened = self.step.remainders.opened(form, mask + 1)
            if opened is not None:
                self.state_masked(row, normal(opened, self.step.polynomials.dtype(row.dtype)), masks[0])

    def modulo(self, form: Polynomial, modulus: int) -> Polynomial:
        """A polynomial that is equal modulo a power of two, without the terms that are known modulo that."""
        result: Polynomial = {}
        constant = 0
        for monomial, coefficient in form.items():
            facts = reduce(product_of_facts, map(self.analysis.of, monomial), Facts.exactly(coefficient))
            if facts.divisor % modulus == 0:
                constant += facts.remainder
            else:
                result[monomial] = coefficient
        if constant % modulus:
            result[()] = constant % modulus
        return result

    def divide(self, row: Row) -> None:
        """Where a sum cannot wrap, multiples of the divisor leave the dividend, as they do in unbounded numbers."""
        dividend, by = row.children
        divisor = self.step.constants.get(by, 0)
        dtype = self.step.polynomials.dtype(row.columns[0])
        if row.table == "SHR":
            divisor = 1 << divisor if 0 <= divisor < dtype.bits else 0
        if divisor <= 1 or dividend in self.step.constants:
            return
        for form in forms(self.step.polynomials, dividend):
            quotient, rest = divided(form, divisor)
            if (
                any(quotient)
                and self.fits(rest, 0, divisor - 1)
                and all(self.fits(part, int(dtype.min), int(dtype.max)) for part in (form, quotient))
            ):
                self.state_polynomial(row, rest if row.table == "FLOORMOD" else quotient)

    def fits(self, form: Polynomial, least: int, greatest: int) -> bool:
        """Whether bounds keep a sum within these ends before it wraps."""
        bounds = self.step.polynomials.bounds(form)
        return bounds is not None and least <= bounds[0] and bounds[1] <= greatest

    def state_chain(self, row: Row, table: str, operands: Sequence[int], reason: str) -> None:
        """States that a class is a chain of classes."""
        step = self.step
        with step.once(
            lambda: (table, step.stable(row.owner), *sorted(map(step.stable, operands)))
        ) as is_new:
            if is_new:
                names = tuple(map(step.feeder.name, operands))
                chain = names[0] if len(names) == 1 else step.feeder.term(table, row.dtype, row.shape, names)
                step.feeder.union(row.owner, chain)
                step.theory.count(reason)

    def state_masked(self, row: Row, form: Polynomial, mask: int) -> None:
        """States that a class is a sum below a mask."""
        step = self.step
        with step.once(lambda: ("masked", step.stable(row.owner), step.stable_form(form))) as is_new:
            if is_new:
                place = (row.dtype, row.shape)
                terms = (step.feeder.polynomial(place, form), step.feeder.name(mask))
                step.feeder.union(row.owner, step.feeder.term("AND_N", *place, terms))
                step.theory.count("masked_multiples")

    def state_polynomial(self, row: Row, form: Polynomial) -> None:
        """States that a class is a sum."""
        step = self.step
        with step.once(lambda: ("sum", step.stable(row.owner), step.stable_form(form))) as is_new:
            if is_new:
                step.feeder.union(row.owner, step.feeder.polynomial((row.dtype, row.shape), form))
                step.theory.count("division_of_fitting_sum")
