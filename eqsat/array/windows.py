"""Convolution and pooling: sliding windows, and a sum of products or an extreme over each.

Images are (batch, channels, height, width), signals (batch, channels, length). Windows are made by movement
alone (`views.windows`), so the loops of the kernel read the image directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import normalize_shape
from eqsat.array.nodes.contraction import contract
from eqsat.array.nodes.folds import extreme, mean
from eqsat.array.nodes.operands import Number, dtype_of
from eqsat.array.nodes.views import extend_with, shape, split_axis, windows
from eqsat.errors import ShapeError
from eqsat.ops import Op, identity_element
from eqsat.shape import Shape
from eqsat.uop import UOp

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "conv1d",
    "conv2d",
    "max_pool1d",
    "max_pool2d",
]

Extent = SupportsIndex | Sequence[SupportsIndex]
Frame = SupportsIndex | Sequence[SupportsIndex] | Sequence[Sequence[SupportsIndex]]


@array_function
def conv1d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Extent = 1,
    padding: Frame = 0,
    dilation: Extent = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation of signals (batch, channels, length) with filters (filters, channels / groups, taps).

    As `conv2d`, with one axis.
    """
    return _convolve(1, node(x), node(weights), bias, stride, padding, dilation, groups)


@array_function
def conv2d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Extent = 1,
    padding: Frame = 0,
    dilation: Extent = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation of images (batch, channels, height, width) with filters (filters, channels / groups, rows, columns).

    `padding` frames the image with zeros: a number, one per axis, or a (before, after) pair per axis.
    `bias` has one element per filter. The result is (batch, filters, rows, columns); its extents are
    (extent + padding - dilation·(taps - 1) - 1) // stride + 1.

    Raises:
        ShapeError: channels, groups and filters do not fit, or a filter is larger than the framed image.
    """
    return _convolve(2, node(x), node(weights), bias, stride, padding, dilation, groups)


@array_function
def max_pool1d(
    x: ArrayLike, size: Extent, *, stride: Extent | None = None, padding: Frame = 0, dilation: Extent = 1
) -> Array:
    """The greatest element of each window of a signal (…, length); the frame never wins."""
    return _pool_extreme(1, node(x), size, stride, padding, dilation)


@array_function
def max_pool2d(
    x: ArrayLike, size: Extent, *, stride: Extent | None = None, padding: Frame = 0, dilation: Extent = 1
) -> Array:
    """The greatest element of each window of an image (…, height, width); windows touch unless a stride is given.

    The frame that `padding` adds never wins.

    Raises:
        ShapeError: a window is larger than the framed image.
    """
    return _pool_extreme(2, node(x), size, stride, padding, dilation)


@array_function
def avg_pool1d(x: ArrayLike, size: Extent, *, stride: Extent | None = None, padding: Frame = 0) -> Array:
    """The mean of each window of a signal (…, length); the frame counts as zeros."""
    return _pool_mean(1, node(x), size, stride, padding)


@array_function
def avg_pool2d(x: ArrayLike, size: Extent, *, stride: Extent | None = None, padding: Frame = 0) -> Array:
    """The mean of each window of an image (…, height, width); windows touch unless a stride is given.

    The frame that `padding` adds counts as zeros.

    Raises:
        ShapeError: a window is larger than the framed image.
    """
    return _pool_mean(2, node(x), size, stride, padding)


def _convolve(
    axes: int,
    value: UOp,
    weights: UOp,
    bias: ArrayLike | None,
    stride: Extent,
    padding: Frame,
    dilation: Extent,
    groups: int,
) -> Array:
    _require_fitting(axes, shape(value), shape(weights), groups)
    spread = _spread(value, shape(weights)[2:], stride, padding, dilation, 0)
    # batch 0, group 1, channel 2, filter within the group 3, then places and taps
    places, taps = tuple(range(4, 4 + axes)), tuple(range(4 + axes, 4 + 2 * axes))
    grouped = split_axis(spread, 1, groups, shape(value)[1] // groups)
    filters = split_axis(weights, 0, groups, shape(weights)[0] // groups)
    operands = [(grouped, (0, 1, 2, *places, *taps)), (filters, (1, 3, 2, *taps))]
    result = contract(operands, (0, 1, 3, *places), "convolve")
    result = result.reshape((shape(value)[0], shape(weights)[0], *shape(result)[3:]))
    if bias is None:
        return Array(result)
    offsets = node(bias)
    if shape(offsets) != (shape(weights)[0],):
        raise ShapeError(
            f"cannot add a bias of {shape(offsets)} to {shape(weights)[0]} filters; give one element per filter"
        )
    return Array(result) + Array(offsets.reshape((*shape(offsets), *(1,) * axes)))


def _pool_extreme(
    axes: int, value: UOp, size: Extent, stride: Extent | None, padding: Frame, dilation: Extent
) -> Array:
    sizes = _per_axis("size", size, axes)
    fill = identity_element(Op.MAX, dtype_of(value))
    spread = _spread(value, sizes, sizes if stride is None else stride, padding, dilation, fill)
    return Array(extreme(Op.MAX, spread, _last(spread, axes)))


def _pool_mean(axes: int, value: UOp, size: Extent, stride: Extent | None, padding: Frame) -> Array:
    sizes = _per_axis("size", size, axes)
    spread = _spread(value, sizes, sizes if stride is None else stride, padding, 1, 0)
    return Array(mean(spread, _last(spread, axes)))


def _spread(value: UOp, sizes: Shape, stride: Extent, padding: Frame, dilation: Extent, fill: Number) -> UOp:
    """The last axes, framed, as windows: places, then positions within the window."""
    axes = len(sizes)
    steps, gaps = _per_axis("stride", stride, axes), _per_axis("dilation", dilation, axes)
    first = len(shape(value)) - axes
    if first < 0:
        raise ShapeError(f"cannot slide windows {sizes} over {shape(value)}; it needs {axes} axes at least")
    framed = extend_with(value, [(0, 0)] * first + _frame(padding, axes), fill)
    for axis, (size, step, gap) in enumerate(zip(sizes, steps, gaps, strict=True)):
        extent = shape(framed)[first + axis]
        if size < 1 or step < 1 or gap < 1 or (size - 1) * gap + 1 > extent:
            raise ShapeError(
                f"cannot slide a window of {size} (dilation {gap}, stride {step}) along a framed axis of {extent}; "
                f"use positive numbers, a smaller window or more padding"
            )
        # Axes already windowed have put their positions last.
        framed = windows(framed, first + axis, size, step, gap)
        order = list(range(len(shape(framed))))
        order.append(order.pop(first + axis + 1))
        framed = framed.permute(order)
    return framed


def _frame(padding: Frame, axes: int) -> list[tuple[int, int]]:
    rows = list(padding) if isinstance(padding, Sequence) else [padding] * axes
    pairs = [normalize_shape(row) for row in rows]
    if len(pairs) != axes or any(len(pair) not in (1, 2) for pair in pairs):
        raise ShapeError(
            f"cannot frame {axes} axes by {padding}; give a number, one per axis, or a (before, after) pair per axis"
        )
    return [(pair[0], pair[-1]) for pair in pairs]


def _per_axis(name: str, amount: Extent, axes: int) -> Shape:
    amounts = normalize_shape(amount)
    if len(amounts) not in (1, axes):
        raise ShapeError(f"cannot use the {name} {amounts} for {axes} axes; give one number, or one for each")
    return amounts * axes if len(amounts) == 1 else amounts


def _last(value: UOp, count: int) -> range:
    return range(len(shape(value)) - count, len(shape(value)))


def _require_fitting(axes: int, image: Shape, filters: Shape, groups: int) -> None:
    ranks_fit = len(image) == len(filters) == axes + 2
    if not ranks_fit or groups < 1 or image[1] != filters[1] * groups or filters[0] % groups:
        raise ShapeError(
            f"cannot convolve {image} with filters {filters} in {groups} groups: expected (batch, channels, …) and "
            f"(filters, channels / groups, …) with {axes} more axes each, filters a multiple of groups"
        )
