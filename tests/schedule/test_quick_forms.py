"""What prices use in place of slower functions of NumPy gives what these give."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.schedule.cost.accesses import Sections
from eqsat.schedule.cost.vectors import _distinct
from eqsat.schedule.tiling import product_over


@pytest.mark.parametrize("join", [np.maximum, np.add, np.logical_or])
@pytest.mark.parametrize("shape", [(), (3,), (2, 5)])
def test_sections_are_joined_as_by_reduceat(join: np.ufunc, shape: tuple[int, ...]) -> None:
    numbers = np.array([4, 4, 0, 7, 7, 7, 2])
    values = np.random.default_rng(0).random((len(numbers), *shape)) - 0.5
    values = values > 0 if join is np.logical_or else values
    expected = join.reduceat(values, [0, 2, 3, 6], axis=0)
    np.testing.assert_array_equal(Sections.of(numbers).joined(join, values), expected)


def test_values_of_single_rows_are_themselves() -> None:
    values = np.arange(3.0)
    assert Sections.of(np.array([2, 0, 1])).joined(np.maximum, values) is values


@pytest.mark.parametrize("ranges", [0, 1, 4])
def test_factors_of_each_mask_are_multiplied(ranges: int) -> None:
    draw = np.random.default_rng(ranges)
    factors = draw.integers(1, 9, (ranges, 6)).astype(np.float64)
    masks = draw.random((12, ranges)) < 0.5  # among which some are equal
    expected = np.where(masks[:, :, None], factors, 1.0).prod(axis=1)
    np.testing.assert_array_equal(product_over(factors, masks), expected)


@pytest.mark.parametrize("end", [10, 1 << 20])
def test_equal_keys_have_one_number(end: int) -> None:
    keys = np.array([7, 3, 7, 9, 3, 3])
    where, place = _distinct(keys, end)
    assert place.tolist() == [1, 0, 1, 2, 0, 0]
    assert keys[where].tolist() == [3, 7, 9]
