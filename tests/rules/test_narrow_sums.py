"""Sums of narrow integers have the same results where they are computed in fewer bits, up to the last length for which these are enough."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.array import Array


def rows(x: Array) -> Array:
    return eq.sum(x, axis=1)


def columns(x: Array) -> Array:
    return eq.sum(x, axis=0)


def common(x: Array, y: Array) -> Array:
    return eq.sum(x & y, axis=0, dtype=eq.int32)


def source(dtype: str, shape: tuple[int, ...]) -> str:
    return eq.compile(eq.trace(rows, eq.spec(shape, dtype))).kernels[0].source


@pytest.mark.parametrize(
    ("dtype", "most"),
    [("bool", 32_767), ("int8", 256), ("uint8", 128), ("int16", 65_536), ("uint16", 32_768)],
)
def test_as_many_bits_as_the_greatest_sum_needs(dtype: str, most: int) -> None:
    """Three rows of the least or the greatest element, of the longest length for which fewer bits are enough, and of one more."""
    least, greatest = (False, True) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for length in (most, most + 1):
        for value in (least, greatest):
            x = np.full((3, length), value, dtype)
            np.testing.assert_array_equal(eq.jit(rows)(x), x.sum(axis=1))
            np.testing.assert_array_equal(eq.jit(columns)(x.T), x.sum(axis=1))


def test_accumulators_are_narrow_if_sums_are() -> None:
    assert "short" in source("int8", (64, 256))
    assert "short" not in source("int8", (64, 257))
    assert "(long)" not in source("int16", (64, 65_536)).split("acc0 =")[1].split(";")[0]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
@pytest.mark.parametrize("shape", [(1, 1), (5, 0), (17, 33), (100, 130)])
def test_sums_of_all_integers_are_those_of_numpy(dtype: str, shape: tuple[int, int]) -> None:
    chance = np.random.default_rng(0)
    x = chance.integers(0, 2**63, shape, np.int64).view(np.uint64).astype(dtype)
    other = chance.integers(0, 2**63, shape, np.int64).view(np.uint64).astype(dtype)
    np.testing.assert_array_equal(eq.jit(rows)(x), x.sum(axis=1))
    found = eq.jit(common)(x, other)
    np.testing.assert_array_equal(found, (x & other).sum(axis=0, dtype=np.int32))
