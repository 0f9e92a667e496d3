"""Reductions along long axes, as reductions of their parts: where they are offered, when they are chosen, and what is left out of the choice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import DType, PtrDType, bfloat16, float16, float32, float64, int32, to_numpy
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.plan import schedule
from eqsat.shape import Shape

DEVICE = Machine()
Program = Callable[..., eq.Array]
ROUNDING = {float16: 2e-2, bfloat16: 1e-1, float32: 1e-4, float64: 1e-9, int32: 0.0}


def across(x: eq.Array, y: eq.Array) -> eq.Array:
    return eq.matrix_transpose(x) @ y


def saturated(program: Program, *shapes: Shape) -> Snapshot:
    graph = modernize(eq.trace(program, *(eq.spec(shape, float32) for shape in shapes)))
    return saturate([graph], eq.Plan().admitted).snapshot


def reduced_shapes(snapshot: Snapshot) -> set[Shape | None]:
    terms = zip(snapshot.terms, snapshot.node_class.tolist(), strict=True)
    return {snapshot.class_shape[owner] for term, owner in terms if term.op is Op.REDUCE_AXIS}


SPLIT: list[tuple[Program, list[Shape], Shape]] = [
    (across, [(8192, 256), (8192, 512)], (32, 256, 512)),
    (eq.matmul, [(300, 5000), (5000, 100)], (20, 300, 100)),
    (across, [(4, 4096, 128), (4, 4096, 96)], (16, 4, 128, 96)),
    (lambda x, y: eq.max(x[:, :, None] - y[:, None], axis=0), [(8192, 96), (8192, 128)], (32, 96, 128)),
    (lambda x: across(x, x), [(4000, 400)], (16, 400, 400)),  # panels of one matrix in two places
    (across, [(3000, 200), (3000, 120)], (12, 200, 120)),  # whole rows come into level 2
]
TALL: dict[str, tuple[Program, list[Shape]]] = {
    "rows": (lambda x: eq.max(eq.abs(x), axis=0), [(20000, 100)]),
    "transposed rows": (lambda x, y: eq.matrix_transpose(x) @ y, [(20000, 100), (20000,)]),
}
WHOLE: dict[str, tuple[Program, list[Shape]]] = {
    "no part divides it": (across, [(4093, 512), (4093, 512)]),
    "few products": (across, [(4096, 32), (4096, 32)]),
    "nothing is read again": (eq.matmul, [(8192, 8192), (8192,)]),
    "neither tall nor large": (lambda x: eq.sum(x, axis=0), [(1200, 700)]),
    "columns": (lambda x: eq.sum(x, axis=1), [(100, 20000)]),
    "a transposed sum of columns": (lambda x, y: x @ y, [(100, 20000), (20000,)]),
    "a short axis": (across, [(1000, 512), (1000, 512)]),
}


@pytest.mark.parametrize(("program", "shapes", "parts"), SPLIT)
def test_parts_of_a_long_axis_come_first(program: Program, shapes: list[Shape], parts: Shape) -> None:
    snapshot = saturated(program, *shapes)
    assert parts in reduced_shapes(snapshot)
    first, second = schedule(snapshot, DEVICE).kernels[-2:]
    assert first.name.endswith("x".join(map(str, parts)))
    assert second.name.endswith("x".join(map(str, parts[1:])))


@pytest.mark.parametrize("name", TALL)
def test_many_rows_are_reduced_in_parts(name: str) -> None:
    program, shapes = TALL[name]
    snapshot = saturated(program, *shapes)
    assert (80, 100) in reduced_shapes(snapshot)
    names = [kernel.name.rpartition("_")[2] for kernel in schedule(snapshot, DEVICE).kernels]
    assert names == ["80x100", "100"]


def test_a_residual_that_rows_need_is_kept_for_a_part_of_them() -> None:
    """So the gradient of a regression reads its matrix once, where recomputing the residual would read it for each column."""

    def gradient(x: eq.Array, y: eq.Array, w: eq.Array) -> eq.Array:
        return eq.matrix_transpose(x) @ (eq.sigmoid(x @ w) - y)

    first, _ = schedule(saturated(gradient, (20000, 100), (20000,), (100,)), DEVICE).kernels
    stored = [node for node in first.ast.toposort() if node.op is Op.STORE]
    filled = [node for node in stored if node.src[0].src[0].op is Op.DEFINE_LOCAL]
    assert any(Op.REDUCE in {each.op for each in node.src[1].toposort()} for node in filled)


@pytest.mark.parametrize("name", WHOLE)
def test_other_reductions_stay_whole(name: str) -> None:
    program, shapes = WHOLE[name]
    assert len(reduced_shapes(saturated(program, *shapes))) == 1


@pytest.mark.parametrize("shape", [(8192, 4096), (4096, 2048)])
def test_a_large_matrix_is_read_a_few_rows_at_a_time(shape: Shape) -> None:
    """A column of it lies in a page for each row, also where it is multiplied by a vector."""
    for snapshot in (
        saturated(lambda x: eq.sum(x, axis=0), shape),
        saturated(lambda x, y: eq.matrix_transpose(x) @ y, shape, shape[:1]),
        saturated(lambda x, y: y @ x, shape, shape[:1]),
    ):
        assert reduced_shapes(snapshot) == {(shape[0] // 64, shape[1]), shape[1:]}


def test_one_order_of_each_reduction_is_looked_at() -> None:
    """The whole one, and that of parts: neither over both axes of parts at once, nor of parts in the last axis."""
    graph = ArrayGraph(saturated(across, (8192, 256), (8192, 512)), DEVICE)
    (output,) = graph.outputs
    operands = [graph.shapes[graph.rows[node][0]] for node in graph.nodes[output]]
    assert sorted(operands) == [(32, 256, 512), (256, 512, 8192)]
    (parts,) = (c for c in graph.classes if graph.shapes[c] == (32, 256, 512))
    assert [graph.term(node).op for node in graph.nodes[parts]] == [Op.REDUCE_AXIS]


def test_parts_of_rows_are_packed() -> None:
    """Where both operands lie along the sum, one is copied to local memory, so that vectors run over results."""
    program = saturated(lambda x, y: x @ eq.matrix_transpose(y), (256, 8192), (512, 8192))
    first, second = schedule(program, DEVICE).kernels
    assert (first.name, second.name) == ("sum_32x256x512", "sum_256x512")
    (memory,) = {node for node in first.ast.toposort() if node.op is Op.DEFINE_LOCAL}
    assert isinstance(memory.dtype, PtrDType)
    assert memory.dtype.size % 256 == 0
    assert memory.dtype.size < 8192 * 8


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
def test_a_product_along_a_long_axis_is_what_numpy_computes(dtype: DType) -> None:
    """Whatever is chosen on this device; 48 by 96 results are made of parts where that is quicker."""
    random = np.random.default_rng(1)
    x, y = (
        random.integers(-9, 9, shape) if dtype is int32 else random.normal(size=shape)
        for shape in ((2048, 48), (2048, 96))
    )
    x, y = x.astype(to_numpy(dtype)), y.astype(to_numpy(dtype))
    expected = x.astype(np.float64).T @ y.astype(np.float64)
    (found,) = eq.compile(eq.trace(across, *(eq.spec(each.shape, dtype) for each in (x, y)))).run([x, y])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=0, atol=ROUNDING[dtype] * scale)
