"""Arrays from nothing: constants, ranges, masks and placeholders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, as_dtype, node, operand
from eqsat.array.data import stand_in
from eqsat.array.nodes.axes import normalize_shape
from eqsat.array.nodes.operands import Number, cast, common_dtype, convert
from eqsat.array.nodes.views import positions, shape
from eqsat.dtype import DType, float64, index, int64
from eqsat.errors import BuildError, ShapeError, brief
from eqsat.extents import Extent
from eqsat.uop import UOp

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "placeholder",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

Extents = SupportsIndex | Sequence[SupportsIndex]


@array_function
def placeholder(slot: int, shape: Extents, dtype: Dtype) -> Array:
    """An array whose data is argument number `slot` of the program that is being built."""
    return Array(stand_in(slot, normalize_shape(shape), as_dtype(dtype)))


@array_function
def full(shape: Extents, fill_value: ArrayLike, *, dtype: Dtype | None = None) -> Array:
    """One value everywhere; its dtype unless another is given.

    Raises:
        DTypeError: a Python number is none of the dtype's.
    """
    value = operand(fill_value)
    wanted = as_dtype(dtype) if dtype is not None else common_dtype([value])
    return Array(convert(value, wanted).broadcast(normalize_shape(shape)))


@array_function
def zeros(shape: Extents, *, dtype: Dtype | None = None) -> Array:
    """Zeros, of float64 unless another dtype is given."""
    return _constant(normalize_shape(shape), 0, dtype)


@array_function
def ones(shape: Extents, *, dtype: Dtype | None = None) -> Array:
    """Ones, of float64 unless another dtype is given."""
    return _constant(normalize_shape(shape), 1, dtype)


@array_function
def empty(shape: Extents, *, dtype: Dtype | None = None) -> Array:
    """Zeros: nothing is ever left uninitialized."""
    return zeros(shape, dtype=dtype)


@array_function
def full_like(x: ArrayLike, /, fill_value: Number, *, dtype: Dtype | None = None) -> Array:
    """One value in the shape, and unless given the dtype, of `x`."""
    like = node(x)
    wanted = as_dtype(dtype) if dtype is not None else common_dtype([like])
    return Array(convert(fill_value, wanted).broadcast(shape(like)))


@array_function
def zeros_like(x: ArrayLike, /, *, dtype: Dtype | None = None) -> Array:
    """Zeros in the shape, and unless given the dtype, of `x`."""
    return full_like(x, 0, dtype=dtype)


@array_function
def ones_like(x: ArrayLike, /, *, dtype: Dtype | None = None) -> Array:
    """Ones in the shape, and unless given the dtype, of `x`."""
    return full_like(x, 1, dtype=dtype)


@array_function
def empty_like(x: ArrayLike, /, *, dtype: Dtype | None = None) -> Array:
    """Zeros in the shape, and unless given the dtype, of `x`."""
    return zeros_like(x, dtype=dtype)


@array_function
def arange(
    start: Number, stop: Number | None = None, step: Number = 1, *, dtype: Dtype | None = None
) -> Array:
    """`start`, `start + step`, … before `stop`; from 0 if there is one bound only.

    int64 of integers, float64 of floats, unless another dtype is given.

    Raises:
        BuildError: the step is zero.
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise BuildError(f"cannot count from {start} to {stop} by 0; choose another step")
    count = _count(start, stop, step)
    natural = common_dtype([start, stop, step])
    wanted = as_dtype(dtype) if dtype is not None else int64 if natural.is_bool else natural
    if wanted.is_float:
        return Array(UOp.iota(count).cast(float64) * float(step) + float(start)).astype(wanted)
    multiples = UOp.iota(count) if step == 1 else UOp.iota(count) * int(step)
    return Array((multiples + int(start) if start else multiples).cast(wanted))


def _count(start: Number, stop: Number, step: Number) -> int:
    """How many steps there are before `stop`."""
    if not isinstance(stop, Extent):
        return max(math.ceil((stop - start) / step), 0)
    if isinstance(start, float) or step != 1:
        raise ShapeError(
            f"cannot count from {start} to {stop} by {step}: only calls know the number of steps; multiply eqsat.arange({stop}) instead"
        )
    return stop - start


@array_function
def linspace(
    start: Number, stop: Number, /, num: int = 50, *, dtype: Dtype | None = None, endpoint: bool = True
) -> Array:
    """`num` values at equal distances from `start` to `stop`, both included unless `endpoint` is false; float64 by default.

    Raises:
        ShapeError: a negative number of values.
    """
    if num < 0:
        raise ShapeError(f"cannot make {num} values; num must not be negative")
    wanted = as_dtype(dtype) if dtype is not None else float64
    gaps = num - 1 if endpoint else num
    step = (float(stop) - float(start)) / gaps if gaps > 0 else 0.0
    place = UOp.iota(num)
    values = place.cast(float64) * step + float(start)
    if endpoint and num > 1:
        values = place.eq(num - 1).where(float(stop), values)
    return Array(values).astype(wanted)


@array_function
def eye(n_rows: int, n_cols: int | None = None, /, k: int = 0, *, dtype: Dtype | None = None) -> Array:
    """Ones on diagonal `k` (positive: above the main one), zeros elsewhere; float64 by default."""
    extents = normalize_shape((n_rows, n_rows if n_cols is None else n_cols))
    row, column = _rows_and_columns(extents)
    return Array(cast(column.eq(row + k), _default(dtype)))


@array_function
def tril(x: ArrayLike, /, k: int = 0) -> Array:
    """Zeros above diagonal `k` of each matrix."""
    value = node(x)
    row, column = _rows_and_columns(_matrix_shape(value))
    return Array((column <= row + k).where(value, 0))


@array_function
def triu(x: ArrayLike, /, k: int = 0) -> Array:
    """Zeros below diagonal `k` of each matrix."""
    value = node(x)
    row, column = _rows_and_columns(_matrix_shape(value))
    return Array((column >= row + k).where(value, 0))


@array_function
def meshgrid(*arrays: ArrayLike, indexing: str = "xy") -> list[Array]:
    """Each 1-D array spread over the grid of all; with "xy" the first two axes are exchanged.

    Raises:
        BuildError: another indexing than "xy" and "ij".
        ShapeError: an array has several axes.
    """
    if indexing not in ("xy", "ij"):
        raise BuildError(f'cannot index a grid by {brief(indexing)}; use "xy" or "ij"')
    values = [node(array) for array in arrays]
    if any(len(shape(value)) > 1 for value in values):
        raise ShapeError(
            "cannot make a grid of arrays with several axes; flatten them with reshape(x, (-1,))"
        )
    order = list(range(len(values)))
    if indexing == "xy" and len(values) > 1:
        order[0], order[1] = 1, 0
    extents = [math.prod(shape(values[axis])) for axis in order]
    grid: list[Array] = []
    for position, value in enumerate(values):
        place = order.index(position)
        spread = [extents[place] if axis == place else 1 for axis in range(len(extents))]
        grid.append(Array(value.reshape(spread).expand(extents)))
    return grid


def _constant(extents: tuple[int, ...], value: int, dtype: Dtype | None) -> Array:
    return Array(convert(value, _default(dtype)).broadcast(extents))


def _default(dtype: Dtype | None) -> DType:
    return float64 if dtype is None else as_dtype(dtype)


def _rows_and_columns(extents: tuple[int, ...]) -> tuple[UOp, UOp]:
    grid = UOp.full(extents, index, 0)
    return positions(grid, len(extents) - 2), positions(grid, len(extents) - 1)


def _matrix_shape(value: UOp) -> tuple[int, ...]:
    if len(shape(value)) < 2:
        raise ShapeError(
            f"cannot take a triangle of {shape(value)}; a matrix has two axes, add one by x[None]"
        )
    return shape(value)
