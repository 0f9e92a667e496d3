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

    As `conv2d`, with one axis.
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

    `padding` frames the image with zeros: a number, one per axis, or a (before, after) pair per axis; "valid" is none, and "same" makes the
    result as large as the image, the stride being 1, and is wider after it by one where the filter's extent is even.
    `bias` has one element per filter. The result is (batch, filters, rows, columns); its extents are
    (extent + padding - dilation·(taps - 1) - 1) // stride + 1.

    Raises:
        ShapeError: channels, groups and filters do not fit, or a filter is larger than the framed image.
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
    """Cross-correlation of volumes (batch, channels, depth, height, width) with filters (filters, channels / groups, and three taps).

    As `conv2d`, with three axes.
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

    As `conv_transpose2d`, with one axis.
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

    Each element is multiplied with a whole filter, and the products are added up, those of the next element `stride` places further on: the
    gradient of `conv2d` with respect to its images. `padding`, as there, is cut off the result, and `output_padding` adds places at
    its ends. Around the image there are zeros: where a filter reaches over its ends, an infinite or NaN tap gives NaN. The result is
    (batch, filters, rows, columns); its extents are (extent - 1)·stride - padding + dilation·(taps - 1) + output_padding + 1.

    Raises:
        ShapeError: channels and groups do not fit, or more is cut off than there is.
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
    """Transposed convolution of volumes (batch, channels, depth, height, width) with filters (channels, filters / groups, and three taps).

    As `conv_transpose2d`, with three axes.
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
    """The greatest element of each window of a signal (…, length); as `max_pool2d`, with one axis."""
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
    """The greatest element of each window of an image (…, height, width); windows touch unless a stride is given.

    The frame that `padding` adds never wins. There are (extent + padding - dilation·(size - 1) - 1) // stride + 1 windows along an axis; with
    `ceil_mode` the division rounds up, as long as the last window begins before the end of the image.

    Raises:
        ShapeError: a window is larger than the framed image.
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
    """The greatest element of each window of a volume (…, depth, height, width); as `max_pool2d`, with three axes."""
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
    """The mean of each window of a signal (…, length); as `avg_pool2d`, with one axis."""
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
    """The mean of each window of an image (…, height, width); windows touch unless a stride is given.

    The frame that `padding` adds counts as zeros, or with `count_include_pad` False not at all: a window of nothing else is NaN. With `ceil_mode`
    there may be one more window, as in `max_pool2d`; what it has beyond the frame does not count.

    Raises:
        ShapeError: a window is larger than the framed image.
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
    """The mean of each window of a volume (…, depth, height, width); as `avg_pool2d`, with three axes."""
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
