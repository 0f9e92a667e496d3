"""The cost model on many tilings at once, and what it prefers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from eqsat.dtype import float32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.estimates import estimate, instructions
from eqsat.schedule.cost.profile import Profile, profile
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.loops.search import choose, every_tiling
from eqsat.schedule.loops.tiling import Axis, Tiling
from eqsat.schedule.plan import draft
from eqsat.uop import UOp
from tests.schedule.graphs import GRAPHS, layer_norm, matmul, without_local_memory

DEVICE = Machine()


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
    few, many = instructions(
        Tables.of(kernel), [Tiling((Axis(1, rows), Axis(8, 2), Axis())) for rows in (2, 8)]
    )
    assert many > 3 * few
