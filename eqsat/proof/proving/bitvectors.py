"""Fixed-width integers as bit-vectors. Scalars of guards are signed bit-vectors wide enough that nothing wraps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.proof.proving.encoding import Encoding, Term, UnsupportedError


class BitVectors(Encoding):
    """Encodes each integer as a bit-vector of its width."""

    name = "bit-vectors"

    def integer_variable(self, name: str, dtype: DType) -> Term:
        """A bit-vector as wide as the dtype."""
        _check_width(dtype)
        return z3.BitVec(name, dtype.bits)

    def integer_constant(self, value: Any, dtype: DType) -> Term:
        """The low bits of a guard's scalar."""
        _check_width(dtype)
        if isinstance(value, int):
            return z3.BitVecVal(value, dtype.bits)
        return _resized(value, dtype.bits, signed=True)

    def integer(self, op: Op, dtype: DType, operands: Sequence[Term]) -> Term:
        """Computes `op` as a processor does."""
        function = (_SIGNED if dtype.is_signed else _UNSIGNED).get(op)
        if function is None:
            raise UnsupportedError(f"{op} of bit-vectors")
        return function(*operands)

    def to_integer(self, term: Term, source: DType, target: DType) -> Term:
        """Extends with the sign or with zeros, or drops the high bits."""
        _check_width(target)
        if source.is_bool:
            return z3.If(term, z3.BitVecVal(1, target.bits), z3.BitVecVal(0, target.bits))
        _check_width(source)
        return _resized(term, target.bits, signed=source.is_signed)

    def reinterpret(self, term: Term, source: DType, target: DType) -> Term:
        """Keeps the bits. A bool becomes a byte of 0 or 1; a byte becomes the bool that says whether any bit is set."""
        return self.convert(term, source, target) if target.is_bool or source.is_bool else term

    def equal(self, left: Term, right: Term, dtype: DType) -> Term:
        """Whether the bits are equal."""
        return left == right

    def within_width(self, amount: Term, dtype: DType) -> Term:
        """Compares the amount as an unsigned number, so that a negative amount counts as large."""
        return z3.ULT(amount, z3.BitVecVal(dtype.bits, dtype.bits))

    def scalar(self, term: Term, dtype: DType) -> Term:
        """The value with one more bit, so that an unsigned value is not negative."""
        if dtype.is_bool:
            return z3.If(term, z3.BitVecVal(1, 2), z3.BitVecVal(0, 2))
        return _resized(term, dtype.bits + 1, signed=dtype.is_signed)

    def number(self, value: int) -> Term:
        """A bit-vector as wide as the number needs."""
        return z3.BitVecVal(value, value.bit_length() + 1)

    def operate(self, symbol: str, left: Term, right: Term) -> Term:
        """Computes at a width at which the result is exact."""
        wider = left.size() + right.size() if symbol == "*" else max(left.size(), right.size()) + 1
        left, right = (_resized(operand, wider, signed=True) for operand in (left, right))
        return super().operate(symbol, left, right)

    def quotient_and_remainder(self, left: Term, right: Term) -> tuple[Term, Term]:
        """The floor division of two bit-vectors of one width."""
        return _floor_quotient(left, right), _floor_remainder(left, right)

    def model_value(self, model: z3.ModelRef, term: Term, dtype: DType) -> int:
        """Reads the bits of a signed dtype as two's complement."""
        bits = model.eval(term, model_completion=True).as_long()
        return bits - (1 << dtype.bits) if dtype.is_signed and bits > dtype.max else bits


def _check_width(dtype: DType) -> None:
    if not dtype.is_int:
        raise UnsupportedError(f"{dtype} has no width")


def _resized(term: Term, bits: int, *, signed: bool) -> Term:
    grown = bits - term.size()
    if grown <= 0:
        return term if grown == 0 else z3.Extract(bits - 1, 0, term)
    return z3.SignExt(grown, term) if signed else z3.ZeroExt(grown, term)


def _total(function: Callable[[Term, Term], Term]) -> Callable[[Term, Term], Term]:
    """A quotient or remainder that is 0 where the divisor is zero."""
    return lambda left, right: z3.If(right == 0, right, function(left, right))


def _truncated_quotient(left: Term, right: Term) -> Term:
    return left / right


@_total
def _floor_remainder(left: Term, right: Term) -> Term:
    remainder = z3.SRem(left, right)
    return z3.If(_rounds_down(remainder, right), remainder + right, remainder)


@_total
def _floor_quotient(left: Term, right: Term) -> Term:
    return z3.If(_rounds_down(z3.SRem(left, right), right), left / right - 1, left / right)


def _rounds_down(remainder: Term, divisor: Term) -> Term:
    """Whether truncated division and floor division differ."""
    return z3.And(remainder != 0, (remainder < 0) != (divisor < 0))


def _greater(left: Term, right: Term) -> Term:
    return z3.If(left < right, right, left)


def _lesser(left: Term, right: Term) -> Term:
    return z3.If(right < left, right, left)


def _unsigned_greater(left: Term, right: Term) -> Term:
    return z3.If(z3.ULT(left, right), right, left)


def _unsigned_lesser(left: Term, right: Term) -> Term:
    return z3.If(z3.ULT(right, left), right, left)


def _dot(left: Term, right: Term) -> Term:
    """The sum of the products of the unsigned bytes of one word and the signed bytes of the other."""
    terms = [
        z3.ZeroExt(24, z3.Extract(low + 7, low, left)) * z3.SignExt(24, z3.Extract(low + 7, low, right))
        for low in range(0, 32, 8)
    ]
    return terms[0] + terms[1] + terms[2] + terms[3]


_Bits = z3.BitVecRef
_EITHER: dict[Op, Callable[..., Term]] = {
    Op.ADD: _Bits.__add__, Op.SUB: _Bits.__sub__, Op.MUL: _Bits.__mul__, Op.NEG: _Bits.__neg__, Op.AND: _Bits.__and__,
    Op.OR: _Bits.__or__, Op.XOR: _Bits.__xor__, Op.SHL: _Bits.__lshift__,
}  # fmt: skip
_SIGNED: dict[Op, Callable[..., Term]] = {
    **_EITHER, Op.SHR: _Bits.__rshift__, Op.CMPLT: _Bits.__lt__, Op.MAX: _greater, Op.MIN: _lesser,
    Op.DOT: _dot, Op.IDIV: _total(_truncated_quotient), Op.MOD: _total(z3.SRem), Op.FLOORDIV: _floor_quotient, Op.FLOORMOD: _floor_remainder,
}  # fmt: skip
_UNSIGNED: dict[Op, Callable[..., Term]] = {
    **_EITHER, Op.SHR: z3.LShR, Op.CMPLT: z3.ULT, Op.MAX: _unsigned_greater, Op.MIN: _unsigned_lesser,
    Op.IDIV: _total(z3.UDiv), Op.MOD: _total(z3.URem), Op.FLOORDIV: _total(z3.UDiv), Op.FLOORMOD: _total(z3.URem),
}  # fmt: skip
