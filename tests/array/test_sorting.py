"""Sorting, held to NumPy's; on short axes, which networks sort, and on longer ones, which the host sorts."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.array.nodes.sorting import MOST_SORTED, exchanges
from eqsat.custom import Operand, custom_named, greatest_named
from eqsat.errors import ExecutionError, ShapeError, SpecError
from eqsat.pipeline import emit_c
from eqsat.sorting import (
    candidates_of_greatest,
    elements_of_ranks,
    greatest_elements,
    sorted_elements,
    sorted_positions,
)
from eqsat.uop import piece_at
from tests.distribution.devices import HALVES, require

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
]  # fmt: skip
LONG = MOST_SORTED + 4


def drawn(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Elements of which many are equal; of floats NaNs of both signs, infinities and zeros of both signs are among them."""
    random = np.random.default_rng(len(shape))
    x = random.integers(0, 2 if dtype == "bool" else 6, shape).astype(dtype)
    if dtype.startswith("float"):
        for each in (np.nan, -np.nan, np.inf, -np.inf, -0.0, -2.5):
            x[random.random(shape) < 0.1] = each
    elif dtype != "bool":
        x[random.random(shape) < 0.2] = np.iinfo(dtype).min
        x[random.random(shape) < 0.2] = np.iinfo(dtype).max
    return x


def order_of(x: np.ndarray, axis: int, *, descending: bool) -> np.ndarray:
    """The order by a stable sort of ranks, which NumPy gives equal elements in common, and all NaNs."""
    ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, axis=axis, kind="stable")


def assert_same(actual: Any, expected: np.ndarray) -> None:
    """The same elements, dtype, and signs of numbers."""
    actual = np.asarray(actual)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)
    if expected.dtype.kind == "f":
        is_number = expected == expected
        np.testing.assert_array_equal(np.signbit(actual)[is_number], np.signbit(expected)[is_number])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_order_is_that_of_a_stable_sort(dtype: str, descending: bool):
    for shape, axis in (((5, 7), -1), ((7, 3), 0), ((2, 3, 4), 1), ((3, LONG), 1), ((LONG, 3), -2)):
        x = drawn(dtype, shape)
        order = order_of(x, axis, descending=descending)
        assert_same(xp.argsort(x, axis=axis, descending=descending), order)
        assert_same(xp.sort(x, axis=axis, descending=descending), np.take_along_axis(x, order, axis))
        found = np.asarray(xp.sort(x, axis=axis, descending=descending, stable=False))
        np.testing.assert_array_equal(found, np.take_along_axis(x, order, axis))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint32", "float16", "float32", "float64"])
def test_kernels_and_steps_of_the_host_sort(dtype: str):
    @eq.jit
    def both(x: Any) -> Any:
        return eq.sort(x, axis=0), eq.argsort(x, axis=0, descending=True), eq.median(x, axis=0)

    for extent in (5, LONG):
        x = drawn(dtype, (extent, 3))
        found = both(x)
        ascending, descending = (order_of(x, 0, descending=each) for each in (False, True))
        assert_same(found[0], np.take_along_axis(x, ascending, 0))
        assert_same(found[1], descending)
        np.testing.assert_array_equal(found[2], np.median(x, axis=0))


def test_bfloat16_is_sorted():
    x = xp.asarray([1.0, np.nan, -0.0, 3.0, 0.0, -np.inf]).astype("bfloat16")
    for many in (x, xp.tile(x, 5)):
        expected = np.sort(many.astype("float32").numpy(), kind="stable")
        for stable in (True, False):
            found = xp.sort(many, stable=stable)
            assert found.dtype is eq.bfloat16
            np.testing.assert_array_equal(found.astype("float32"), expected)
        in_kernels = eq.jit(lambda x: eq.sort(x.astype("bfloat16")).astype("float32"))
        assert_same(in_kernels(many.astype("float32").numpy()), expected)
        assert xp.median(many).dtype is eq.bfloat16


def test_nothing_and_single_elements_are_in_order():
    for shape, axis in (((0,), 0), ((3, 0), 1), ((0, 3), 1), ((0, 30), 1), ((1,), 0), ((3, 1), 1)):
        x = np.ones(shape, np.float32)
        assert_same(xp.sort(x, axis=axis), x)
        assert_same(xp.argsort(x, axis=axis, descending=True), np.zeros(shape, np.int64))
        assert_same(eq.jit(lambda x, axis=axis: eq.sort(x, axis=axis))(x), x)


def test_networks_sort_all_zeros_and_ones():
    """A network that sorts these sorts everything."""
    for count in range(2, 11):
        rows = np.array(list(product((0, 1), repeat=count)))
        for low, high in exchanges(count):
            rows[:, low], rows[:, high] = rows[:, [low, high]].min(1), rows[:, [low, high]].max(1)
        assert (np.diff(rows) >= 0).all()


def test_median_takes_fewer_exchanges_than_order():
    def operations(value: Any) -> int:
        return sum(node.op in (eq.Op.MIN, eq.Op.MAX) for node in value.uop.toposort())

    x = eq.placeholder(0, (100, 9), eq.float32)
    assert operations(xp.median(x, axis=1)) < operations(xp.sort(x, stable=False)) == 2 * len([*exchanges(9)])


def test_network_takes_the_pieces_of_a_concatenation():
    x, y = (eq.placeholder(slot, (4, 2), eq.float32) for slot in (0, 1))
    value = eq.concat([x, y, x], axis=1).uop
    for place in range(6):
        piece = (y if place in (2, 3) else x).uop
        assert piece_at(value, 1, place) is piece.shrink([(0, 4), (place % 2, place % 2 + 1)])
        assert piece_at(value, 0, 1).shape == (1, 6)


def test_median_filter_is_one_kernel():
    image = np.random.default_rng(0).standard_normal((100, 60)).astype(np.float32)

    def filtered(image: Any) -> Any:
        framed = eq.pad(image, 1)
        shifted = [framed[i : i + 100, j : j + 60] for i in range(3) for j in range(3)]
        return eq.median(eq.stack(shifted), axis=0)

    program = eq.compile(eq.trace(filtered, eq.spec(image.shape, eq.float32)))
    assert len(program.kernels) == 1
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(image, 1), (3, 3))
    np.testing.assert_array_equal(program(image), np.median(windows, axis=(2, 3)))


def test_views_and_members_are_sorted():
    x = drawn("float32", (6, 2 * LONG))
    view = eq.jit(lambda x: eq.sort(x.T[::-2, 1:4], axis=0))(x)
    assert_same(view, np.sort(x.T[::-2, 1:4], axis=0, kind="stable"))
    assert_same(eq.jit(eq.sort)(x[::2, ::2]), np.sort(x[::2, ::2], kind="stable"))
    for extent in (5, LONG):
        part = x[:, :extent]
        assert_same(eq.jit(eq.vmap(eq.sort))(part), np.sort(part, kind="stable"))
        assert_same(eq.jit(eq.vmap(eq.argsort, in_axes=1))(part), np.argsort(part.T, kind="stable"))


def dynamic(x: Any) -> Any:
    low = eq.quantile(x, [0.1, 0.75], axis=1)
    return (
        eq.sort(x) + 1,
        eq.argsort(x, axis=0, descending=True),
        eq.median(x, axis=1),
        low,
        eq.sort(x[0] * np.ones(1, np.float32)),
        x,
    )


def assert_dynamic(found: Any, x: np.ndarray) -> None:
    order = order_of(x, 0, descending=True)
    expected = (
        np.sort(x) + 1,
        order,
        np.median(x, axis=1),
        np.quantile(x, [0.1, 0.75], axis=1),
        np.sort(x[0]),
        x,
    )
    for each, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(each, wanted, rtol=1e-5)


def test_dims_files_and_graphs(tmp_path: Path):
    x = np.random.default_rng(0).standard_normal((6, 31)).astype(np.float32)
    x[2, 3] = np.nan
    shape = eq.dim("m", 5, 7), eq.dim("n", 17, 31)
    for graph, parts in (
        (eq.trace(dynamic, eq.spec(shape, eq.float32)), (x, x[1:, :17])),
        (eq.trace(dynamic, eq.spec(x.shape, eq.float32)), (x,)),
    ):
        program = eq.compile(graph)
        program.save(tmp_path / "program")
        loaded = eq.load(tmp_path / "program")
        for part, run in product(parts, (program, loaded)):
            assert_dynamic(run(part), part)
        assert_dynamic(eq.evaluate(graph, {0: x}), x)
    graph = eq.trace(eq.sort, eq.spec(x.shape, eq.float32))
    assert eq.from_json(eq.to_json([graph])) == [graph]  # no code, so nobody has to allow it


def test_what_is_given_stays_and_what_is_returned_is_new():
    x = np.random.default_rng(0).standard_normal(50).astype(np.float32)
    before = x.copy()
    ordered, same, again = eq.jit(lambda x: (eq.sort(x), x, eq.sort(x)))(x)
    for each in (ordered, same, again):
        assert not np.shares_memory(each, x)
        each += 1
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(ordered, again)


def test_several_devices_sort():
    require(HALVES)
    x = np.random.default_rng(0).standard_normal((4, LONG)).astype(np.float32)
    np.testing.assert_array_equal(eq.jit(lambda x: eq.sort(eq.shard(x, HALVES, 0)))(x), np.sort(x))


def test_arguments_that_nothing_reads_are_passed():
    graph = eq.trace(lambda x, y: eq.sort(x), eq.spec(50, eq.float32), eq.spec(3, eq.float64))
    x = np.arange(50, dtype=np.float32)[::-1].copy()
    np.testing.assert_array_equal(eq.compile(graph)(x, np.ones(3)), x[::-1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_the_host_are_numpys_stable_sort(dtype: str):
    distinct = np.random.default_rng(0).permutation(np.arange(600).astype(dtype)).reshape(2, 300)
    for shape in ((0,), (3, 0), (0, 4), (1,), (5, 7), (60, 9), (3, 5, 33), (2, 300), (70000,)):
        x = distinct if shape == distinct.shape else drawn(dtype, shape)
        order = np.argsort(x, axis=-1, kind="stable")
        assert_same(sorted_positions(x), order)
        assert_same(sorted_elements(x), np.take_along_axis(x, order, -1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_greatest_elements_are_the_last_of_a_stable_order(dtype: str):
    for shape, count in (
        ((3, 33), 20),
        ((2, 5000), 1),
        ((2, 5000), 20),
        ((2, 2, 4097), 1000),
        ((9000,), 3000),
    ):
        x = drawn(dtype, shape)
        for each in (x, np.where(x == x, x, 0).astype(dtype)):  # NaN may be the least of the greatest, or not
            positions = order_of(each, -1, descending=True)[..., :count]
            elements, found = greatest_elements(each, count)
            assert_same(found, positions)
            assert_same(elements, np.take_along_axis(each, positions, -1))


RANGES = [2, 300, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40]


@pytest.mark.parametrize("shape", [(0,), (1100,), (2100,), (2, 2100), (60, 33), (3, 600), (70_000,)])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_integers_of_a_small_range_are_sorted_as_others(dtype: str, shape: tuple[int, ...]):
    """By a radix sort or in 32 bits: at both ends of the dtype, and around zero."""
    random = np.random.default_rng(len(shape))
    least, greatest = (int(each) for each in (np.iinfo(dtype).min, np.iinfo(dtype).max))
    for span in (each for each in RANGES if each <= greatest - least):
        for first in {least, greatest - span, max(least, -span // 2)}:
            drawn = random.integers(0, span, shape, dtype=np.uint64, endpoint=True).reshape(-1)
            drawn[:2] = (0, span)[: drawn.size]
            x = np.asarray([int(each) + first for each in drawn], dtype).reshape(shape)
            assert_same(sorted_elements(x), np.sort(x, axis=-1))
            assert_same(sorted_positions(x), np.argsort(x, axis=-1, kind="stable"))


@pytest.mark.parametrize("extent", [1, 2, 40, 257, 3000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_ranks_are_those_of_the_order(dtype: str, extent: int):
    """Zeros of both signs are equal here."""
    x = drawn(dtype, (3, extent))
    order = np.sort(x, axis=-1)
    middle, last = extent // 2, extent - 1
    for ranks in ((middle, last), (0, last), ((extent - 1) // 2, middle, last), (last,), (extent // 3,)):
        found = elements_of_ranks(x, ranks)
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found, order[:, list(ranks)])


EDGES = [1023, 1024, 2047, 2049]  # where other ways to sort begin


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extent", EDGES)
def test_all_bits_of_elements_count(dtype: str, extent: int):
    """Elements of random bits: floats of all exponents, NaNs of all payloads, and some elements twice; in rows, and strided."""
    random = np.random.default_rng(extent)
    width = np.dtype(dtype).itemsize
    bits = random.integers(0, 256, (3, extent, width), dtype=np.uint8)
    x = (bits & 1 if dtype == "bool" else bits).view(dtype)[..., 0]
    x[:, 5::7] = x[:, :1]
    if x.dtype.kind == "f":
        x[0, 3:900:4], x[0, 4:900:4], x[2, 3] = 0.0, -0.0, -np.nan
    for each in (x, x[0], x[:1], x[:, ::-1]):
        order = np.argsort(each, axis=-1, kind="stable")
        assert_same(sorted_positions(each), order)
        assert_same(sorted_elements(each), np.take_along_axis(each, order, -1))


@pytest.mark.parametrize("zeros", [[0.0], [-0.0], [0.0, -0.0], [-0.0, 0.0, -0.0], []])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_zeros_keep_their_order_among_others(dtype: str, zeros: list[float]):
    for others in ([], [1.0], [-1.0], [3.0, -2.0, np.nan], [-np.inf, -1.5], [1e-7, -1e-7]):
        x = np.array([*others, *zeros, *others], dtype)
        expected = np.take_along_axis(x, np.argsort(x, kind="stable"), 0)
        assert_same(sorted_elements(x), expected)
        assert_same(sorted_elements(x[None]), expected[None])


def test_later_calls_check_arguments_as_the_first_does():
    graph = eq.trace(
        lambda x, y: (eq.sort(x + y), eq.argsort(x)),
        eq.spec((3, LONG), eq.float32),
        eq.spec((1, LONG), eq.float32),
    )
    program, jitted = eq.compile(graph), eq.jit(lambda x, y: (eq.sort(x + y), eq.argsort(x)))
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((rows, LONG)).astype(np.float32) for rows in (3, 1))
    strided = np.asfortranarray(x)
    for run in (program, jitted):
        for each in (x, -x, strided, x[::-1], x * 2):
            found = run(each, y)
            assert_same(found[0], np.sort(each + y))
            assert_same(found[1], np.argsort(each, kind="stable"))
    assert_same(program(x.reshape(-1), y)[1], np.argsort(x))
    for wrong in ((x.astype(np.float64), y), (x[:2], y), (x,), (x, y, y), (None, y)):
        with pytest.raises(ExecutionError):
            program(*wrong)
    assert_same(jitted(x.astype(np.float64), y)[1], np.argsort(x))  # other dtypes are other programs
    assert_same(jitted(x[:2], y)[1], np.argsort(x[:2]))


def test_dtypes_of_arrays_that_nothing_reads_count():
    sort_if_float = eq.jit(lambda x, y: eq.sort(x) if y.dtype is eq.float32 else eq.sort(x)[::-1])
    x = np.random.default_rng(0).standard_normal(LONG).astype(np.float32)
    for dtype in ("float32", "float32", "int32", "int32", "float32"):
        expected = np.sort(x) if dtype == "float32" else np.sort(x)[::-1]
        assert_same(sort_if_float(x, np.zeros(2, dtype)), expected)


def test_values_of_variables_count_in_each_call():
    k = eq.variable("k", 1, 9)
    graph = eq.trace(
        lambda x: eq.sort(eq.where(eq.arange(LONG) < eq.asarray(k), x, -1)), eq.spec(LONG, eq.float32)
    )
    program = eq.compile(graph)
    x = np.random.default_rng(0).standard_normal(LONG).astype(np.float32)
    for value in (2, 3, 2, 2, 9):
        assert_same(program(x, k=value), np.sort(np.where(np.arange(LONG) < value, x, np.float32(-1))))
    for wrong in ({}, {"k": 10}, {"k": True}, {"k": 2.0}, {"j": 2}):
        with pytest.raises(ExecutionError):
            program(x, **wrong)


def test_few_elements_are_candidates_for_the_greatest():
    size, count = 40000, 25
    for x in (
        np.arange(size), -np.arange(size), np.zeros(size), np.arange(size) % 1000, np.arange(size) // 1000,
        np.full(size, np.nan), np.random.default_rng(0).standard_normal(size),
    ):  # fmt: skip
        assert count <= len(candidates_of_greatest(x, count)) <= 1.1 * np.sqrt(size * count) + count


def test_long_axes_are_chosen_from_in_programs(tmp_path: Path):
    x = drawn("float32", (3, 5000))
    descending = order_of(x, 1, descending=True)[:, :20]
    graph = eq.trace(lambda x: eq.top_k(x, 20), eq.spec((3, eq.dim("n", 20, 5000)), eq.float32))
    program = eq.compile(graph)
    program.save(tmp_path / "program")
    for run in (program, eq.load(tmp_path / "program"), eq.jit(eq.vmap(lambda x: eq.top_k(x, 20)))):
        elements, positions = run(x)
        assert_same(positions, descending)
        assert_same(elements, np.take_along_axis(x, descending, 1))
    assert eq.from_json(eq.to_json([graph])) == [graph]
    halves = eq.top_k(eq.asarray(np.nan_to_num(x[0])).astype("bfloat16"), 20)
    assert halves[0].dtype is eq.bfloat16
    with pytest.raises(eq.BuildError, match="may have 3 elements"):
        custom_named(greatest_named(4)).results([Operand((5, 3), eq.float32)])


def test_others_say_what_to_do():
    for act, words in (
        (lambda: xp.sort(3), "without axes"),
        (lambda: xp.argsort(np.ones(3), axis=1), "name one in"),
    ):  # fmt: skip
        with pytest.raises(ShapeError, match=words):
            act()
    graph = eq.trace(eq.sort, eq.spec(50, eq.float32))
    for act in (emit_c, eq.optimize):
        with pytest.raises(
            SpecError, match="eqsat.sorted_elements' belongs to programs.*the host may run it"
        ):
            act(graph)
