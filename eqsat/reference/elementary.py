"""Elementary functions of floats: computed in a wider type, rounded once.

The wider type is float64 for float32 and narrower, and the platform's `long double` for float64: 64 significant bits on x86-64 Linux,
113 on 64-bit Arm Linux; where it is no wider, results are as good as the C library's. With it, results are at most 0.51 units in the
last place off. LOGADDEXP close to zero, where its terms cancel, is computed in decimal numbers that have enough digits for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from eqsat.ops import Op
from eqsat.reference.number import Array, round_bfloat16

Function = Callable[..., Array]

_SERIES_END = 1.5  # where the series of erf hands over to the continued fraction of erfc
_SERIES_TERMS = 45  # (2x²)ⁿ/(2n + 1)!! is below 2⁻⁷⁰ of the sum there
_FRACTION_TERMS = (
    110  # e^(-4x√(2n)) is below 2⁻⁷⁰ there (W. B. Jones and W. J. Thron, Continued Fractions, 1980)
)
# LOGADDEXP over the greater operand: below this ratio, as many bits cancel as long double has more than float64
_CANCELLED = 2.0**-8
_CANCELLED_DIGITS = (
    80  # decimal digits after the leading zeros of the greater operand: up to 34 cancel, 46 are left
)
_VANISHED = 300.0  # erfc and Gauss's curve are 0 in every float long before this


def elementary(op: Op, dtype: str, *operands: Array) -> Array:
    """Applies an elementary function to operands that NumPy holds in one float type, and rounds the result to `dtype`.

    As everywhere in the reference, a bfloat16 is held in a float32.
    """
    held = operands[0].dtype
    if op is Op.FMOD:
        return np.fmod(*operands)  # exact in its own type
    wide = np.longdouble if held == np.float64 else np.float64
    result = np.asarray(FUNCTIONS[op](*(operand.astype(wide) for operand in operands)))
    return round_bfloat16(result) if dtype == "bfloat16" else result.astype(held)


def erf(x: Array) -> Array:
    """2/√π times the integral of e^(-t²) from 0 to x."""
    size = np.abs(x)
    far = 1 - _complement(np.maximum(size, _SERIES_END), np.maximum(size, _SERIES_END), 1)
    return np.copysign(np.where(size < _SERIES_END, _series(np.minimum(size, _SERIES_END)), far), x)


def erfc(x: Array) -> Array:
    """1 - erf(x), without cancellation."""
    outside = np.maximum(x, _SERIES_END)
    return np.where(x < _SERIES_END, 1 - erf(np.minimum(x, _SERIES_END)), _complement(outside, outside, 1))


def gelu(x: Array) -> Array:
    """x/2 · erfc(-x/√2). The factor e^(-x²/2) is computed from x itself, because the tail magnifies the rounding error of -x/√2."""
    half, scaled = x / 2, x / np.sqrt(x.dtype.type(2))
    tail = half * _complement(np.maximum(-scaled, _SERIES_END), np.maximum(-x, _SERIES_END), 2)
    result = np.where(scaled > -_SERIES_END, half * (1 + erf(np.maximum(scaled, -_SERIES_END))), tail)
    return np.where(x == -np.inf, -x.dtype.type(0), result)


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return 1 / (1 + np.exp(-x))


def silu(x: Array) -> Array:
    """x / (1 + e^-x)."""
    return np.where(x == -np.inf, -x.dtype.type(0), x / (1 + np.exp(-x)))


def logaddexp(x: Array, y: Array) -> Array:
    """log(e^x + e^y), for operands that a narrower float holds."""
    greater, other = np.maximum(x, y), np.minimum(x, y)
    difference = other - greater
    added = difference - other
    lost = (other - (difference - added)) - (greater + added)
    share = np.exp(difference) / (1 + np.exp(difference))
    result = np.asarray(np.logaddexp(x, y) + np.where(np.isfinite(lost), share * lost, 0))
    cancelled = np.abs(result) < -greater * _CANCELLED
    if cancelled.any():
        pairs = zip(greater[cancelled].tolist(), other[cancelled].tolist(), strict=True)
        result[cancelled] = [_cancelled(float(above), float(below), x.dtype.type) for above, below in pairs]
    return result


def _cancelled(above: float, below: float, wide: Callable[[str], Any]) -> Any:
    """The difference of terms that nearly cancel, in decimal numbers. It may be 2⁻¹¹¹ of the operands; no pair of float64 comes closer."""
    with localcontext(prec=_CANCELLED_DIGITS - int(np.log10(-above))):
        return wide(str((Decimal(above).exp() + Decimal(below).exp()).ln()))


def _series(x: Array) -> Array:
    """erf of 0 <= x <= _SERIES_END: 2x/√π · e^(-x²) · Σ (2x²)ⁿ/(2n + 1)!!, in which no term is negative."""
    doubled = 2 * x * x
    total = np.ones_like(x)
    for term in range(_SERIES_TERMS, 0, -1):
        total = 1 + total * doubled / (2 * term + 1)
    return _bell(x, 1) * total * x * 2 / _root_of_pi(x)


def _complement(x: Array, root: Array, divisor: int) -> Array:
    """erfc of x >= _SERIES_END with x² = root²/divisor: e^(-x²)/√π over Laplace's continued fraction x + ½/(x + 1/(x + …))."""
    x = np.minimum(x, _VANISHED)
    below = x
    for term in range(_FRACTION_TERMS, 0, -1):
        below = x + (term * x.dtype.type(0.5)) / below
    return _bell(np.minimum(root, _VANISHED), divisor) / (below * _root_of_pi(x))


def _bell(x: Array, divisor: int) -> Array:
    """e^(-x²/divisor), with x² in two parts: the first has half as many digits and is exact."""
    head = x.astype(np.float32).astype(x.dtype)
    return np.exp(-(head * head) / divisor) * np.exp(-((x - head) * (x + head)) / divisor)


def _root_of_pi(like: Array) -> Array:
    return np.sqrt(4 * np.arctan(like.dtype.type(1)))


FUNCTIONS: Mapping[Op, Function] = {
    Op.EXP: np.exp, Op.EXP2: np.exp2, Op.EXPM1: np.expm1, Op.LOG: np.log, Op.LOG2: np.log2, Op.LOG10: np.log10, Op.LOG1P: np.log1p,
    Op.SIN: np.sin, Op.COS: np.cos, Op.TAN: np.tan, Op.ASIN: np.arcsin, Op.ACOS: np.arccos, Op.ATAN: np.arctan,
    Op.SINH: np.sinh, Op.COSH: np.cosh, Op.TANH: np.tanh, Op.ASINH: np.arcsinh, Op.ACOSH: np.arccosh, Op.ATANH: np.arctanh,
    Op.ERF: erf, Op.ERFC: erfc, Op.GELU: gelu, Op.SIGMOID: sigmoid, Op.SILU: silu,
    Op.POW: np.power, Op.ATAN2: np.arctan2, Op.HYPOT: np.hypot, Op.LOGADDEXP: logaddexp,
}  # fmt: skip
