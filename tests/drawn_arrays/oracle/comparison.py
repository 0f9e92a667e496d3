"""Which elements of a result are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.drawn_arrays.oracle.evaluation import Value
from tests.drawn_arrays.oracle.precision import WIDE
from tests.drawn_arrays.values import Numbers


def wrong_elements(actual: Any, expected: Value) -> Numbers | str | None:
    """Where a result differs by more than it may; a sentence if its dtype or shape differs; None if it is right."""
    actual = np.asarray(actual)
    array = expected.array
    if actual.dtype != array.dtype:
        return f"dtype {actual.dtype}, not {array.dtype}"
    if actual.shape != array.shape:
        return f"shape {actual.shape}, not {array.shape}"
    same = actual == array
    bound = expected.bound if expected.bound is not None else np.zeros(array.shape)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            difference = np.abs(actual.astype(WIDE) - array.astype(WIDE))
        same &= np.signbit(actual) == np.signbit(array)
        same |= (actual != actual) & (array != array)
        same |= difference <= np.where(bound > 0, bound, -1.0)
    wrong = ~(same | np.isinf(bound))
    return wrong if wrong.any() else None
