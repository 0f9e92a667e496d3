"""Where NumPy's results are not to be compared: True where a value may be anything, 2 where a zero may have either sign."""

from __future__ import annotations

import numpy as np

from tests.drawn_arrays.values import Numbers


def zero_divisor(result: Numbers, *operands: Numbers) -> Numbers:
    """Quotients of integers by zero."""
    return np.zeros((), bool) if result.dtype.kind == "f" else operands[-1] == 0


def zeros_tie(result: Numbers, *operands: Numbers) -> Numbers:
    """Of zeros of both signs, either may be the greater."""
    is_float = result.dtype.kind == "f"
    return np.where(result == 0, np.int8(2), np.int8(0)) if is_float else np.zeros((), np.int8)


def cast_range(result: Numbers, value: Numbers) -> Numbers:
    """Floats that the integer dtype does not hold."""
    if value.dtype.kind != "f" or result.dtype.kind not in "iu":
        return np.zeros((), bool)
    limits = np.iinfo(result.dtype)
    with np.errstate(all="ignore"):
        whole = np.trunc(value.astype(np.longdouble))
        return ~((whole >= limits.min) & (whole <= limits.max))


def nan_sign(result: Numbers, *operands: Numbers) -> Numbers:
    """The sign and the bits of a NaN say nothing."""
    return operands[-1] != operands[-1]


def beside_infinities(result: Numbers, *operands: Numbers) -> Numbers:
    """What NumPy interpolates beside an infinity is NaN, also at the place of an element."""
    return np.isnan(result) & np.isinf(operands[0]).any()


def zeros_around(result: Numbers, *operands: Numbers) -> Numbers:
    """Vectors with zeros around them: these times an infinity are NaN, which NumPy leaves out."""
    return np.array(not all(np.isfinite(each).all() for each in operands))
