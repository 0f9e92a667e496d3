"""Values kept in local memory: each kernel that keeps some computes what its arrays mean, under tilings of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_GPU, expand, render
from eqsat.dtype import DType, bfloat16, float16, float32, float64, int32, int64, to_numpy
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.machine import GRAPHICS, Machine
from eqsat.ops import AxisType, Op
from eqsat.reference import evaluate
from eqsat.schedule.draft import Draft
from eqsat.schedule.lowering import blocks
from eqsat.schedule.lowering.local_memory import staged_parts
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement import KernelPrices, cone_builder, staging
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.variants import Enumeration
from eqsat.schedule.placement.writing import write
from eqsat.schedule.plan import schedule
from eqsat.uop import UOp, toposort
from tests.codegen.device import check, on_device

DEVICE = Machine()
EAGER = Machine(launch_seconds=0.0)  # which stores little arrays, too, rather than compute them again
WIDE = Machine(
    cores=2,
    vector_bytes=64,
    vector_registers=32,
    vector_widths=(4, 8, 16),
    frequency=3.5e9,
    bandwidth=42e9,
    cache_bytes=(1 << 15, 1 << 20, 1 << 25),
    local_bytes=1 << 20,
)
KERNELS = 4  # of each program
TILINGS = 4  # of each kernel in the first dtypes; others are stored and rounded otherwise, in the same loops
FIRST = (float32, int32)
ROUNDING = {float16: 2e-2, bfloat16: 1e-1, float32: 1e-4, float64: 1e-9, int32: 0.0}


def softmax(x: eq.Array, axis: int | tuple[int, ...] = -1) -> eq.Array:
    e = eq.exp(x - eq.max(x, axis=axis, keepdims=True))
    return e / eq.sum(e, axis=axis, keepdims=True)


def attention(q: eq.Array, k: eq.Array, v: eq.Array) -> eq.Array:
    return softmax(q @ eq.swapaxes(k, -1, -2)) @ v


def causal(q: eq.Array, k: eq.Array, v: eq.Array) -> eq.Array:
    scores = q @ eq.swapaxes(k, -1, -2)
    rows, columns = (eq.arange(scores.shape[axis]) for axis in (-2, -1))
    return softmax(eq.where(columns[None, :] <= rows[:, None], scores, -1e4)) @ v


def shifted(x: eq.Array) -> eq.Array:
    e = eq.exp(x)
    return eq.pad(e[:, 1:], ((0, 0), (0, 1))) / eq.sum(e, axis=1, keepdims=True)


def two_layers(x: eq.Array, v: eq.Array, w: eq.Array) -> eq.Array:
    return eq.tanh(x @ v) @ w


def remainders(x: eq.Array) -> eq.Array:
    rest = (x * x + 3) % 7
    return rest - eq.max(rest, axis=1, keepdims=True)


def gathered(x: eq.Array, positions: eq.Array) -> eq.Array:
    """Elements of each row, some of them outside of it."""
    return eq.take_along_axis(x, positions, axis=1) * 3


Program = Callable[..., eq.Array]
FLOATS = (float16, bfloat16, float32, float64)
CASES: list[tuple[str, Program, list[tuple[int, ...]], Sequence[DType]]] = [
    ("rows", softmax, [(5, 37)], FLOATS),
    ("columns", lambda x: softmax(x, 0), [(37, 5)], (float32,)),
    ("planes", lambda x: softmax(x, (1, 2)), [(3, 4, 9)], (float32, float64)),
    ("attention", attention, [(2, 11, 5), (2, 13, 5), (2, 13, 9)], (float32, float16)),
    ("causal", causal, [(16, 4), (16, 4), (16, 8)], (float32,)),
    ("shifted", shifted, [(3, 19)], (float32,)),
    ("two layers", two_layers, [(7, 6), (6, 17), (17, 8)], (float32, float64)),
    ("remainders", remainders, [(6, 21)], (int32,)),
    ("gathered", gathered, [(6, 11), (6, 21)], (int32,)),
    ("product", lambda x, y: x @ y, [(13, 9), (9, 21)], (*FLOATS, int32)),
    ("batched", lambda x, y: x @ y, [(3, 7, 5), (3, 5, 11)], (float32,)),
    ("with itself", lambda x: eq.matrix_transpose(x) @ x, [(6, 17)], (float32, float64)),
    ("rows of pairs", lambda x: eq.sum((x[:, None] - x[None]) ** 2, axis=2), [(13, 5)], (float32,)),
    ("convolution", lambda x, w: eq.conv2d(x, w, padding=1), [(2, 3, 8, 9), (4, 3, 3, 3)], (float32,)),
]


PARTS: dict[str, tuple[Program, list[tuple[int, ...]]]] = {
    "columns": (
        lambda x, y: eq.sum(eq.reshape(x[:, :, None] * y[:, None], (4, -1, 7, 9)), axis=1),
        [(44, 7), (44, 9)],
    ),
    "rows": (
        lambda x, y: eq.sum(eq.reshape(x[:, None] * y[None], (7, 9, 4, -1)), axis=3),
        [(7, 44), (9, 44)],
    ),
}


def kernels_that_keep(sink: UOp, machine: Machine = EAGER) -> Iterator[tuple[tuple[UOp, ...], Draft]]:
    """What each of them stores, over PARAMs numbered from 0, and the kernel."""
    graph = ArrayGraph(snapshot_as_written([modernize(sink)]), machine)
    candidates = StorageCandidates(graph, all_of=20)
    prices = KernelPrices(machine)
    for c in sorted(candidates.must_store):
        cone = ConeBuilder(graph, candidates).build([c])
        for variant in Enumeration(0, cone, 20).variants:
            roots = write(graph, cone, variant.inside).roots
            if variant.uses_local_memory and prices.price(roots).seconds < np.inf:
                yield roots, prices.draft(roots)


def data(node: UOp, seed: int) -> np.ndarray:
    assert isinstance(node.dtype, DType)
    values = np.random.default_rng(seed).normal(size=node.arg[1]) * (9 if node.dtype is int32 else 1)
    return values.astype(to_numpy(node.dtype))


@pytest.mark.parametrize(
    ("program", "shapes", "dtype"),
    [
        pytest.param(program, shapes, dtype, id=f"{name}-{dtype}")
        for name, program, shapes, dtypes in CASES
        for dtype in dtypes
    ],
)
def test_what_is_kept_is_what_was_computed(
    program: Program, shapes: list[tuple[int, ...]], dtype: DType
) -> None:
    sink = eq.trace(program, *(eq.spec(shape, dtype) for shape in shapes))
    assert_kept_is_computed(kernels_that_keep(sink), dtype)


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("name", PARTS)
def test_parts_of_an_axis_are_kept_one_at_a_time(
    name: str, dtype: DType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "LONG_AXIS", 8)
    program, shapes = PARTS[name]
    sink = eq.trace(program, *(eq.spec(shape, dtype) for shape in shapes))
    kernels = list(kernels_that_keep(sink))
    kept = {
        (node.shape[axis], extent)
        for roots, _ in kernels
        for node in UOp.sink(*roots).toposort()
        for axis, extent, _ in staged_parts(node)
        if node.shape
    }
    assert any(part < extent for extent, part in kept)
    assert_kept_is_computed(kernels, dtype)


WINDOWS: dict[str, tuple[Program, list[tuple[int, ...]]]] = {
    "rows": (lambda x, w: eq.conv2d(x, w, padding=1), [(2, 3, 12, 9), (4, 3, 3, 3)]),
    "steps of two": (lambda x, w: eq.conv2d(x, w, padding=1, stride=2), [(2, 3, 17, 10), (4, 3, 3, 3)]),
    "far apart": (lambda x, w: eq.conv2d(x, w, padding=2, dilation=2), [(1, 2, 9, 11), (5, 2, 3, 3)]),
    "steps apart": (
        lambda x, w: eq.conv2d(x, w, padding=3, dilation=2, stride=3),
        [(1, 2, 23, 8), (3, 2, 2, 4)],
    ),
}


@pytest.mark.parametrize("fewest", [2, 10_000])
@pytest.mark.parametrize("name", WINDOWS)
def test_rows_of_a_padded_array_are_kept(name: str, fewest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of steps, or one step at a time where there would be too few blocks."""
    monkeypatch.setattr(cone_builder, "MOST_WINDOW_BYTES", 450)
    monkeypatch.setattr(staging, "FEWEST_PLACES", 2)
    monkeypatch.setattr(blocks, "FEWEST_PLACES", fewest)
    program, shapes = WINDOWS[name]
    sink = eq.trace(program, *(eq.spec(shape, float32) for shape in shapes))
    kernels = list(kernels_that_keep(sink))
    kept = [
        part for roots, _ in kernels for node in UOp.sink(*roots).toposort() for part in staged_parts(node)
    ]
    assert any(part.first is not None for part in kept)
    assert_kept_is_computed(kernels, float32, tilings=2)  # each window is tried in two kinds of blocks


@pytest.mark.parametrize("before", [eq.layer_norm, eq.sin])
def test_weights_are_packed_whatever_comes_before(before: Callable[[eq.Array], eq.Array]) -> None:
    """Rows could be kept, too, in loops of their own; a copy of the weights is not nested in those."""
    shapes = eq.spec((128, 768), float32), eq.spec((768, 2304), float32)
    products = [
        schedule(
            saturate([modernize(eq.trace(program, *shapes))], eq.Plan().admitted).snapshot, DEVICE
        ).kernels[-1]
        for program in (lambda x, w: x @ w, lambda x, w: before(x) @ w)
    ]
    plain, after = (product.choice for product in products)
    assert after == plain
    assert "keep 768" in plain


def test_weights_of_many_channels_are_packed() -> None:
    """Those of 512 channels and nine taps, of which lanes keep one filter each."""
    shapes = eq.spec((1, 512, 14, 14), float32), eq.spec((512, 512, 3, 3), float32)
    graph = eq.trace(lambda images, weights: eq.conv2d(images, weights, padding=1), *shapes)
    wide = replace(DEVICE, vector_bytes=64, vector_registers=32)
    snapshot = saturate([modernize(graph)], eq.Plan().admitted).snapshot
    choices = [kernel.choice for kernel in schedule(snapshot, wide).kernels]
    assert any("keep 4608" in choice for choice in choices)


def assert_kept_is_computed(
    kernels: Iterable[tuple[tuple[UOp, ...], Draft]], dtype: DType, tilings: int = TILINGS
) -> None:
    """On the device, under tilings of every kind, every second one of each kernel; Oclgrind sees all of them, and the first is interpreted, too."""
    found, wanted = 0, tilings if dtype in FIRST else 1
    tried = list(islice(kernels, KERNELS))
    turns = 2 if len(tried) > 1 and wanted > 1 else 1
    for number, (roots, draft) in enumerate(tried):
        params = [node for node in UOp.sink(*roots).toposort() if node.op is Op.PARAM]
        inputs = {node.arg[0]: data(node, node.arg[0]) for node in params}
        expected = evaluate(UOp.sink(*roots), inputs)
        expected = expected[0] if isinstance(expected, tuple) else expected
        ranked = draft.choice.ranked
        for tiling in ranked[:: -(-len(ranked) // wanted)][number % turns :: turns]:
            kernel = draft.kernel(tiling)
            assert any(node.op is Op.DEFINE_LOCAL for node in kernel.ast.toposort())
            slots = {slot: inputs[number] for slot, number in enumerate(kernel.buffers) if number in inputs}
            if found == 0:
                (result,) = check(kernel.ast, slots, max(1e-6, ROUNDING[dtype]))
            else:
                rendered = render(kernel.ast)
                (written,) = (each.slot for each in rendered.arguments if each.written)
                result = on_device(rendered, slots)[written]
            wide = [each.astype(np.float64).reshape(-1) for each in (result, np.asarray(expected))]
            np.testing.assert_allclose(*wide, rtol=ROUNDING[dtype], atol=ROUNDING[dtype])
            found += 1
    assert found >= wanted


def test_softmax_is_one_kernel_that_computes_each_exponential_once() -> None:
    made = schedule(eq.trace(softmax, eq.spec((4096, 1024), float32)), DEVICE)
    (kernel,) = made.kernels
    nodes = kernel.ast.toposort()
    assert any(node.op is Op.DEFINE_LOCAL for node in nodes)
    assert sum(node.op is Op.EXP for node in nodes) == 1


@pytest.mark.parametrize("shapes", [[(13, 9), (9, 21)], [(3, 7, 5), (3, 5, 11)]])
def test_memory_is_filled_outside_the_loops_that_it_does_not_depend_on(shapes: list[tuple[int, ...]]) -> None:
    sink = eq.trace(eq.matmul, *(eq.spec(shape, float32) for shape in shapes))
    kept = [draft.profile for _, draft in kernels_that_keep(sink)]
    for kernel in kept:
        (around,) = kernel.around_fills
        assert around & kernel.outputs == around
        assert around == (1 << around.bit_length()) - 1  # the first loops, which are the outermost
    assert len(kept) >= 2


def test_a_product_packs_columns_of_rows_a_page_apart() -> None:
    """And no operand that a work-item reads only once."""
    matrix = eq.spec((1024, 1024), float32)
    (kernel,) = schedule(eq.trace(eq.matmul, matrix, matrix), DEVICE).kernels
    memories = {node for node in kernel.ast.toposort() if node.op is Op.DEFINE_LOCAL}
    assert len(memories) == 1
    (alone,) = schedule(eq.trace(eq.matmul, matrix, eq.spec((1024,), float32)), DEVICE).kernels
    assert not any(node.op is Op.DEFINE_LOCAL for node in alone.ast.toposort())


def test_either_operand_of_a_product_may_be_copied_also_one_transposed_twice() -> None:
    def distances(x: eq.Array, y: eq.Array) -> eq.Array:
        squares = eq.sum(x * x, axis=1)[:, None] + eq.sum(y * y, axis=1)
        return squares - 2.0 * (x @ eq.matrix_transpose(y))

    graph = eq.trace(distances, eq.spec((2048, 64), float32), eq.spec((1024, 64), float32))
    kernel = schedule(saturate([graph], eq.Plan().admitted).snapshot, DEVICE).kernels[-1]
    assert any(node.op is Op.DEFINE_LOCAL for node in kernel.ast.toposort())
    (columns,) = (part for part in kernel.choice.split("; ") if part.startswith("output 1024"))
    assert "vector" in columns  # of the other operand, lanes would be rows, and stored one by one


def test_what_another_kernel_stores_is_packed_as_inputs_are() -> None:
    """Centred columns are an array that the product reads again and again."""

    def covariance(x: eq.Array) -> eq.Array:
        centred = x - eq.mean(x, axis=0)
        return eq.matrix_transpose(centred) @ centred

    graph = eq.trace(covariance, eq.spec((2000, 300), float64))
    kernels = schedule(saturate([graph], eq.Plan().admitted).snapshot, DEVICE).kernels
    (product,) = (
        kernel
        for kernel in kernels
        if "300x300" in kernel.name and "2000" not in kernel.choice and "reduce 250" in kernel.choice
    )
    nodes = product.ast.toposort()
    (filled,) = (node for node in nodes if node.op is Op.STORE and node.src[0].src[0].op is Op.DEFINE_LOCAL)
    assert filled.src[1].op is Op.LOAD


@pytest.mark.parametrize(("taken", "copies"), [(512, True), (4, False)])
def test_a_row_is_copied_where_much_of_it_is_gathered(taken: int, copies: bool) -> None:
    """Lines at random take longer than all lines of a row in order, if they are fetched from memory."""
    specs = eq.spec((4096, 4096), float32), eq.spec((4096, taken), int64)
    graph = eq.trace(lambda x, positions: eq.take_along_axis(x, positions, axis=1), *specs)
    (kernel,) = schedule(graph, DEVICE).kernels
    assert any(node.op is Op.DEFINE_LOCAL for node in kernel.ast.toposort()) == copies


@pytest.mark.parametrize("shapes", [((512, 512), (512, 512)), ((509, 1021), (1021, 763))])
def test_columns_are_packed_also_where_level_2_holds_them(shapes: tuple[tuple[int, int], ...]) -> None:
    """Each row of a panel of far rows touches one line more, and none is foreseen."""
    wide = Machine(vector_bytes=64, vector_registers=32, cache_bytes=(48 << 10, 2 << 20, 128 << 20))
    (kernel,) = schedule(eq.trace(eq.matmul, *(eq.spec(shape, float32) for shape in shapes)), wide).kernels
    assert any(node.op is Op.DEFINE_LOCAL for node in kernel.ast.toposort())


def test_items_of_a_group_fill_local_memory_together() -> None:
    """The row that is kept belongs to the group; before any item reads what others have stored, all have come to a BARRIER."""
    traced = eq.trace(softmax, eq.spec((32, 256), float32))
    kernels = [draft.kernel() for _, draft in kernels_that_keep(traced, GRAPHICS)]
    assert kernels
    for kernel in kernels:
        nodes = kernel.ast.toposort()
        filled = [node for node in nodes if node.op is Op.AFTER and node.src[0].op is Op.DEFINE_LOCAL]
        assert all(any(bound.arg[1] is AxisType.LOCAL for bound in each.src[1].src[2:]) for each in filled)
        assert any(node.op is Op.BARRIER for node in render(kernel.ast, OPENCL_GPU).linear.src)


def test_lanes_at_a_stride_are_taken_out_of_whole_loads_from_local_memory() -> None:
    """Of the rows that a depthwise convolution of stride 2 keeps; weights are loaded one by one."""
    images, weights = eq.spec((8, 96, 57, 57), float32), eq.spec((96, 1, 3, 3), float32)
    traced = eq.trace(lambda x, w: eq.conv2d(x, w, padding=1, stride=2, groups=96), images, weights)
    (kernel,) = schedule(traced, DEVICE).kernels
    loads = [node for node in toposort([expand(kernel.ast)]) if node.op is Op.LOAD]
    sizes = {
        (node.src[0].src[0].dtype.size, node.dtype.lanes)
        for node in loads
        if node.src[0].src[0].op is Op.AFTER
    }
    rows = {lanes for size, lanes in sizes if size > 1000}
    assert rows
    assert min(rows) > 1


def test_pixels_that_are_read_once_are_selected_where_they_are_read() -> None:
    """Both rows of a mean of 2×2 pixels: every second pixel is at stride 6 in either."""

    def halved(image: eq.Array) -> eq.Array:
        wide = eq.astype(image, eq.int16)
        total = wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]
        return eq.astype((total + 2) >> 2, eq.uint8)

    (kernel,) = schedule(eq.trace(halved, eq.spec((800, 1000, 3), eq.uint8)), DEVICE).kernels
    loads = [node for node in toposort([expand(kernel.ast)]) if node.op is Op.LOAD]
    assert {node.dtype.lanes for node in loads} == {16}
    assert all(node.src[0].src[0].op is Op.PARAM for node in loads)


def test_attention_of_few_arrays_is_one_kernel_that_computes_scores_once() -> None:
    """Scores, exponentials and quotients stay in local memory."""

    def scaled(q: eq.Array, k: eq.Array, v: eq.Array) -> eq.Array:
        return softmax(0.125 * (q @ eq.swapaxes(k, -1, -2))) @ v

    graph = eq.trace(scaled, *3 * [eq.spec((8, 512, 64), eq.float32)])
    (kernel,) = schedule(saturate([graph], eq.Plan().admitted).snapshot, WIDE).kernels
    nodes = kernel.ast.toposort()
    assert len({node for node in nodes if node.op is Op.DEFINE_LOCAL}) >= 3
    assert sum(node.op is Op.REDUCE and node.arg is Op.ADD for node in nodes) == 3  # scores, sums, results
