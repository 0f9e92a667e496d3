"""Programs of arrays whose extents only calls know: compiled once, and right for all extents."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.integers.values import value_of
from eqsat.ops import AxisType
from eqsat.pipeline import compilation, just_in_time
from eqsat.pipeline.planning import plan_cache
from eqsat.pipeline.programs.ranged import RangedProgram
from eqsat.specialization.specialize import at_capacity
from tests.dynamic import evaluated, kernels_at, part_at, require_clean, require_drawn_right, require_right

N, M = eq.dim("n", 1, 40), eq.dim("m", 1, 40)
LARGE = eq.dim("n", 1, 4096)
EDGES = (
    {"n": 1, "m": 7},
    {"n": 2, "m": 1},
    {"n": 9, "m": 40},
    {"n": 17, "m": 17},
    {"n": 39, "m": 23},
    {"n": 40, "m": 8},
)


def softmax(x: Any) -> Any:
    return eq.softmax(x)


def product(a: Any, b: Any) -> Any:
    return a @ b


def network(x: Any, w: Any, v: Any) -> Any:
    return eq.maximum(x @ w, 0.0) @ v


def counted(x: Any) -> Any:
    return eq.sum(x, axis=0) / x.shape[0] + eq.astype(eq.arange(x.shape[1]), eq.float32)


def causal(x: Any) -> Any:
    place = eq.arange(x.shape[0])
    return eq.where(place[:, None] >= place[None, :], x, -1.0)


PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "softmax of rows": (softmax, [(N, 24)]),
    "softmax along": (softmax, [(3, N)]),
    "rows of a product": (product, [(N, 16), (16, 24)]),
    "columns of a product": (product, [(16, 24), (24, N)]),
    "reduced axis of a product": (product, [(16, N), (N, 24)]),
    "attention": (eq.attention, [(2, N, 8)] * 3),
    "attention to others": (eq.attention, [(2, N, 8), (2, M, 8), (2, M, 8)]),
    "network": (network, [(N, 30), (30, 20), (20, 10)]),
    "two axes summed": (eq.sum, [(N, M)]),
    "counted": (counted, [(N, M)]),
    "variance": (lambda x: eq.var(x, axis=-1, correction=1.0), [(4, eq.dim("n", 2, 40))]),
    "vectors": (lambda x, y: x * 2.0 + y, [(N,), (N,)]),
    "sum with the transposed": (lambda x: x + x.T, [(N, N)]),
    "differences": (lambda x: x[1:] - x[:-1], [(N, 3)]),
    "last row": (lambda x: x[-1], [(N, 3)]),
    "pairs of rows": (lambda x: x.reshape(-1, 2) * 2.0, [(N, 4)]),
    "positions": (lambda x: eq.argmax(x, axis=0), [(N, 4)]),
    "running sums": (lambda x: eq.cumulative_sum(x, axis=1), [(4, N)]),
    "causal": (causal, [(N, N)]),
    "joined": (lambda x: eq.concat([eq.ones((2, 4), dtype=eq.float32), x]), [(N, 4)]),
    "gathered": (lambda t, i: t[eq.astype(eq.abs(i) * 2.0, eq.int64)], [(64, 3), (N,)]),
    "two results": (lambda x: (x + 1.0, eq.sum(x, axis=1)), [(N, 6)]),
}


WITH_ROWS = eq.trace(softmax, eq.spec((eq.dim("n", 2, 8), 4), eq.float32))


def values_of(shapes: list[tuple[int, ...]]) -> list[dict[str, int]]:
    """Values of the dims of shapes, within their bounds."""
    least = max(extent.least for shape in shapes for extent in shape if isinstance(extent, eq.Extent))
    return [each for each in EDGES if min(each.values()) >= least]


WATCHED = (
    "softmax of rows", "columns of a product", "reduced axis of a product", "attention", "vectors", "gathered", "joined", "two results",
)  # fmt: skip
"""Whose kernels Oclgrind runs on arrays of calls, which are smaller than the capacity."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_program_is_right_for_all_extents(name: str) -> None:
    function, shapes = PROGRAMS[name]
    program = require_right(function, shapes, values_of(shapes))
    if name in WATCHED:
        require_clean(program, [{"n": 1, "m": 1}, {"n": 17, "m": 3}])


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (softmax, [(LARGE, 32)]),
        (product, [(LARGE, 16), (16, 16)]),
        (product, [(16, 16), (16, LARGE)]),
        (product, [(16, LARGE), (LARGE, 16)]),
        (network, [(LARGE, 16), (16, 16), (16, 8)]),
    ],
)
def test_wide_bounds(function: Callable[..., Any], shapes: list[tuple[int, ...]]) -> None:
    require_right(function, shapes, [{"n": n} for n in (1, 31, 384, 1021, 4095, 4096)])


@pytest.mark.parametrize("seed", range(4))
def test_drawn_programs_are_right(seed: int) -> None:
    require_drawn_right(seed)


@pytest.mark.parametrize(
    "dtype",
    [
        eq.bool_,
        eq.int8,
        eq.int16,
        eq.int32,
        eq.int64,
        eq.uint8,
        eq.uint16,
        eq.uint32,
        eq.uint64,
        eq.float16,
        eq.float32,
        eq.float64,
    ],
)
def test_every_dtype(dtype: Any) -> None:
    def several(x: Any) -> Any:
        return eq.sum(x, axis=0), eq.max(x, axis=1), eq.where(x == x, x, x)

    program = eq.compile(eq.trace(several, eq.spec((N, M), dtype)))
    for n, m in ((1, 1), (7, 33), (40, 2)):
        array = (np.arange(n * m).reshape(n, m) % 3).astype(dtype.name)
        for one, other in zip(program(array), evaluated(several, [array]), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_jitted_function_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []

    def counting(*arguments: Any) -> Any:
        compiled.append(arguments)
        return eq.compile(*arguments)

    monkeypatch.setattr(just_in_time, "compile_for_calls", counting)
    function = eq.jit(product, dynamic={"a": {0: N, 1: M}, 1: {-2: M}})
    for n, m in ((1, 1), (3, 40), (40, 3), (17, 17)):
        a, b = np.ones((n, m), np.float32), np.ones((m, 5), np.float32)
        np.testing.assert_array_equal(function(a, b=b) if n == 3 else function(a, b), a @ b)
    assert len(compiled) == 2  # one for each way to name the arguments


def test_few_rows_take_few_work_items() -> None:
    program = eq.compile(eq.trace(softmax, eq.spec((LARGE, 512), eq.float32)))
    items: dict[int, int] = {}
    for n in (1, 5, 385, 4096):
        items[n] = max(prod(kernel.global_size) for kernel in kernels_at(program, {"n": n}))
    assert items[1] <= 2
    assert items[5] <= 5
    assert 64 <= 5 * items[385] <= items[4096]


@pytest.mark.parametrize("n", [100, 700])
def test_only_the_last_vector_of_a_row_has_conditions(n: int) -> None:
    """Whole tiles are loaded as they are, then whole vectors; of these one may end beyond the row."""
    program = eq.compile(eq.trace(lambda x: eq.sum(x, axis=-1), eq.spec((512, LARGE), eq.float32)))
    (kernel,) = part_at(program, {"n": n}).kernels
    reductions = [
        node for node in kernel.linear.src if node.op is eq.Op.RANGE and node.arg[1] is AxisType.REDUCE
    ]
    assert {value_of(loop.src[0], {"n": n}) for loop in reductions} >= {1}
    loads = [node for node in kernel.linear.src if node.op is eq.Op.LOAD and node.dtype.lanes > 1]
    gated = [node for node in loads if len(node.src[0].src) > 2]
    assert 0 < len(gated) < len(loads) / 2


def test_tiles_that_divide_an_extent_are_stored_under_one_condition() -> None:
    program = eq.compile(eq.trace(lambda x, y: eq.exp(x) * y + x, *(eq.spec((LARGE, 256), eq.float32),) * 2))
    (kernel,) = part_at(program, {"n": 100}).kernels
    stores = [node for node in kernel.linear.src if node.op is eq.Op.STORE and node.src[0].op is eq.Op.INDEX]
    assert stores
    assert all(node.src[1].dtype.lanes > 1 for node in stores)


def test_a_reduction_ends_at_the_extent() -> None:
    program = eq.compile(eq.trace(product, eq.spec((4, LARGE), eq.float32), eq.spec((LARGE, 4), eq.float32)))
    for n in (2, 17, 65, 385):
        loops = [
            node
            for kernel in part_at(program, {"n": n}).kernels
            for node in kernel.linear.src
            if node.op is eq.Op.RANGE
        ]
        assert all(value_of(loop.src[0], {"n": n}) <= n + 8 for loop in loops), n


def test_temporaries_of_few_elements_are_small() -> None:
    n = eq.dim("n", 1, 1024)

    def likeness(x: Any) -> Any:
        shares = eq.softmax(x, axis=0)
        return shares @ shares.T

    program = eq.compile(eq.trace(likeness, eq.spec((n, 4), eq.float32)))
    capacities = [
        spec.capacity for spec in part_at(program, {"n": 1024}).schedule.buffers if spec.capacity is not None
    ]
    few, many = (sum(value_of(each, {"n": n}) for each in capacities) for n in (385, 1024))
    assert 0 < few < many


@pytest.mark.parametrize(
    "name",
    ["softmax along", "reduced axis of a product", "attention", "counted", "positions", "running sums"],
)
def test_elements_beyond_the_extents_do_not_matter(name: str) -> None:
    function, shapes = PROGRAMS[name]
    graph = eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))
    values, draw = {"n": 5, "m": 9}, np.random.default_rng(0)
    given: dict[int, Any] = {}
    inside: dict[int, Any] = {}
    for slot, shape in enumerate(shapes):
        room = at_capacity(graph).arg[slot]
        given[slot] = np.full(room, np.nan, np.float32)
        part = tuple(
            slice(extent.at(values) if isinstance(extent, eq.Extent) else extent) for extent in shape
        )
        given[slot][part] = inside[slot] = draw.normal(size=given[slot][part].shape).astype(np.float32)
    for one, other in zip(
        eq.evaluate(at_capacity(graph), {**given, **values}), eq.evaluate(graph, inside), strict=True
    ):
        np.testing.assert_allclose(one[tuple(map(slice, other.shape))], other, rtol=1e-5, atol=1e-6)


def test_a_program_with_dims_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    data = np.linspace(0, 1, 24, dtype=np.float32)
    program = eq.compile(eq.trace(lambda x: eq.softmax(x * data, axis=0), eq.spec((N, 24), eq.float32)))
    program.save(tmp_path / "program")
    loaded = eq.load(tmp_path / "program")
    assert [kernel.source for kernel in loaded.kernels] == [kernel.source for kernel in program.kernels]
    for n in (1, 3, 16, 40):
        x = np.random.default_rng(n).normal(size=(n, 24)).astype(np.float32)
        np.testing.assert_array_equal(loaded(x), program(x))
    with pytest.raises(eq.ExtentError, match=r"n in 1\.\.40"):
        loaded(np.ones((41, 24), np.float32))


def test_plans_with_dims_come_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, bytes] = {}
    monkeypatch.setattr(plan_cache, "PLANS", Namespace(get=kept.get, put=kept.__setitem__))
    graph = eq.trace(eq.attention, *[eq.spec((2, N, 8), eq.float32)] * 3)
    arrays = [np.random.default_rng(slot).normal(size=(2, 11, 8)).astype(np.float32) for slot in range(3)]
    expected = eq.compile(graph)(*arrays)
    monkeypatch.setattr(compilation, "planned", None)
    np.testing.assert_array_equal(eq.compile(graph)(*arrays), expected)


@pytest.mark.parametrize("step", ["sink", "linear", "source", "binary"])
def test_parts_are_shown_at_each_step(step: str) -> None:
    for part in eq.compile(WITH_ROWS).parts:
        assert part.stage(step).op is eq.Op.SINK


def test_calls_take_the_kernels_of_their_range() -> None:
    program = eq.compile(eq.trace(softmax, eq.spec((LARGE, 32), eq.float32)))
    assert isinstance(program, RangedProgram)
    ends = [bounds["n"] for bounds in program.ranges]
    assert ends[0] == (1, 1)
    assert ends[-1][1] == 4096
    assert all(one[1] + 1 == other[0] for one, other in pairwise(ends))
    for (least, greatest), part in zip(ends, program.parts, strict=True):
        assert program.part({"n": least}) is program.part({"n": greatest}) is part


def test_ranges_are_planned_when_a_call_needs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[tuple[Any, ...]] = []
    original = compilation._planned

    def counting(sink: eq.UOp, *others: Any) -> Any:
        planned.append(others)
        return original(sink, *others)

    monkeypatch.setattr(compilation, "_planned", counting)
    double = eq.jit(lambda x: x * 2.0, dynamic={0: {0: LARGE}})
    for n, ranges in ((5, 1), (6, 1), (1000, 2), (5, 2)):
        np.testing.assert_array_equal(double(np.ones(n, np.float32)), np.full(n, 2.0, np.float32))
        assert len(planned) == ranges
    program = eq.compile(eq.trace(lambda x: x * 3.0, eq.spec((LARGE,), eq.float32)))
    assert len(planned) == 3
    assert len(program.parts) == len(planned) - 2


def test_values_of_variables_are_set_anew_where_they_change() -> None:
    program = eq.compile(eq.trace(lambda x: eq.sum(x, axis=0), eq.spec((N, 3), eq.float32)))
    for n in (20, 40, 40, 17, 20):
        np.testing.assert_array_equal(program(np.ones((n, 3), np.float32)), np.full(3, n, np.float32))


def test_a_dim_of_no_argument_is_given_by_name() -> None:
    program = eq.compile(eq.trace(lambda: eq.ones((N, 2))))
    assert program(n=3).shape == (3, 2)
    with pytest.raises(eq.ExecutionError, match="'n' has no value"):
        program()


def test_products_of_three_arrays_are_ordered_by_the_greatest_extents():
    rng = np.random.default_rng(5)
    rows, ways = rng.normal(size=(3, 4, 5)).astype(np.float32), rng.normal(size=(3, 4, 2)).astype(np.float32)
    weights = rng.normal(size=(5, 2, 6)).astype(np.float32)
    members = {0: eq.dim("members", 1, 40)}
    mixed = eq.jit(
        lambda x, y: eq.einsum("bte,btd,edh->bth", x, y, weights), dynamic={"x": members, "y": members}
    )
    np.testing.assert_allclose(
        mixed(rows, ways), np.einsum("bte,btd,edh->bth", rows, ways, weights), rtol=1e-5, atol=1e-5
    )
