"""Transfer functions: compute the facts of an operation's result from the facts of its operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import gcd

from eqsat.dtype import DType
from eqsat.integers.facts import ANYTHING, Facts
from eqsat.integers.intervals import add, multiply
from eqsat.ops import MOVEMENT, Op

MOST_BITS = 4096  # bits of the numbers in a product of facts: repeated squaring doubles them each time

Transfer = Callable[[DType, Sequence[Facts]], Facts]


def facts_of_result(op: Op, dtype: DType, operands: Sequence[Facts]) -> Facts:
    """The facts of an operation's result in this dtype, from the facts of its operands. The operands of a WHERE are given without its condition.

    >>> from eqsat.dtype import index, uint8
    >>> facts_of_result(Op.MUL, uint8, [Facts.of(0, 255), Facts.exactly(12)]).divisor
    4
    >>> facts_of_result(Op.FLOORMOD, index, [Facts.of(divisor=6, remainder=5), Facts.exactly(3)]).value
    2
    """
    transfer = _TRANSFERS.get(op)
    return ANYTHING if transfer is None else transfer(dtype, operands)


def wrapped(dtype: DType, exact: Facts) -> Facts:
    """The facts of a number in this dtype, from the facts of the same number before it wraps."""
    if dtype.is_index:
        return exact
    if exact.lo is not None and exact.hi is not None and dtype.min <= exact.lo and exact.hi <= dtype.max:
        return exact
    modulus = 1 << dtype.bits
    divisor = gcd(exact.divisor, modulus)
    places = modulus - 1 if not dtype.is_signed else (modulus >> 1) - 1
    return Facts.of(
        dtype.min, dtype.max, divisor, exact.remainder % divisor, exact.zeros & places, exact.ones & places
    )


def product_of_facts(left: Facts, right: Facts) -> Facts:
    """The facts of a product that does not wrap; `ANYTHING` if the numbers would have more than `MOST_BITS` bits."""
    if _bits(left) + _bits(right) > MOST_BITS:
        return ANYTHING
    divisor = gcd(
        left.divisor * right.divisor, left.divisor * right.remainder, left.remainder * right.divisor
    )
    remainder = left.remainder * right.remainder
    remainder = remainder % divisor if divisor else remainder
    return Facts.of(*multiply(left.interval, right.interval), divisor, remainder)


def _bits(facts: Facts) -> int:
    """The number of bits of the greatest number in some facts."""
    return max(
        number.bit_length() for number in (facts.lo or 0, facts.hi or 0, facts.divisor, facts.remainder)
    )


def sum_of_facts(left: Facts, right: Facts) -> Facts:
    """The facts of a sum that does not wrap."""
    divisor = gcd(left.divisor, right.divisor)
    remainder = left.remainder + right.remainder
    return Facts.of(
        *add(left.interval, right.interval), divisor, remainder % divisor if divisor else remainder
    )


def _add(dtype: DType, operands: Sequence[Facts]) -> Facts:
    return wrapped(dtype, sum_of_facts(*operands))


def _multiply(dtype: DType, operands: Sequence[Facts]) -> Facts:
    return wrapped(dtype, product_of_facts(*operands))


def _negate(dtype: DType, operands: Sequence[Facts]) -> Facts:
    return _multiply(dtype, [operands[0], Facts.exactly(-1)])


def _subtract(dtype: DType, operands: Sequence[Facts]) -> Facts:
    return wrapped(dtype, sum_of_facts(operands[0], product_of_facts(operands[1], Facts.exactly(-1))))


def _multiply_add(dtype: DType, operands: Sequence[Facts]) -> Facts:
    return _add(dtype, [_multiply(dtype, operands[:2]), operands[2]])


def _and(dtype: DType, operands: Sequence[Facts]) -> Facts:
    left, right = operands
    return Facts.of(zeros=left.zeros | right.zeros, ones=left.ones & right.ones)


def _or(dtype: DType, operands: Sequence[Facts]) -> Facts:
    left, right = operands
    return Facts.of(zeros=left.zeros & right.zeros, ones=left.ones | right.ones)


def _xor(dtype: DType, operands: Sequence[Facts]) -> Facts:
    left, right = operands
    known = (left.zeros | left.ones) & (right.zeros | right.ones)
    value = left.ones ^ right.ones
    return Facts.of(zeros=known & ~value, ones=known & value)


def _shift_left(dtype: DType, operands: Sequence[Facts]) -> Facts:
    value, amount = operands
    if amount.value is None or not 0 <= amount.value < dtype.bits:
        return ANYTHING
    return wrapped(dtype, product_of_facts(value, Facts.exactly(1 << amount.value)))


def _shift_right(dtype: DType, operands: Sequence[Facts]) -> Facts:
    value, amount = operands
    if amount.value is None or not 0 <= amount.value < dtype.bits:
        return ANYTHING
    return Facts.of(
        None if value.lo is None else value.lo >> amount.value,
        None if value.hi is None else value.hi >> amount.value,
        zeros=value.zeros >> amount.value,
        ones=value.ones >> amount.value,
    )


def _floor_divide(dtype: DType, operands: Sequence[Facts]) -> Facts:
    value, divisor = operands[0], operands[1].value
    if not divisor or divisor < 0 or value.divisor % divisor or not value.divisor:
        return ANYTHING
    return Facts.of(divisor=value.divisor // divisor, remainder=value.remainder // divisor)


def _truncating_divide(dtype: DType, operands: Sequence[Facts]) -> Facts:
    value, divisor = operands[0], operands[1].value
    return ANYTHING if not divisor or value.remainder % divisor else _floor_divide(dtype, operands)


def _floor_modulo(dtype: DType, operands: Sequence[Facts]) -> Facts:
    return _remainder(*operands, lowest=0)


def _truncating_modulo(dtype: DType, operands: Sequence[Facts]) -> Facts:
    value, divisor = operands
    is_negative = value.lo is None or value.lo < 0
    return _remainder(value, divisor, lowest=1 - divisor.value if is_negative and divisor.value else 0)


def _remainder(value: Facts, divisor: Facts, lowest: int) -> Facts:
    by = divisor.value
    if not by or by < 0:
        return ANYTHING
    common = gcd(value.divisor, by)
    return Facts.of(lowest, by - 1, common, value.remainder % common)


def _either(dtype: DType, operands: Sequence[Facts]) -> Facts:
    """The facts of one of two operands."""
    return operands[0].join(operands[1])


_TRANSFERS: Mapping[Op, Transfer] = {
    Op.ADD: _add,
    Op.SUB: _subtract,
    Op.NEG: _negate,
    Op.MUL: _multiply,
    Op.MULACC: _multiply_add,
    Op.AND: _and,
    Op.OR: _or,
    Op.XOR: _xor,
    Op.SHL: _shift_left,
    Op.SHR: _shift_right,
    Op.IDIV: _truncating_divide,
    Op.FLOORDIV: _floor_divide,
    Op.MOD: _truncating_modulo,
    Op.FLOORMOD: _floor_modulo,
    Op.MAX: _either,
    Op.MIN: _either,
    Op.WHERE: _either,
    Op.CAST: lambda dtype, operands: wrapped(dtype, operands[0]),
    **dict.fromkeys(MOVEMENT - {Op.PAD}, lambda dtype, operands: operands[0]),
}
