"""Loops over outputs that are cut where reshaped arrays have their axes."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.machine import Machine
from eqsat.schedule.lowering.output_loops import loops_of_axes
from eqsat.schedule.plan import schedule

DRAWN = st.lists(st.integers(1, 6), min_size=0, max_size=5)


@given(st.data())
def test_cuts_are_where_axes_of_other_shapes_end(data: st.DataObject):
    """The loops of an axis multiply to its extent, and each cut between them is the end of an axis of another shape."""
    factors = data.draw(DRAWN)
    shapes = [tuple(_joined(data, factors)) for _ in range(3)]
    loops = loops_of_axes(shapes[0], shapes[1:])
    assert [prod(extents) for extents in loops] == list(shapes[0])
    ends = {prod(shape[axis:]) for shape in shapes for axis in range(len(shape) + 1)}
    flat = [extent for extents in loops for extent in extents]
    assert {prod(flat[axis:]) for axis in range(len(flat) + 1)} <= ends


def _joined(data: st.DataObject, factors: list[int]) -> list[int]:
    """Axes that are products of neighbouring factors."""
    shape = [1]
    for factor in factors:
        if data.draw(st.booleans()):
            shape.append(factor)
        else:
            shape[-1] *= factor
    return shape


@pytest.mark.parametrize(
    ("channels", "groups", "pixels"), [(6, 3, (5, 7)), (8, 2, (4, 4)), (12, 4, (1, 9)), (5, 1, (3, 3))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_groups_of_channels_are_normalized(channels: int, groups: int, pixels: tuple[int, int], dtype: type):
    images = np.random.default_rng(0).normal(3, 2, (2, channels, *pixels)).astype(dtype)
    scale = np.arange(1, channels + 1, dtype=dtype)

    def normalized(xp, x, y):
        grouped = xp.reshape(x, (2, groups, -1))
        centred = grouped - xp.mean(grouped, axis=-1, keepdims=True)
        deviation = xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)
        return xp.reshape(centred / deviation, x.shape) * y[:, None, None]

    result = eq.jit(lambda x, y: normalized(eq, x, y))(images, scale)
    np.testing.assert_allclose(
        result, normalized(np, images, scale), rtol=2e-4 if dtype is np.float32 else 1e-10, atol=1e-6
    )


def test_norms_of_groups_need_no_kernel_for_their_sums():
    """Means belong to pairs of channels: each is computed once for both, in the kernel that needs it."""

    def centred(x: eq.Array, scale: eq.Array) -> eq.Array:
        grouped = eq.reshape(x, (8, 32, 6272))
        return eq.reshape(grouped - eq.mean(grouped, axis=-1, keepdims=True), x.shape) * scale[:, None, None]

    graph = eq.trace(centred, eq.spec((8, 64, 56, 56), eq.float32), eq.spec((64,), eq.float32))
    made = schedule(saturate([graph], eq.Plan().admitted).snapshot, Machine())
    (kernel,) = made.kernels
    assert kernel.choice.count("output") >= 3


def test_a_scan_along_an_axis_that_is_reshaped_walks_it_whole():
    x = np.arange(48, dtype=np.float32).reshape(2, 24)
    result = eq.jit(lambda x: eq.cumulative_sum(eq.exp(eq.reshape(x, (2, 4, 6))).reshape((2, 24)), axis=1))(
        x / 48
    )
    np.testing.assert_allclose(result, np.cumsum(np.exp(x / 48), axis=1), rtol=1e-5)
