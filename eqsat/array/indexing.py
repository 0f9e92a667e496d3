"""Choosing elements by arrays of positions, and finding such positions."""

from __future__ import annotations

from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import infer_extent, normalize_axis
from eqsat.array.nodes.operands import broadcast_shapes, cast, common_dtype
from eqsat.array.nodes.searching import positions_among
from eqsat.array.nodes.subscripts import Subscript, subscript, take_along
from eqsat.array.nodes.views import shape
from eqsat.errors import ShapeError, brief
from eqsat.extents import Extent

__all__ = [
    "searchsorted",
    "take",
    "take_along_axis",
]


@array_function
def searchsorted(
    x1: ArrayLike, x2: ArrayLike, /, *, side: str = "left", sorter: ArrayLike | None = None
) -> Array:
    """Where each element of `x2` would be inserted into the ascending 1-D array `x1` to keep it so, in int64: before equal elements, or after them
    with `side` "right".

    `sorter` are the positions of `x1` in ascending order, if it is in another. NaN is after all numbers. In an array that is not in order the
    positions are of no use. The search halves `x1` as often as its extent asks for, all elements of `x2` at once.

    Raises:
        ShapeError: `x1` has not one axis, only calls know its extent, or `side` is neither "left" nor "right".
    """
    table, wanted = node(x1), node(x2)
    if sorter is not None:
        table = node(take(x1, sorter, axis=0))
    if len(shape(table)) != 1 or isinstance(shape(table)[0], Extent):
        raise ShapeError(
            f"cannot search in an array of {shape(table)}; give one axis, of an extent that is known while a function is traced"
        )
    if side not in ("left", "right"):
        raise ShapeError(f'cannot insert at the side {brief(side)}; use "left" or "right"')
    dtype = common_dtype([table, wanted])
    return Array(positions_among(cast(table, dtype), cast(wanted, dtype), after_equal=side == "right"))


@array_function
def take(x: ArrayLike, indices: ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The elements (or slices along `axis`) at these positions; of the flattened array if no axis is named.

    The axis is replaced by those of `indices`. Negative positions count from the end. A position out of
    range, which nothing checks while a program runs, gives zero.

    Raises:
        IndexingError: the positions are floats or bools, or known and out of range.
    """
    value = node(x)
    if axis is None:
        value, axis = value.reshape(infer_extent(shape(value), -1)), 0
    place = normalize_axis(axis, len(shape(value)), "take from")
    key: list[Subscript] = [slice(None)] * place
    return Array(subscript(value, [*key, node(indices)]))


@array_function
def take_along_axis(x: ArrayLike, indices: ArrayLike, /, axis: SupportsIndex = -1) -> Array:
    """Element [i, j, …] is `x` at the same place but for `axis`, where it is `indices[i, j, …]`.

    Raises:
        ShapeError: the numbers of axes differ, or other axes do not broadcast.
        IndexingError: the positions are floats or bools, or known and out of range.
    """
    value, positions = node(x), node(indices)
    rank = len(shape(value))
    if len(shape(positions)) != rank:
        raise ShapeError(
            f"cannot take along an axis of {shape(value)} at {shape(positions)}; give as many axes"
        )
    place = normalize_axis(axis, rank, "take along")
    others = [
        tuple(1 if other == place else extent for other, extent in enumerate(shape(part)))
        for part in (value, positions)
    ]
    common = broadcast_shapes("take along an axis of", *others)
    wide, chosen = (
        part.expand([shape(part)[place] if other == place else extent for other, extent in enumerate(common)])
        for part in (value, positions)
    )
    return Array(take_along(wide, chosen, place))
