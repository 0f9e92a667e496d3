"""Transposed convolution, built from ordinary convolutions.

Each element of an image is multiplied by a whole filter, and the products of the next element begin `stride` places further on. A *turn* is
`stride` consecutive places of the result. Each place of a turn has taps of its own: every `stride`-th tap of a filter, if the dilation is 1.
Consecutive places whose taps read the same elements form a *run*; they become filters of one convolution. The results of all runs are
interleaved. So no zeros between elements are ever multiplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import NamedTuple

from eqsat.array.nodes.operands import dtype_of
from eqsat.array.nodes.sliding import Amounts, Frame, convolution, frame_of, per_axis, require_fitting
from eqsat.array.nodes.views import cut, merge_axes, move_axis, reverse, shape, split_axis, windows
from eqsat.errors import ShapeError
from eqsat.shape import Shape
from eqsat.uop import UOp, join

FIRST_AXIS = 2  # after the batch and the channels


class Run(NamedTuple):
    """Consecutive places in each turn along one axis, whose taps read the same elements.

    Place p is the sum of the products of taps first + p, first + p + step, … with elements turn + offset, turn + offset - gap, … .

    Attributes:
        places: the number of places.
        first: the first tap of place 0 of the run.
        step: the distance between successive taps of a place.
        taps: the number of taps of each place; 0 if no tap reaches these places.
        offset: the element that the first tap reads, relative to the number of the turn.
        gap: the distance between the elements that successive taps read.
    """

    places: int
    first: int
    step: int
    taps: int
    offset: int
    gap: int


def transposed_convolution(
    axes: int,
    value: UOp,
    weights: UOp,
    steps: Amounts,
    padding: Frame,
    output_padding: Amounts,
    dilation: Amounts,
    groups: int,
) -> UOp:
    """Convolves (batch, channels, …) with (channels, filters / groups, taps …), transposed, into (batch, filters, places …).

    Raises:
        ShapeError: channels and groups do not fit, or nothing is left of the result.
    """
    image, filters = shape(value), shape(weights)
    require_fitting(axes, image, filters, groups, transposed=True)
    sizes, strides, gaps = (
        filters[FIRST_AXIS:],
        per_axis("stride", steps, axes),
        per_axis("dilation", dilation, axes),
    )
    if min(*strides, *gaps, *sizes) < 1:
        raise ShapeError(
            f"cannot convolve with filters {filters}, stride {strides} and dilation {gaps}; use positive numbers"
        )
    frame, more = frame_of(padding, axes), per_axis("output_padding", output_padding, axes)
    every = list(zip(image[FIRST_AXIS:], strides, sizes, gaps, frame, more, strict=True))
    places = [
        (extent - 1) * step + (size - 1) * gap + 1 - sum(cut_off) + end
        for extent, step, size, gap, cut_off, end in every
    ]
    if any(count < 1 for count in places):
        raise ShapeError(f"nothing is left of {image} without a frame of {padding}; use less padding")
    turns = tuple((count + step - 1) // step for count, step in zip(places, strides, strict=True))
    runs = [_runs(size, step, gap, before) for _, step, size, gap, (before, _), _ in every]
    result = _joined(value, weights, runs, turns, groups)
    for _ in range(axes):  # merges the turns of an axis with the places in them
        result = merge_axes(move_axis(result, FIRST_AXIS, FIRST_AXIS + axes), FIRST_AXIS + axes - 1)
    for axis, count in enumerate(places, FIRST_AXIS):
        result = cut(result, axis, 0, count)
    return result


def _runs(taps: int, stride: int, dilation: int, before: int) -> list[Run]:
    """The runs of one axis that loses `before` places at its start; places that no tap reaches form runs without taps."""
    common = gcd(stride, dilation)
    step, gap = stride // common, dilation // common
    reached = {(tap * dilation - before) % stride: tap for tap in range(min(taps, step))}
    found: list[Run] = []
    end = 0
    for place, first in sorted(reached.items()):
        if end < place:
            found.append(Run(place - end, taps, step, 0, 0, gap))
        count, offset = len(range(first, taps, step)), (place + before - first * dilation) // stride
        run = Run(1, first, step, count, offset, gap)
        if found and run == found[-1]._replace(places=1, first=found[-1].first + found[-1].places):
            run = found.pop()
            run = run._replace(places=run.places + 1)
        found.append(run)
        end = place + 1
    return [*found, Run(stride - end, taps, step, 0, 0, gap)] if end < stride else found


def _joined(
    value: UOp,
    weights: UOp,
    runs: Sequence[Sequence[Run]],
    turns: Shape,
    groups: int,
    chosen: tuple[Run, ...] = (),
) -> UOp:
    """The places of the `chosen` runs along the first axes and of all runs along the others: (batch, filters, places in a turn …, turns …)."""
    if len(chosen) < len(runs):
        parts = [_joined(value, weights, runs, turns, groups, (*chosen, run)) for run in runs[len(chosen)]]
        return join(parts, FIRST_AXIS + len(chosen))
    if all(run.taps for run in chosen):
        return _convolved(value, weights, chosen, turns, groups)
    some = _convolved(value, weights, [next(run for run in row if run.taps) for row in runs], turns, groups)
    lengths = (run.places for run in chosen)
    return UOp.full((*shape(some)[:FIRST_AXIS], *lengths, *turns), dtype_of(some), 0)


def _convolved(value: UOp, weights: UOp, runs: Sequence[Run], turns: Shape, groups: int) -> UOp:
    """The places of one run along each axis: (batch, filters, places in a turn …, turns …)."""
    axes = len(runs)
    kernel = split_axis(weights, 0, groups, shape(weights)[0] // groups)
    pads: list[tuple[int, int]] = []
    for axis, (run, count) in enumerate(zip(runs, turns, strict=True)):
        kernel = _taps(kernel, 1 + FIRST_AXIS + axis, run)
        extent = shape(value)[FIRST_AXIS + axis]
        before = (run.taps - 1) * run.gap - run.offset
        after = count + run.offset - extent
        value = cut(value, FIRST_AXIS + axis, max(0, -before), extent + min(0, after))
        pads.append((max(0, before), max(0, after)))
    # axes: group 0, channel in the group 1, filter in the group 2, then taps and places in a turn
    taps, places = range(3, 3 + axes), range(3 + axes, 3 + 2 * axes)
    kernel = kernel.permute((0, 2, *places, 1, *taps))
    lengths = shape(kernel)[2 : 2 + axes]
    filters = groups * shape(weights)[1]
    kernel = kernel.reshape((filters * prod(lengths), *shape(kernel)[2 + axes :]))
    result = convolution(axes, value, kernel, 1, pads, tuple(run.gap for run in runs), groups)
    return result.reshape((shape(value)[0], filters, *lengths, *turns))


def _taps(kernel: UOp, axis: int, run: Run) -> UOp:
    """The taps of a run along `axis`, from the last to the first, with the places of the run as a new last axis."""
    used = cut(kernel, axis, run.first, run.first + (run.taps - 1) * run.step + run.places)
    spread = reverse(windows(used, axis, run.places, run.step), axis)
    return move_axis(spread, axis + 1, len(shape(spread)) - 1)
