"""Bounds, cyclic classes, and equalities of split loops."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import INTS, DType, index
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import StopReason
from eqsat.egraph.snapshot.snapshot import UNKNOWN_HI, UNKNOWN_LO
from eqsat.extract import Problem
from eqsat.machine import PROCESSOR
from eqsat.ops import AxisType, Op
from eqsat.rules.language.pattern import Value
from eqsat.rules.language.rule import INTEGERS, Rewrite, Topic, rewrite
from eqsat.rules.library import INDEX_LIBRARY, LIBRARY
from eqsat.schedule.loops.bases import TiledForms, tile_of
from eqsat.uop import UOp, toposort


@pytest.mark.parametrize("dtype", [*INTS, index], ids=str)
def test_bounds_near_the_ends_do_not_panic(dtype: DType) -> None:
    ends = (-(2**63), 2**63 - 1) if dtype.is_index else (dtype.min, dtype.max)
    x, y = eq.variable("x", *ends, dtype), eq.variable("y", ends[1] - 1, ends[1], dtype)
    roots = [
        x * x * x + y * y * 3,
        (x + y).alu(Op.NEG) - x,
        (x * y) // 3,
        x % 7,
        x.maximum(y),
        y // 2 * 2 + y % 2,
        (x < y).where(x, y),
    ]
    saturation = saturate(roots, LIBRARY)
    assert saturation.report.stop is StopReason.SATURATED
    lows, highs = saturation.snapshot.lo, saturation.snapshot.hi
    assert np.all((lows <= highs) | (lows == UNKNOWN_LO) | (highs == UNKNOWN_HI))


def test_bounds_of_a_wrapping_sum_are_those_of_its_dtype() -> None:
    x = eq.variable("x", 100, 127, eq.int8)
    snapshot = saturate([x + x], INDEX_LIBRARY).snapshot
    (root,) = snapshot.root_classes
    assert (snapshot.lo[root], snapshot.hi[root]) in ((-128, 127), (UNKNOWN_LO, UNKNOWN_HI))


def test_a_class_may_contain_itself() -> None:
    topic = Topic("cycles")

    @topic.rule(INTEGERS)
    def nothing_is_added(x: Value) -> Rewrite:
        """Adding the difference with itself changes nothing."""
        return rewrite(x // 1, x // 1 * (x // 1) // (x // 1) + 0)

    a, b = eq.variable("a", 1, 9), eq.variable("b", 0, 1)
    saturation = saturate(
        [a // 1 + b], topic.ruleset + INDEX_LIBRARY, equalities=[(a, a.maximum(b)), (a, a * 1 + b * 0)]
    )
    choice = eq.GreedyDag().extract(Problem.from_snapshot(saturation.snapshot, eq.OperationCount())).choice
    (best,) = saturation.snapshot.build(choice)
    assert eq.evaluate(best, {"a": 5, "b": 1}) == 6


def test_all_tilings_of_a_loop_stay_in_one_e_graph() -> None:
    loop = UOp.range(64, 0, AxisType.GLOBAL)
    sizes = (4, 8, 16)
    tiles = [tile_of(loop, size) for size in sizes]
    roots = (loop * 3 + 5, loop // 8, loop % 16)
    saturation = saturate(
        roots, INDEX_LIBRARY, equalities=[(loop, tile.start + tile.inner) for tile in tiles]
    )
    assert saturation.report.stop in (StopReason.SATURATED, StopReason.EXPLORED)
    forms = TiledForms(saturation.snapshot, PROCESSOR)
    for size, tile in zip(sizes, tiles, strict=True):
        expressed = dict(zip(roots, forms.express({loop: size}), strict=True))
        for root in roots:
            written = expressed[root]
            assert loop not in toposort([written])
            places = {
                tile.outer: np.repeat(np.arange(64 // size), size),
                tile.inner: np.tile(np.arange(size), 64 // size),
            }
            found = eq.evaluate(written, places)
            assert np.array_equal(found, eq.evaluate(root, {loop: np.arange(64)}))
    assert forms.express({loop: 8})[1] is tiles[1].outer
