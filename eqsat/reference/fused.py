"""The fused multiply-add of floats, which rounds a product and a sum once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from eqsat.reference.number import Array


def multiply_add(factor: Array, other: Array, addend: Array) -> Array:
    """factor * other + addend, rounded once. Half precision is computed in float32, as on devices, and rounded a second time.

    >>> x = np.float32(1 + 2**-12)
    >>> float(x * x - x * x), float(multiply_add(x, x, -(x * x)))
    (0.0, 5.960464477539063e-08)
    """
    dtype = np.result_type(factor, other, addend)
    if dtype == np.float64:
        with np.errstate(all="ignore"):
            return _double(*(np.asarray(operand, np.float64) for operand in (factor, other, addend)))
    single = [np.asarray(operand, np.float32).astype(np.float64) for operand in (factor, other, addend)]
    return _rounded_to_odd(single[0] * single[1], single[2]).astype(np.float32).astype(dtype)


def _double(factor: Array, other: Array, addend: Array) -> Array:
    """The fused multiply-add of doubles. It uses sums and products of doubles where these neither overflow nor underflow, and fractions elsewhere.

    S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
    """
    product = factor * other
    plain = product + addend
    high, low = _sum(addend, _error_of_product(factor, other, product))
    total, rest = _sum(product, high)
    result = total + _rounded_to_odd(rest, low)
    is_plain = (
        (factor == 0) | (other == 0) | ~np.isfinite(factor) | ~np.isfinite(other) | ~np.isfinite(addend)
    )
    largest = np.maximum(np.maximum(np.abs(factor), np.abs(other)), np.abs(addend))
    is_safe = (largest < _LARGE) & (np.abs(product) > _SMALL)
    result = np.where(is_plain | (result == 0), plain, result)  # an exact zero has the sign of the plain one
    hard = ~(is_plain | is_safe)
    if np.any(hard):
        operands = np.broadcast_arrays(factor, other, addend)
        result[hard] = _EXACT(*(operand[hard] for operand in operands))
    return result


_LARGE, _SMALL = 2.0**400, 2.0**-900
_SPLITTER = 2.0**27 + 1  # splits a double into two parts of 26 bits


def _error_of_product(factor: Array, other: Array, product: Array) -> Array:
    """The rounding error of the product of two doubles (T. J. Dekker, 1971)."""
    upper, upper_other = (
        operand * _SPLITTER - (operand * _SPLITTER - operand) for operand in (factor, other)
    )
    lower, lower_other = factor - upper, other - upper_other
    return ((upper * upper_other - product) + upper * lower_other + lower * upper_other) + lower * lower_other


def _sum(one: Array, other: Array) -> tuple[Array, Array]:
    """The sum of two doubles, and its rounding error."""
    total = one + other
    back = total - one
    return total, (one - (total - back)) + (other - back)


def _rounded_to_odd(product: Array, addend: Array) -> Array:
    """The sum of two doubles, rounded to odd: its last bit is set if the sum is inexact. Rounding that to float32 is correct."""
    total, error = _sum(product, addend)
    away = np.where((error > 0) == (total > 0), np.inf, 0.0) * np.sign(total)  # where the exact sum lies
    even = np.asarray(total).view(np.int64) & 1 == 0
    return np.where((error != 0) & even & np.isfinite(total), np.nextafter(total, away), total)


def _exact(factor: Any, other: Any, addend: Any) -> float:
    rounded_twice = float(factor) * float(other) + float(addend)
    if not np.isfinite([factor, other, addend]).all():
        return rounded_twice
    exact = Fraction(float(factor)) * Fraction(float(other)) + Fraction(float(addend))
    if exact == 0:
        return rounded_twice  # it has the right sign of zero
    try:
        return float(exact)
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")


_EXACT = np.frompyfunc(_exact, 3, 1)
