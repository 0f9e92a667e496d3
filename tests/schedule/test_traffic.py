"""Bytes between the levels of the memory hierarchy, where they can be counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import eqsat as eq
from eqsat.array import Array
from eqsat.dtype import float32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.nest import Nest
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.traffic import memory_seconds, traffic
from eqsat.schedule.tiling import Axis, Floats, Tiling, Tilings
from eqsat.uop import UOp
from tests.schedule.graphs import matmul, without_local_memory
from tests.schedule.test_staging import kernels_that_keep

DEVICE = Machine()
ALONE = np.ones(1)  # groups that a core has begun at once
LEVEL1, LEVEL2, MEMORY = range(3)
ITEM = 4  # bytes


def tables_of(value: UOp) -> Tables:
    """The one kernel of a value."""
    return Tables.of(without_local_memory(value, DEVICE).profile)


def bytes_in(tables: Tables, level: int, *axes: Axis, order: tuple[int, ...] = ()) -> Floats:
    """Bytes that cross into a level, by buffer."""
    tilings = Tilings.of(tables.kernel.extents, [Tiling(axes, order)])
    return traffic(tables.tree, tilings, Nest.of(tilings), ALONE, DEVICE)[level, :, 0]


def standardized(rows: int, columns: int) -> UOp:
    """Rows less their mean, over their greatest: two reductions and an elementwise loop, one after the other."""
    x = UOp.param(0, rows * columns, float32).reshape((rows, columns))
    total, greatest = (
        x.reduce_axis(op, (1,)).reshape((rows, 1)).expand((rows, columns)) for op in (Op.ADD, Op.MAX)
    )
    return (x - total) * greatest


def test_loops_beside_each_other_add() -> None:
    """A row that does not fit level 1 is fetched by each of the loops over it, not once for every element of another loop."""
    rows, columns = 16, 1 << 16
    tables = tables_of(standardized(rows, columns))
    axes = [Axis(parallel=True, serial=1), *(Axis(8) for _ in tables.kernel.extents[1:])]
    once = rows * columns * ITEM
    read = bytes_in(tables, LEVEL1, *axes, order=(0,)).max()
    assert once < read <= 3 * once
    assert bytes_in(tables, LEVEL2, *axes, order=(0,)) == pytest.approx([once, once])


def test_a_row_that_fits_is_fetched_once() -> None:
    rows, columns = 1 << 12, 1 << 9
    tables = tables_of(standardized(rows, columns))
    axes = [Axis(parallel=True, serial=1), *(Axis(8) for _ in tables.kernel.extents[1:])]
    once = rows * columns * ITEM
    assert bytes_in(tables, LEVEL1, *axes, order=(0,)) == pytest.approx([once, once])


def test_lines_are_used_up_by_the_loop_that_walks_along_them() -> None:
    """A row of the left operand is longer than level 1, and still each of its lines is fetched once per tile of columns."""
    size = 1 << 12
    tables = tables_of(matmul(8, size, 64).src[0])
    read = bytes_in(tables, LEVEL1, Axis(1, 4), Axis(8, 2), Axis())
    assert np.isclose(read, 8 * size * ITEM * 64 / 16).any()


def test_taps_and_channels_touch_the_same_lines() -> None:
    size = 1 << 16
    x = UOp.param(0, 3 * size, float32)
    pixels, row = Array(x.reshape((size, 3))), Array(x)
    for value, touched in (
        (pixels[:, 0] + pixels[:, 1] * pixels[:, 2], 3 * size),  # channels of one pixel
        (row[2:] + row[1:-1] * row[:-2], 3 * size),  # neighbours
        (row[:size] + row[2 * size :], 2 * size),  # two thirds that lie apart
    ):
        tables = tables_of(value.uop)
        crossing = bytes_in(tables, MEMORY, *[Axis()] * len(tables.kernel.extents))
        assert np.isclose(crossing, touched * ITEM, rtol=0.01).any()


def test_rows_that_a_window_shares_are_counted_once() -> None:
    """Four rows of output at a time need six rows of input, not three times four."""
    rows, columns = 66, (1 << 12) + 16
    image = Array(UOp.param(0, rows * columns, float32).reshape((1, 1, rows, columns)))
    tables = tables_of(eq.max_pool2d(image, 3, stride=1).uop)
    read = bytes_in(tables, LEVEL1, Axis(1, 4), Axis(8), Axis(), Axis())
    assert np.isclose(read, 16 * 6 * columns * ITEM, rtol=0.05).any()


def test_strides_of_a_page_leave_most_sets_of_level_1_empty() -> None:
    """Columns of 64 lines fit level 1 where the rows are odd, and not where they are a multiple of 4 KiB."""

    def fetched(columns: int) -> float:
        x = UOp.param(0, 64 * columns, float32).reshape((64, columns))
        tables = tables_of(x.reduce_axis(Op.ADD, (0,)))
        return float(bytes_in(tables, LEVEL1, Axis(), Axis()).max() / (64 * columns * ITEM))

    assert fetched(1024 + 17) < 1.5
    assert fetched(1024) > 8


def test_loops_that_only_other_tilings_have_do_not_count() -> None:
    """The body fits no level 1: a page apart, 64 rows leave most of its sets empty."""
    x = UOp.param(0, 64 << 16, float32).reshape((64, 1 << 16))
    tables = tables_of(x.reduce_axis(Op.ADD, (0,)))
    unrolled, looped = Tiling((Axis(8), Axis(copies=64))), Tiling((Axis(8), Axis()))
    alone, among = (Tilings.of(tables.kernel.extents, each) for each in ([unrolled], [unrolled, looped]))
    read, beside = (
        traffic(tables.tree, each, Nest.of(each), ALONE, DEVICE)[..., 0] for each in (alone, among)
    )
    assert read == pytest.approx(beside)


def test_what_fits_a_cache_is_not_fetched_from_further_away() -> None:
    def seconds(size: int) -> float:
        tables = tables_of(UOp.param(0, size, float32) * 2.0)
        tiling = Tilings.of(tables.kernel.extents, [Tiling((Axis(8, 4, 8, parallel=True),), (0,))])
        busy = np.ceil(tiling.groups / DEVICE.cores) / tiling.groups
        return float(memory_seconds(tables, tiling, busy, ALONE, DEVICE)[0]) / size

    near, small, large = seconds(1 << 16), seconds(1 << 20), seconds(1 << 24)
    assert near < 0.5 * small, "what fits level 2 of both cores is still there, too"
    assert small < 0.7 * large


def test_a_column_that_is_stored_waits_for_each_of_its_lines() -> None:
    """Columns of 768 rows that share four sets of level 1; along rows each line is stored as a whole."""
    transposed = UOp.param(0, 768 * 768, float32).reshape((768, 768)).permute((1, 0)) * 2.0
    tables = tables_of(transposed)
    down, along = (
        Tilings.of(tables.kernel.extents, [Tiling(axes, order)])
        for axes, order in (
            ((Axis(1, 1, 64, True), Axis(1, 1, 1, True)), (1, 0)),
            ((Axis(1, 1, 1, True), Axis(1, 1, 64, True)), (0, 1)),
        )
    )
    machine = replace(DEVICE, cache_bytes=(48 << 10, 2 << 20, 128 << 20))
    busy, at_once = np.array([0.5]), replace(machine, missed_store_cycles=1e-9)
    waiting = 768 * 768 / 2 * machine.missed_store_cycles / machine.frequency
    assert memory_seconds(tables, down, busy, ALONE, machine)[0] == pytest.approx(waiting, rel=0.1)
    assert memory_seconds(tables, down, busy, ALONE, at_once)[0] < waiting / 2
    assert memory_seconds(tables, along, busy, ALONE, machine) == memory_seconds(
        tables, along, busy, ALONE, at_once
    )


def pooled_seconds(*axes: Axis, order: tuple[int, ...]) -> float:
    """Seconds in which memory delivers 32 images of 64 × 64 under 3 × 3 windows, which other kernels have driven out to level 3."""
    tables = tables_of(
        eq.trace(lambda x: eq.max_pool2d(x, 3, stride=1), eq.spec((4, 8, 64, 64), float32)).src[0]
    )
    tilings = Tilings.of(tables.kernel.extents, [Tiling(axes, order)])
    return float(memory_seconds(tables, tilings, np.array([0.5]), ALONE, DEVICE.within(8 << 20))[0])


def test_rows_that_follow_each_other_are_foreseen_through_all_loops() -> None:
    """Windows that walk along the rows of an image read all of it; at the same row of each image they read one row, and jump."""
    taps = Axis(), Axis()
    rows, images = Axis(1, 1, 62, True), Axis(1, 1, 32, True)
    along = pooled_seconds(Axis(1, 1, 1, True), rows, Axis(16), *taps, order=(0, 1))
    across = pooled_seconds(images, Axis(1, 1, 1, True), Axis(16), *taps, order=(1, 0))
    assert across > 1.1 * along


def test_taps_of_a_window_do_not_lengthen_what_is_walked_along() -> None:
    """Three taps a column apart read 72 bytes of a row, not 192."""
    images, vector = Axis(1, 1, 32, True), Axis(16)
    taps_last, taps_at_once = (
        pooled_seconds(images, Axis(1, 1, 1, True), vector, *taps, order=(1, 0))
        for taps in ((Axis(), Axis()), (Axis(), Axis(1, 3)))
    )
    assert taps_last == pytest.approx(taps_at_once, rel=0.1)


def test_stretches_near_each_other_are_one_visit() -> None:
    """Of rows of 256 bytes, four at a time are visited as if they were one of four times the length; of images they are four visits."""
    taps = Axis(), Axis()
    one, rows, images = (
        pooled_seconds(Axis(1, many, 1, True), Axis(1, tall, 2, True), Axis(16), *taps, order=(0, 1))
        for many, tall in ((1, 1), (1, 4), (4, 1))
    )
    assert rows < 0.97 * one
    assert rows < images


def products_of_columns(rows: int, columns: int, *slots: int) -> UOp:
    """The products of the columns of one matrix with those of another, or of itself."""
    left, right = (UOp.param(slot, rows * columns, float32) for slot in slots)
    shape = rows, columns, columns
    products = left.reshape((rows, columns, 1)).expand(shape) * right.reshape((rows, 1, columns)).expand(
        shape
    )
    return products.reduce_axis(Op.ADD, (0,))


@pytest.mark.parametrize("level", [LEVEL1, LEVEL2])
def test_two_walks_of_one_matrix_take_what_walks_of_two_do(level: int) -> None:
    """Panels of its columns lie elsewhere; those of both do not fit, where those of one alone would."""
    axes = Axis(1, 64, parallel=True, serial=1), Axis(8, 8, parallel=True, serial=1), Axis()
    own, other = (tables_of(products_of_columns(2048, 1024, *slots)) for slots in ((0, 0), (0, 1)))
    read = [bytes_in(tables, level, *axes, order=(0, 1))[:-1].sum() for tables in (own, other)]
    assert read[0] == pytest.approx(read[1])


@pytest.mark.parametrize(("length", "times"), [(512, 1), (2048, 64)])
def test_neighbours_drive_out_what_each_leaves_for_the_next_row(length: int, times: int) -> None:
    """Two reductions in turn, each with weights for all rows: with its row each fits level 1, but not both together if they are long."""
    rows = 64

    def reduced(op: Op, slot: int, extent: int) -> UOp:
        shape = rows, extent
        row = UOp.param(slot, rows * extent, float32).reshape(shape)
        weights = UOp.param(slot + 1, extent, float32).reshape((1, extent)).expand(shape)
        return (row * weights).reduce_axis(op, (1,))

    tables = tables_of(reduced(Op.ADD, 0, length) * reduced(Op.MAX, 2, length + 16))
    axes = [Axis(parallel=True, serial=rows), *(Axis(8) for _ in tables.kernel.extents[1:])]
    _, *read = sorted(bytes_in(tables, LEVEL1, *axes, order=(0,)).tolist())
    sizes = [ITEM * extent * often for extent in (length, length + 16) for often in (times, rows)]
    assert read == pytest.approx(sorted(sizes))


def test_work_items_around_a_loop_are_no_part_of_its_iterations() -> None:
    """Each item packs panels of columns and multiplies its own rows: to level 2 nothing comes twice, whatever all items store together."""
    rows, columns = 1024, 768
    kept = (draft.profile for _, draft in kernels_that_keep(matmul(rows, 64, columns)))
    kernel = next(
        each for each in kept if each.extents[:2] == (columns, rows) and each.around_fills == (0b1,)
    )
    rest = [Axis()] * (len(kernel.extents) - 2)
    tables = Tables.of(kernel)
    read = bytes_in(tables, LEVEL2, Axis(16, 2), Axis(1, 8, parallel=True), *rest, order=(1,))
    assert read.max() <= rows * columns * ITEM


def test_serial_tiles_around_several_bodies_are_all_fetched() -> None:
    """A work-item walks through four tiles of columns, and in each through all rows, which have a sum of their own."""
    rows, columns, terms = 64, 64, 64
    matrices = UOp.param(0, rows * columns * terms, float32).reshape((rows, columns, terms))
    others = UOp.param(1, rows * terms, float32).reshape((rows, terms)).reduce_axis(Op.ADD, (1,))
    tables = tables_of(matrices.reduce_axis(Op.ADD, (2,)) * others.reshape((rows, 1)).expand((rows, columns)))
    axes = [Axis(), Axis(1, 8, serial=4, parallel=True), *(Axis(16) for _ in tables.kernel.extents[2:])]
    assert bytes_in(tables, LEVEL2, *axes, order=(1,)).max() == pytest.approx(rows * columns * terms * ITEM)


@pytest.mark.parametrize(("terms", "is_foreseen"), [(64, True), (128, False)])
def test_a_few_walks_in_turns_are_foreseen(terms: int, is_foreseen: bool) -> None:
    """Of a matrix, 64 columns at a time of all rows: the next 64 of each row follow those before."""
    columns = (1 << 20) // terms
    tables = tables_of(matmul(8, terms, columns).src[0])
    apart = tables_of(matmul(8, 1 << 10, 1 << 10).src[0])
    each, never = (_seconds(table, Axis(1, 8), Axis(16, 4), Axis()) for table in (tables, apart))
    assert (each < 0.7 * never) is is_foreseen


@pytest.mark.parametrize(
    ("columns", "is_prefetched"), [(300, False), (304, True), (200, False), (1001, True)]
)
def test_rows_of_a_page_that_are_stored_in_turns_are_not_prefetched(
    columns: int, is_prefetched: bool
) -> None:
    """Where rows begin with lines, they are stored past the caches; and longer rows have pages of their own."""
    tables = tables_of(standardized(12_000_000 // columns, columns))
    others = [Axis(16)] * (len(tables.kernel.extents) - 1)
    alone, together = (_seconds(tables, Axis(1, copies), *others) for copies in (1, 8))
    assert (together < 1.3 * alone) is is_prefetched


def _seconds(tables: Tables, *axes: Axis) -> float:
    tilings = Tilings.of(tables.kernel.extents, [Tiling(axes)])
    return float(memory_seconds(tables, tilings, np.ones(1), ALONE, replace(DEVICE, cached_delays=1.0))[0])
