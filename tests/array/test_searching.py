"""Positions in arrays that are in order, held to NumPy's."""

import numpy as np
import pytest

import eqsat.array as xp
from eqsat import jit
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
