"""Lanes that lie apart: which loops are chosen for them, and what the cost model says of them."""

from __future__ import annotations

import pytest

from eqsat.dtype import float32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.estimates import estimate
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.loops.search import choose
from eqsat.schedule.plan import draft
from eqsat.schedule.tiling import Axis, Tiling
from eqsat.uop import UOp

DEVICE = Machine()
SIZE = 512


def kernel_of(value: UOp) -> Profile:
    """The one kernel of a value."""
    (kernel,) = draft(UOp.sink(value), DEVICE).kernels
    return kernel.profile


def channels(count: int) -> UOp:
    """The sum of the interleaved channels of pixels, taken one by one."""
    pixels = UOp.param(0, SIZE * SIZE * count, float32).reshape((SIZE * SIZE, count))
    parts = [
        pixels.shrink(((0, SIZE * SIZE), (each, each + 1))).reshape((SIZE * SIZE,)) for each in range(count)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def square() -> UOp:
    return UOp.param(0, SIZE * SIZE, float32).reshape((SIZE, SIZE))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_channels_are_vectors_of_pixels(count: int) -> None:
    (axis,) = choose(kernel_of(channels(count)), DEVICE).best.axes
    assert axis.lanes > 1


def test_more_channels_are_not_selected_from_whole_loads() -> None:
    """Five sources and more would be as slow as lanes one by one."""
    pixels = [channels(count) for count in (4, 5)]
    costs = [estimate(Tables.of(kernel_of(each)), [Tiling((Axis(8),))], DEVICE).compute[0] for each in pixels]
    assert costs[1] > 1.5 * costs[0]


def test_sums_with_transposes_are_done_in_squares() -> None:
    tiling = choose(kernel_of(square() + square().permute((1, 0))), DEVICE).best
    copies, lanes = sorted(tiling.axes, key=lambda axis: axis.lanes)
    assert copies.copies % lanes.lanes == 0
    assert lanes.lanes > 1


def test_a_square_costs_less_than_lanes_one_by_one() -> None:
    kernel = Tables.of(kernel_of(square() + square().permute((1, 0))))
    tilings = [Tiling((Axis(1, copies), Axis(8))) for copies in (4, 8)]
    apart, together = estimate(kernel, tilings, DEVICE).compute
    assert together < apart / 2


def test_interleaved_stores_have_a_copy_for_each_phase() -> None:
    planes = UOp.param(0, 3 * SIZE * SIZE, float32).reshape((3, SIZE * SIZE))
    tiling = choose(kernel_of(planes.permute((1, 0)) * 2.0), DEVICE).best
    assert any(axis.lanes > 1 for axis in tiling.axes)
    assert any(axis.lanes == 1 and axis.copies == 3 for axis in tiling.axes)


def test_windows_of_two_are_done_at_once() -> None:
    image = UOp.param(0, 4096 * 2048, float32)
    windows = image.reshape((2048, 2, 1024, 2)).reduce_axis(Op.MAX, (1, 3))
    kernel = kernel_of(windows)
    tiling = choose(kernel, DEVICE).best
    reduced = [axis for extent, axis in zip(kernel.extents, tiling.axes, strict=True) if extent == 2]
    assert [axis.copies for axis in reduced] == [2, 2]
