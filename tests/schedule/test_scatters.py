"""Sums by label: where they are found, that scatters compute what NumPy does, and that work-items never combine in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_GPU, render
from eqsat.codegen.dialects import C
from eqsat.dtype import ALL, INTS, DType, bool_, float32, from_numpy, index, int32, int64
from eqsat.egraph.saturate import saturate
from eqsat.errors import SpecError
from eqsat.machine import GRAPHICS, Machine
from eqsat.ops import REDUCE_OPS, AxisType, Op, Stage
from eqsat.reference import evaluate, evaluate_kernel
from eqsat.reference.linear.interpreter import run_linear
from eqsat.reference.number import hold
from eqsat.runtime.storage import from_stored, to_stored
from eqsat.schedule.draft import Drafts
from eqsat.schedule.plan import draft, schedule
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.schedule.test_groups import by_instructions, in_groups, on_pocl

N, K = 60, 7
SMALL = replace(GRAPHICS, cores=2, vector_bytes=16, local_size=8)
RANDOM = np.random.default_rng(0)
OPS = sorted(REDUCE_OPS, key=str)


def scatter(op: Op, value: UOp, labels: UOp, *axes: int) -> UOp:
    return UOp(Op.SCATTER_AXIS, value.dtype, (value, labels), (op, axes))


def one_hot(labels: eq.Array, positions: int = K) -> eq.Array:
    return labels[..., None] == eq.arange(positions)


def ops_of(function: Callable[..., object], *specs: eq.Spec, fast_math: bool = False) -> set[Op]:
    graph = eq.trace(function, *specs)
    snapshot = saturate([graph], eq.Plan(fast_math=fast_math).admitted).snapshot
    return {term.op for term in snapshot.terms}


LABELS, TABLE = eq.spec((N,), eq.int32), eq.spec((N, 5), eq.float32)
WRITTEN: dict[str, tuple[Callable[..., object], tuple[eq.Spec, ...]]] = {
    "rows of a table": (lambda i, x: eq.sum(eq.where(one_hot(i)[:, :, None], x[:, None, :], 0), axis=0), (LABELS, TABLE)),
    "positions first": (lambda i, x: eq.sum(eq.where((eq.arange(K)[:, None] == i)[:, :, None], x[None], 0), axis=1), (LABELS, TABLE)),
    "other labels": (lambda i, x: eq.sum(eq.where(one_hot(i) != True, 0, x[:, :1]), axis=0), (LABELS, TABLE)),  # noqa: E712
    "counts": (lambda i: eq.sum(one_hot(i), axis=0), (LABELS,)),
    "converted counts": (lambda i: eq.sum(one_hot(i).astype(eq.float32), axis=0), (LABELS,)),
    "numbers of a narrow dtype": (lambda i, x: eq.sum(eq.where(one_hot(i), x[:, None], 0), axis=0), (LABELS, eq.spec((N,), eq.int8))),
    "half precision": (lambda i, x: eq.sum(eq.where(one_hot(i), x[:, None], 0), axis=0), (LABELS, eq.spec((N,), eq.float16))),
    "product with integers": (lambda i, x: one_hot(i).astype(eq.int32).T @ x, (LABELS, eq.spec((N, 5), eq.int32))),
    "greatest": (lambda i, x: eq.max(eq.where(one_hot(i), x[:, :1], -np.inf), axis=0), (LABELS, TABLE)),
    "product": (lambda i, x: eq.prod(eq.where(one_hot(i), x[:, :1], 1), axis=0), (LABELS, TABLE)),
    "labels of two axes": (
        lambda i, x: eq.sum(eq.where(one_hot(i)[..., None], x[:, :, None, :], 0), axis=(0, 1)),
        (eq.spec((6, 10), eq.int64), eq.spec((6, 10, 5), eq.float32)),
    ),
    "computed labels": (lambda i: eq.sum(one_hot((i + 3) % K), axis=0), (LABELS,)),
    "wrapped labels": (lambda i: eq.sum(one_hot(eq.where(i < 0, i + K, i)), axis=0), (LABELS,)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_sums_by_label_are_found(name: str) -> None:
    function, specs = WRITTEN[name]
    assert Op.SCATTER_AXIS in ops_of(function, *specs)


def test_products_of_floats_are_sums_by_label_only_if_none_is_infinite() -> None:
    """Zero times infinity is NaN, which a sum of what was chosen has not."""

    def product(labels: eq.Array, x: eq.Array) -> eq.Array:
        return one_hot(labels).astype(eq.float32).T @ x

    assert Op.SCATTER_AXIS not in ops_of(product, LABELS, TABLE)
    assert Op.SCATTER_AXIS in ops_of(product, LABELS, TABLE, fast_math=True)


def test_what_is_no_sum_by_label_stays_one_of_all() -> None:
    others: list[Callable[..., object]] = [
        lambda i: eq.sum(one_hot(i), axis=1),  # over positions
        lambda i: eq.sum(eq.where(one_hot(i), 2.0, 1.0), axis=0),  # elements with other labels count, too
        lambda i: eq.sum(one_hot(eq.broadcast_to(i[:, None], (N, K)))[:, 0], axis=1),
    ]
    for each in others:
        assert Op.SCATTER_AXIS not in ops_of(each, LABELS)


def test_each_element_is_looked_at_once() -> None:
    graph = eq.trace(
        lambda i, x: eq.sum(eq.where(one_hot(i, 5000)[:, :, None], x[:, None, :], 0), axis=0),
        eq.spec((20000,), eq.int32), eq.spec((20000, 64), eq.float32),
    )  # fmt: skip
    made = schedule(saturate([graph], eq.Plan().admitted).snapshot, Machine())
    assert made.kernels[0].name.startswith("scatter_sum")
    assert made.predicted_seconds < 1e-3  # a step for each element and position would be a second


def test_few_positions_of_few_elements_are_compared() -> None:
    graph = eq.trace(lambda i: eq.sum(one_hot(i, 2), axis=0), eq.spec((16,), eq.int32))
    (kernel,) = schedule(saturate([graph], eq.Plan().admitted).snapshot, Machine()).kernels
    assert not any(node.op is Op.STORE and node.arg for node in kernel.ast.toposort())


def values(dtype: DType, count: int) -> np.ndarray:
    return hold(RANDOM.integers(0, 3, count), dtype)


@pytest.mark.parametrize("op", OPS, ids=str)
@pytest.mark.parametrize("dtype", [dtype for dtype in ALL if dtype is not index], ids=str)
def test_dtypes_on_a_device(dtype: DType, op: Op) -> None:
    labels = UOp.param(1, N, int64).reshape((N, 1)).expand((N, K))
    graph = UOp.sink(scatter(op, UOp.param(0, N * K, dtype).reshape((N, K)), labels, 1, 0))
    data = [values(dtype, N * K), RANDOM.integers(-2, K + 2, N)]
    found = eq.compile(graph)(from_stored(to_stored(data[0], dtype), dtype), data[1])
    (expected,) = evaluate(graph, dict(enumerate(data)))
    found = np.asarray(found, expected.dtype)
    if dtype.is_float and dtype.itemsize < 4:  # each step rounds
        np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=0.1)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_labels_of_any_integer_dtype(dtype: DType) -> None:
    """None that is outside is taken for a position, whatever its low bits are."""
    graph = UOp.sink(
        scatter(Op.ADD, UOp.const(int32, 1).broadcast((9, K)), UOp.param(0, 9, dtype).reshape((9, 1)).expand((9, K)), 1, 0)
    )  # fmt: skip
    edges = [0, 3, 3, K - 1, K, dtype.min, dtype.max, min(dtype.max, 1 << 32), min(dtype.max, (1 << 32) + 3)]
    labels = np.array(edges, dtype=dtype.name)
    found = eq.compile(graph)(labels)
    np.testing.assert_array_equal(found, [sum(int(each) == j for each in labels) for j in range(K)])


NARROW = [each for each in INTS if each.itemsize < 8]


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_labels_are_counted_in_their_own_dtype(dtype: DType) -> None:
    """Positions are converted to the labels' dtype, up to the last that it holds; labels that are none are counted nowhere."""
    positions = min(300, dtype.max + 1)

    def counts(labels: eq.Array) -> eq.Array:
        return eq.sum(labels[:, None] == eq.arange(positions, dtype=dtype), axis=0)

    def flipped(labels: eq.Array) -> eq.Array:
        return eq.sum(eq.astype(eq.arange(positions), dtype)[:, None] == labels, axis=1)

    drawn = RANDOM.integers(dtype.min, dtype.max, 5000, dtype.name, endpoint=True)
    labels = np.concatenate([drawn, np.arange(positions).astype(dtype.name), np.zeros(9, dtype.name)])
    wide = labels.astype(np.int64)
    expected = np.bincount(wide[(wide >= 0) & (wide < positions)], minlength=positions)
    for function in (counts, flipped):
        assert Op.SCATTER_AXIS in ops_of(function, eq.spec(labels.shape, dtype))
        np.testing.assert_array_equal(eq.jit(function)(labels), expected)


def of(*shape: int, slot: int = 0, dtype: DType = float32) -> UOp:
    return UOp.param(slot, int(np.prod(shape)), dtype).reshape(shape)


def labels_of(*shape: int, over: Sequence[int]) -> UOp:
    return of(*shape, slot=1, dtype=int32).expand(tuple(over))


GRAPHS: dict[str, UOp] = {
    "columns": scatter(Op.ADD, of(N, 1, 24).expand((N, K, 24)), labels_of(N, 1, 1, over=(N, K, 24)), 1, 0),
    "odd columns": scatter(Op.ADD, of(N, 1, 13).expand((N, K, 13)), labels_of(N, 1, 1, over=(N, K, 13)), 1, 0),
    "tiles of columns": scatter(Op.ADD, of(N, 1, 47).expand((N, K, 47)), labels_of(N, 1, 1, over=(N, K, 47)), 1, 0),
    "numbers": scatter(Op.ADD, of(N, 1).expand((N, K)), labels_of(N, 1, over=(N, K)), 1, 0),
    "parts": scatter(Op.ADD, of(4, 15, 1).expand((4, 15, K)), labels_of(4, 15, 1, over=(4, 15, K)), 2, 1),
    "parts of columns": scatter(
        Op.MAX, of(4, 15, 1, 8).expand((4, 15, K, 8)), labels_of(4, 15, 1, 1, over=(4, 15, K, 8)), 2, 1
    ),
    "labels of each column": scatter(Op.ADD, of(15, 1, 8).expand((15, K, 8)), labels_of(15, 1, 8, over=(15, K, 8)), 1, 0),
    "positions last": scatter(Op.ADD, of(15, 8, 1).expand((15, 8, K)), labels_of(15, 1, 1, over=(15, 8, K)), 2, 0),
    "positions between": scatter(
        Op.ADD, of(3, 15, 1, 5).expand((3, 15, K, 5)), labels_of(1, 15, 1, 1, over=(3, 15, K, 5)), 2, 1
    ),
    "two axes": scatter(Op.ADD, of(5, 6, 1, 4).expand((5, 6, K, 4)), labels_of(5, 6, 1, 1, over=(5, 6, K, 4)), 2, 0, 1),
    "values at labels": scatter(Op.ADD, of(15, K, 4), labels_of(15, 1, 1, over=(15, K, 4)), 1, 0),
    "computed values": scatter(
        Op.ADD, (of(15, 1, 8) * 2.0 + 1.0).expand((15, K, 8)), labels_of(15, 1, 1, over=(15, K, 8)), 1, 0
    ),
    "used further": scatter(Op.ADD, of(15, 1, 8).expand((15, K, 8)), labels_of(15, 1, 1, over=(15, K, 8)), 1, 0) * 3.0 + 1.0,
    "transposed": scatter(Op.ADD, of(15, 1, 8).expand((15, K, 8)), labels_of(15, 1, 1, over=(15, K, 8)), 1, 0).permute((1, 0)),
    "one position": scatter(Op.ADD, of(15, 1, 8), labels_of(15, 1, 1, over=(15, 1, 8)), 1, 0),
    "one element": scatter(Op.ADD, of(1, 1, 8).expand((1, K, 8)), labels_of(1, 1, 1, over=(1, K, 8)), 1, 0),
}  # fmt: skip


def drafted(name: str, machine: Machine) -> Drafts:
    return draft(saturate([UOp.sink(GRAPHS[name])], eq.Plan().admitted).snapshot, machine)


def inputs(graph: UOp) -> tuple[list[np.ndarray], np.ndarray]:
    params = sorted({node for node in graph.toposort() if node.op is Op.PARAM}, key=lambda node: node.arg[0])
    arrays = [
        RANDOM.integers(-2, K + 2, node.arg[1]).astype(np.int32)
        if node.dtype is int32
        else RANDOM.integers(-4, 5, node.arg[1]).astype(np.float32)
        for node in params
    ]
    (expected,) = evaluate([graph], dict(enumerate(arrays)))
    return arrays, expected


@pytest.mark.parametrize("machine", [Machine(), SMALL], ids=["cores", "groups"])
@pytest.mark.parametrize("name", GRAPHS)
def test_scatters_under_any_loops(name: str, machine: Machine) -> None:
    """The best by PoCL and by the interpreter, which finds races; of two others each runs one. Oclgrind sees these kernels, too."""
    arrays, expected = inputs(GRAPHS[name])
    drafts = drafted(name, machine)
    assert any(each.profile.combines for each in drafts.kernels)
    chance = Random(name)
    for number, ways in enumerate([(on_pocl, by_instructions), (on_pocl,), (by_instructions,)]):
        chosen = (
            {place: in_groups(each, chance) for place, each in enumerate(drafts.kernels)} if number else {}
        )
        made = drafts.schedule(chosen)
        for run in ways:
            (found,) = run(made, arrays)
            np.testing.assert_array_equal(found.reshape(expected.shape), expected, err_msg=str(made))


def test_columns_that_no_vector_divides_are_combined_by_vectors_that_overlap() -> None:
    (kernel,) = drafted("tiles of columns", Machine()).kernels
    assert any(axis.lanes > 1 for axis in kernel.choice.best.axes)


@pytest.mark.parametrize("name", GRAPHS)
def test_kernels_mean_what_their_instructions_do(name: str) -> None:
    """A STORE that combines is a statement of a kernel; its instructions load what is there. Those of C have one thread and one lane."""
    arrays, _ = inputs(GRAPHS[name])
    for machine in (Machine(), SMALL):
        for kernel in drafted(name, machine).schedule().kernels:
            params = sorted(
                {node for node in kernel.ast.toposort() if node.op is Op.PARAM}, key=lambda node: node.arg[0]
            )
            buffers = [_filled(node, arrays) for node in params]
            wanted = [each.copy() for each in buffers]
            evaluate_kernel(kernel.ast, wanted)
            ways = [OPENCL_GPU] if machine is SMALL else [OPENCL_GPU, C]
            for dialect in ways:
                found = [each.copy() for each in buffers]
                made = render(kernel.ast, dialect)
                run_linear(made.linear, found, made.global_size, made.local_size)
                for one, other in zip(found, wanted, strict=True):
                    np.testing.assert_array_equal(one, other, err_msg=made.source)


def _filled(param: UOp, arrays: Sequence[np.ndarray]) -> np.ndarray:
    kind = np.int32 if param.dtype is int32 else np.float32
    return RANDOM.integers(-2, K + 2, param.arg[1]).astype(kind)


def test_columns_that_cores_share_are_whole_lines() -> None:
    """Two cores that combine in one cache line pass it to each other all the time."""
    graph = eq.trace(
        lambda i, x: eq.sum(eq.where(one_hot(i, 1000)[:, :, None], x[:, None, :], 0), axis=0),
        eq.spec((3001,), eq.int32), eq.spec((3001, 16), eq.float32),
    )  # fmt: skip
    for kernel in schedule(saturate([graph], eq.Plan().admitted).snapshot, Machine()).kernels:
        if any(node.op is Op.STORE and node.arg for node in kernel.ast.toposort()):
            assert not any(
                node.op is Op.RANGE and node.arg[1] is AxisType.GLOBAL for node in kernel.ast.toposort()
            )


def test_two_scatters_side_by_side_and_what_is_made_of_them() -> None:
    def means(labels: eq.Array, x: eq.Array) -> eq.Array:
        chosen = one_hot(labels, 500)
        total = eq.sum(eq.where(chosen[:, :, None], x[:, None, :], 0), axis=0)
        return total / eq.maximum(eq.sum(chosen, axis=0), 1).astype(eq.float32)[:, None]

    labels = RANDOM.integers(-3, 505, 20000).astype(np.int32)
    x = RANDOM.integers(-4, 5, (20000, 16)).astype(np.float32)
    total, inside = np.zeros((500, 16), np.float32), (labels >= 0) & (labels < 500)
    np.add.at(total, labels[inside], x[inside])
    counts = np.maximum(np.bincount(labels[inside], minlength=500), 1).astype(np.float32)
    program = eq.compile(
        eq.trace(means, *(eq.spec(each.shape, from_numpy(each.dtype)) for each in (labels, x)))
    )
    assert sum(kernel.name.startswith("scatter") for kernel in program.schedule.kernels) == 2
    np.testing.assert_allclose(
        np.asarray(program(labels, x)).reshape(500, 16), total / counts[:, None], rtol=1e-6
    )


def test_what_is_scattered_may_be_reduced_in_the_same_kernel() -> None:
    """The loops over elements and columns are made ordinary ones; those of a reduction among them must not be."""

    def roots(x: eq.Array, labels: eq.Array) -> eq.Array:
        means = eq.mean(x, axis=1)
        return eq.segment_sum(
            eq.sqrt(eq.searchsorted(eq.cumulative_max(means), means, side="right")), labels, 4
        )

    x, labels = RANDOM.integers(-9, 9, (8, 2)).astype(np.float32), np.array([3, 1, 0, 0, 1, 2, 3, 2])
    means, expected = x.mean(axis=1), np.zeros(4)
    np.add.at(expected, labels, np.sqrt(np.searchsorted(np.maximum.accumulate(means), means, side="right")))
    np.testing.assert_allclose(eq.jit(roots)(x, labels), expected)


@pytest.mark.parametrize(("elements", "positions"), [(0, 4), (4, 0), (0, 0)])
def test_nothing_to_scatter_and_no_place_for_it(elements: int, positions: int) -> None:
    graph = scatter(
        Op.ADD, of(elements, 1).expand((elements, positions)), labels_of(elements, 1, over=(elements, positions)), 1, 0
    )  # fmt: skip
    data = [np.zeros(elements, np.float32), np.zeros(elements, np.int32)]
    (expected,) = evaluate([graph], dict(enumerate(data)))
    np.testing.assert_array_equal(expected, np.zeros(positions))
    found = eq.compile(UOp.sink(graph))(*data)
    np.testing.assert_array_equal(found, expected)


def test_labels_are_integers_and_a_store_combines_by_what_reduces() -> None:
    with pytest.raises(SpecError, match="labels are integers"):
        verify(UOp.sink(scatter(Op.ADD, of(2, 3), of(2, 3, slot=1), 1, 0)), Stage.ARRAY)
    with pytest.raises(SpecError, match="does not reduce"):
        verify(UOp.sink(scatter(Op.SUB, of(2, 3), of(2, 3, slot=1, dtype=int32), 1, 0)), Stage.ARRAY)
    assert bool_ in ALL
