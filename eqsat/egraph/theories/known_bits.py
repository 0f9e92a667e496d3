"""Finds equalities from divisors and known bits of integers: constants, decided comparisons, operands without effect, sums that cannot wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeVar

from eqsat.dtype import DType
from eqsat.egraph.snapshot.constants import can_be_written, plain_dtype
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Operation, Sum, Theory
from eqsat.egraph.theories.context import Context, integer_dtype
from eqsat.egraph.theories.division import Remainders, forms
from eqsat.egraph.theories.polynomial import Polynomial
from eqsat.egraph.theories.terms import sums
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.divisions import differences
from eqsat.egraph.theories.terms.operands import occurrences, operands_and_constant, operator_of
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.integers.arithmetic import facts_of_result, product_of_facts, sum_of_facts
from eqsat.integers.facts import ANYTHING, Facts
from eqsat.integers.intervals import Interval
from eqsat.integers.polynomials import difference, divided, interval, plus, wrapped
from eqsat.ops import COMPARISON, MOVEMENT, Op
from eqsat.support.bits import union
from eqsat.uop import UOp, toposort

A = TypeVar("A")

_BITWISE = frozenset({"AND_N", "OR_N", "XOR_N", "SHL", "SHR"})
_COMPARISONS = frozenset({"CMPLT", "CMPNE"})
_DECIDED = frozenset({"FLOORDIV", "FLOORMOD", "IDIV", "MOD"}) | _COMPARISONS
_CHOICES = frozenset({"MAX_N", "MIN_N", "WHERE"})


def find_by_bits(context: Context) -> Iterator[Claim]:
    """Claims equalities that follow from the facts of an e-graph, if it has terms for which divisors and bits may tell more than bounds."""
    if _says_more_than_bounds(context.rows):
        yield from _KnownBits(context).claims()


def _says_more_than_bounds(rows: Iterable[Row]) -> bool:
    """Whether there are terms for which divisors and bits may tell more than bounds. The other theories cover sums of indices."""
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


class _KnownBits:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.polynomials = context.polynomials
        self.analysis = context.analysis
        self.remainders = Remainders(context)

    def claims(self) -> Iterator[Claim]:
        yield from self.values()
        for row in self.context.rows:
            if row.owner in self.context.constants or integer_dtype(row.columns[0]) is None:
                continue
            if row.table in _COMPARISONS:
                yield from self.decided(row)
            elif row.table in ("AND_N", "OR_N", "XOR_N"):
                yield from self.combined(row)
            elif row.table in ("FLOORDIV", "FLOORMOD", "SHR") and row.columns[0] != "index":
                yield from self.divided(row)

    def values(self) -> Iterator[Claim]:
        """Claims that a class with one possible value is a constant."""
        for owner, facts in self.analysis.facts.items():
            value = facts.value
            if value is None or owner in self.context.constants or facts.is_contradiction:
                continue
            place = self.analysis.places[owner]
            if can_be_written(value, place[0]):
                yield Equal("one_value_by_facts", owner, Constant(place, value))

    def decided(self, row: Row) -> Iterator[Claim]:
        """Claims comparisons that the facts of both sides decide."""
        verdict = _verdict(row.table == "CMPLT", *map(self.analysis.of, row.children))
        if verdict is not None:
            yield Equal("comparison_of_facts", row.owner, Constant(("bool", row.shape), int(verdict)))

    def combined(self, row: Row) -> Iterator[Claim]:
        """Claims that a bitwise operation equals one with fewer operands, or a sum."""
        kept = self.with_effect(row)
        if len(kept) < len(row.children):
            yield self.operation("operands_without_effect", row, row.table, kept)
        elif row.table == "AND_N":
            yield from self.masked(row)
        elif self.is_disjoint(row.children):
            yield self.operation("sum_of_disjoint_bits", row, "ADD_N", row.children)

    def operation(self, reason: str, row: Row, table: str, operands: Sequence[int]) -> Equal:
        place = (row.dtype, row.shape)
        return Equal(
            reason, row.owner, operands[0] if len(operands) == 1 else Operation(table, place, tuple(operands))
        )

    def with_effect(self, row: Row) -> list[int]:
        """The operands of AND and OR, without those that change no bit of the result."""
        kept = list(row.children)
        for operand in row.children if row.table != "XOR_N" else ():
            others = list(kept)
            others.remove(operand)
            facts = map(self.analysis.of, others)
            if others and not _changed_bits(row.table == "AND_N", self.analysis.of(operand), facts):
                kept = others
        return kept

    def is_disjoint(self, operands: Sequence[int]) -> bool:
        """Whether no bit can be set in two operands, so that OR and XOR add them."""
        taken = 0
        for operand in operands:
            possible = self.analysis.of(operand).possible
            if taken & possible:
                return False
            taken |= possible
        return True

    def masked(self, row: Row) -> Iterator[Claim]:
        """Claims that a mask of the k low bits hides multiples of 2ᵏ in a sum."""
        masks = [child for child in row.children if child in self.context.constants]
        others = [child for child in row.children if child not in self.context.constants]
        mask = self.context.constants[masks[0]] if len(masks) == 1 else 0
        if mask <= 0 or mask & (mask + 1) or len(others) != 1:
            return
        place = (row.dtype, row.shape)
        for form in forms(self.polynomials, others[0]):
            shorter = self.modulo(form, mask + 1)
            if len(shorter) < len(form):
                yield Equal(
                    "masked_multiples", row.owner, Operation("AND_N", place, (Sum(place, shorter), masks[0]))
                )
            opened = self.remainders.opened(form, mask + 1)
            if opened is not None:
                inner = Sum(place, wrapped(opened, plain_dtype(row.dtype)))
                yield Equal("masked_multiples", row.owner, Operation("AND_N", place, (inner, masks[0])))

    def modulo(self, form: Polynomial, modulus: int) -> Polynomial:
        """A polynomial that is equal modulo a power of two, without the terms whose remainder is known."""
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

    def divided(self, row: Row) -> Iterator[Claim]:
        """Claims that multiples of the divisor can be taken out of a dividend that cannot wrap, as in unbounded numbers."""
        dividend, by = row.children
        dtype = plain_dtype(row.columns[0])
        divisor = _divisor(row.table == "SHR", self.context.constants.get(by, 0), dtype)
        if divisor <= 1 or dividend in self.context.constants:
            return
        for form in forms(self.polynomials, dividend):
            quotient, rest = divided(form, divisor)
            inside = _never_wraps(dtype, (form, quotient), rest, divisor, self.polynomials.intervals)
            if any(quotient) and inside:
                result = Sum((row.dtype, row.shape), rest if row.table == "FLOORMOD" else quotient)
                yield Equal("division_of_fitting_sum", row.owner, result)


# Conclusions from facts, for classes and for terms


def _verdict(is_less: bool, left: Facts, right: Facts) -> bool | None:
    """Whether a comparison holds; None if the facts of both sides do not decide it."""
    if left.is_contradiction or right.is_contradiction:
        return None
    return left.is_below(right) if is_less else left.excludes(right) or None


def _changed_bits(is_and: bool, operand: Facts, others: Iterable[Facts]) -> int:
    """The bits of the result that an operand of AND or OR may change."""
    if is_and:
        return ~union(other.zeros for other in others) & ~operand.ones
    return ~union(other.ones for other in others) & operand.possible


def _divisor(is_shift: bool, number: int, dtype: DType) -> int:
    """The divisor of a quotient, a remainder or a right shift; 0 if the amount of the shift is out of range."""
    if is_shift:
        return 1 << number if 0 <= number < dtype.bits else 0
    return number


def _never_wraps(
    dtype: DType,
    sums: Iterable[Mapping[tuple[A, ...], int]],
    rest: Mapping[tuple[A, ...], int],
    divisor: int,
    intervals: Callable[[Sequence[A]], list[Interval]],
) -> bool:
    """Whether bounds keep some sums within their dtype, and the remainder of a division below the divisor."""
    limits = [(form, int(dtype.min), int(dtype.max)) for form in sums]
    for form, least, greatest in (*limits, (rest, 0, divisor - 1)):
        low, high = interval(form, intervals)
        if low is None or high is None or low < least or high > greatest:
            return False
    return True


# The checks


def facts_of(terms: Sequence[UOp], bounds: Bounds) -> list[Facts]:
    """The facts of each term, given bounds. Terms that are not integers have none (`ANYTHING`)."""
    order = toposort(terms)
    found: dict[UOp, Facts] = {}
    for node, ends in zip(order, bounds.of(order), strict=True):
        dtype = node.dtype
        if not isinstance(dtype, DType) or dtype.lanes > 1 or kind_of(dtype) not in "ix":
            found[node] = ANYTHING
            continue
        operands = node.src[1:] if node.op is Op.WHERE else node.src[:1] if node.op in MOVEMENT else node.src
        said = facts_of_result(node.op, dtype, [found[operand] for operand in operands])
        found[node] = Facts.of(*ends).meet(said)
    return [found[term] for term in terms]


def value_of_facts(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that facts leave only one value."""
    value = constant_of(after)
    if value is None or kind_of(after.dtype) not in "ix":
        return False
    (facts,) = facts_of([before], bounds)
    return not facts.is_contradiction and facts.value == int(value)


def compared_by_facts(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that the facts of both sides decide a comparison."""
    verdict = constant_of(after)
    if verdict is None or before.op not in COMPARISON or kind_of(before.src[0].dtype) not in "ix":
        return False
    return _verdict(before.op is Op.CMPLT, *facts_of(before.src, bounds)) == bool(verdict)


def without_effect(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that an AND or OR equals one without the operands that change no bit."""
    op = operator_of(before)
    if op not in (Op.AND, Op.OR) or kind_of(before.dtype) not in "ix":
        return False
    given, kept = occurrences(before, op), occurrences(after, op)
    if not set(kept) <= set(given):
        return False
    known = dict(zip(given, facts_of(list(given), bounds), strict=True))
    others = [known[operand] for operand in kept]
    return not any(
        _changed_bits(op is Op.AND, known[operand], others) for operand in given if operand not in kept
    )


def sum_of_disjoint_bits(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that an OR or XOR of numbers without common bits is their sum."""
    op = operator_of(before)
    if op not in (Op.OR, Op.XOR) or kind_of(before.dtype) not in "ix":
        return False
    operands, constant = operands_and_constant(before, op)
    total: sums.Polynomial = {} if constant is None else {(): constant}
    taken = constant or 0
    for operand, facts in zip(operands, facts_of(list(operands), bounds), strict=True):
        if taken & facts.possible:
            return False
        taken |= facts.possible
        total = plus(total, polynomial(operand))
    return not wrapped(difference(total, polynomial(after)), before.dtype.scalar)


def masked_alike(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that two sums under the same mask of k low bits differ by a multiple of 2ᵏ."""
    one, other = _masked(before), _masked(after)
    if one is None or other is None or one[1] != other[1]:
        return False
    modulus = one[1] + 1
    return any(_is_multiple(apart, modulus, bounds) for apart in differences(one[0], other[0], modulus))


def _is_multiple(form: sums.Polynomial, modulus: int, bounds: Bounds) -> bool:
    """Whether the facts of its atoms prove that a polynomial is a multiple of a number."""
    atoms = list(dict.fromkeys(atom for monomial in form for atom in monomial))
    known = dict(zip(atoms, facts_of(atoms, bounds), strict=True))
    total = Facts.exactly(0)
    for monomial, coefficient in form.items():
        factors = (known[atom] for atom in monomial)
        total = sum_of_facts(total, reduce(product_of_facts, factors, Facts.exactly(coefficient)))
    return total.divisor % modulus == 0 and total.remainder % modulus == 0


def _masked(node: UOp) -> tuple[UOp, int] | None:
    """The value under a mask of low bits, and the mask."""
    if node.op is not Op.AND or kind_of(node.dtype) not in "ix":
        return None
    for value, other in (node.src, node.src[::-1]):
        mask = int(constant_of(other) or 0)
        if mask > 0 and not mask & (mask + 1):
            return value, mask
    return None


def divided_without_wrap(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks a division of a sum that cannot wrap by a constant, as for unbounded numbers."""
    dtype = before.dtype
    if (
        before.op not in (Op.FLOORDIV, Op.FLOORMOD, Op.SHR)
        or kind_of(dtype) != "i"
        or not isinstance(dtype, DType)
    ):
        return False
    divisor = _divisor(before.op is Op.SHR, int(constant_of(before.src[1]) or 0), dtype)
    if divisor <= 1:
        return False
    dividend, result = polynomial(before.src[0]), polynomial(after)
    if before.op is Op.FLOORMOD:
        rest = result
        multiple = difference(dividend, rest)
        if any(value % divisor for value in multiple.values()):
            return False
    else:
        rest = difference(dividend, {monomial: divisor * value for monomial, value in result.items()})
    return _never_wraps(dtype, (dividend, result), rest, divisor, bounds.of)


KNOWN_BITS = Theory(
    find_by_bits,
    {
        "facts": Check("Known divisors and bits allow only one value.", value_of_facts),
        "comparison of facts": Check(
            "Known divisors, bits and bounds decide a comparison.", compared_by_facts
        ),
        "operands without effect": Check(
            "Operands of AND and OR that change no bit may be left out.", without_effect
        ),
        "masked multiples": Check(
            "A mask of the low bits reads terms modulo a power of two, so equal remainders give equal results.",
            masked_alike,
        ),
        "disjoint bits": Check(
            "The sum of numbers without a common bit is their OR, and their XOR.", sum_of_disjoint_bits
        ),
        "division without wrap": Check(
            "Where a sum does not wrap, multiples of the divisor may be taken out of the dividend.",
            divided_without_wrap,
        ),
    },
)
