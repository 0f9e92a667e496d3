"""How many tiles work-items walk through: many, in extents without convenient divisors too, and no two work-items compute one element."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.machine import Machine
from eqsat.ops import AxisType, Op
from eqsat.schedule.loops.serial_tiles import serial_tiles
from eqsat.schedule.plan import draft

EXTENTS = [*range(1, 130), 997, 7919, 30188 * 16 - 8, 600 * 805]


@pytest.mark.parametrize("tile", [1, 3, 4, 16])
@pytest.mark.parametrize("most", [1, 2, 8, 256])
def test_no_two_work_items_compute_one_element(tile: int, most: int) -> None:
    for extent in EXTENTS:
        tiles = -(-extent // tile)
        number = serial_tiles(extent, tile, most, even=False)
        items = -(-tiles // number)
        starts = [
            min(item * number + step, tiles - 1) * tile
            for item in range(min(items, 3))
            for step in (0, number - 1)
        ]
        assert max(starts) < extent
        last = tiles - (items - 1) * number
        assert last >= 1
        if extent % tile and items > 1:
            assert last >= 2  # the last tile begins early, in the tile before
        assert number <= max(most, 11) or number == tiles


@pytest.mark.parametrize("extent", [7919, 30188 * 16 - 8, 600 * 805])
def test_extents_without_divisors_are_shared_by_work_items(extent: int) -> None:
    tiles = -(-extent // 16)
    assert tiles // 256 <= -(-tiles // serial_tiles(extent, 16, 256, even=False)) <= tiles // 128 + 1


def test_stores_that_combine_never_repeat_a_tile() -> None:
    for extent in EXTENTS:
        for most in (1, 4, 64):
            number = serial_tiles(extent, 8, most, even=True)
            assert -(-extent // 8) % number == 0


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(7919,), (997, 3), (601, 805), (30188 * 16 - 8,)])
def test_odd_sizes_are_right(shape: tuple[int, ...], dtype: type) -> None:
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    np.testing.assert_array_equal(eq.jit(lambda x: eq.maximum(x, 7) * 2 - x)(x), np.maximum(x, 7) * 2 - x)
    sums = x.astype(np.float64).sum(axis=0)
    np.testing.assert_allclose(eq.jit(lambda x: eq.sum(x.astype(eq.float64), axis=0))(x), sums)


@pytest.mark.parametrize("columns", [9, 10, 17, 20, 33])
def test_narrow_rows_are_explicit_vectors(columns: int) -> None:
    """Compilers compute 20 neighbouring work-items as vectors and a rest of single items, in four times the time of vectors that overlap."""
    specs = [eq.spec(shape, eq.float32) for shape in ((20000, columns), (columns,))]
    traced = eq.trace(lambda x, row: (x - row) / row, *specs)
    (kernel,) = (
        draft(saturate([traced], eq.Plan().admitted).snapshot, Machine(vector_bytes=64)).schedule().kernels
    )
    assert any(node.op is Op.RANGE and node.arg[1] is AxisType.UPCAST for node in kernel.ast.toposort())
