"""Encodes all integers as unbounded ones, and wraps fixed-width integers where it matters.

Sums and products stay unwrapped, because wrapping commutes with them. A value is wrapped before it is compared, divided, shifted or
converted. A quotient and its remainder are new variables that obey the division law: Z3 is weak at dividing by a variable, but reasons
well about that law when it has a few facts about products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import z3

from eqsat.dtype import DType
from eqsat.ops import DIVISIONS, Op
from eqsat.proof.proving.encoding import Encoding, Term, UnsupportedError


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """A floor division: dividend = divisor * quotient + remainder, where the remainder lies between zero and the divisor.

    By zero, nothing is said here of quotient and remainder; `Encoding.by_zero` says it for values.
    """

    dividend: Term
    divisor: Term
    quotient: Term
    remainder: Term


class Integers(Encoding):
    """Encodes each value as an integer that is equal to it modulo its width."""

    name = "integers"

    def __init__(self) -> None:
        super().__init__()
        self.divisions: dict[tuple[int, int], Division] = {}
        self._wrapped: dict[tuple[int, str], Term] = {}
        self._in_range: set[tuple[int, str]] = set()
        self._kept: list[Term] = []  # terms that must stay alive, because Z3 reuses the ids of freed terms

    def integer_variable(self, name: str, dtype: DType) -> Term:
        """An integer in the range of its dtype."""
        return self._ranged(z3.Int(name), dtype)

    def _ranged(self, term: Term, dtype: DType) -> Term:
        if not dtype.is_index:
            self.hypotheses += [term >= dtype.min, term <= dtype.max]
            self._in_range.add(self._key(term, dtype))
        return term

    def _key(self, term: Term, dtype: DType) -> tuple[int, str]:
        self._kept.append(term)
        return term.get_id(), dtype.name

    def integer_constant(self, value: Any, dtype: DType) -> Term:
        """Returns the scalar itself."""
        return z3.IntVal(value) if isinstance(value, int) else value

    def wrapped(self, term: Term, dtype: DType) -> Term:
        """The value in the range of `dtype` to which an unwrapped term wraps."""
        key = self._key(term, dtype)
        if dtype.is_index or dtype.is_bool or key in self._in_range:
            return term
        term = z3.simplify(term)
        if z3.is_int_value(term) and dtype.min <= term.as_long() <= dtype.max:
            return term
        if key not in self._wrapped:
            value, turns = (
                self._ranged(z3.Int(f"wrapped {len(self._wrapped)}"), dtype),
                z3.Int(f"turns {len(self._wrapped)}"),
            )
            self.hypotheses.append(term == value + turns * (1 << dtype.bits))
            self._wrapped[key] = value
        return self._wrapped[key]

    def integer(self, op: Op, dtype: DType, operands: Sequence[Term]) -> Term:
        """Computes sums and products on unwrapped operands, and everything else on wrapped ones."""
        match (op, *operands):
            case (Op.ADD, left, right):
                return left + right
            case (Op.SUB, left, right):
                return left - right
            case (Op.MUL, left, right):
                return left * right
            case (Op.NEG, value):
                return -value
            case _:
                return self._of_wrapped(op, dtype, [self.wrapped(operand, dtype) for operand in operands])

    def _of_wrapped(self, op: Op, dtype: DType, operands: Sequence[Term]) -> Term:
        if op in DIVISIONS:
            division = self.divide(*operands)
            if _number(division.divisor) in (None, 0):
                nothing = z3.And(division.quotient == 0, division.remainder == 0)
                # Bounds on both sides, which Z3 combines with the division law more quickly than an equation
                is_zero = z3.And(division.divisor <= 0, division.divisor >= 0)
                self.by_zero.append((is_zero, nothing))
        match (op, *operands):
            case (Op.CMPLT, left, right):
                return left < right
            case (Op.MAX, left, right):
                return z3.If(left < right, right, left)
            case (Op.MIN, left, right):
                return z3.If(right < left, right, left)
            case (Op.FLOORDIV, left, right):
                return self.divide(left, right).quotient
            case (Op.FLOORMOD, left, right):
                return self._known_in_range(self.divide(left, right).remainder, dtype)
            case (Op.IDIV, left, right):
                division = self.divide(left, right)
                return division.quotient + z3.If(_cut_off(division), z3.IntVal(1), z3.IntVal(0))
            case (Op.MOD, left, right):
                division = self.divide(left, right)
                return division.remainder - z3.If(_cut_off(division), right, z3.IntVal(0))
            case (Op.SHL, left, right):
                return left * _power_of_two(right, dtype)
            case (Op.SHR, left, right):
                return self.divide(left, z3.IntVal(_power_of_two(right, dtype))).quotient
            case (Op.AND, left, right):
                return self.divide(left, z3.IntVal(_mask(right) + 1)).remainder
            case (Op.XOR, left, right) if _number(right) == (-1 if dtype.min else dtype.max):
                return -left - 1
            case _:
                raise UnsupportedError(f"{op} of integers")

    def _known_in_range(self, term: Term, dtype: DType) -> Term:
        self._in_range.add(self._key(term, dtype))
        return term

    def divide(self, dividend: Term, divisor: Term) -> Division:
        """The floor division of wrapped values."""
        key = dividend.get_id(), divisor.get_id()
        if key not in self.divisions:
            number = len(self.divisions)
            quotient, remainder = z3.Int(f"quotient {number}"), z3.Int(f"remainder {number}")
            law = dividend == divisor * quotient + remainder
            above = z3.And(law, remainder >= 0, remainder < divisor)
            below = z3.And(law, remainder <= 0, remainder > divisor)
            self.hypotheses += [z3.Implies(divisor > 0, above), z3.Implies(divisor < 0, below)]
            self.divisions[key] = Division(dividend, divisor, quotient, remainder)
        return self.divisions[key]

    def lemmas(self, factors: Sequence[Term]) -> list[Term]:
        """Facts about products of positive numbers, and about products of a divisor with the difference of two quotients."""
        divisions = list(self.divisions.values())
        facts: list[Term] = []
        for each in divisions:
            facts += [
                _smaller_quotient(each),
                _grows(each.quotient, each.divisor),
                _grows(-each.quotient, each.divisor),
            ]
        for one, other in combinations(divisions, 2):
            difference = one.quotient - other.quotient
            for divisor in {each.divisor.get_id(): each.divisor for each in (one, other)}.values():
                facts += [_grows(difference, divisor), _grows(-difference, divisor)]
        facts += _nested_quotients(divisions)
        slacks = [each.divisor - 1 - each.remainder for each in divisions]
        slacks += [each.remainder for each in divisions] + [factor - 1 for factor in factors]
        for factor, slack in product(factors, slacks):
            facts.append(z3.Implies(z3.And(factor > 0, slack >= 0), factor * slack >= 0))
        return facts

    def to_integer(self, term: Term, source: DType, target: DType) -> Term:
        """Returns the same integer; it is wrapped to the target dtype when that matters."""
        if source.is_bool:
            return z3.If(term, z3.IntVal(1), z3.IntVal(0))
        return self.wrapped(term, source)

    def reinterpret(self, term: Term, source: DType, target: DType) -> Term:
        """Wraps: at equal widths, reading the bits as another integer dtype is wrapping."""
        return self.convert(term, source, target)

    def equal(self, left: Term, right: Term, dtype: DType) -> Term:
        """Whether two values are equal modulo the width."""
        if dtype.is_index or dtype.is_bool:
            return left == right
        if {self._key(left, dtype), self._key(right, dtype)} <= self._in_range:
            return left == right
        return self.wrapped(left - right, dtype) == 0

    def within_width(self, amount: Term, dtype: DType) -> Term:
        """Whether an amount is at least zero and less than the width."""
        wrapped = self.wrapped(amount, dtype)
        return z3.And(wrapped >= 0, wrapped < dtype.bits)

    def scalar(self, term: Term, dtype: DType) -> Term:
        """The wrapped value."""
        return z3.If(term, z3.IntVal(1), z3.IntVal(0)) if dtype.is_bool else term

    def number(self, value: int) -> Term:
        """An integer."""
        return z3.IntVal(value)

    def quotient_and_remainder(self, left: Term, right: Term) -> tuple[Term, Term]:
        """The floor division of two integers, as variables that obey the division law."""
        division = self.divide(left, right)
        return division.quotient, division.remainder

    def model_value(self, model: z3.ModelRef, term: Term, dtype: DType) -> int:
        """The integer of the model, which is in range."""
        return model.eval(term, model_completion=True).as_long()


def _cut_off(division: Division) -> Term:
    """Whether truncated division and floor division differ."""
    return z3.And(division.remainder != 0, (division.dividend < 0) != (division.divisor < 0))


def _nested_quotients(divisions: list[Division]) -> list[Term]:
    """Facts about divisions by D and by d, where D is itself divided by d.

    They compare a quotient by d with the sum of another quotient by d and the product of D // d and a quotient by D.
    """
    facts: list[Term] = []
    for ratio in divisions:
        great = [each for each in divisions if each.divisor.get_id() == ratio.dividend.get_id()]
        small = [
            each
            for each in divisions
            if each.divisor.get_id() == ratio.divisor.get_id() and each is not ratio
        ]
        for outer, one, other in product(great, small, small):
            if one is not other:
                between = one.quotient - ratio.quotient * outer.quotient - other.quotient
                facts += [_grows(between, ratio.divisor), _grows(-between, ratio.divisor)]
    return facts


def _grows(difference: Term, divisor: Term) -> Term:
    return z3.Implies(z3.And(divisor > 0, difference >= 1), difference * divisor >= divisor)


def _smaller_quotient(division: Division) -> Term:
    """States that a quotient by a positive divisor lies between the dividend and zero, or minus one."""
    dividend, quotient = division.dividend, division.quotient
    not_negative = z3.And(quotient >= 0, quotient <= dividend)
    negative = z3.And(quotient < 0, quotient >= dividend)
    return z3.Implies(division.divisor > 0, z3.If(dividend >= 0, not_negative, negative))


def _power_of_two(amount: Term, dtype: DType) -> int:
    number = _number(amount)
    if number is None or not 0 <= number < dtype.bits:
        raise UnsupportedError("a shift by anything but a number within the width")
    return 1 << number


def _mask(term: Term) -> int:
    number = _number(term)
    if number is None or number < 0 or number & (number + 1):
        raise UnsupportedError("a bitwise operation with anything but a mask of low bits")
    return number


def _number(term: Term) -> int | None:
    value = z3.simplify(term)
    return value.as_long() if z3.is_int_value(value) else None
