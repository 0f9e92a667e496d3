"""How NumPy holds the elements of each dtype, and how they are converted.

A bfloat16 is held, already rounded, in a float32. An `index` is held in an int64 as long as it fits; a result that does not fit
continues as Python integers in an object array, so index arithmetic is exact. All other dtypes are held as `dtype.to_numpy` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import DType, bfloat16, int64, to_numpy

Array = NDArray[Any]

_INT64_MIN, _INT64_END = -(1 << 63), 1 << 63
_HALF_ULP = np.uint32(0x7FFF)
_MANTISSA_TOP = np.uint32(0x0040_0000)


def hold(values: Any, dtype: DType) -> Array:
    """Converts `values` to an array of `dtype` (one lane), rounded or wrapped. Returns a view if nothing changes."""
    scalar = dtype.scalar
    if scalar.is_index:
        return narrow(np.asarray(values))
    array = np.asarray(values)
    with np.errstate(all="ignore"):
        if array.dtype == object and scalar.is_int:
            return _wrap_objects(array, scalar)
        if scalar == bfloat16:
            return round_bfloat16(array.astype(np.float64) if array.dtype == object else array)
        return array.astype(to_numpy(scalar), copy=False)


def constant(value: Any, dtype: DType) -> Array:
    """The array of a CONST: a scalar, repeated over the lanes for a vector dtype."""
    with np.errstate(all="ignore"):
        held = hold(np.asarray(value, object if dtype.is_index else to_numpy(dtype)), dtype)
    return held if dtype.lanes == 1 else np.broadcast_to(held, (dtype.lanes,))


def narrow(values: Array) -> Array:
    """Stores index values in an int64 array if all fit, else in an object array of Python integers."""
    if values.dtype == np.int64:
        return values
    if values.dtype == object:
        fits = all(_INT64_MIN <= int(value) < _INT64_END for value in values.flat)
        return values.astype(np.int64) if fits else values
    if values.dtype.kind in "bi" or (values.dtype.kind == "u" and values.dtype.itemsize < 8):
        return values.astype(np.int64)
    return narrow(_exact_integers(values))


def convert(values: Array, source: DType, target: DType) -> Array:
    """Carries out a CAST as C and NumPy do. A float beyond the range of an integer target becomes the nearest integer in it, and a NaN becomes 0."""
    source, target = source.scalar, target.scalar
    if source.is_float and (target.is_int or target.is_index):
        return _saturated(values, int64 if target.is_index else target)
    if target.is_index:
        return narrow(values)
    if target.is_bool:
        return values != 0
    if source.is_index and values.dtype == object and target.is_float:
        values = np.array([_nearest_float(value) for value in values.flat], np.float64).reshape(values.shape)
    return hold(values, target)


def _saturated(values: Array, target: DType) -> Array:
    """Truncates floats and clamps them to the range of an integer dtype."""
    wide = np.nan_to_num(np.trunc(values.astype(np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
    below, beyond = wide < target.min, wide >= 2.0 ** (target.bits - target.is_signed)
    inside = np.where(below | beyond, 0.0, wide).astype(to_numpy(target))
    least, greatest = (np.array(bound, to_numpy(target)) for bound in (target.min, target.max))
    return np.where(beyond, greatest, np.where(below, least, inside))


def reinterpret(values: Array, source: DType, target: DType) -> Array:
    """Carries out a BITCAST: keeps the bits of each lane. Both dtypes have lanes of the same size."""
    source, target = source.scalar, target.scalar
    if source == bfloat16:
        bits = (np.ascontiguousarray(values).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    else:
        bits = np.ascontiguousarray(values).view(f"u{source.itemsize}")
    bits = bits.reshape(values.shape)
    if target == bfloat16:
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return bits != 0 if target.is_bool else bits.view(to_numpy(target))


def round_bfloat16(values: Array) -> Array:
    """Rounds to the nearest bfloat16, ties to even, held in a float32. A NaN stays a NaN and keeps the upper half of its payload."""
    single = _round_to_odd(values) if values.dtype != np.float32 else values
    bits = np.ascontiguousarray(single).view(np.uint32).reshape(values.shape)
    upward = bits + (_HALF_ULP + ((bits >> np.uint32(16)) & np.uint32(1)))
    rounded = np.where(np.isnan(single), bits | _MANTISSA_TOP, upward) & np.uint32(0xFFFF_0000)
    return rounded.view(np.float32)


def _round_to_odd(values: Array) -> Array:
    """Rounds to float32 with the last bit set if the value is inexact, so that a second rounding gives the correctly rounded result."""
    exact = values.astype(np.float64)
    single = exact.astype(np.float32)
    inexact = (single != exact) & np.isfinite(exact)
    toward_zero = np.where(
        np.abs(single.astype(np.float64)) > np.abs(exact), np.nextafter(single, np.float32(0)), single
    )
    odd = (toward_zero.astype(np.float32).view(np.uint32) | np.uint32(1)).view(np.float32)
    return np.where(inexact, odd, single)


def _wrap_objects(values: Array, scalar: DType) -> Array:
    """Wraps Python integers to a fixed width, as a C conversion from a wider integer does."""
    mask = (1 << scalar.bits) - 1
    wrapped = [int(value) & mask for value in values.flat]
    return np.array(wrapped, f"u{scalar.itemsize}").reshape(values.shape).view(to_numpy(scalar))


def _exact_integers(values: Array) -> Array:
    """Converts floats (truncated toward zero) or uint64 to Python integers. A NaN or an infinity becomes 0."""
    finite = np.where(np.isfinite(values), values, 0)
    return objects([int(value) for value in finite.flat], values.shape)


def objects(values: list[int], shape: tuple[int, ...]) -> Array:
    """Python integers as an object array."""
    result = np.empty(len(values), object)
    result[:] = values
    return result.reshape(shape)


def _nearest_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
