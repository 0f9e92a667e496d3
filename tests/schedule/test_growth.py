"""Work done while scheduling grows no faster than the graph, whatever is unrolled; counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from benchmarks.scaling import FAMILIES, Family
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.machine import Machine
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement import KernelPrices, extract_kernels, variants
from eqsat.schedule.placement.kernel_limits import KERNEL_STORES
from eqsat.schedule.plan import draft
from eqsat.uop import UOp

SIZES = {
    "stencil 1-D": (20, 160),
    "stencil 3-D": (4, 16),
    "recurrent": (24, 64),
    "layers": (8, 64),
    "outputs": (80, 320),
    "chained outputs": (80, 320),
    "transformer": (2, 8),
}
STEEPEST = 1.2  # growth's exponent

every_family = pytest.mark.parametrize(
    "family", [family for family in FAMILIES if family.name in SIZES], ids=lambda family: family.name
)


@every_family
def test_work_grows_linearly(family: Family) -> None:
    counted = [work(family.graph(size)) for size in SIZES[family.name]]
    (few, *little), (many, *much) = counted
    for name, before, after in zip(("kernels", "candidates", "text"), little, much, strict=True):
        assert after <= before or log(after / before) / log(many / few) < STEEPEST, name


def work(graph: UOp) -> tuple[int, int, int, int]:
    """Nodes; kernels priced, candidates costed, nodes of the distinct kernels."""
    device = Machine()
    prices = KernelPrices(device)
    placed = extract_kernels(snapshot_as_written([modernize(graph)]), prices)
    found = [draft for draft in prices.drafts.values() if draft is not None]
    distinct = {kernel.draft.sink for kernel in placed.kernels}
    return (
        len(graph.toposort()),
        len(prices.drafts.keys() | prices.slow),
        sum(draft.choice.looked_at for draft in found),
        sum(map(text, distinct)),
    )


def text(sink: UOp) -> int:
    """Nodes of a kernel."""
    return len(sink.toposort())


@pytest.mark.parametrize("name", ["outputs", "chained outputs"])
@pytest.mark.parametrize("size", [64, 72, 320])
def test_many_outputs_are_stored_by_few_kernels(name: str, size: int) -> None:
    """Each kernel stores as many as it may, whether groups are tried from each output, or the outputs are divided into blocks."""
    graph = next(family for family in FAMILIES if family.name == name).graph(size)
    assert len(draft(graph, Machine()).kernels) == ceil(size / KERNEL_STORES)


def test_identical_layers_are_one_kernel() -> None:
    """Each layer reads and writes the same shapes; some share a kernel."""
    graph = next(family for family in FAMILIES if family.name == "layers").graph(12)
    kernels = draft(graph, Machine()).kernels
    names = {kernel.name for kernel in kernels}
    assert len({kernel.sink for kernel in kernels}) == len(names) < len(kernels)
    assert len({kernel.buffers for kernel in kernels}) == len(kernels)


def shared_at_two_indices(levels: int) -> UOp:
    """Each level reads the one below twice, through two operations: 2**levels paths, and levels + 1 different indices."""
    x = UOp.param(0, 256, eq.float32)
    for _ in range(levels):
        left, right = x * 2.0, x + 1.0
        x = left.shrink(((0, 255),)).pad(((1, 0),)) + right.shrink(((1, 256),)).pad(((0, 1),))
    return UOp.sink(x)


def scrambled(levels: int) -> UOp:
    """Each level reads the one below in two orders that have no common form: every path is another index."""
    x = UOp.param(0, 240, eq.float32)
    for level in range(levels):
        rows = (4, 60) if level % 2 else (15, 16)
        x = x * 0.5 + x.reshape(rows).permute((1, 0)).reshape((240,)).flip((True,))
    return UOp.sink(x)


@pytest.mark.parametrize("build", [shared_at_two_indices, scrambled])
def test_paths_that_double_at_each_level_are_cut(build: Callable[[int], UOp]) -> None:
    few, many = (work(build(levels)) for levels in (20, 80))
    assert many[1] <= 8 * few[1]
    assert many[3] <= 8 * few[3]


@pytest.mark.parametrize("build", [shared_at_two_indices, scrambled])
def test_what_is_cut_is_computed_right(build: Callable[[int], UOp]) -> None:
    graph = build(24)
    x = np.random.default_rng(0).normal(size=graph.toposort()[0].arg[1]).astype(np.float32)
    program = eq.pipeline.compilation.compile_as_it_is(graph, eq.Plan())
    expected = np.asarray(eq.evaluate(graph, {0: x})).reshape(-1)
    np.testing.assert_allclose(program(x), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("name", "size"),
    [("stencil 1-D", 50), ("stencil 3-D", 6), ("recurrent", 6), ("outputs", 80), ("chained outputs", 80)],
)
def test_unrolled_steps_agree_with_numpy(name: str, size: int) -> None:
    family = next(family for family in FAMILIES if family.name == name)
    random = np.random.default_rng(0)
    arrays = [random.normal(size=shape).astype(np.float32) * 0.3 for shape in family.shapes(size)]
    result = eq.compile(family.graph(size))(*arrays)
    np.testing.assert_allclose(result, family.function(np, size, *arrays), rtol=1e-4, atol=1e-5)


def shrinking(v: Any, steps: int) -> Any:
    """The value of an option, from the ends of a binomial tree back to its root: each step has one column less."""
    for _ in range(steps):
        v = 0.5 * v[:, 1:] + 0.4 * v[:, :-1]
    return v


@pytest.mark.parametrize("most", [0, variants.MOST_BOUNDED])
def test_large_cones_get_no_bounds_of_pairs(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Bounds of partial choices have a row for each class of a cone: 64 steps took 12 GB."""
    monkeypatch.setattr(variants, "MOST_BOUNDED", most)
    tree = np.random.default_rng(0).random((50, 25)).astype(np.float32)
    program = eq.compile(eq.trace(lambda v: shrinking(v, 24), eq.spec(tree.shape, eq.float32)))
    assert 0 < program.schedule.lower_bound <= program.schedule.predicted_seconds
    np.testing.assert_allclose(program(tree), shrinking(tree, 24), rtol=1e-5)
