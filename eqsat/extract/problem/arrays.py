"""The arrays of an extraction problem: converts what was given, and refuses what would have to be rounded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import ExtractionError, brief, shortened

Integers = NDArray[np.int32]
Floats = NDArray[np.float64]

MOST_CLASSES = 1 << 22  # names of more take minutes; the largest public e-graphs have some 100,000
DIGITS, LARGEST_EXPONENT = 53, 1023  # the binary digits of a float, and its greatest exponent


def numbers(name: str, values: Any) -> Floats:
    """Costs as floats, of whatever kind of real numbers they are."""
    try:
        found = np.atleast_1d(np.asarray(values))
        if found.size and found.dtype.kind not in "iufO":
            raise TypeError(f"they are of type {found.dtype}")
        return _flat(name, found.astype(np.float64, copy=False))
    except (TypeError, ValueError, OverflowError) as error:
        raise ExtractionError(f"{name} is an array of numbers: {shortened(str(error))}") from error


def integers(name: str, values: Any) -> Integers:
    """Numbers of classes, or of children, as 32-bit integers; rounds nothing."""
    try:
        found = np.atleast_1d(np.asarray(values))
        if found.size and found.dtype.kind not in "iu":
            raise TypeError(f"they are of type {found.dtype}")
        if found.size and not -MOST_CLASSES <= int(found.min()) <= int(found.max()) < 1 << 31:
            raise OverflowError(f"{int(np.abs(found).max())} is too large")
        return _flat(name, found.astype(np.int32, copy=False))
    except (TypeError, ValueError, OverflowError) as error:
        raise ExtractionError(f"{name} is an array of integers: {shortened(str(error))}") from error


def _flat(name: str, values: Any) -> Any:
    if values.ndim != 1:
        raise ValueError(f"it has {values.ndim} axes; flatten it")
    return values


def texts(name: str, values: Any) -> tuple[str, ...]:
    """Labels or names as a tuple."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ExtractionError(f"{name} is a list of texts, not {brief(values)}; give one for each")
    return tuple(cast("Iterable[str]", values))


def grain_of(costs: Floats) -> float:
    """The greatest power of two that divides all these costs; 0 if their sums may be rounded, or if all of them are 0.

    >>> grain_of(np.array([6.0, 4.5])), grain_of(np.array([1e20, 1.0]))
    (0.5, 0.0)
    """
    fraction, exponent = np.frexp(np.abs(costs[costs != 0]))
    digits = np.ldexp(fraction, DIGITS).astype(np.int64)
    lowest = exponent - DIGITS + np.frexp(digits & -digits)[1] - 1
    least = int(lowest.min(initial=LARGEST_EXPONENT))
    with np.errstate(over="ignore"):  # an overflow means that sums are rounded
        is_exact = np.ldexp(np.abs(costs), -least).sum() < 2.0**DIGITS
    return float(np.ldexp(1.0, least)) if is_exact and len(digits) else 0.0
