"""Convolution and pooling of signals, images and volumes.

Signals are (batch, channels, length), images (batch, channels, height, width), volumes (batch, channels, depth, height, width).
"""

from __future__ import annotations

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.sliding import Amounts, Frame, average, convolution, greatest
from eqsat.array.nodes.transposed_convolution import transposed_convolution
from eqsat.array.nodes.views import shape
from eqsat.errors import ShapeError
from eqsat.uop import UOp

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]


@array_function
def conv1d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Amounts = 1,
    padding: Frame | str = 0,
    dilation: Amounts = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation of signals (batch, channels, length) with filters (filters, channels / groups, taps).

    The arguments and the result are as for `conv2d`, with one spatial axis.
    """
    return _biased(1, convolution(1, node(x), node(weights), stride, padding, dilation, groups), bias)


@array_function
def conv2d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Amounts = 1,
    padding: Frame | str = 0,
    dilation: Amounts = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation of images (batch, channels, height, width) with filters (filters, channels / groups, rows, columns).

    The result has shape (batch, filters, rows, columns). Its last extents are (extent + padding - dilation·(taps - 1) - 1) // stride + 1, where
    padding counts both ends of an axis.

    Args:
        x: the images.
        weights: the filters.
        bias: one number per filter, which is added to its results.
        stride: the distance between neighbouring places of a filter, one number or one per axis.
        padding: the zeros around the image: a number, one number per axis, or a (before, after) pair per axis. "valid" adds none. "same" makes the
            result as large as the image; it requires a stride of 1, and where the total is odd, it adds one more zero after than before.
        dilation: the distance between neighbouring taps of a filter, one number or one per axis.
        groups: the number of groups into which channels and filters are divided; each filter reads the channels of its group only.

    Raises:
        ShapeError: channels, groups and filters do not fit, or a filter is larger than the padded image.
    """
    return _biased(2, convolution(2, node(x), node(weights), stride, padding, dilation, groups), bias)


@array_function
def conv3d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Amounts = 1,
    padding: Frame | str = 0,
    dilation: Amounts = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation of volumes (batch, channels, depth, height, width) with filters (filters, channels / groups, planes, rows, columns).

    The arguments and the result are as for `conv2d`, with three spatial axes.
    """
    return _biased(3, convolution(3, node(x), node(weights), stride, padding, dilation, groups), bias)


@array_function
def conv_transpose1d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Amounts = 1,
    padding: Frame = 0,
    output_padding: Amounts = 0,
    dilation: Amounts = 1,
    groups: int = 1,
) -> Array:
    """Transposed convolution of signals (batch, channels, length) with filters (channels, filters / groups, taps).

    The arguments and the result are as for `conv_transpose2d`, with one spatial axis.
    """
    value, filters = node(x), node(weights)
    spread = transposed_convolution(1, value, filters, stride, padding, output_padding, dilation, groups)
    return _biased(1, spread, bias)


@array_function
def conv_transpose2d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Amounts = 1,
    padding: Frame = 0,
    output_padding: Amounts = 0,
    dilation: Amounts = 1,
    groups: int = 1,
) -> Array:
    """Transposed convolution of images (batch, channels, height, width) with filters (channels, filters / groups, rows, columns).

    This is the gradient of `conv2d` with respect to its images. Each element of an image is multiplied by a whole filter, `stride` places
    beyond the products of the element before it, and overlapping products are added up. The image counts as surrounded by zeros, so an infinite
    or NaN tap gives NaN where a filter reaches over the ends.

    The result has shape (batch, filters, rows, columns). Its last extents are
    (extent - 1)·stride - padding + dilation·(taps - 1) + output_padding + 1, where padding counts both ends of an axis.

    Args:
        x: the images.
        weights: the filters.
        bias: one number per filter, which is added to its results.
        stride: the distance between the products of neighbouring elements, one number or one per axis.
        padding: the places to cut off the result: a number, one number per axis, or a (before, after) pair per axis.
        output_padding: the places to add at the end of each axis, one number or one per axis.
        dilation: the distance between neighbouring taps of a filter, one number or one per axis.
        groups: the number of groups into which channels and filters are divided; each filter reads the channels of its group only.

    Raises:
        ShapeError: channels and groups do not fit, or padding leaves nothing of the result.
    """
    value, filters = node(x), node(weights)
    spread = transposed_convolution(2, value, filters, stride, padding, output_padding, dilation, groups)
    return _biased(2, spread, bias)


@array_function
def conv_transpose3d(
    x: ArrayLike,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: Amounts = 1,
    padding: Frame = 0,
    output_padding: Amounts = 0,
    dilation: Amounts = 1,
    groups: int = 1,
) -> Array:
    """Transposed convolution of volumes (batch, channels, depth, height, width) with filters (channels, filters / groups, planes, rows, columns).

    The arguments and the result are as for `conv_transpose2d`, with three spatial axes.
    """
    value, filters = node(x), node(weights)
    spread = transposed_convolution(3, value, filters, stride, padding, output_padding, dilation, groups)
    return _biased(3, spread, bias)


@array_function
def max_pool1d(
    x: ArrayLike,
    size: Amounts,
    *,
    stride: Amounts | None = None,
    padding: Frame = 0,
    dilation: Amounts = 1,
    ceil_mode: bool = False,
) -> Array:
    """The greatest element of each window of a signal (…, length); see `max_pool2d`, which has two spatial axes instead of one."""
    return Array(greatest(1, node(x), size, stride, padding, dilation, ceil_mode=ceil_mode))


@array_function
def max_pool2d(
    x: ArrayLike,
    size: Amounts,
    *,
    stride: Amounts | None = None,
    padding: Frame = 0,
    dilation: Amounts = 1,
    ceil_mode: bool = False,
) -> Array:
    """The greatest element of each window of an image (…, height, width).

    Along an axis there are (extent + padding - dilation·(size - 1) - 1) // stride + 1 windows, where padding counts both ends.

    Args:
        x: the images.
        size: the extents of a window, one number or one per axis.
        stride: the distance between neighbouring windows, one number or one per axis; by default `size`, so that windows touch.
        padding: the places to add around the image: a number, one number per axis, or a (before, after) pair per axis. They are never the greatest.
        dilation: the distance between neighbouring elements of a window, one number or one per axis.
        ceil_mode: whether the division rounds up, unless the last window would then begin at or after the end of the image.

    Raises:
        ShapeError: a window is larger than the padded image.
    """
    return Array(greatest(2, node(x), size, stride, padding, dilation, ceil_mode=ceil_mode))


@array_function
def max_pool3d(
    x: ArrayLike,
    size: Amounts,
    *,
    stride: Amounts | None = None,
    padding: Frame = 0,
    dilation: Amounts = 1,
    ceil_mode: bool = False,
) -> Array:
    """The greatest element of each window of a volume (…, depth, height, width); see `max_pool2d`, which has two spatial axes instead of three."""
    return Array(greatest(3, node(x), size, stride, padding, dilation, ceil_mode=ceil_mode))


@array_function
def avg_pool1d(
    x: ArrayLike,
    size: Amounts,
    *,
    stride: Amounts | None = None,
    padding: Frame = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    """The mean of each window of a signal (…, length); see `avg_pool2d`, which has two spatial axes instead of one."""
    return Array(
        average(1, node(x), size, stride, padding, ceil_mode=ceil_mode, count_include_pad=count_include_pad)
    )


@array_function
def avg_pool2d(
    x: ArrayLike,
    size: Amounts,
    *,
    stride: Amounts | None = None,
    padding: Frame = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    """The mean of each window of an image (…, height, width).

    Along an axis there are (extent + padding - size) // stride + 1 windows, where padding counts both ends.

    Args:
        x: the images.
        size: the extents of a window, one number or one per axis.
        stride: the distance between neighbouring windows, one number or one per axis; by default `size`, so that windows touch.
        padding: the zeros to add around the image: a number, one number per axis, or a (before, after) pair per axis.
        ceil_mode: whether the division rounds up, unless the last window would then begin at or after the end of the image. The part of a window
            beyond the padding does not count in its mean.
        count_include_pad: whether padding counts in the mean; if not, the mean of a window that holds nothing else is NaN.

    Raises:
        ShapeError: a window is larger than the padded image.
    """
    return Array(
        average(2, node(x), size, stride, padding, ceil_mode=ceil_mode, count_include_pad=count_include_pad)
    )


@array_function
def avg_pool3d(
    x: ArrayLike,
    size: Amounts,
    *,
    stride: Amounts | None = None,
    padding: Frame = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    """The mean of each window of a volume (…, depth, height, width); see `avg_pool2d`, which has two spatial axes instead of three."""
    return Array(
        average(3, node(x), size, stride, padding, ceil_mode=ceil_mode, count_include_pad=count_include_pad)
    )


def _biased(axes: int, result: UOp, bias: ArrayLike | None) -> Array:
    if bias is None:
        return Array(result)
    offsets, filters = node(bias), shape(result)[1]
    if shape(offsets) != (filters,):
        raise ShapeError(
            f"cannot add a bias of {shape(offsets)} to {filters} filters; give one element per filter"
        )
    return Array(result) + Array(offsets.reshape((filters, *(1,) * axes)))
