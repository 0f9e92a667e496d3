"""Functions that move elements without computing: reshaping, permuting, joining, repeating and padding."""

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
from eqsat.array.nodes.operands import Number, WeakNumber, broadcast_shapes, convert, dtype_of, shape_of
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
    """The same elements, in row-major order, in another shape.

    One extent may be -1; it is inferred from the number of elements.

    Raises:
        ShapeError: the new shape has another number of elements, or more than one extent is -1.
    """
    return Array(node(x).reshape(infer_extent(_extents(x), shape)))


@array_function
def permute_dims(x: ArrayLike, /, axes: Integers) -> Array:
    """The array with its axes permuted: axis k of the result is axis `axes[k]` of `x`.

    Raises:
        ShapeError: an axis of `x` is missing or named twice.
    """
    rank = len(_extents(x))
    if len(axes) != rank:
        raise ShapeError(f"cannot permute {_extents(x)} by {tuple(axes)}; name each of its {rank} axes once")
    return Array(node(x).permute(normalize_axes(axes, rank, "permute")))


@array_function
def transpose(x: ArrayLike, /, axes: Integers | None = None) -> Array:
    """The array with its axes in reverse order, or in the order of `axes`, as in NumPy.

    Raises:
        ShapeError: an axis of `x` is missing or named twice.
    """
    return permute_dims(x, range(len(_extents(x)))[::-1] if axes is None else axes)


@array_function
def matrix_transpose(x: ArrayLike, /) -> Array:
    """Each matrix transposed: the last two axes are exchanged.

    Raises:
        ShapeError: the array has fewer than two axes.
    """
    return Array(node(x)).mT


@array_function
def expand_dims(x: ArrayLike, /, axis: Axes = 0) -> Array:
    """The array with new axes of extent 1; `axis` names their positions in the result.

    Raises:
        ShapeError: a position is out of range or named twice.
    """
    value = node(x)
    rank = len(shape(value)) + len(listed(axis))
    for place in sorted(normalize_axes(axis, rank, "insert")):
        value = insert_axis(value, place)
    return Array(value)


@array_function
def squeeze(x: ArrayLike, /, axis: Axes = None) -> Array:
    """The array without the named axes of extent 1, or by default without all axes of extent 1.

    Raises:
        ShapeError: a named axis has another extent.
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
    """The array broadcast to a shape: axes of extent 1 are repeated, and new axes are added in front.

    Raises:
        ShapeError: an axis of `x` has neither extent 1 nor the extent in `shape`, or `x` has more axes than `shape`.
    """
    wanted = normalize_shape(shape)
    if broadcast_shapes("broadcast", _extents(x), wanted) != wanted:
        raise ShapeError(
            f"cannot broadcast {_extents(x)} to {wanted}: it has extents or axes that the target lacks"
        )
    return Array(node(x).broadcast(wanted))


@array_function
def broadcast_arrays(*arrays: ArrayLike) -> list[Array]:
    """The arrays, each broadcast to their common shape.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    common = broadcast_shapes("broadcast together", *map(_extents, arrays))
    return [Array(node(array).broadcast(common)) for array in arrays]


@array_function
def flip(x: ArrayLike, /, axis: Axes = None) -> Array:
    """The array with its elements in reverse order along the named axes, by default along all."""
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
    """The array with each axis of `source` moved to the position in `destination`; the other axes keep their order.

    Raises:
        ShapeError: `source` and `destination` differ in length.
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
    """The array with two axes exchanged."""
    order = list(range(len(_extents(x))))
    one, other = (normalize_axis(axis, len(order), "swap") for axis in (axis1, axis2))
    order[one], order[other] = other, one
    return Array(node(x).permute(order))


@array_function
def concat(arrays: Sequence[ArrayLike], /, axis: SupportsIndex | None = 0) -> Array:
    """The arrays joined one after another along an existing axis, in their common dtype.

    Args:
        arrays: arrays whose shapes agree, except in their extents along `axis`.
        axis: the axis along which to join; None flattens all arrays first.

    Raises:
        BuildError: `arrays` is empty.
        ShapeError: the shapes differ in another axis, or there is no such axis.
    """
    values = [node(array) for array in arrays]
    if axis is None:
        values, axis = [value.reshape(infer_extent(shape(value), -1)) for value in values], 0
    return Array(joined(values, axis))


@array_function
def stack(arrays: Sequence[ArrayLike], /, axis: SupportsIndex = 0) -> Array:
    """The arrays joined along a new axis, in their common dtype.

    Args:
        arrays: arrays of one shape.
        axis: the position of the new axis in the result; its extent is the number of arrays.

    Raises:
        BuildError: `arrays` is empty.
        ShapeError: the shapes differ.
    """
    return Array(stacked([node(array) for array in arrays], axis))


@array_function
def unstack(x: ArrayLike, /, axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """The slices of `x` along an axis, as a tuple of arrays that lack this axis."""
    moved = moveaxis(x, axis, 0)
    return tuple(moved[position] for position in range(len(moved)))


@array_function
def tile(x: ArrayLike, repetitions: SupportsIndex | Integers, /) -> Array:
    """The whole array repeated `repetitions[k]` times along axis k.

    Numbers of axes may differ: missing repetitions in front count as 1, and missing axes are added in front.
    """
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
    """Each element along an axis repeated several times in a row; without an axis, `x` is flattened first.

    Args:
        x: the array.
        repeats: one number for all elements along `axis`, or one number for each. It must be known while the graph is built.
        axis: the axis along which to repeat.

    Raises:
        ShapeError: a number is negative, or there is neither one number nor one for each element.
    """
    value = node(x)
    if axis is None:
        value, axis = value.reshape(infer_extent(shape(value), -1)), 0
    place = normalize_axis(axis, len(shape(value)), "repeat along")
    known = repeats.numpy() if isinstance(repeats, Array) else repeats  # the result's extent depends on it
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
    """The array with elements moved forward by `shift` along axes; elements moved past the end reappear at the start.

    One shift serves all named axes, or there is one for each. Without an axis, the array is rolled as if flattened, and keeps its shape.

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
    """The array with padding added at both ends of its axes.

    Args:
        x: the array.
        pad_width: the number of elements to add: one number, a (before, after) pair for all axes, or a pair for each axis.
        mode: "constant" adds `constant_values`, and "edge" repeats the outermost element. "symmetric" mirrors the array including the outermost
            element, "reflect" without it, and "wrap" continues with the opposite end; these three repeat the pattern where the padding is wide.
        constant_values: one number, or an array of shape (), which is converted to the dtype of `x`.

    Raises:
        BuildError: there is no such mode.
        ShapeError: a width is negative, the widths do not fit the axes, there are several constants, or an axis that another mode than
            "constant" pads has no elements.
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


def _constant(given: ArrayLike, framed: UOp) -> Number | UOp:
    """The padding value: a number as it is, or an array converted to the dtype of the padded value."""
    fill = operand(given)
    if shape_of(fill):
        raise ShapeError(
            f"cannot pad by constants of shape {shape_of(fill)}; give one number, or pad one axis after another"
        )
    return convert(fill, dtype_of(framed)) if isinstance(fill, UOp | WeakNumber) else fill


def _extents(x: ArrayLike) -> tuple[int, ...]:
    return shape(node(x)) if not isinstance(x, Array) else x.shape


def _tiled(value: UOp, axis: int, count: int) -> UOp:
    """The elements along one axis, repeated as a whole `count` times."""
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
    """The padding as one (before, after) pair per axis."""
    rows = listed(amounts)
    table = rows if any(isinstance(row, Sequence | np.ndarray) for row in rows) else [rows]
    pairs = [normalize_shape(row, "pad by") for row in table]
    if len(pairs) not in (1, rank) or any(len(pair) not in (1, 2) for pair in pairs):
        raise ShapeError(
            f"cannot pad {rank} axes by {amounts}; give a number, a (before, after) pair, or one pair per axis"
        )
    widths = [(pair[0], pair[-1]) for pair in pairs]
    return widths * rank if len(widths) == 1 else widths
