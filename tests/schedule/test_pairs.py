"""Reductions that read their elements twice, in parts: one kernel stores both results of each part, and another joins them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import DType, float16, float32, float64, to_numpy
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.plan import schedule
from eqsat.shape import Shape

Program = Callable[[eq.Array], eq.Array]


def variance(x: eq.Array) -> eq.Array:
    return eq.var(x, axis=0)


def log_of_sum(x: eq.Array) -> eq.Array:
    return eq.logsumexp(x, axis=0)


def saturated(program: Program, shape: Shape, plan: eq.Plan | None = None) -> Snapshot:
    graph = modernize(eq.trace(program, eq.spec(shape, float32)))
    return saturate([graph], (plan or eq.Plan()).admitted).snapshot


def summed_shapes(snapshot: Snapshot) -> set[Shape | None]:
    """Of sums alone: extremes are the same in any order."""
    terms = zip(snapshot.terms, snapshot.node_class.tolist(), strict=True)
    return {
        snapshot.class_shape[owner]
        for term, owner in terms
        if term.op is Op.REDUCE_AXIS and term.arg[0] is Op.ADD
    }


def test_means_and_squares_of_parts_are_one_kernel() -> None:
    """It reads each element once from memory, and stores two numbers for each column of a part."""
    parts, whole = schedule(saturated(variance, (4096, 1024)), Machine()).kernels
    assert (parts.name, whole.name) == ("sum_256x1024", "sum_mul_1024")
    assert len({node for node in parts.ast.toposort() if node.op is Op.STORE}) == 2


def test_rows_longer_than_a_cache_are_read_once() -> None:
    program = saturated(lambda x: eq.logsumexp(x, axis=1), (16, 1 << 20))
    first, *_ = schedule(program, Machine()).kernels
    assert first.name == "max_sum_16x512"


@pytest.mark.parametrize("program", [variance, log_of_sum])
@pytest.mark.parametrize("plan", [eq.Plan(strict=True), eq.Plan(contract=False, strict=True)])
def test_a_strict_plan_has_no_parts(program: Program, plan: eq.Plan) -> None:
    assert summed_shapes(saturated(program, (2048, 256), plan)) == {(256,)}
    assert summed_shapes(saturated(program, (2048, 256))) > {(256,)}


@pytest.mark.parametrize("shape", [(256, 1024), (4099, 512)])
def test_sums_that_gain_nothing_have_no_parts(shape: Shape) -> None:
    assert len(summed_shapes(saturated(variance, shape))) == 1


def test_what_is_joined_across_parts_is_a_pair() -> None:
    graph = ArrayGraph(saturated(log_of_sum, (4096, 256)), Machine())
    (pair,) = StorageCandidates(graph, 8).pairs
    assert [graph.term(graph.nodes[c][0]).arg[0] for c in pair] == [Op.MAX, Op.ADD]
    assert {graph.shapes[c] for c in pair} == {(64, 256)}


def test_sums_of_rows_that_are_multiplied_and_summed_are_no_pair() -> None:
    graph = ArrayGraph(
        saturated(lambda x: eq.sum(eq.sum(x, axis=1) * eq.max(x, axis=1)), (4096, 256)), Machine()
    )
    assert not StorageCandidates(graph, 8).pairs


def elements(shape: Shape, dtype: DType) -> np.ndarray:
    """Columns with infinities and NaN in one place, in a part, and everywhere, beside ordinary ones."""
    x = np.random.default_rng(2).normal(size=shape)
    for column, value in enumerate((inf, -inf, nan)):
        x[5, 4 * column] = value
        x[:1024, 4 * column + 1] = value
        x[:, 4 * column + 2] = value
    x[:1024, 12], x[1024:, 12] = -inf, inf
    return x.astype(to_numpy(dtype))


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((4096, 64), float32), ((4096, 64), float64), ((8192, 33), float16), ((8192, 33), float32)],
    ids=str,
)
def test_columns_are_what_numpy_computes(shape: Shape, dtype: DType) -> None:
    x = elements(shape, dtype)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        greatest = wide.max(axis=0)
        shifted = np.exp(wide - np.where(np.isfinite(greatest), greatest, 0.0))
        sums = np.log(shifted.sum(axis=0)) + np.where(np.isfinite(greatest), greatest, 0.0)
        expected = [wide.var(axis=0), sums]
    for program, value in zip((variance, log_of_sum), expected, strict=True):
        (found,) = eq.compile(eq.trace(program, eq.spec(shape, dtype))).run([x])
        np.testing.assert_allclose(found.astype(np.float64), value, rtol=3e-3 if dtype is float16 else 2e-5)


def test_one_kernel_stores_what_it_makes_of_what_it_stores() -> None:
    def both(x: eq.Array, y: eq.Array) -> tuple[eq.Array, eq.Array]:
        total = x * y + 1.0
        return total, eq.exp(total)

    graph = modernize(eq.trace(both, *(eq.spec((4096, 256), float32) for _ in "xy")))
    (kernel,) = schedule(saturate([graph], eq.Plan().admitted).snapshot, Machine()).kernels
    assert len({node for node in kernel.ast.toposort() if node.op is Op.STORE}) == 2
