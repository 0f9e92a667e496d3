"""What the cost model says of work-groups on graphics cards: transactions, waiting, groups begun at once, and the cache that these share."""

from __future__ import annotations

from dataclasses import replace

import pytest

import eqsat as eq
from eqsat.machine import GRAPHICS
from eqsat.ops import AxisType
from eqsat.schedule.cost.estimates import Costs, estimate
from eqsat.schedule.cost.groups import MOST_RESIDENT
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.tiling import Axis, Tiling, Tilings
from tests.schedule.test_groups import PROGRAMS, drafted, softmax


def one_kernel(shapes: tuple[tuple[int, ...], ...]) -> Tables:
    """Of a product, or of the sums of rows."""
    program = eq.matmul if len(shapes) > 1 else lambda x: eq.sum(x, axis=1)
    (kernel,) = drafted(program, *shapes, machine=replace(GRAPHICS, local_bytes=0)).kernels
    return Tables.of(kernel.profile)


def test_items_that_read_one_place_are_given_it_at_once() -> None:
    """Items side by side along a row of results read one element of the left operand; along a column each its own, far from the others."""
    tables = one_kernel(((512, 512), (512, 512)))
    across, down = (
        Tilings.of(
            tables.kernel.extents,
            [Tiling((Axis(parallel=True, items=a), Axis(parallel=True, items=b), Axis()), (0, 1))],
        )
        for a, b in ((1, 32), (32, 1))
    )
    near, far = (Costs.of(tables, each, GRAPHICS).port.max() for each in (across, down))
    assert near * 10 < far


def test_more_groups_are_begun_at_once_the_fewer_registers_and_items_they_have() -> None:
    tables = one_kernel(((4096, 512), (512, 4096)))

    def begun(copies: int, items: int) -> float:
        axes = (Axis(parallel=True, copies=copies), Axis(parallel=True, items=items, copies=copies), Axis())
        return float(estimate(tables, [Tiling(axes, (0, 1))], GRAPHICS).begun[0])

    assert begun(1, 32) == MOST_RESIDENT
    assert begun(1, 32) > begun(8, 32) > begun(8, 256) >= 1
    assert begun(1, 256) <= GRAPHICS.resident_items // 256


def test_groups_that_are_begun_at_once_share_the_first_cache() -> None:
    """Rows that are read twice: as many as fit are still there the second time, and more of them are not."""
    (kernel,) = drafted(softmax, (4096, 2048), machine=replace(GRAPHICS, local_bytes=0)).kernels
    tables = Tables.of(kernel.profile)
    row = next(
        place for place, extent in enumerate(tables.kernel.extents) if tables.kernel.outputs >> place & 1
    )

    def moved(items: int) -> float:
        axes = [Axis(items=items) for _ in tables.kernel.extents]
        axes[row] = Axis(parallel=True)
        large = replace(
            GRAPHICS,
            cache_bytes=(192 << 10, 192 << 10, 1 << 30),
            bandwidth=1e14,
            load_cycles=0.0,
        )
        return float(estimate(tables, [Tiling(tuple(axes), (row,))], large).memory[0])

    assert moved(32) > 1.5 * moved(256)


def test_iterations_at_once_wait_for_one_load() -> None:
    tables = one_kernel(((4096, 4096),))
    position = next(
        place for place, bound in enumerate(tables.kernel.ranges) if bound.arg[1] is AxisType.REDUCE
    )

    def waiting(axis: Axis) -> float:
        axes = [Axis(parallel=True, items=32) for _ in tables.kernel.extents]
        axes[position] = axis
        order = tuple(place for place in range(len(axes)) if place != position)
        return float(estimate(tables, [Tiling(tuple(axes), order)], GRAPHICS).chain[0])

    alone, four = waiting(Axis()), waiting(Axis(copies=4))
    assert four < alone / 3


@pytest.mark.parametrize("name", PROGRAMS)
def test_bounds_are_not_above_what_kernels_take_on_cards(name: str) -> None:
    function, shapes = PROGRAMS[name]
    large = tuple(tuple(8 * size for size in shape) for shape in shapes)
    for each in (shapes, *([large] if name != "convolution" else [])):
        drafts = drafted(function, *each)
        assert drafts.lower_bound <= sum(kernel.choice.best_seconds for kernel in drafts.kernels) * (1 + 1e-9)
