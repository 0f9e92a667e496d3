"""Interval arithmetic on integers: computes the bounds of a result from the bounds of its operands.

An interval is a pair of inclusive ends; a missing end is None. If an operation of a fixed-width dtype might wrap, its result has the interval of the
whole dtype. The bounds are sound, and tight unless operands depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from eqsat.dtype import DType, PtrDType
from eqsat.ops import MOVEMENT, Op

Interval = tuple[int | None, int | None]

UNKNOWN: Interval = (None, None)
LARGEST = 1 << 1024  # ends of a greater magnitude are dropped: repeated squaring doubles the digits each time

Operands = Sequence[Interval]


def intersection(one: Interval, other: Interval) -> Interval:
    """The interval of the values that are in both."""
    low = one[0] if other[0] is None else other[0] if one[0] is None else max(one[0], other[0])
    high = one[1] if other[1] is None else other[1] if one[1] is None else min(one[1], other[1])
    return low, high


def hull(one: Interval, other: Interval) -> Interval:
    """The smallest interval that contains both."""
    low = None if one[0] is None or other[0] is None else min(one[0], other[0])
    high = None if one[1] is None or other[1] is None else max(one[1], other[1])
    return low, high


def whole(dtype: DType | PtrDType) -> Interval:
    """The interval of all values of a dtype; unbounded for an index, and for any dtype but a scalar integer or bool."""
    if not isinstance(dtype, DType) or not is_integral(dtype) or dtype.is_index:
        return UNKNOWN
    return dtype.min, dtype.max


def is_integral(dtype: DType | PtrDType) -> bool:
    """Whether values of a dtype have an interval: scalar integers, bools and indices."""
    return isinstance(dtype, DType) and dtype.lanes == 1 and not dtype.is_float and dtype.kind != "v"


def interval_of_result(op: Op, dtype: DType | PtrDType, operands: Operands) -> Interval:
    """The interval of an operation's result in this dtype, from the intervals of its operands. A WHERE has three operands here.

    >>> from eqsat.dtype import index, uint8
    >>> interval_of_result(Op.FLOORDIV, index, [(0, 17), (4, 4)]), interval_of_result(Op.ADD, uint8, [(0, 200), (0, 100)])
    ((0, 4), (0, 255))
    """
    if not isinstance(dtype, DType) or not is_integral(dtype):
        return UNKNOWN
    function = (_OF_BOOLS if dtype.is_bool else _FUNCTIONS).get(op) or _FUNCTIONS.get(op)
    found = function(operands) if function else UNKNOWN
    if op in _NEVER_WRAP or dtype.is_bool:
        return _moderate(intersection(found, whole(dtype)))
    return wrapped(dtype, found)


def wrapped(dtype: DType, exact: Interval) -> Interval:
    """The interval of a number after it wraps, given its interval before; all values of the dtype if `exact` exceeds its range."""
    if dtype.is_index:
        return _moderate(exact)
    low, high = exact
    return (
        exact
        if low is not None and high is not None and dtype.min <= low and high <= dtype.max
        else whole(dtype)
    )


def _moderate(ends: Interval) -> Interval:
    """An interval without the ends that are too large to compute with."""
    low, high = ends
    return (
        None if low is None or abs(low) > LARGEST else low,
        None if high is None or abs(high) > LARGEST else high,
    )


def add(one: Interval, other: Interval) -> Interval:
    """The interval of a sum."""
    low = None if one[0] is None or other[0] is None else one[0] + other[0]
    high = None if one[1] is None or other[1] is None else one[1] + other[1]
    return low, high


def negate(value: Interval) -> Interval:
    """The interval of the negative."""
    low, high = value
    return None if high is None else -high, None if low is None else -low


def scale(value: Interval, factor: int) -> Interval:
    """The interval of a multiple."""
    if factor == 0:
        return 0, 0
    low = None if value[0] is None else factor * value[0]
    high = None if value[1] is None else factor * value[1]
    return (low, high) if factor > 0 else (high, low)


def multiply(one: Interval, other: Interval) -> Interval:
    """The interval of a product."""
    for constant, value in ((one, other), (other, one)):
        if constant[0] is not None and constant[0] == constant[1]:
            return scale(value, constant[0])
    (a, b), (c, d) = one, other
    if a is None or b is None or c is None or d is None:
        return (a * c, None) if a is not None and c is not None and a >= 0 and c >= 0 else UNKNOWN
    products = (a * c, a * d, b * c, b * d)
    return min(products), max(products)


def square(value: Interval) -> Interval:
    """The interval of a number times itself."""
    return intersection(multiply(value, value), (0, None))


def product_of_naturals(factors: Sequence[Interval]) -> Interval:
    """The interval of a product of several numbers; unknown if one of them can be negative."""
    if len(factors) == 1:
        return factors[0]
    lows = [low for low, _ in factors if low is not None and low >= 0]
    highs = [high for _, high in factors if high is not None]
    if len(lows) < len(factors):
        return UNKNOWN
    return prod(lows), prod(highs) if len(highs) == len(factors) else None


def _divide(operands: Operands, quotient: Callable[[int, int], int]) -> Interval:
    (a, b), (c, d) = operands
    if c is None or d is None or (c <= 0 <= d):
        return UNKNOWN
    if c == d and d < 0:
        (a, b), c, d = negate((a, b)), -d, -c
    elif c <= 0:
        return UNKNOWN
    low = None if a is None else quotient(a, d if a >= 0 else c)
    high = None if b is None else quotient(b, c if b >= 0 else d)
    return low, high


def _truncated(one: int, other: int) -> int:
    return abs(one) // other * (1 if one >= 0 else -1)


def _floor_modulo(operands: Operands) -> Interval:
    (a, b), (c, d) = operands
    if c is not None and c > 0:
        if a is not None and b is not None and a >= 0:
            if b < c:
                return a, b
            return 0, b if d is None else min(b, d - 1)
        return 0, None if d is None else d - 1
    if d is not None and d < 0:
        return None if c is None else c + 1, 0
    return UNKNOWN


def _truncating_modulo(operands: Operands) -> Interval:
    (a, b), (c, d) = operands
    if c is None or c <= 0 or d is None:
        return UNKNOWN
    if a is not None and a >= 0:
        return 0, d - 1 if b is None else min(b, d - 1)
    return 1 - d, d - 1


def _maximum(operands: Operands) -> Interval:
    (a, b), (c, d) = operands
    low = c if a is None else a if c is None else max(a, c)
    return low, None if b is None or d is None else max(b, d)


def _minimum(operands: Operands) -> Interval:
    return negate(_maximum([negate(value) for value in operands]))


def _choose(operands: Operands) -> Interval:
    condition, then, otherwise = operands
    if condition == (1, 1):
        return then
    return otherwise if condition == (0, 0) else hull(then, otherwise)


def _less(operands: Operands) -> Interval:
    (a, b), (c, d) = operands
    if b is not None and c is not None and b < c:
        return 1, 1
    return (0, 0) if a is not None and d is not None and a >= d else (0, 1)


def _differ(operands: Operands) -> Interval:
    (a, b), (c, d) = operands
    if (b is not None and c is not None and b < c) or (d is not None and a is not None and d < a):
        return 1, 1
    return (0, 0) if a is not None and a == b == c == d else (0, 1)


def _and(operands: Operands) -> Interval:
    """A bitwise AND is at most the least of its operands that are not negative."""
    ends = [high for low, high in operands if low is not None and low >= 0 and high is not None]
    return (0, min(ends)) if ends else UNKNOWN


def _all(operands: Operands) -> Interval:
    return (
        int(all(low == 1 for low, _ in operands)),
        min(1 if high is None else high for _, high in operands),
    )


def _any(operands: Operands) -> Interval:
    return max(low or 0 for low, _ in operands), max(1 if high is None else high for _, high in operands)


def _as_bool(operands: Operands) -> Interval:
    low, high = operands[0]
    if (low is not None and low > 0) or (high is not None and high < 0):
        return 1, 1
    return (0, 0) if low == high == 0 else (0, 1)


def _move(operands: Operands) -> Interval:
    return operands[0]


_NEVER_WRAP = frozenset({Op.MAX, Op.MIN, Op.FLOORMOD, Op.MOD, Op.AND, Op.WHERE}) | MOVEMENT
_FUNCTIONS: Mapping[Op, Callable[[Operands], Interval]] = {
    **dict.fromkeys(MOVEMENT, _move),
    Op.BUFFERIZE: _move,
    Op.CAST: _move,
    Op.PAD: lambda operands: hull(operands[0], (0, 0)),
    Op.ADD: lambda operands: add(operands[0], operands[1]),
    Op.SUB: lambda operands: add(operands[0], negate(operands[1])),
    Op.NEG: lambda operands: negate(operands[0]),
    Op.MUL: lambda operands: multiply(operands[0], operands[1]),
    Op.MULACC: lambda operands: add(multiply(operands[0], operands[1]), operands[2]),
    Op.FLOORDIV: lambda operands: _divide(operands, int.__floordiv__),
    Op.IDIV: lambda operands: _divide(operands, _truncated),
    Op.FLOORMOD: _floor_modulo,
    Op.MOD: _truncating_modulo,
    Op.MAX: _maximum,
    Op.MIN: _minimum,
    Op.WHERE: _choose,
    Op.CMPLT: _less,
    Op.CMPNE: _differ,
    Op.AND: _and,
    Op.SHR: lambda operands: hull(operands[0], (0, 0)),  # moves a number towards 0, or to -1
}
_OF_BOOLS: Mapping[Op, Callable[[Operands], Interval]] = {
    Op.ADD: _any,
    Op.OR: _any,
    Op.MUL: _all,
    Op.AND: _all,
    Op.CAST: _as_bool,
}
