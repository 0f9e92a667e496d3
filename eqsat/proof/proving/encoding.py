"""What a proof computes with: values of the program, and the unbounded integers of guards, as terms of Z3.

There are two encodings. `BitVectors` has fixed-width integers as they are, bit by bit: right for shifts and masks, slow for wide products
and quotients. `Integers` has everything as unbounded integers, and wraps explicitly: right for `index`, and for division at any width.
Bools are Z3's Booleans in both. Where an operation has no value, a term has an arbitrary one; `has_value` says where.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import z3

from eqsat.dtype import DType
from eqsat.ops import Op

Term = z3.ExprRef

DIVISIONS = frozenset({Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD})
SHIFTS = frozenset({Op.SHL, Op.SHR})

_BOOLEANS = {
    Op.ADD: z3.Or, Op.OR: z3.Or, Op.MAX: z3.Or, Op.MUL: z3.And, Op.AND: z3.And, Op.MIN: z3.And, Op.SUB: z3.Xor, Op.XOR: z3.Xor,
    Op.CMPNE: z3.Xor,
}  # fmt: skip


class UnsupportedError(Exception):
    """An encoding cannot express something, so it proves nothing."""


class Encoding(ABC):
    """Values and scalars as terms; `hypotheses` are facts about those made so far."""

    name: str

    def __init__(self) -> None:
        self.hypotheses: list[Term] = []

    def lemmas(self, factors: Sequence[Term]) -> list[Term]:
        """Facts that hold for all integers and that help a proof along; `factors` are the rule's constants."""
        return []

    # values

    def variable(self, name: str, dtype: DType) -> Term:
        """Any value of `dtype`."""
        return z3.Bool(name) if dtype.is_bool else self.integer_variable(name, dtype)

    def constant(self, value: Any, dtype: DType) -> Term:
        """The constant of `dtype` that a scalar of a guard or a computation becomes, wrapped."""
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
        """Any value of an integer dtype or index."""

    @abstractmethod
    def integer_constant(self, value: Any, dtype: DType) -> Term:
        """A scalar as a value, wrapped."""

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
        """Whether `op` has a value on these operands: divisors differ from zero, shifts are within the width."""
        if op in DIVISIONS and not dtype.is_bool:
            return z3.Not(self.equal(operands[1], self.integer_constant(0, dtype), dtype))
        shifts = op in SHIFTS and not dtype.is_bool
        return self.within_width(operands[1], dtype) if shifts else z3.BoolVal(True)

    @abstractmethod
    def within_width(self, amount: Term, dtype: DType) -> Term:
        """Whether a shift has a value."""

    # scalars: the unbounded integers of guards and computed constants

    @abstractmethod
    def scalar(self, term: Term, dtype: DType) -> Any:
        """A value as a scalar."""

    @abstractmethod
    def number(self, value: int) -> Any:
        """A number written in a rule."""

    @abstractmethod
    def operate(self, symbol: str, left: Any, right: Any) -> Any:
        """Arithmetic or a comparison (a Boolean) of two scalars; division by zero is anything."""

    @abstractmethod
    def model_value(self, model: z3.ModelRef, term: Term, dtype: DType) -> int:
        """What a variable is in a model, as a Python integer."""


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
