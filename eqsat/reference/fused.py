"""The fused multiply-add of floats: a product and a sum, rounded once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from eqsat.reference.number import Array


def multiply_add(factor: Array, other: Array, addend: Array) -> Array:
    """factor * other + addend rounded once; half precision is computed so in float32, as devices do, and rounded again.

    >>> x = np.float32(1 + 2**-12)
    >>> float(x * x - x * x), float(multiply_add(x, x, -(x * x)))
    (0.0, 5.960464477539063e-08)
    """
    dtype = np.result_type(factor, other, addend)
    if dtype == np.float64:
        return np.asarray(_EXACT(factor, other, addend), np.float64)
    single = [np.asarray(operand, np.float32).astype(np.float64) for operand in (factor, other, addend)]
    return _rounded_to_odd(single[0] * single[1], single[2]).astype(np.float32).astype(dtype)


def _rounded_to_odd(product: Array, addend: Array) -> Array:
    """The sum of two doubles, its last bit set where something was cut off, so that rounding it to float32 rounds once."""
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    away = np.where((error > 0) == (total > 0), np.inf, 0.0) * np.sign(total)  # where the exact sum lies
    even = np.asarray(total).view(np.int64) & 1 == 0
    return np.where((error != 0) & even & np.isfinite(total), np.nextafter(total, away), total)


def _exact(factor: Any, other: Any, addend: Any) -> float:
    rounded_twice = float(factor) * float(other) + float(addend)
    if not np.isfinite([factor, other, addend]).all():
        return rounded_twice
    exact = Fraction(float(factor)) * Fraction(float(other)) + Fraction(float(addend))
    if exact == 0:
        return rounded_twice  # which has the sign of this zero
    try:
        return float(exact)
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")


_EXACT = np.frompyfunc(_exact, 3, 1)
