"""Facts about the integer classes of a frozen e-graph: bounds, divisors and bits, from the leaves up.

A class has what all of its terms say together. Terms are taken in the order of their classes, operands first; what a term says of an operand that
comes later is left out, so one pass suffices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from math import gcd

from eqsat.dtype import DType, parse_dtype
from eqsat.egraph.frozen import Frozen, Row
from eqsat.integer_facts import ANYTHING, Facts

_COMPARISONS = frozenset({"CMPLT", "CMPNE"})


class Analysis:
    """The facts of every integer class.

    Attributes:
        found: by class.
        places: dtype and shape of each of these classes.
    """

    def __init__(self, frozen: Frozen, constants: Mapping[int, int]) -> None:
        self.frozen = frozen
        self.constants = constants
        self.found: dict[int, Facts] = {}
        self.places: dict[int, tuple[str, str]] = {}
        for row in sorted(frozen.rows, key=lambda row: row.owner):
            if row.table not in _COMPARISONS:
                self._learn(row)

    def of(self, owner: int) -> Facts:
        """What is known of a class."""
        return self.found.get(owner, ANYTHING)

    def _learn(self, row: Row) -> None:
        dtype = parse_dtype(row.dtype)
        if not isinstance(dtype, DType) or dtype.lanes > 1 or not (dtype.is_int or dtype.is_index):
            return
        owner = row.owner
        if owner not in self.found:
            self.found[owner] = self._bounded(owner, dtype)
            self.places[owner] = (row.dtype, row.shape)
        transfer = _TRANSFERS.get(row.table)
        operands = row.children[1:] if row.table == "WHERE" else row.children
        if transfer is None or owner in self.constants or any(child not in self.found for child in operands):
            return
        said = transfer(dtype, row, [self.found[child] for child in operands])
        if said is not ANYTHING:
            self.found[owner] = self.found[owner].meet(said)

    def _bounded(self, owner: int, dtype: DType) -> Facts:
        if owner in self.constants:
            return Facts.exactly(self.constants[owner])
        lo, hi = self.frozen.lo.get(owner), self.frozen.hi.get(owner)
        if dtype.is_index:
            return Facts.of(lo, hi)
        return Facts.of(dtype.min if lo is None else lo, dtype.max if hi is None else hi)


def wrapped(dtype: DType, exact: Facts) -> Facts:
    """What holds of a number of this dtype that is computed as `exact` says before it wraps."""
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


def _sum(dtype: DType, row: Row, terms: list[Facts]) -> Facts:
    return wrapped(dtype, reduce(_added, terms))


def _added(left: Facts, right: Facts) -> Facts:
    divisor = gcd(left.divisor, right.divisor)
    remainder = left.remainder + right.remainder
    return Facts.of(
        None if left.lo is None or right.lo is None else left.lo + right.lo,
        None if left.hi is None or right.hi is None else left.hi + right.hi,
        divisor,
        remainder % divisor if divisor else remainder,
    )


def _multiple(dtype: DType, row: Row, values: list[Facts]) -> Facts:
    return wrapped(dtype, _multiplied(Facts.exactly(row.columns[2]), values[0]))


def _product(dtype: DType, row: Row, factors: list[Facts]) -> Facts:
    return wrapped(dtype, reduce(_multiplied, factors))


def _multiplied(left: Facts, right: Facts) -> Facts:
    divisor = gcd(
        left.divisor * right.divisor, left.divisor * right.remainder, left.remainder * right.divisor
    )
    remainder = left.remainder * right.remainder
    remainder = remainder % divisor if divisor else remainder
    if left.lo is None or left.hi is None or right.lo is None or right.hi is None:
        return Facts.of(divisor=divisor, remainder=remainder)
    ends = [near * far for near in (left.lo, left.hi) for far in (right.lo, right.hi)]
    return Facts.of(min(ends), max(ends), divisor, remainder)


def _and(dtype: DType, row: Row, parts: list[Facts]) -> Facts:
    return Facts.of(
        zeros=reduce(int.__or__, (part.zeros for part in parts)),
        ones=reduce(int.__and__, (part.ones for part in parts)),
    )


def _or(dtype: DType, row: Row, parts: list[Facts]) -> Facts:
    return Facts.of(
        zeros=reduce(int.__and__, (part.zeros for part in parts)),
        ones=reduce(int.__or__, (part.ones for part in parts)),
    )


def _xor(dtype: DType, row: Row, parts: list[Facts]) -> Facts:
    known = reduce(int.__and__, (part.zeros | part.ones for part in parts))
    value = reduce(int.__xor__, (part.ones for part in parts))
    return Facts.of(zeros=known & ~value, ones=known & value)


def _shifted_left(dtype: DType, row: Row, operands: list[Facts]) -> Facts:
    value, amount = operands
    if amount.value is None or not 0 <= amount.value < dtype.bits:
        return ANYTHING
    return wrapped(dtype, _multiplied(value, Facts.exactly(1 << amount.value)))


def _shifted_right(dtype: DType, row: Row, operands: list[Facts]) -> Facts:
    value, amount = operands
    if amount.value is None or not 0 <= amount.value < dtype.bits:
        return ANYTHING
    return Facts.of(
        None if value.lo is None else value.lo >> amount.value,
        None if value.hi is None else value.hi >> amount.value,
        zeros=value.zeros >> amount.value,
        ones=value.ones >> amount.value,
    )


def _quotient(dtype: DType, row: Row, operands: list[Facts]) -> Facts:
    value, divisor = operands[0], operands[1].value
    if not divisor or divisor < 0 or value.divisor % divisor or not value.divisor:
        return ANYTHING
    if row.table == "IDIV" and value.remainder % divisor:
        return ANYTHING
    return Facts.of(divisor=value.divisor // divisor, remainder=value.remainder // divisor)


def _remainder(dtype: DType, row: Row, operands: list[Facts]) -> Facts:
    value, divisor = operands[0], operands[1].value
    if not divisor or divisor < 0:
        return ANYTHING
    common = gcd(value.divisor, divisor)
    return Facts.of(divisor=common, remainder=value.remainder % common)


def _either(dtype: DType, row: Row, operands: list[Facts]) -> Facts:
    """One of the operands."""
    return reduce(Facts.join, operands)


def _converted(dtype: DType, row: Row, values: list[Facts]) -> Facts:
    return wrapped(dtype, values[0])


def _moved(dtype: DType, row: Row, values: list[Facts]) -> Facts:
    return values[0]


_TRANSFERS: dict[str, Callable[[DType, Row, list[Facts]], Facts]] = {
    "ADD_N": _sum,
    "SCALE": _multiple,
    "MUL_N": _product,
    "AND_N": _and,
    "OR_N": _or,
    "XOR_N": _xor,
    "SHL": _shifted_left,
    "SHR": _shifted_right,
    "IDIV": _quotient,
    "FLOORDIV": _quotient,
    "MOD": _remainder,
    "FLOORMOD": _remainder,
    "MAX_N": _either,
    "MIN_N": _either,
    "WHERE": _either,
    "CAST": _converted,
    **dict.fromkeys(("RESHAPE", "EXPAND", "PERMUTE", "SHRINK", "FLIP"), _moved),
}
