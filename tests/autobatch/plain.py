"""What drawn programs with Python numbers compute for each member: plain Python runs them on NumPy scalars."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.ir.patterns import leaves, mapped

_SCALARS = SimpleNamespace(  # eqsat's functions and dtypes that such programs name
    **{name: getattr(np, name) for name in ("abs", "floor", "logical_not", "maximum", "minimum", "sqrt")},
    **{f"{kind}{bits}": getattr(np, f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{name: getattr(np, name) for name in ("bool_", "float16", "float32", "float64")},
    full=lambda shape, value, dtype: dtype(value),
    astype=lambda value, dtype: np.asarray(value).astype(dtype)[()],
    where=lambda condition, one, other: np.where(condition, one, other)[()],
)


def by_python(source: str, inputs: Sequence[NDArray[Any]]) -> Any:
    """What a program computes for each member, in the pattern of its results."""
    namespace: dict[str, Any] = {"eq": _SCALARS, "batch": lambda function: function}
    exec(source, namespace)
    with np.errstate(all="ignore"):
        members = [namespace["f0"](*values) for values in zip(*inputs, strict=True)]
    columns = zip(*(leaves(member) for member in members), strict=True)
    arrays = (np.array(column) for column in columns)
    return mapped(lambda _: next(arrays), members[0])
