"""Encodings: how a proof writes the values of a program, and the unbounded integers of guards, as terms of Z3.

There are two encodings. `BitVectors` writes fixed-width integers as bit-vectors: good for shifts and masks, slow for wide products and
quotients. `Integers` writes all integers as unbounded ones and wraps explicitly: good for `index`, and for division at any width. Both write
bools as Booleans. Where an operation has no value, its term has an arbitrary one; `has_value` says where.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import z3

from eqsat.dtype import DType
from eqsat.ops import SHIFTS, Op

Term = z3.ExprRef

_BOOLEANS = {
    Op.ADD: z3.Or, Op.OR: z3.Or, Op.MAX: z3.Or, Op.MUL: z3.And, Op.AND: z3.And, Op.MIN: z3.And, Op.SUB: z3.Xor, Op.XOR: z3.Xor,
    Op.CMPNE: z3.Xor,
}  # fmt: skip

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


class UnsupportedError(Exception):
    """The encoding cannot express an operation or a dtype."""


class Encoding(ABC):
    """Writes values and scalars as terms.

    Attributes:
        hypotheses: facts about the variables made so far.
        by_zero: for divisions of values whose terms do not say what they are by zero: whether the divisor is zero, and what is true then.
    """

    name: str

    def __init__(self) -> None:
        self.hypotheses: list[Term] = []
        self.by_zero: list[tuple[Term, Term]] = []

    def lemmas(self, factors: Sequence[Term]) -> list[Term]:
        """True facts about integers that help a proof. `factors` are the rule's constants."""
        return []

    # values

    def variable(self, name: str, dtype: DType) -> Term:
        """A variable for any value of `dtype`."""
        return z3.Bool(name) if dtype.is_bool else self.integer_variable(name, dtype)

    def constant(self, value: Any, dtype: DType) -> Term:
        """Wraps a scalar to a constant of `dtype`."""
        if dtype.is_bool:
            return value if isinstance(value, Term) else z3.BoolVal(bool(value))
        return self.integer_constant(value, dtype)

    def apply(self, op: Op, dtype: DType, operands: Sequence[Term]) -> Term:
        """`op` on operands of `dtype` (of the branches, for WHERE), as the reference computes it."""
        if op is Op.WHERE:
            return z3.If(operands[0], operands[1], operands[2])
        if op is Op.CMPNE:
            return z3.Not(self.equal(operands[0], operands[1], dtype))
        if dtype.is_bool:
            return _apply_to_bools(op, operands)
        if op is Op.MULACC:
            return self.integer(Op.ADD, dtype, [self.integer(Op.MUL, dtype, list(operands[:2])), operands[2]])
        return self.integer(op, dtype, operands)

    def convert(self, term: Term, source: DType, target: DType) -> Term:
        """CAST."""
        if source == target:
            return term
        if target.is_bool:
            return z3.Not(self.equal(term, self.integer_constant(0, source), source))
        return self.to_integer(term, source, target)

    @abstractmethod
    def integer_variable(self, name: str, dtype: DType) -> Term:
        """A variable for any value of an integer dtype or of index."""

    @abstractmethod
    def integer_constant(self, value: Any, dtype: DType) -> Term:
        """Wraps a scalar to a value of an integer dtype or of index."""

    @abstractmethod
    def integer(self, op: Op, dtype: DType, operands: Sequence[Term]) -> Term:
        """`op` on integers."""

    @abstractmethod
    def to_integer(self, term: Term, source: DType, target: DType) -> Term:
        """CAST to an integer dtype or index, from another or from bool."""

    @abstractmethod
    def reinterpret(self, term: Term, source: DType, target: DType) -> Term:
        """BITCAST."""

    @abstractmethod
    def equal(self, left: Term, right: Term, dtype: DType) -> Term:
        """Whether two values are the same."""

    def has_value(self, op: Op, dtype: DType, operands: Sequence[Term]) -> Term:
        """Whether `op` has a value on these operands: shifts are within the width."""
        shifts = op in SHIFTS and not dtype.is_bool
        return self.within_width(operands[1], dtype) if shifts else z3.BoolVal(True)

    @abstractmethod
    def within_width(self, amount: Term, dtype: DType) -> Term:
        """Whether an amount of a shift lies within the width, so that the shift has a value."""

    # scalars: the unbounded integers of guards and computed constants

    @abstractmethod
    def scalar(self, term: Term, dtype: DType) -> Any:
        """A value as a scalar of a guard."""

    @abstractmethod
    def number(self, value: int) -> Any:
        """A number written in a rule."""

    def operate(self, symbol: str, left: Any, right: Any) -> Any:
        """Arithmetic on two scalars, or their comparison (a Boolean). A quotient by zero is arbitrary."""
        match symbol:
            case "//":
                return self.quotient_and_remainder(left, right)[0]
            case "%":
                return self.quotient_and_remainder(left, right)[1]
            case _:
                return _PYTHON[symbol](left, right)

    @abstractmethod
    def quotient_and_remainder(self, left: Any, right: Any) -> tuple[Any, Any]:
        """The floor division of two scalars. It is arbitrary where the divisor is zero."""

    @abstractmethod
    def model_value(self, model: z3.ModelRef, term: Term, dtype: DType) -> int:
        """The value of a variable in a model, as a Python integer."""


def _apply_to_bools(op: Op, operands: Sequence[Term]) -> Term:
    if op in _BOOLEANS:
        return _BOOLEANS[op](operands[0], operands[1])
    match op:
        case Op.CMPLT:
            return z3.And(z3.Not(operands[0]), operands[1])
        case Op.NEG:
            return operands[0]
        case Op.POW:
            return z3.Or(operands[0], z3.Not(operands[1]))
        case Op.MULACC:
            return z3.Or(z3.And(operands[0], operands[1]), operands[2])
        case _:
            raise UnsupportedError(f"{op} of bools")
