"""New arrays: constants, ranges, triangles, grids, placeholders, and data of other libraries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, as_dtype, asarray, node, operand
from eqsat.array.data import stand_in
from eqsat.array.nodes.axes import normalize_shape
from eqsat.array.nodes.operands import Number, cast, common_dtype, convert
from eqsat.array.nodes.rounding import floor
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
    "from_dlpack",
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
    """An array whose data will be argument number `slot` of the program that is being built."""
    return Array(stand_in(slot, normalize_shape(shape), as_dtype(dtype)))


@array_function
def full(shape: Extents, fill_value: ArrayLike, *, dtype: Dtype | None = None) -> Array:
    """An array filled with one value, in the dtype of the value unless another is given.

    Raises:
        DTypeError: a Python number does not fit `dtype`.
    """
    value = operand(fill_value)
    wanted = as_dtype(dtype) if dtype is not None else common_dtype([value])
    return Array(convert(value, wanted).broadcast(normalize_shape(shape)))


@array_function
def zeros(shape: Extents, *, dtype: Dtype | None = None) -> Array:
    """An array of zeros, float64 by default."""
    return _constant(normalize_shape(shape), 0, dtype)


@array_function
def ones(shape: Extents, *, dtype: Dtype | None = None) -> Array:
    """An array of ones, float64 by default."""
    return _constant(normalize_shape(shape), 1, dtype)


@array_function
def empty(shape: Extents, *, dtype: Dtype | None = None) -> Array:
    """An array of zeros, float64 by default, since eqsat leaves no array uninitialized; same as `zeros`."""
    return zeros(shape, dtype=dtype)


@array_function
def full_like(x: ArrayLike, /, fill_value: Number, *, dtype: Dtype | None = None) -> Array:
    """An array filled with one value, with the shape of `x` and, unless another is given, its dtype."""
    like = node(x)
    wanted = as_dtype(dtype) if dtype is not None else common_dtype([like])
    return Array(convert(fill_value, wanted).broadcast(shape(like)))


@array_function
def zeros_like(x: ArrayLike, /, *, dtype: Dtype | None = None) -> Array:
    """An array of zeros with the shape of `x` and, unless another is given, its dtype."""
    return full_like(x, 0, dtype=dtype)


@array_function
def ones_like(x: ArrayLike, /, *, dtype: Dtype | None = None) -> Array:
    """An array of ones with the shape of `x` and, unless another is given, its dtype."""
    return full_like(x, 1, dtype=dtype)


@array_function
def empty_like(x: ArrayLike, /, *, dtype: Dtype | None = None) -> Array:
    """An array of zeros with the shape of `x` and, unless another is given, its dtype; same as `zeros_like`."""
    return zeros_like(x, dtype=dtype)


@array_function
def arange(
    start: Number, stop: Number | None = None, step: Number = 1, *, dtype: Dtype | None = None
) -> Array:
    """The numbers `start`, `start + step`, … up to but not including `stop`; a single argument is `stop`, and `start` is then 0.

    The dtype is int64 for integers and float64 for floats, unless another is given.

    Raises:
        BuildError: the step is zero.
        ShapeError: `stop` depends on a dim, and `step` is not 1 or `start` is a float.
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


def from_dlpack(x: Any, /, *, copy: bool | None = None) -> Array:
    """An Array made from the data of another library's array on the host, through DLPack.

    The data is copied as in `asarray`. NumPy, which reads it, has no bfloat16; `asarray` also accepts arrays of that.

    Raises:
        BuildError: `x` does not offer its data through DLPack, or not to the host.
        DTypeError: eqsat has no such dtype.
    """
    if isinstance(x, Array):
        return x
    try:
        data = np.from_dlpack(x)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise BuildError(
            f"{brief(x)} does not give its data to the host by DLPack ({error}); copy it to the host's memory, or use eqsat.asarray"
        ) from error
    return asarray(data, copy=copy)


def _count(start: Number, stop: Number, step: Number) -> int:
    """The number of elements from `start` to before `stop`."""
    if not isinstance(stop, Extent):
        (count,) = normalize_shape(max(_steps(start, stop, step), 0))
        return count
    if isinstance(start, float) or step != 1:
        raise ShapeError(
            f"cannot count from {start} to {stop} by {step}: only calls know the number of steps; multiply eqsat.arange({stop}) instead"
        )
    return stop - start


def _steps(start: Number, stop: Number, step: Number) -> int:
    """The number of steps, rounded up: exact for integers of any size."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return -((start - stop) // step)
    return math.ceil((stop - start) / step)


@array_function
def linspace(
    start: Number, stop: Number, /, num: int = 50, *, dtype: Dtype | None = None, endpoint: bool = True
) -> Array:
    """`num` evenly spaced values from `start` to `stop`, float64 by default; `stop` is excluded if `endpoint` is false.

    If the dtype is an integer, values are rounded down, as in NumPy.

    Raises:
        ShapeError: `num` is negative.
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
    if wanted.is_int:
        values = floor(values)
    return Array(values).astype(wanted)


@array_function
def eye(n_rows: int, n_cols: int | None = None, /, k: int = 0, *, dtype: Dtype | None = None) -> Array:
    """A matrix with ones on diagonal `k` and zeros elsewhere, float64 by default; a positive `k` is above the main diagonal.

    The matrix is square unless `n_cols` is given.
    """
    extents = normalize_shape((n_rows, n_rows if n_cols is None else n_cols))
    row, column = _rows_and_columns(extents)
    return Array(cast(column.eq(row + k), _default(dtype)))


@array_function
def tril(x: ArrayLike, /, k: int = 0) -> Array:
    """The lower triangle of each matrix: elements above diagonal `k` become zero. Matrices are the last two axes.

    Raises:
        ShapeError: the array has fewer than two axes.
    """
    value = node(x)
    row, column = _rows_and_columns(_matrix_shape(value))
    return Array((column <= row + k).where(value, 0))


@array_function
def triu(x: ArrayLike, /, k: int = 0) -> Array:
    """The upper triangle of each matrix: elements below diagonal `k` become zero. Matrices are the last two axes.

    Raises:
        ShapeError: the array has fewer than two axes.
    """
    value = node(x)
    row, column = _rows_and_columns(_matrix_shape(value))
    return Array((column >= row + k).where(value, 0))


@array_function
def meshgrid(*arrays: ArrayLike, indexing: str = "xy") -> list[Array]:
    """Coordinate arrays of a grid: each 1-D array, repeated over the grid that all of them span.

    With `indexing` "ij", axis k of the grid belongs to array k. With "xy", the first two axes are exchanged.

    Raises:
        BuildError: `indexing` is neither "xy" nor "ij".
        ShapeError: an array has more than one axis.
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
