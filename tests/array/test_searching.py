"""Positions in arrays that are in order, and of the greatest elements, held to NumPy's."""

import numpy as np
import pytest

import eqsat.array as xp
from eqsat import bfloat16, dim, jit, vmap
from eqsat.errors import ShapeError

DTYPES = ["bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "float64"]
EXTENTS = [0, 1, 2, 3, 7, 8, 9, 100]


def table_and_wanted(dtype: str, extent: int) -> tuple[np.ndarray, np.ndarray]:
    """Elements in order, many of them equal, and some to look for, with NaN and infinities among both."""
    random = np.random.default_rng(extent)
    most = 2 if dtype == "bool" else 20
    table, wanted = (random.integers(0, most, shape).astype(dtype) for shape in (extent, (3, 5)))
    if dtype.startswith("float"):
        table[-2:] = np.nan
        wanted[0, :3] = np.nan, np.inf, -np.inf
    return np.sort(table), wanted


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_positions_are_numpys(dtype, extent, side):
    table, wanted = table_and_wanted(dtype, extent)
    expected = np.searchsorted(table, wanted, side=side)
    found = xp.searchsorted(table, wanted, side=side)
    assert found.dtype is xp.asarray(np.zeros(1, np.int64)).dtype
    np.testing.assert_array_equal(found.numpy(), expected)
    mixed = np.random.default_rng(1).permutation(extent)
    order = np.argsort(mixed)
    found = xp.searchsorted(table[mixed], wanted, side=side, sorter=order)
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("extent", [1, 31, 32, 1000])
def test_a_kernel_searches(extent):
    table, wanted = table_and_wanted("float32", extent)
    search = jit(
        lambda table, wanted: (xp.searchsorted(table, wanted), xp.searchsorted(table, wanted, side="right"))
    )
    for found, side in zip(search(table, wanted), ("left", "right"), strict=True):
        np.testing.assert_array_equal(found, np.searchsorted(table, wanted, side=side))


def test_dtypes_are_promoted():
    found = xp.searchsorted(np.arange(5, dtype=np.int8), np.array([1.5, 300.0]))
    np.testing.assert_array_equal(found.numpy(), [2, 5])


def test_what_cannot_be_searched_is_refused():
    for table, options, message in [
        (np.ones((2, 2)), {}, r"cannot search in an array of \(2, 2\); give one axis"),
        (np.ones(2), {"side": "middle"}, 'cannot insert at the side \'middle\'; use "left" or "right"'),
    ]:
        with pytest.raises(ShapeError, match=message):
            xp.searchsorted(table, 1.0, **options)


def greatest_first(x: np.ndarray, k: int, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """By a stable sort of ranks, which NumPy gives equal elements in common, and all NaNs."""
    _, ranks = np.unique(x, return_inverse=True)
    found = np.argsort(-ranks.reshape(x.shape), axis=axis, kind="stable").take(range(k), axis=axis)
    return np.take_along_axis(x, found, axis), found


def assert_greatest(chosen, x: np.ndarray, k: int, axis: int) -> None:
    for actual, expected in zip(chosen, greatest_first(x, k, axis), strict=True):
        actual = np.asarray(actual if isinstance(actual, np.ndarray) else actual.numpy())
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected)
        if x.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))


ALL = [*DTYPES, "int16", "int64", "uint16", "uint32"]


@pytest.mark.parametrize("dtype", ALL)
def test_the_greatest_are_those_of_a_stable_sort(dtype):
    random = np.random.default_rng(0)
    x = random.integers(0, 2 if dtype == "bool" else 4, (3, 6, 4)).astype(dtype)
    if dtype.startswith("float"):
        x[random.random(x.shape) < 0.3] = -np.inf
        x[0, 1:4] = np.nan
        x[:, 5] = -0.0, 0.0, np.inf, np.nan
    elif dtype != "bool":
        x[random.random(x.shape) < 0.4] = np.iinfo(dtype).min
        x[1, 2] = np.iinfo(dtype).max
    for axis, k in ((-1, 4), (1, 6), (0, 1), (-3, 2), (1, 0)):
        assert_greatest(xp.top_k(x, k, axis=axis), x, k, axis)


@pytest.mark.parametrize("value", [-np.inf, np.inf, np.nan, 0.0])
def test_each_of_equal_elements_is_found_once(value):
    x = np.full((2, 5), value, np.float32)
    choose = jit(lambda x: xp.top_k(x, 5))
    assert_greatest(choose(x), x, 5, -1)
    x[1] = 3, -np.inf, np.nan, -np.inf, 3
    assert_greatest(choose(x), x, 5, -1)


def test_a_kernel_finds_the_greatest():
    for dtype, shape, k in (
        ("float32", (30, 100), 3),
        ("int8", (7, 200), 4),
        ("float64", (300,), 2),
        ("float32", (30, 40), 12),
        ("int16", (50, 9), 4),
    ):
        x = np.random.default_rng(k).integers(-100, 100, shape).astype(dtype)
        assert_greatest(jit(lambda x, k=k: xp.top_k(x, k))(x), x, k, -1)


def test_the_greatest_of_nothing_of_members_and_of_dims():
    for shape, k in (((0, 3), 2), ((3, 0), 0), ((0,), 0), ((2, 3), 0)):
        x = np.ones(shape, np.float32)
        assert_greatest(xp.top_k(x, k), x, k, -1)
    x = np.random.default_rng(0).integers(0, 5, (4, 9)).astype(np.float32)
    assert_greatest(jit(vmap(lambda x: xp.top_k(x, 3)))(x), x, 3, -1)
    x[x == 0] = -np.inf
    choose = jit(lambda x: xp.top_k(x, 2), dynamic={"x": {0: dim("m", 1, 8), 1: dim("n", 2, 16)}})
    for part in (x, x[:1, :2], x[1:, :7]):
        assert_greatest(choose(part), part, 2, -1)
    assert xp.top_k([3, 1, 2], 2)[0].numpy().tolist() == [3, 2]


def test_bfloat16_keeps_its_dtype():
    values, found = xp.top_k(xp.asarray([1.0, 3.0, -np.inf, 3.0]).astype("bfloat16"), 4)
    assert values.dtype is bfloat16
    assert values.astype("float32").numpy().tolist() == [3, 3, 1, -np.inf]
    assert found.numpy().tolist() == [1, 3, 0, 2]


def test_numbers_of_elements_that_cannot_be_chosen_are_refused():
    for x, k, message in [
        (np.ones((2, 3)), 4, r"cannot choose the 4 greatest along axis 1 of \(2, 3\); choose 0 to 3"),
        (np.ones((2, 3)), -1, "must not be negative"),
        (np.ones((2, 3)), 1.5, "give an integer"),
        (3.0, 0, "without axes"),
    ]:
        with pytest.raises(ShapeError, match=message):
            xp.top_k(x, k)
    few = dim("few", 2, 16)
    with pytest.raises(ShapeError, match="choose 0 to 2"):
        jit(lambda x: xp.top_k(x, 3), dynamic={"x": {0: few}})(np.ones(9))
    with pytest.raises(ShapeError, match="choose 0 to 2"):
        jit(lambda x: xp.top_k(x, x.shape[0]), dynamic={"x": {0: few}})(np.ones(9))
