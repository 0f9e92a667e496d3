"""Floats with bounds: between which numbers each element of a correct implementation lies, whatever it rounds on the way.

Every operation is carried out at the ends of the intervals, in the long double, and the ends are moved apart by what a result in the
dtype may be off: half a unit for arithmetic, two for exponentials and logarithms, a unit for each term of a sum. An element that is
known exactly has equal ends; one of which nothing is known has infinite ends. NaN at both ends is a NaN for certain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.drawn_arrays.oracle.precision import GREATEST, LEAST, PRECISION, WIDE
from tests.drawn_arrays.values import FLOATS, Numbers, held_dtype, round_to

Ends = tuple[Numbers, Numbers, Numbers]  # middle, low, high
Map = Callable[[Numbers], Numbers]


@dataclass(frozen=True)
class Interval:
    """An array in a dtype: `middle` without any rounding, and the ends of where it may be."""

    middle: Numbers
    low: Numbers
    high: Numbers
    dtype: str

    @staticmethod
    def around(array: Numbers, dtype: str, bound: Numbers | None) -> Interval:
        """An array and how far each element may be off; infinite where nothing is known."""
        middle = array.astype(WIDE)
        if bound is None:
            return Interval(middle, middle, middle, dtype)
        low, high = middle - bound, middle + bound
        unknown = np.isinf(bound) | (np.isnan(middle) & (bound > 0))
        exact = bound == 0  # also of infinities
        return Interval(
            middle,
            np.where(exact, middle, np.where(unknown, -np.inf, low)),
            np.where(exact, middle, np.where(unknown, np.inf, high)),
            dtype,
        )

    # what is known

    @property
    def is_exact(self) -> Numbers:
        return (self.low == self.high) | self.is_nan

    @property
    def is_nan(self) -> Numbers:
        return np.isnan(self.low) & np.isnan(self.high)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.middle.shape

    def result(self) -> tuple[Numbers, Numbers]:
        """The array in its dtype, and how far another may be off; the sign of a zero is not said."""
        array = round_to(self.middle, self.dtype)
        wide = array.astype(WIDE)
        off = np.maximum(self.high - wide, wide - self.low)
        off = np.where(self.is_exact & ((self.low == wide) | np.isnan(wide)), 0, off)
        off = np.where(np.isnan(off), np.inf, off)
        return array, np.where((array == 0) & (off == 0), LEAST[self.dtype], off).astype(np.float64)

    # dtypes

    def cast(self, dtype: str) -> Interval:
        """Rounded to another float dtype, once."""
        if dtype == self.dtype:
            return self
        exact = self.is_exact
        rounded = round_to(self.middle, dtype).astype(WIDE)
        apart = _apart((self.middle, self.low, self.high), dtype, 0.5)
        return Interval(*(np.where(exact, rounded, end) for end in apart), dtype)

    def floating(self) -> Interval:
        """In the float that NumPy computes functions of this dtype in."""
        return self if self.dtype in FLOATS else self.cast(np.sqrt(np.zeros(1, self.dtype)).dtype.name)

    def numeric(self) -> Interval:
        """In the float of means: float64 for integers and bools."""
        return self if self.dtype in FLOATS else self.cast("float64")

    # arithmetic

    def __add__(self, other: Interval | float) -> Interval:
        left, right = _together(self, other)
        return _made(
            (left.middle + right.middle, left.low + right.low, left.high + right.high), (left, right), 0.5
        )

    def __sub__(self, other: Interval | float) -> Interval:
        left, right = _together(self, other)
        return _made(
            (left.middle - right.middle, left.low - right.high, left.high - right.low), (left, right), 0.5
        )

    def __mul__(self, other: Interval | float) -> Interval:
        left, right = _together(self, other)
        corners = [one * two for one in (left.low, left.high) for two in (right.low, right.high)]
        return _made((left.middle * right.middle, *_hull(corners)), (left, right), 0.5)

    def __truediv__(self, other: Interval | float) -> Interval:
        left, right = _together(self, other)
        corners = [one / two for one in (left.low, left.high) for two in (right.low, right.high)]
        low, high = _hull(corners)
        straddles = ~right.is_exact & (right.low <= 0) & (right.high >= 0)
        low, high = np.where(straddles, -np.inf, low), np.where(straddles, np.inf, high)
        return _made((left.middle / right.middle, low, high), (left, right), 0.5)

    def squared(self) -> Interval:
        """The product with itself, which is not negative."""
        straddles = (self.low <= 0) & (self.high >= 0)
        low, high = _hull([self.low * self.low, self.high * self.high])
        return _made((self.middle * self.middle, np.where(straddles, 0, low), high), (self,), 0.5)

    def increasing(self, function: Map, ulps: float) -> Interval:
        """A function that does not decrease, computed so many units in the last place off."""
        return _made((function(self.middle), function(self.low), function(self.high)), (self,), ulps)

    # many elements

    def moved(self, function: Map) -> Interval:
        """Elements in other places."""
        return Interval(function(self.middle), function(self.low), function(self.high), self.dtype)

    def where(self, condition: Numbers, otherwise: float) -> Interval:
        """These where the condition holds, and a number elsewhere."""
        return self.moved(lambda end: np.where(condition, end, otherwise))

    def max(self, axis: Any, keepdims: bool = True) -> Interval:
        """The greatest element, which rounds nothing."""
        ends = tuple(np.max(end, axis=axis, keepdims=keepdims) for end in (self.middle, self.low, self.high))
        has_nan = np.any(self.is_nan, axis=axis, keepdims=keepdims)
        unknown = np.any(np.isnan(self.middle) & ~self.is_nan, axis=axis, keepdims=keepdims) & ~has_nan
        return Interval(
            ends[0], np.where(unknown, -np.inf, ends[1]), np.where(unknown, np.inf, ends[2]), self.dtype
        )

    def sum(self, axis: Any, keepdims: bool = True) -> Interval:
        """The sum in any order: each of n - 1 partial sums may be rounded, and none is above the sum of sizes."""

        def total(end: Numbers) -> Numbers:
            return np.sum(end, axis=axis, keepdims=keepdims)

        middle, low, high = total(self.middle), total(self.low), total(self.high)
        sizes = total(np.where(np.isfinite(self.middle), np.maximum(np.abs(self.low), np.abs(self.high)), 0))
        terms = self.middle.size // max(middle.size, 1)
        off = terms * (PRECISION[self.dtype] * sizes + LEAST[self.dtype])
        off = np.where(sizes == 0, 0, off)
        never_negative, never_positive = low >= 0, high <= 0
        finite = np.isfinite(off)
        low, high = np.where(finite, low - off, low), np.where(finite, high + off, high)
        low, high = (
            np.where(never_negative, np.maximum(low, 0), low),
            np.where(never_positive, np.minimum(high, 0), high),
        )
        exact = np.all(self.is_exact, axis=axis, keepdims=keepdims)
        certain = exact | np.any(self.is_nan, axis=axis, keepdims=keepdims)
        # infinities among exact elements decide, unless a partial sum of the others leaves the range
        leaves = ~(sizes + off < GREATEST[self.dtype] / 2)
        special = ~np.isfinite(middle) & certain & ~leaves
        low, high = np.where(special, middle, low), np.where(special, middle, high)
        unknown = (leaves & ~np.isnan(middle)) | (
            ~special & (np.isnan(middle) | np.isnan(low) | np.isnan(high))
        )
        unknown &= ~np.any(self.is_nan, axis=axis, keepdims=keepdims)
        return Interval(middle, np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high), self.dtype)


def _together(left: Interval, right: Interval | float) -> tuple[Interval, Interval]:
    """Both in their common dtype; a Python number takes the other's."""
    if not isinstance(right, Interval):
        middle = np.asarray(right, WIDE)
        constant = _apart((middle, middle, middle), left.dtype, 0.5)
        exact = round_to(middle, left.dtype).astype(WIDE) == middle
        return left, Interval(*(np.where(exact, middle, end) for end in constant), left.dtype)
    dtype = common_dtype(left.dtype, right.dtype)
    return left.cast(dtype), right.cast(dtype)


def common_dtype(*dtypes: str) -> str:
    """NumPy's, with float32 in place of bfloat16 unless all floats are that."""
    if "bfloat16" in dtypes and not {*dtypes} & {"float16", "float32", "float64"}:
        return "bfloat16"
    return np.result_type(*(held_dtype(dtype) for dtype in dtypes)).name


def _hull(corners: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    return np.minimum.reduce(corners), np.maximum.reduce(corners)


def _made(ends: Ends, operands: Sequence[Interval], ulps: float) -> Interval:
    """The result of an operation, rounded; NaN only where operands are exact or NaN, unknown elsewhere."""
    dtype = operands[0].dtype
    middle, low, high = _apart(ends, dtype, ulps)
    certain = np.logical_and.reduce(np.broadcast_arrays(*(each.is_exact for each in operands)))
    certain = certain | np.logical_or.reduce(np.broadcast_arrays(*(each.is_nan for each in operands)))
    unknown = (np.isnan(middle) | np.isnan(low) | np.isnan(high)) & ~certain
    return Interval(middle, np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high), dtype)


def _apart(ends: Ends, dtype: str, ulps: float) -> Ends:
    """The ends moved apart by so many units in the last place, no further than zero, and to infinity beyond the greatest number."""
    middle, low, high = ends
    greatest = GREATEST[dtype]

    def lowered(end: Numbers, exact: Numbers) -> Numbers:
        off = np.where(exact & (end == 0), 0, ulps * np.maximum(PRECISION[dtype] * np.abs(end), LEAST[dtype]))
        moved = np.where(np.isfinite(end), end - off, end)
        moved = np.where(end >= 0, np.maximum(moved, 0), moved)
        moved = np.where(np.isfinite(end) & (moved > greatest), greatest, moved)
        return np.where(np.isfinite(end) & (moved < -greatest), -np.inf, moved)

    exact = low == high
    return middle, lowered(low, exact), -lowered(-high, exact)
