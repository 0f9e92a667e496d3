"""Interval arithmetic on floats: computes the bounds of a result from the bounds of its operands, and whether it may be NaN.

The bounds hold for results on a device: each result may be rounded, or not (where a product and a sum become one multiply-add), subnormal
numbers may count as zero, and elementary functions may be `UNITS` units in the last place off. A zero among the numbers may have either sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import erf, erfc, inf, isnan, pi

import numpy as np

from eqsat.dtype import DType
from eqsat.integers.intervals import Interval
from eqsat.ops import Op

UNITS = 32  # units in the last place: more than the error of any function
SUBNORMAL = 5e-324  # the least positive number


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a value: it is a number from `low` to `high`, which may be infinite, or NaN if `nan` is true.

    >>> Bounds(0.0, 1.0, nan=True).inside(-1.0, 1.0), ANYTHING.inside(-1.0, 1.0)
    (True, False)
    """

    low: float
    high: float
    nan: bool

    def inside(self, low: float, high: float) -> bool:
        """Whether all numbers are in an interval."""
        return low <= self.low and self.high <= high

    @property
    def size(self) -> float:
        """The greatest distance from zero."""
        return max(-self.low, self.high)

    @property
    def has_zero(self) -> bool:
        """Whether zero is among the numbers."""
        return self.low <= 0.0 <= self.high

    @property
    def has_infinity(self) -> bool:
        """Whether an infinity is among the numbers."""
        return self.size == inf


ANYTHING = Bounds(-inf, inf, nan=True)

Operands = Sequence[Bounds]


def hull(one: Bounds, other: Bounds) -> Bounds:
    """The bounds of a value that is within one or the other."""
    return Bounds(min(one.low, other.low), max(one.high, other.high), one.nan or other.nan)


def meet(one: Bounds, other: Bounds) -> Bounds:
    """The bounds of a value that is within both; the first if no number is."""
    low, high = max(one.low, other.low), min(one.high, other.high)
    return Bounds(low, high, one.nan and other.nan) if low <= high else one


def constant(dtype: DType, value: float) -> Bounds:
    """The bounds of a constant of `dtype`."""
    return ANYTHING if isnan(value) else rounded(dtype, Bounds(value, value, nan=False), 0)


def of_integers(dtype: DType, ends: Interval) -> Bounds:
    """The bounds of integers in an interval that are converted to `dtype`."""
    low, high = ends
    if low is None or high is None:
        return Bounds(-inf, inf, nan=False)
    return rounded(dtype, Bounds(float(np.float64(low)), float(np.float64(high)), nan=False))


def bounds_of_result(op: Op, dtype: DType, operands: Operands) -> Bounds:
    """The bounds of an operation's result in a float dtype, from the bounds of its operands, all floats of that dtype.

    >>> from eqsat.dtype import float32
    >>> bounds_of_result(Op.EXP, float32, [Bounds(-inf, 0.0, nan=True)]).inside(0.0, 1.001)
    True
    """
    function = _FUNCTIONS.get(op)
    if function is None or not dtype.is_float:
        return ANYTHING
    with np.errstate(all="ignore"):
        found = function(operands)
    if isnan(found.low) or isnan(found.high) or found.low > found.high:
        return ANYTHING
    if op in _VANISHING:
        found = Bounds(found.low, max(found.high, SUBNORMAL), found.nan)
    return found if op in _EXACT else rounded(dtype, found)


def rounded(dtype: DType, exact: Bounds, units: float = UNITS) -> Bounds:
    """The bounds of a result that is at most `units` units in the last place off an exact value within `exact`, and has its sign."""
    greatest = dtype.greatest_number
    slack, normal = units * 2.0 ** (1 - dtype.significand), 2.0**dtype.least_exponent

    def outward(end: float, direction: float) -> float:
        if abs(end) == inf:
            return end if end * direction > 0 else -direction * greatest
        if abs(end) < normal:  # may be zero, or round to the least normal number
            return 0.0 if end * direction <= 0 else direction * normal * 2
        moved = end + direction * abs(end) * slack
        if abs(moved) > greatest:
            return moved * inf if moved * direction > 0 else -direction * greatest
        return moved

    return Bounds(outward(exact.low, -1.0), outward(exact.high, 1.0), exact.nan)


def of_sum(dtype: DType, term: Bounds, count: int) -> Bounds:
    """The bounds of a sum of `count` terms and zero, added in any order."""
    with np.errstate(all="ignore"):
        most = float(np.float64(count) * term.size)
        both = term.low < 0 < term.high
        nan = term.nan or (both and most * 2 > dtype.greatest_number)
        lost = most * count * 2.0 ** (2 - dtype.significand)
        if not lost <= most / 4:
            return Bounds(-inf if term.low < 0 else 0.0, inf if term.high > 0 else 0.0, nan)
        low, high = min(0.0, count * term.low - lost), max(0.0, count * term.high + lost)
    if term.low >= 0:
        low = max(0.0, count * term.low - lost)
    if term.high <= 0:
        high = min(0.0, count * term.high + lost)
    return rounded(dtype, Bounds(low, high, nan))


def converted(dtype: DType, value: Bounds) -> Bounds:
    """The bounds of floats that are converted to another float dtype."""
    return rounded(dtype, value) if dtype.is_float else ANYTHING


def squared(value: Bounds) -> Bounds:
    """The bounds of a number times itself, before it is rounded."""
    least = 0.0 if value.has_zero else min(abs(value.low), abs(value.high))
    with np.errstate(all="ignore"):
        return Bounds(least * least, float(np.float64(value.size) * value.size), value.nan)


def _add(operands: Operands) -> Bounds:
    one, other = operands
    nan = (
        one.nan
        or other.nan
        or (one.high == inf and other.low == -inf)
        or (one.low == -inf and other.high == inf)
    )
    low = -inf if -inf in (one.low, other.low) else one.low + other.low
    high = inf if inf in (one.high, other.high) else one.high + other.high
    return Bounds(low, high, nan)


def _negate(operands: Operands) -> Bounds:
    return Bounds(-operands[0].high, -operands[0].low, operands[0].nan)


def _subtract(operands: Operands) -> Bounds:
    return _add((operands[0], _negate(operands[1:])))


def _multiply(operands: Operands) -> Bounds:
    one, other = operands
    products = [_product(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    nan = (one.has_zero and other.has_infinity) or (other.has_zero and one.has_infinity)
    return Bounds(min(products), max(products), one.nan or other.nan or nan)


def _product(a: float, b: float) -> float:
    return 0.0 if 0.0 in (a, b) else a * b


def _multiply_add(operands: Operands) -> Bounds:
    return _add((_multiply(operands[:2]), operands[2]))


def _divide(operands: Operands) -> Bounds:
    """The bounds of a quotient: any number if the divisor may be zero, of either sign, or so small that it counts as zero."""
    one, other = operands
    if other.low <= 0.0 <= other.high:
        nan = one.nan or other.nan or one.has_zero or (one.has_infinity and other.has_infinity)
        return Bounds(-inf, inf, nan)
    quotients = [_quotient(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    return Bounds(
        min(quotients), max(quotients), one.nan or other.nan or (one.has_infinity and other.has_infinity)
    )


def _quotient(a: float, b: float) -> float:
    return 0.0 if abs(b) == inf else float(np.float64(a) / b)


def _reciprocal(operands: Operands) -> Bounds:
    return _divide((Bounds(1.0, 1.0, nan=False), operands[0]))


def _maximum(operands: Operands) -> Bounds:
    one, other = operands
    return Bounds(max(one.low, other.low), max(one.high, other.high), one.nan or other.nan)


def _minimum(operands: Operands) -> Bounds:
    one, other = operands
    return Bounds(min(one.low, other.low), min(one.high, other.high), one.nan or other.nan)


def _rising(
    function: Callable[[float], float], low: float = -inf, high: float = inf
) -> Callable[[Operands], Bounds]:
    """Gives the bounds of a function that never decreases from `low` to `high`, and is NaN outside."""

    def found(operands: Operands) -> Bounds:
        (value,) = operands
        if value.high < low or value.low > high:
            return ANYTHING
        outside = value.low < low or value.high > high
        ends = (
            float(function(np.float64(max(value.low, low)))),
            float(function(np.float64(min(value.high, high)))),
        )
        return Bounds(*ends, value.nan or outside)

    return found


def _falling(
    function: Callable[[float], float], low: float = -inf, high: float = inf
) -> Callable[[Operands], Bounds]:
    rising = _rising(lambda x: -function(x), low, high)
    return lambda operands: _negate((rising(operands),))


def _wave(operands: Operands) -> Bounds:
    return Bounds(-1.0, 1.0, operands[0].nan or operands[0].has_infinity)


def _smooth_ramp(operands: Operands) -> Bounds:
    """The bounds of SILU and GELU, which are not negative except for a dip that stays above -0.3."""
    (value,) = operands
    return Bounds(0.0 if value.low >= 0 else -0.3, max(0.0, value.high), value.nan or value.low == -inf)


def _cosh(operands: Operands) -> Bounds:
    (value,) = operands
    return Bounds(1.0, float(np.cosh(np.float64(value.size))), value.nan)


def _power(operands: Operands) -> Bounds:
    base, exponent = operands
    if base.low < 0 or (base.low == 0 and exponent.low < 0):  # zero may be negative
        return ANYTHING
    below_one = base.high <= 1 and exponent.low >= 0
    above_one = base.low >= 1 and exponent.low >= 0
    return Bounds(1.0 if above_one else 0.0, 1.0 if below_one else inf, base.nan or exponent.nan)


def _hypot(operands: Operands) -> Bounds:
    one, other = operands
    return Bounds(0.0, float(np.hypot(np.float64(one.size), other.size)), one.nan or other.nan)


def _logaddexp(operands: Operands) -> Bounds:
    one, other = operands
    return Bounds(max(one.low, other.low), max(one.high, other.high) + 0.7, one.nan or other.nan)


def _sigmoid(x: float) -> float:
    power = np.exp(-abs(x))
    return float((power if x < 0 else 1.0) / (1.0 + power))


_FUNCTIONS: Mapping[Op, Callable[[Operands], Bounds]] = {
    Op.ADD: _add, Op.SUB: _subtract, Op.NEG: _negate, Op.MUL: _multiply, Op.MULACC: _multiply_add, Op.FDIV: _divide, Op.RECIP: _reciprocal,
    Op.MAX: _maximum, Op.MIN: _minimum, Op.SQRT: _rising(np.sqrt, 0.0),
    Op.EXP: _rising(np.exp), Op.EXP2: _rising(np.exp2), Op.EXPM1: _rising(np.expm1),
    Op.LOG: _rising(np.log, 0.0), Op.LOG2: _rising(np.log2, 0.0), Op.LOG10: _rising(np.log10, 0.0), Op.LOG1P: _rising(np.log1p, -1.0),
    Op.SIN: _wave, Op.COS: _wave,
    Op.ASIN: _rising(np.arcsin, -1.0, 1.0), Op.ACOS: _falling(np.arccos, -1.0, 1.0), Op.ATAN: _rising(np.arctan),
    Op.SINH: _rising(np.sinh), Op.COSH: _cosh, Op.TANH: _rising(np.tanh),
    Op.ASINH: _rising(np.arcsinh), Op.ACOSH: _rising(np.arccosh, 1.0), Op.ATANH: _rising(np.arctanh, -1.0, 1.0),
    Op.ERF: _rising(erf), Op.ERFC: _falling(erfc), Op.SIGMOID: _rising(_sigmoid), Op.SILU: _smooth_ramp, Op.GELU: _smooth_ramp,
    Op.POW: _power, Op.HYPOT: _hypot, Op.LOGADDEXP: _logaddexp,
    Op.ATAN2: lambda operands: Bounds(-pi, pi, any(each.nan for each in operands)),
}  # fmt: skip
_EXACT = frozenset({Op.NEG, Op.MAX, Op.MIN})
_VANISHING = frozenset({Op.EXP, Op.EXP2, Op.SIGMOID, Op.ERFC})  # positive, but NumPy may round them to zero
