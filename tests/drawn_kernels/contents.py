"""What drawn kernels hold: of which dtypes, small numbers whose sums need no rounding."""

from __future__ import annotations

import numpy as np

from eqsat.dtype import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    to_numpy,
    uint8,
    uint16,
    uint32,
    uint64,
)
from eqsat.ops import Op

READ = 61  # elements of each input
FLOATS = (float32, float32, float64, float16, bfloat16)
INTEGERS = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)
LARGEST = 8  # of floats


def reductions(dtype: DType, terms: int) -> tuple[Op, ...]:
    """The operations that reduce so many values without rounding."""
    if not dtype.is_float:
        return Op.ADD, Op.MUL, Op.MAX, Op.MIN
    exact = 256 if dtype == bfloat16 else 2048
    return (Op.ADD, Op.ADD, Op.MAX, Op.MIN) if terms * LARGEST <= exact else (Op.MAX, Op.MIN)


def content(dtype: DType, data: np.random.Generator) -> np.ndarray:
    """The data of an input."""
    if dtype.is_bool:
        return data.random(READ) < 0.5
    if dtype.is_float:
        return data.integers(-4, 5, READ).astype(to_numpy(dtype))
    limits = np.iinfo(to_numpy(dtype))
    numbers = data.integers(limits.min, limits.max, READ, to_numpy(dtype), endpoint=True)
    return np.where(data.random(READ) < 0.7, numbers % 16, numbers).astype(to_numpy(dtype))
