"""Selecting elements by arrays of positions, and finding such positions."""

from __future__ import annotations

from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import infer_extent, normalize_axis, normalize_shape
from eqsat.array.nodes.operands import broadcast_shapes, cast, common_dtype, dtype_of
from eqsat.array.nodes.searching import positions_among
from eqsat.array.nodes.sorting import greatest_along
from eqsat.array.nodes.subscripts import Subscript, subscript, take_along
from eqsat.array.nodes.views import shape
from eqsat.dtype import int64
from eqsat.errors import ShapeError, brief
from eqsat.extents import Extent
from eqsat.uop import UOp

__all__ = [
    "searchsorted",
    "take",
    "take_along_axis",
    "top_k",
]


@array_function
def searchsorted(
    x1: ArrayLike, x2: ArrayLike, /, *, side: str = "left", sorter: ArrayLike | None = None
) -> Array:
    """The int64 positions at which the elements of `x2` can be inserted into the ascending 1-D array `x1` so that it stays in order.

    With `side` "left" the position is before elements equal to the inserted one, with "right" after them. NaN sorts after all numbers.
    The search is a binary search, of all elements of `x2` at once. If `x1` is not in order, the positions are meaningless.

    Args:
        x1: the 1-D array to search, in ascending order unless `sorter` is given.
        x2: the elements to find, of any shape, which is also the shape of the result.
        side: "left" or "right".
        sorter: positions that put the elements of `x1` in ascending order.

    Raises:
        ShapeError: `x1` is not 1-D, its extent depends on a dim, or `side` is neither "left" nor "right".
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
    """The elements of `x` at the positions `indices` along `axis`; without an axis, `x` is flattened first.

    The axes of `indices` replace `axis` in the shape of the result. Negative positions count from the end. A
    running program does not check positions: one out of range gives zero.

    Raises:
        IndexingError: the positions are floats or bools, or they are known while the graph is built and one is out of range.
        ShapeError: there is no such axis.
    """
    value = node(x)
    if axis is None:
        value, axis = value.reshape(infer_extent(shape(value), -1)), 0
    place = normalize_axis(axis, len(shape(value)), "take from")
    key: list[Subscript] = [slice(None)] * place
    return Array(subscript(value, [*key, node(indices)]))


@array_function
def take_along_axis(x: ArrayLike, indices: ArrayLike, /, axis: SupportsIndex = -1) -> Array:
    """The elements of `x` at the positions `indices` along `axis`, matched along all other axes.

    For two axes and `axis=1`, element [i, j] of the result is `x[i, indices[i, j]]`. Negative positions count from the end; `x` and `indices`
    broadcast along the other axes.

    Raises:
        ShapeError: the two arrays differ in their number of axes, or their other axes do not broadcast.
        IndexingError: the positions are floats or bools, or they are known while the graph is built and one is out of range.
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


@array_function
def top_k(x: ArrayLike, k: SupportsIndex, /, *, axis: SupportsIndex = -1) -> tuple[Array, Array]:
    """The `k` greatest elements along an axis, in descending order, and their int64 positions.

    Equal elements, such as zeros of both signs, are in the order of their positions. NaN is greater than all numbers, as in torch and JAX.
    A kernel reads the axis `k` times for `k` up to 10. For more the host finds candidates in one pass and sorts these; it sorts all of axes of less
    than 4096 elements. Axes of at most 16 elements are sorted in the kernel.

    Args:
        x: the array.
        k: how many elements; an integer that is known while a function is traced.
        axis: the axis along which to choose, by default the last.

    Returns:
        The elements and their positions, both of the shape of `x` with extent `k` in the axis.

    Raises:
        ShapeError: there is no such axis, or `k` is not an integer from 0 to the least extent that the axis may have.
    """
    value = node(x)
    whole, place = shape(value), normalize_axis(axis, len(shape(value)), "choose along")
    (count,) = normalize_shape(k, "choose the greatest")
    extent = whole[place]
    least = extent.least if isinstance(extent, Extent) else extent
    if isinstance(count, Extent) or count > least:
        raise ShapeError(
            f"cannot choose the {count} greatest along axis {place} of {whole}; choose 0 to {least}"
        )
    if count == 0:
        none = (*whole[:place], 0, *whole[place + 1 :])
        return Array(UOp.full(none, dtype_of(value), 0)), Array(UOp.full(none, int64, 0))
    elements, found = greatest_along(value, place, count)
    return Array(elements), Array(found)
