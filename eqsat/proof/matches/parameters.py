"""PARAMs of drawn terms, and numbers for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from eqsat.dtype import DType
from eqsat.positions import positions_along
from eqsat.reference.number import Array, hold
from eqsat.shape import Shape
from eqsat.uop import UOp

PERIOD = 262_139  # elements after which a long array repeats; a prime, so that no extent is a multiple of it
FAR = 1 << 40  # the greatest magnitude of a drawn index


@lru_cache(maxsize=4096)
def positions(shape: Shape, axis: int, dtype: DType) -> UOp:
    """The position of each element along an axis."""
    return positions_along(shape, axis).cast(dtype)


@lru_cache(maxsize=4096)
def parameter(number: int, dtype: DType, shape: Shape) -> tuple[UOp, UOp]:
    """The PARAM of an array, and the array, which is the PARAM in its shape."""
    slot = UOp.param(number, math.prod(shape), dtype)
    return slot, slot.reshape(shape)


def range_of(dtype: DType) -> tuple[int, int]:
    """The least and the greatest integer that is drawn."""
    return (-FAR, FAR) if dtype.is_index else (dtype.min, dtype.max)


def held(values: Sequence[float], slot: UOp) -> Array:
    """Numbers as the dtype of a PARAM holds them."""
    assert isinstance(slot.dtype, DType)
    return hold(np.array(values, dtype=object), slot.dtype)


def chosen(pool: Array, count: int, generator: np.random.Generator) -> Array:
    """Random elements of a pool; a long array repeats its first `PERIOD` elements, which takes a tenth of the time."""
    return np.resize(pool[generator.integers(0, len(pool), min(count, PERIOD))], count)
