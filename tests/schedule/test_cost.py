"""The cost model on many tilings at once, and what it prefers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import eqsat as eq
from benchmarks.kernel_models import every_tiling
from eqsat.dtype import float32, index, int32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.estimates import Costs, estimate
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.cost.profiling import profile
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.vectors import shuffles_of
from eqsat.schedule.loops.search import choose
from eqsat.schedule.plan import draft
from eqsat.schedule.tiling import Axis, Tiling, Tilings
from eqsat.uop import UOp
from tests.schedule.graphs import GRAPHS, layer_norm, matmul, without_local_memory
from tests.schedule.test_staging import kernels_that_keep

DEVICE = Machine()


@pytest.mark.parametrize(
    ("stride", "vectors", "shuffles"),
    [(2, 1, 1), (2, 2, 1), (5, 1, 4), (6, 1, 5), (6, 3, 4), (6, 6, 3), (8, 1, 7), (8, 8, 3)],
)
def test_selections_share_their_first_steps(stride: int, vectors: int, shuffles: float) -> None:
    """At stride 6, one vector takes three shuffles for every second element and two for every third of these; all six together take 6 + 12."""
    assert shuffles_of(stride, np.array([float(vectors)])) == [shuffles]


def kernels_of(sink: UOp) -> list[Profile]:
    return [profile(kernel.sink, DEVICE) for kernel in draft(sink, DEVICE).kernels]


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_a_tiling_costs_the_same_alone_as_among_others(graph: Callable[[], UOp]) -> None:
    for kernel in kernels_of(graph()):
        tables, ranked = Tables.of(kernel), choose(kernel, DEVICE).ranked
        together = estimate(tables, ranked, DEVICE)
        for place in range(0, len(ranked), max(1, len(ranked) // 8)):
            alone = estimate(tables, [ranked[place]], DEVICE)
            for cause in ("compute", "chain", "memory", "overhead"):
                assert getattr(alone, cause)[0] == pytest.approx(getattr(together, cause)[place], rel=1e-12)


SMALL = (
    "softmax",
    "layer_norm",
    "two_matmuls",
    "padded_window",
    "moves",
    "column_sum",
    "one_tile_and_several",
)
LARGE = {
    "matmul": matmul(96, 96, 96),
    "wide_layer_norm": layer_norm(256, 256),
    "double": UOp.sink(UOp.param(0, 1 << 20, float32) * 2.0),
}


@pytest.mark.parametrize("sink", [*(GRAPHS[name]() for name in SMALL), *LARGE.values()], ids=[*SMALL, *LARGE])
def test_the_chosen_tiling_is_within_a_twentieth_of_the_cheapest_of_all(sink: UOp) -> None:
    """Of all bodies in all arrangements of loops, of which `choose` looks at a tenth."""
    for kernel in kernels_of(sink):
        tables = Tables.of(kernel)
        (chosen,) = estimate(tables, [choose(kernel, DEVICE).best], DEVICE).seconds
        every = estimate(tables, every_tiling(kernel, DEVICE).ranked, DEVICE).seconds
        assert np.isfinite(chosen)
        assert chosen <= 1.05 * every.min()


def test_one_core_draws_no_more_where_it_has_many_neighbours() -> None:
    """Of two cores, one alone draws three quarters of what both do; of 64, what it would draw beside one."""
    (kernel,) = kernels_of(UOp.sink(UOp.param(0, 1 << 26, float32) * 2.0))
    alone, shared = Tiling((Axis(lanes=8),), ()), Tiling((Axis(lanes=8, parallel=True),), (0,))

    def memory(cores: int, bandwidth: float) -> list[float]:
        machine = replace(DEVICE, cores=cores, bandwidth=bandwidth)
        return estimate(Tables.of(kernel), [alone, shared], machine).memory.tolist()

    two, many = memory(2, 42e9), memory(64, 200e9)
    assert two[0] == pytest.approx(two[1] / 0.75)
    assert many[0] == pytest.approx(two[0])
    assert many[1] == pytest.approx(two[1] * 42 / 200)


def test_columns_are_summed_in_wide_stretches() -> None:
    """Stretches of one vector from each row would cost a jump in memory each."""
    table = UOp.param(0, 1 << 24, float32).reshape((4096, 4096))
    (kernel,) = kernels_of(UOp.sink(table.reduce_axis(Op.ADD, (0,))))
    assert choose(kernel, DEVICE).best.axes[0].tile * 4 >= 256


def test_accumulators_beyond_the_registers_cost() -> None:
    kernel = without_local_memory(matmul(512, 512, 512).src[0], DEVICE).profile
    tables = Tables.of(kernel)

    def compute(rows: int, vectors: int) -> float:
        return estimate(tables, [Tiling((Axis(1, rows), Axis(8, vectors), Axis()))], DEVICE).compute[0]

    assert compute(6, 2) < compute(8, 4)


def test_more_copies_are_more_instructions() -> None:
    kernel = without_local_memory(matmul(512, 512, 512).src[0], DEVICE).profile
    tilings = [Tiling((Axis(1, rows), Axis(8, 2), Axis())) for rows in (2, 8)]
    few, many = Costs.of(Tables.of(kernel), Tilings.of(kernel.extents, tilings), DEVICE).instructions.sum(
        axis=1
    )
    assert many > 3 * few


@pytest.mark.parametrize(
    ("columns", "tile", "misses"),
    [
        (1024, (Axis(8, 8), Axis(1, 6)), True),
        (1040, (Axis(8, 8), Axis(1, 6)), False),
        (1024, (Axis(16, 4), Axis(1, 8)), True),
        (1040, (Axis(16, 4), Axis(1, 8)), False),
        (1024, (Axis(16, 4), Axis(1, 16)), False),
    ],
)
def test_parts_of_lines_stored_a_page_apart_wait_for_these(
    columns: int, tile: tuple[Axis, Axis], misses: bool
) -> None:
    """Those of 64 rows share one set of level 1; with rows of 4,160 bytes they lie in all. Transposed vectors of 16 columns are whole lines."""
    rows, row = UOp.param(0, 2048, float32), UOp.param(1, columns, float32)
    product = rows.reshape((2048, 1)).expand((2048, columns)) * row.reshape((1, columns)).expand(
        (2048, columns)
    )
    (kernel,) = kernels_of(UOp.sink(product))
    tiling = Tiling(tile)
    waiting, not_waiting = (
        estimate(Tables.of(kernel), [tiling], replace(DEVICE, missed_store_cycles=cycles)).memory[0]
        for cycles in (DEVICE.missed_store_cycles, 1e-9)
    )
    assert (waiting > 1.3 * not_waiting) == misses


def test_local_memory_in_a_loop_is_filled_again_for_each_tile_around_it() -> None:
    """One work-item that walks four tiles of rows fills it as often as four that walk one each."""
    matrix = eq.spec((64, 64), float32)
    kept = [draft.profile for _, draft in kernels_that_keep(eq.trace(eq.matmul, matrix, matrix))]
    kernel = next(each for each in kept if len(each.around_fills) == 1)
    assert kernel.around_fills == (1,)

    def compute(serial: int) -> float:
        rest = [Axis()] * (len(kernel.extents) - 2)
        tiling = Tiling((Axis(), Axis(1, 1, serial, True), *rest), (1,))
        return estimate(Tables.of(kernel), [tiling], Machine(cores=1)).compute[0]

    assert compute(4) == pytest.approx(compute(1), rel=0.1)


def test_local_memory_is_filled_again_for_tiles_of_a_parallel_range_around_it() -> None:
    """But once for all tiles of a range that is inside of the one that it depends on."""
    matrix = eq.spec((64, 64), float32)
    kept = [draft.profile for _, draft in kernels_that_keep(eq.trace(eq.matmul, matrix, matrix))]
    kernel = next(each for each in kept if each.around_fills == (1,))

    def compute(serial: int, order: tuple[int, int]) -> float:
        rest = [Axis()] * (len(kernel.extents) - 2)
        tiling = Tiling((Axis(1, 1, 8, True), Axis(1, 1, serial, True), *rest), order)
        return estimate(Tables.of(kernel), [tiling], Machine(cores=1)).compute[0]

    assert compute(4, (1, 0)) == pytest.approx(compute(1, (1, 0)), rel=0.1)
    assert compute(16, (0, 1)) < 0.9 * compute(16, (1, 0))


def _cycles_of(function: Callable[[eq.Array], eq.Array], device: Machine = DEVICE) -> float:
    """What the body of a program without reductions takes of arithmetic."""
    (kernel,) = draft(eq.trace(function, eq.spec((1 << 12,), eq.float32)), device).kernels
    return sum(profile(kernel.sink, device).work.values())


@pytest.mark.parametrize("written", [lambda x: 3.0 - x * x, lambda x: x * x - 3.0], ids=["taken", "less"])
def test_a_difference_takes_in_a_product(written: Callable[[eq.Array], eq.Array]) -> None:
    assert _cycles_of(written) == DEVICE.cycles(Op.MULACC, float32)


def test_a_constant_end_needs_no_look_for_nan() -> None:
    ends = _cycles_of(lambda x: eq.maximum(x, 0.5)), _cycles_of(lambda x: eq.minimum(0.5, x))
    assert ends == 2 * (DEVICE.cycles_by_constant(Op.MAX, float32),)
    assert ends[0] < _cycles_of(lambda x: eq.maximum(x, x + 1.5)) - DEVICE.cycles(Op.ADD, float32)


@pytest.mark.parametrize(("stored", "itemsize"), [(eq.uint8, 2), (eq.int32, 4)], ids=str)
def test_bytes_are_priced_in_the_16_bits_that_vectors_compute_them_in(
    stored: eq.DType, itemsize: int
) -> None:
    """What is stored in more stays wide."""

    def contrast(image: eq.Array) -> eq.Array:
        wide = eq.astype(image, eq.int32)
        return eq.astype(eq.clip((((wide - 128) * 3) >> 1) + 128, 0, 255), stored)

    (kernel,) = draft(eq.trace(contrast, eq.spec((1 << 12,), eq.uint8)), DEVICE).kernels
    assert {size for _, _, size in profile(kernel.sink, DEVICE).work} == {itemsize}


@pytest.mark.parametrize(
    "written",
    [eq.abs, lambda x: eq.where(x < 0, -x, x), lambda x: eq.where(x < 0, x * -1.0, x)],
    ids=["abs", "negative", "product"],
)
def test_a_magnitude_is_one_operation(written: Callable[[eq.Array], eq.Array]) -> None:
    assert _cycles_of(written) == DEVICE.cycles(Op.WHERE, float32)


def test_what_a_magnitude_shares_with_others_is_priced() -> None:
    """The comparison is needed besides, and so it stays."""
    choice, comparison, product = (DEVICE.cycles(op, float32) for op in (Op.WHERE, Op.CMPLT, Op.MUL))
    both = _cycles_of(lambda x: eq.abs(x) * eq.where(x > 0, x, 3.0))
    assert both == 2 * choice + comparison + product


def test_whole_registers_take_two_passes_where_units_have_half_a_register() -> None:
    """Registers half as long take one, and so do indices, which are scalars."""
    whole = replace(DEVICE, vector_bytes=64)
    halves = replace(whole, passes=2.0)
    for op, dtype in ((Op.MULACC, float32), (Op.ADD, float32), (Op.ADD, int32), (Op.SHR, int32)):
        assert halves.cycles(op, dtype) == 2 * whole.cycles(op, dtype)
    assert halves.cycles(Op.ADD, index) == whole.cycles(Op.ADD, index)
    assert _cycles_of(lambda x: x * x + 1.5, halves) == halves.cycles(Op.MULACC, float32)
    (kernel,) = draft(matmul(96, 96, 96), halves).kernels
    counted = profile(kernel.sink, halves)
    assert sum(counted.work.values()) == 2 * sum(counted.narrow.values()) == halves.cycles(Op.MULACC, float32)


def test_whole_loads_take_two_passes_where_ports_have_half_a_register() -> None:
    """Each half is a pass, and so is the other line; stores and loads of half a register take as long as elsewhere."""
    whole = replace(DEVICE, vector_bytes=64)
    counted = without_local_memory(matmul(96, 96, 96).src[0], whole).profile
    tables = Tables.of(counted)

    def port(lanes: int, passes: float) -> float:
        tiling = Tilings.of(counted.extents, [Tiling((Axis(), Axis(lanes=lanes), Axis()))])
        return float(Costs.of(tables, tiling, replace(whole, passes=passes)).port.sum())

    assert port(16, 2.0) - port(16, 1.0) == whole.cycles(Op.LOAD, float32)
    assert port(8, 2.0) == port(8, 1.0)


def test_loads_of_two_lines_keep_multiply_adds_waiting() -> None:
    """Each whole load of 64 bytes is one, unless all of its lanes are at one address."""
    waiting = replace(DEVICE, vector_bytes=64, crossing_cycles=0.5)
    counted = without_local_memory(matmul(96, 96, 96).src[0], waiting).profile
    columns = Axis(lanes=16), Axis(lanes=16, copies=2)
    tilings = [Tiling((Axis(copies=rows), each, Axis())) for rows in (4, 8) for each in columns]
    tables = Tables.of(counted)
    costs = [
        Costs.of(tables, Tilings.of(counted.extents, tilings), device).issued.sum(axis=1)
        for device in (replace(waiting, crossing_cycles=0.0), waiting)
    ]
    np.testing.assert_allclose(costs[1] - costs[0], [0.5, 1.0, 0.5, 1.0])


def test_serial_loops_repeat_the_reductions_inside_them() -> None:
    """Least elements of columns, which rows are divided by: with rows outside and columns inside, each row would look for them anew."""
    (kernel,) = draft(
        eq.trace(lambda x: x / eq.min(x, axis=0), eq.spec((512, 64), eq.float32)), DEVICE
    ).kernels
    tables = Tables.of(kernel.profile)
    rows_first = Tiling((Axis(), Axis(), Axis()))
    columns_first = Tiling((Axis(), Axis(parallel=True), Axis()), (1,))
    inside, outside = estimate(tables, [rows_first, columns_first], DEVICE).seconds
    assert inside > 100 * outside
    assert kernel.choice.best_seconds < inside / 100


def test_a_tile_that_overlaps_another_is_masked() -> None:
    """Sums of rows of 384 elements need no masks in tiles of 128; those of 320 do, and in tiles of 64 none."""

    def compute(extent: int, copies: int) -> float:
        (kernel,) = draft(
            eq.trace(lambda x: eq.sum(x * x, axis=1), eq.spec((512, extent), eq.float32)), DEVICE
        ).kernels
        tiling = Tiling((Axis(parallel=True), Axis(16, copies)), (0,))
        return float(estimate(Tables.of(kernel.profile), [tiling], DEVICE).compute[0]) / extent

    assert compute(320, 8) > 1.5 * compute(384, 8)
    assert compute(320, 4) < 1.2 * compute(384, 8)


def _memory_seconds(
    function: Callable[[eq.Array], eq.Array], shape: tuple[int, ...], tiling: Tiling
) -> float:
    (kernel,) = draft(eq.trace(function, eq.spec(shape, eq.float32)), DEVICE).kernels
    return float(estimate(Tables.of(kernel.profile), [tiling], DEVICE).memory[0])


def test_rows_that_follow_each_other_are_one_stream() -> None:
    """Whole rows of 128 bytes take as long as rows of 128 KiB."""
    tiling = Tiling((Axis(parallel=True), Axis(16, 2)), (0,))
    short, long = (
        _memory_seconds(lambda x: eq.sum(x, axis=1), shape, tiling)
        for shape in ((1 << 15, 32), (32, 1 << 15))
    )
    assert short == pytest.approx(long, rel=0.1)


def test_stored_lines_cross_the_last_cache_once_and_half_of_the_time_again() -> None:
    """Once as they are stored, and before, unless the core has them from the run before; elements that are loaded cross it once."""
    doubled = _memory_seconds(lambda x: x * 2.0, (1 << 20,), Tiling((Axis(16, 8, parallel=True),), (0,)))
    summed = _memory_seconds(
        lambda x: eq.sum(x, axis=1), (64, 1 << 14), Tiling((Axis(parallel=True), Axis(16, 8)), (0,))
    )
    assert doubled == pytest.approx(2.5 * summed, rel=0.1)


def test_narrow_integers_of_scalars_are_computed_as_int() -> None:
    """A loop over them becomes vectors with as many lanes as one over 32 bits."""

    def lanes(dtype: eq.DType) -> list[int]:
        (kernel,) = draft(eq.trace(lambda x: 255 - x, eq.spec((1 << 12,), dtype)), DEVICE).kernels
        return [each.lanes for each in Tables.of(kernel.profile).scalars]

    assert lanes(eq.uint8) == lanes(eq.int32)


def test_iterations_that_fill_no_vector_are_made_one_by_one() -> None:
    """Of rows of 15 elements a compiler's loop takes eight together and seven alone; of 16, eight twice."""

    def compute(extent: int) -> float:
        (kernel,) = draft(
            eq.trace(lambda x: x * x[:, :1], eq.spec((4096, extent), eq.float32)), DEVICE
        ).kernels
        tiling = Tiling((Axis(parallel=True), Axis()), (0,))
        return float(estimate(Tables.of(kernel.profile), [tiling], DEVICE).compute[0])

    assert compute(15) > 2 * compute(16)
    assert compute(8000) == pytest.approx(500 * compute(16), rel=0.2)


def test_a_chain_of_sums_takes_what_sums_take() -> None:
    """A sum in one accumulator waits for each sum; one of products for each multiply-add."""
    x = UOp.param(0, 1 << 12, float32)
    slow = replace(DEVICE, sum_cycles=2 * DEVICE.sum_cycles)

    def chain(summed: UOp, device: Machine) -> float:
        kernel = without_local_memory(summed.reduce_axis(Op.ADD, (0,)), DEVICE).profile
        return estimate(Tables.of(kernel), [Tiling((Axis(),))], device).chain[0]

    assert chain(x, slow) == pytest.approx(2 * chain(x, DEVICE))
    assert chain(x * x, slow) == chain(x * x, DEVICE)
    words = UOp.param(0, 1 << 12, int32)
    slow = replace(DEVICE, dot_cycles=2 * DEVICE.dot_cycles)
    assert chain(words.alu(Op.DOT, words), slow) == pytest.approx(2 * chain(words.alu(Op.DOT, words), DEVICE))
    assert chain(words * words, slow) == chain(words * words, DEVICE)


def test_lanes_of_values_with_indices_are_joined_by_several_comparisons() -> None:
    """Rows of 64, in four vectors each: joining the lanes takes most of the time, where a sum or a maximum has an operation for each halving."""
    x = eq.spec((1 << 14, 64), eq.float32)

    def compute(function: Callable[[eq.Array], eq.Array]) -> float:
        kernel = kernels_of(eq.trace(function, x))[0]
        tiling = Tiling((Axis(1, 8, 1, True), Axis(16, 4)), (0,))
        return estimate(Tables.of(kernel), [tiling], Machine(vector_bytes=64)).compute[0]

    assert compute(lambda x: eq.argmin(x, axis=1)) > 2 * compute(lambda x: eq.min(x, axis=1))
