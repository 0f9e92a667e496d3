"""Convolution and pooling, with windows that slide along the last axes of a value.

The spatial axes of signals, images and volumes come last, after the batch and the channels. `views.windows` makes windows by movement alone,
so the loops of a kernel read the image directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import SupportsIndex

from eqsat.array.nodes.axes import Integers, listed, normalize_shape
from eqsat.array.nodes.contraction import contract
from eqsat.array.nodes.folds import extreme, mean
from eqsat.array.nodes.operands import Number, dtype_of
from eqsat.array.nodes.views import along, extend_with, merge_axes, move_axis, shape, split_axis, windows
from eqsat.errors import ShapeError, brief
from eqsat.extents import Extent
from eqsat.ops import Op, identity_element
from eqsat.shape import Shape
from eqsat.uop import UOp

Amounts = SupportsIndex | Integers
"""One number, or one for each axis."""

Frame = SupportsIndex | Integers | Sequence[Sequence[SupportsIndex]]
"""One number, one for each axis, or a (before, after) pair for each axis."""

CHANNELS = 1  # the axis after the batch


def convolution(
    axes: int,
    value: UOp,
    weights: UOp,
    stride: Amounts,
    padding: Frame | str,
    dilation: Amounts,
    groups: int,
) -> UOp:
    """Convolves (batch, channels, …) with (filters, channels / groups, taps …) into (batch, filters, places …).

    Raises:
        ShapeError: channels, groups and filters do not fit, or a filter is larger than the padded image.
    """
    image, filters = shape(value), shape(weights)
    require_fitting(axes, image, filters, groups, transposed=False)
    if isinstance(padding, str):
        padding = _named_frame(padding, filters[2:], per_axis("stride", stride, axes), dilation)
    spread = _spread(value, filters[2:], stride, padding, dilation, 0)
    # labels: batch 0, group 1, channel in the group 2, filter in the group 3, then places and taps
    places, taps = tuple(range(4, 4 + axes)), tuple(range(4 + axes, 4 + 2 * axes))
    operands = [
        (split_axis(spread, CHANNELS, groups, image[1] // groups), (0, 1, 2, *places, *taps)),
        (split_axis(weights, 0, groups, filters[0] // groups), (1, 3, 2, *taps)),
    ]
    return merge_axes(contract(operands, (0, 1, 3, *places), "convolve"), CHANNELS)


def _named_frame(name: str, sizes: Shape, steps: Shape, dilation: Amounts) -> list[tuple[int, int]]:
    """The padding by name: "valid" is none; "same" gives as many places as elements, and an odd total is wider at the end, as in PyTorch."""
    if name == "valid":
        return [(0, 0)] * len(sizes)
    if name != "same":
        raise ShapeError(f'cannot pad by {brief(name)}; use "same", "valid" or numbers')
    if max(steps) > 1:
        raise ShapeError(
            f'cannot pad by "same" with stride {steps}, which leaves fewer places than elements; pad by numbers'
        )
    gaps = per_axis("dilation", dilation, len(sizes))
    totals = [(size - 1) * gap for size, gap in zip(sizes, gaps, strict=True)]
    return [(total // 2, total - total // 2) for total in totals]


def greatest(
    axes: int,
    value: UOp,
    size: Amounts,
    stride: Amounts | None,
    padding: Frame,
    dilation: Amounts,
    *,
    ceil_mode: bool,
) -> UOp:
    """The greatest element of each window; padding is the identity of the maximum, so it never exceeds an element."""
    sizes = per_axis("size", size, axes)
    fill = identity_element(Op.MAX, dtype_of(value))
    steps = sizes if stride is None else stride
    spread = _spread(value, sizes, steps, padding, dilation, fill, ceil_mode=ceil_mode)
    return extreme(Op.MAX, spread, _last(spread, axes))


def average(
    axes: int,
    value: UOp,
    size: Amounts,
    stride: Amounts | None,
    padding: Frame,
    *,
    ceil_mode: bool,
    count_include_pad: bool,
) -> UOp:
    """The mean of each window; padding counts as zeros, or not at all. The part of a last window beyond the padding never counts."""
    sizes = per_axis("size", size, axes)
    steps = per_axis("stride", sizes if stride is None else stride, axes)
    spread = _spread(value, sizes, steps, padding, 1, 0, ceil_mode=ceil_mode)
    last = _last(spread, axes)
    if count_include_pad and not ceil_mode:
        return mean(spread, last)
    counted = _counted(
        shape(value),
        shape(spread)[:-axes],
        frame_of(padding, axes),
        sizes,
        steps,
        include_pad=count_include_pad,
    )
    return mean(spread, last, counted=counted)


def _counted(
    image: Shape,
    places: Shape,
    frame: Sequence[tuple[int, int]],
    sizes: Shape,
    steps: Shape,
    *,
    include_pad: bool,
) -> UOp:
    """For each place, the number of elements of its window inside the image, or inside the padded image if `include_pad`."""
    first = len(places) - len(frame)
    found: list[UOp] = []
    for axis, ((before, after), size, step) in enumerate(zip(frame, sizes, steps, strict=True), first):
        end = before + image[axis]
        least, most = (0, end + after) if include_pad else (before, end)
        begin = UOp.iota(places[axis]) * step
        inside = (begin + size).minimum(most) - begin.maximum(least)
        found.append(along(inside.maximum(0), axis, places))
    return reduce(UOp.__mul__, found)


def _spread(
    value: UOp,
    sizes: Shape,
    stride: Amounts,
    padding: Frame,
    dilation: Amounts,
    fill: Number,
    *,
    ceil_mode: bool = False,
) -> UOp:
    """Pads the last axes and splits them into windows: axes of places, then axes of positions in the window.

    With `ceil_mode`, a last window may end beyond the padding if it begins in the image or before it.
    """
    axes = len(sizes)
    steps, gaps = per_axis("stride", stride, axes), per_axis("dilation", dilation, axes)
    first = len(shape(value)) - axes
    if first < 0:
        raise ShapeError(f"cannot slide windows {sizes} over {shape(value)}; it needs {axes} axes at least")
    frame = frame_of(padding, axes)
    if ceil_mode and min(*sizes, *steps, *gaps) > 0:
        spans = zip(shape(value)[first:], frame, sizes, steps, gaps, strict=True)
        frame = [_up_to_last(*span) for span in spans]
    framed = extend_with(value, [(0, 0)] * first + frame, fill)
    for axis, (size, step, gap) in enumerate(zip(sizes, steps, gaps, strict=True)):
        extent = shape(framed)[first + axis]
        if size < 1 or step < 1 or gap < 1 or (size - 1) * gap + 1 > extent:
            raise ShapeError(
                f"cannot slide a window of {size} (dilation {gap}, stride {step}) along a framed axis of {extent}; "
                f"use positive numbers, a smaller window or more padding"
            )
        # The axis of positions in the window moves to the end, behind those of earlier axes.
        framed = windows(framed, first + axis, size, step, gap)
        framed = move_axis(framed, first + axis + 1, len(shape(framed)) - 1)
    return framed


def _up_to_last(extent: int, frame: tuple[int, int], size: int, step: int, gap: int) -> tuple[int, int]:
    """The padding of an axis with `ceil_mode`: widened at the end for one more window, if that begins before the end of the axis.

    Raises:
        ShapeError: the extent depends on a dim.
    """
    if isinstance(extent, Extent):
        raise ShapeError(
            f"cannot slide windows with ceil_mode along an axis of which only calls know the extent {extent}; pad by numbers"
        )
    before, after = frame
    # how far the first window can move before it leaves the padded axis
    rest = before + extent + after - (size - 1) * gap - 1
    begin = -(-rest // step) * step
    return (before, after + begin - rest) if begin < before + extent else frame


def frame_of(padding: Frame, axes: int) -> list[tuple[int, int]]:
    """The padding as one (before, after) pair per axis."""
    if isinstance(padding, str):
        raise ShapeError(f'cannot pad by {brief(padding)}; give numbers ("same" and "valid" are for conv)')
    pairs = [normalize_shape(row, "pad by") for row in listed(padding)]
    pairs = pairs * axes if len(pairs) == 1 else pairs
    if len(pairs) != axes or any(len(pair) not in (1, 2) for pair in pairs):
        raise ShapeError(
            f"cannot frame {axes} axes by {padding}; give a number, one per axis, or a (before, after) pair per axis"
        )
    return [(pair[0], pair[-1]) for pair in pairs]


def per_axis(name: str, amount: Amounts, axes: int) -> Shape:
    """The amounts as one number per axis."""
    amounts = normalize_shape(amount, f"use the {name}")
    if len(amounts) not in (1, axes):
        raise ShapeError(f"cannot use the {name} {amounts} for {axes} axes; give one number, or one for each")
    return amounts * axes if len(amounts) == 1 else amounts


def _last(value: UOp, count: int) -> range:
    return range(len(shape(value)) - count, len(shape(value)))


def require_fitting(axes: int, image: Shape, weights: Shape, groups: int, *, transposed: bool) -> None:
    """Refuses filters whose shape does not fit the image or the number of groups.

    Raises:
        ShapeError: the shapes do not fit.
    """
    ranks_fit = len(image) == len(weights) == axes + 2
    if (
        not ranks_fit
        or groups < 1
        or weights[0] % groups
        or image[1] != weights[0 if transposed else 1] * (1 if transposed else groups)
    ):
        expected = "(channels, filters / groups, …)" if transposed else "(filters, channels / groups, …)"
        raise ShapeError(
            f"cannot convolve {image} with filters {weights} in {groups} groups: expected (batch, channels, …) and "
            f"{expected} with {axes} more axes each, the first of the latter a multiple of groups"
        )
