"""Functions that move elements and compute nothing: shapes, orders, joins, frames."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_index
from typing import SupportsIndex

import numpy as np

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node, operand
from eqsat.array.nodes.axes import (
    Axes,
    Integers,
    infer_extent,
    listed,
    normalize_axes,
    normalize_axis,
    normalize_shape,
)
from eqsat.array.nodes.frames import framed_from_inside
from eqsat.array.nodes.joining import joined, stacked
from eqsat.array.nodes.operands import Number, Operand, broadcast_shapes, cast, dtype_of
from eqsat.array.nodes.subscripts import subscript
from eqsat.array.nodes.views import cut, extend_with, insert_axis, merge_axes, reverse, shape
from eqsat.errors import BuildError, ShapeError, brief
from eqsat.extents import Extent
from eqsat.uop import UOp, join
from eqsat.uop.taking import taken

__all__ = [
    "broadcast_arrays",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "matrix_transpose",
    "moveaxis",
    "pad",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "unstack",
]

Amounts = SupportsIndex | Integers | Sequence[Sequence[SupportsIndex]]


@array_function
def reshape(x: ArrayLike, /, shape: SupportsIndex | Integers) -> Array:
    """The same elements in row-major order; one extent may be -1.

    Raises:
        ShapeError: the number of elements differs.
    """
    return Array(node(x).reshape(infer_extent(_extents(x), shape)))


@array_function
def permute_dims(x: ArrayLike, /, axes: Integers) -> Array:
    """Axis k of the result is axis `axes[k]`.

    Raises:
        ShapeError: an axis is missing or named twice.
    """
    rank = len(_extents(x))
    if len(axes) != rank:
        raise ShapeError(f"cannot permute {_extents(x)} by {tuple(axes)}; name each of its {rank} axes once")
    return Array(node(x).permute(normalize_axes(axes, rank, "permute")))


@array_function
def transpose(x: ArrayLike, /, axes: Integers | None = None) -> Array:
    """The axes in opposite order, or in the order given, as in NumPy."""
    return permute_dims(x, range(len(_extents(x)))[::-1] if axes is None else axes)


@array_function
def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged."""
    return Array(node(x)).mT


@array_function
def expand_dims(x: ArrayLike, /, axis: Axes = 0) -> Array:
    """New axes of extent 1, at these places of the result."""
    value = node(x)
    rank = len(shape(value)) + len(listed(axis))
    for place in sorted(normalize_axes(axis, rank, "insert")):
        value = insert_axis(value, place)
    return Array(value)


@array_function
def squeeze(x: ArrayLike, /, axis: Axes = None) -> Array:
    """Without these axes of extent 1; without all such axes if none are named.

    Raises:
        ShapeError: an axis has another extent.
    """
    extents = _extents(x)
    if axis is None:
        dropped = tuple(place for place, extent in enumerate(extents) if extent == 1)
    else:
        dropped = normalize_axes(axis, len(extents), "squeeze")
    if any(extents[place] != 1 for place in dropped):
        raise ShapeError(
            f"cannot squeeze axes {dropped} of {extents}: only extents of 1 go; select or reduce the others"
        )
    return Array(node(x).reshape([extent for place, extent in enumerate(extents) if place not in dropped]))


@array_function
def broadcast_to(x: ArrayLike, /, shape: SupportsIndex | Integers) -> Array:
    """Repeated to a shape by NumPy's rule.

    Raises:
        ShapeError: an extent that is neither 1 nor the wanted one.
    """
    wanted = normalize_shape(shape)
    if broadcast_shapes("broadcast", _extents(x), wanted) != wanted:
        raise ShapeError(
            f"cannot broadcast {_extents(x)} to {wanted}: it has extents or axes that the target lacks"
        )
    return Array(node(x).broadcast(wanted))


@array_function
def broadcast_arrays(*arrays: ArrayLike) -> list[Array]:
    """All repeated to their common shape."""
    common = broadcast_shapes("broadcast together", *map(_extents, arrays))
    return [Array(node(array).broadcast(common)) for array in arrays]


@array_function
def flip(x: ArrayLike, /, axis: Axes = None) -> Array:
    """These axes, all by default, in opposite order."""
    rank = len(_extents(x))
    chosen = normalize_axes(axis, rank, "flip")
    value = node(x)
    known = [place in chosen and not isinstance(shape(value)[place], Extent) for place in range(rank)]
    value = value.flip(known)
    for place in set(chosen) - {place for place in range(rank) if known[place]}:
        value = reverse(value, place)
    return Array(value)


@array_function
def moveaxis(x: ArrayLike, source: Axes, destination: Axes, /) -> Array:
    """The source axes at the destination places; the others keep their order.

    Raises:
        ShapeError: the numbers of sources and destinations differ.
    """
    rank = len(_extents(x))
    sources, places = normalize_axes(source, rank, "move"), normalize_axes(destination, rank, "move to")
    if len(sources) != len(places):
        raise ShapeError(f"cannot move axes {sources} to places {places}; give as many places as axes")
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return Array(node(x).permute(order))


@array_function
def swapaxes(x: ArrayLike, axis1: SupportsIndex, axis2: SupportsIndex, /) -> Array:
    """Two axes exchanged."""
    order = list(range(len(_extents(x))))
    one, other = (normalize_axis(axis, len(order), "swap") for axis in (axis1, axis2))
    order[one], order[other] = other, one
    return Array(node(x).permute(order))


@array_function
def concat(arrays: Sequence[ArrayLike], /, axis: SupportsIndex | None = 0) -> Array:
    """The arrays one after another along an axis; flattened first if it is None. Dtypes promote.

    Raises:
        BuildError: there are none.
        ShapeError: other axes differ.
    """
    values = [node(array) for array in arrays]
    if axis is None:
        values, axis = [value.reshape(infer_extent(shape(value), -1)) for value in values], 0
    return Array(joined(values, axis))


@array_function
def stack(arrays: Sequence[ArrayLike], /, axis: SupportsIndex = 0) -> Array:
    """The arrays, of one shape, along a new axis.

    Raises:
        BuildError: there are none.
        ShapeError: the shapes differ.
    """
    return Array(stacked([node(array) for array in arrays], axis))


@array_function
def unstack(x: ArrayLike, /, axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """The slices along an axis, which disappears."""
    moved = moveaxis(x, axis, 0)
    return tuple(moved[position] for position in range(len(moved)))


@array_function
def tile(x: ArrayLike, repetitions: SupportsIndex | Integers, /) -> Array:
    """The whole array repeated along each axis; axes are added in front where there are more repetitions than axes."""
    value = node(x)
    times = normalize_shape(repetitions)
    rank = max(len(times), len(shape(value)))
    value = value.reshape((1,) * (rank - len(shape(value))) + shape(value))
    for axis, count in enumerate((1,) * (rank - len(times)) + times):
        value = _tiled(value, axis, count)
    return Array(value)


@array_function
def repeat(
    x: ArrayLike, repeats: SupportsIndex | Integers | Array, /, axis: SupportsIndex | None = None
) -> Array:
    """Each element of an axis `repeats` times in a row, or as often as `repeats` says of it; of the flattened array if no axis is named.

    Raises:
        ShapeError: a number is negative, or there is neither one for all elements nor one for each.
    """
    value = node(x)
    if axis is None:
        value, axis = value.reshape(infer_extent(shape(value), -1)), 0
    place = normalize_axis(axis, len(shape(value)), "repeat along")
    known = repeats.numpy() if isinstance(repeats, Array) else repeats  # of which the extent depends
    counts, extent = normalize_shape(known, "repeat as often as"), shape(value)[place]
    if len(counts) == 1:
        return Array(merge_axes(insert_axis(value, place + 1, counts[0]), place))
    if len(counts) != extent:
        raise ShapeError(
            f"cannot repeat the {extent} elements of axis {place} by {len(counts)} numbers; give one for all, or one for each"
        )
    chosen = node(np.repeat(np.arange(extent), counts))
    return Array(subscript(value, [*[slice(None)] * place, chosen]))


@array_function
def roll(x: ArrayLike, /, shift: SupportsIndex | Integers, axis: Axes = None) -> Array:
    """Elements moved on along axes, those beyond the end returning at the start; the flattened array if no axis is named.

    Raises:
        ShapeError: the numbers of shifts and axes differ.
    """
    value = node(x)
    if axis is None:
        flat = value.reshape(infer_extent(shape(value), -1))
        return Array(_roll_axis(flat, 0, as_index(shift)).reshape(shape(value)))  # pyright: ignore[reportArgumentType]
    places = [normalize_axis(place, len(shape(value)), "roll") for place in listed(axis)]
    shifts = tuple(map(as_index, listed(shift)))
    shifts = shifts * len(places) if len(shifts) == 1 else shifts
    if len(shifts) != len(places):
        raise ShapeError(
            f"cannot roll axes {tuple(places)} by {shifts}; give one shift, or one for each axis"
        )
    for place, amount in zip(places, shifts, strict=True):
        value = _roll_axis(value, place, amount)
    return Array(value)


@array_function
def pad(
    x: ArrayLike, pad_width: Amounts, mode: str = "constant", *, constant_values: Number | ArrayLike = 0
) -> Array:
    """A frame around the array, `pad_width` wide: one number, a (before, after) pair, or a pair for each axis.

    The frame is constant, or repeats the edge ("edge"), or mirrors the array with ("symmetric") or without its edge ("reflect"), or goes on at its
    other end ("wrap"), again and again where it is wide. The constant is one number, or an array of shape (), in the dtype of `x`.

    Raises:
        BuildError: another mode.
        ShapeError: widths that are negative or do not fit the axes, several constants, or an axis without elements that are to be repeated.
    """
    value = node(x)
    widths = _frame_widths(pad_width, len(shape(value)))
    if mode == "constant":
        return Array(extend_with(value, widths, _constant(constant_values, value)))
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise BuildError(
            f'cannot pad by {brief(mode)}; use "constant", "edge", "reflect", "symmetric" or "wrap"'
        )
    for axis, (before, after) in enumerate(widths):
        if before == after == 0:
            continue
        value = framed_from_inside(value, axis, before, after, mode)
    return Array(value)


def _constant(given: ArrayLike, framed: UOp) -> Operand:
    """What a frame is made of: a number as it is, and an array in the dtype of what is framed."""
    fill = operand(given)
    if not isinstance(fill, UOp):
        return fill
    if shape(fill):
        raise ShapeError(
            f"cannot pad by constants of shape {shape(fill)}; give one number, or pad one axis after another"
        )
    return cast(fill, dtype_of(framed))


def _extents(x: ArrayLike) -> tuple[int, ...]:
    return shape(node(x)) if not isinstance(x, Array) else x.shape


def _tiled(value: UOp, axis: int, count: int) -> UOp:
    """One axis again and again."""
    extent = shape(value)[axis]
    if isinstance(extent, Extent) and count != 1:
        places = UOp.iota(extent * count)
        return taken(value, axis, places % places.like(extent))
    return merge_axes(insert_axis(value, axis, count), axis)


def _roll_axis(value: UOp, axis: int, shift: int) -> UOp:
    extent = shape(value)[axis]
    if isinstance(extent, Extent):
        places = UOp.iota(extent) + -shift
        return taken(value, axis, places % places.like(extent))
    boundary = -shift % extent if extent else 0
    if not boundary:
        return value
    return join([cut(value, axis, boundary, extent), cut(value, axis, 0, boundary)], axis)


def _frame_widths(amounts: Amounts, rank: int) -> list[tuple[int, int]]:
    """A (before, after) pair per axis."""
    rows = listed(amounts)
    table = rows if any(isinstance(row, Sequence | np.ndarray) for row in rows) else [rows]
    pairs = [normalize_shape(row, "pad by") for row in table]
    if len(pairs) not in (1, rank) or any(len(pair) not in (1, 2) for pair in pairs):
        raise ShapeError(
            f"cannot pad {rank} axes by {amounts}; give a number, a (before, after) pair, or one pair per axis"
        )
    widths = [(pair[0], pair[-1]) for pair in pairs]
    return widths * rank if len(widths) == 1 else widths
