"""Minimizing quadratic functions with limits, against conditions that hold at the least value only."""

import numpy as np
import pytest

from eqsat.extract.projected_lbfgs import minimize


@pytest.mark.parametrize("limited", [0, 5, 30])
@pytest.mark.parametrize("seed", range(5))
def test_the_slope_is_nothing_or_points_out_of_the_limits(limited, seed):
    draw = np.random.default_rng(seed)
    root = draw.standard_normal((30, 30))
    matrix, vector = root @ root.T / 30 + 0.1 * np.eye(30), draw.standard_normal(30)
    least = np.where(np.arange(30) < limited, 0.0, -np.inf)
    point = minimize(
        lambda x: (x @ matrix @ x / 2 - vector @ x, matrix @ x - vector), np.ones(30), least, 400
    )
    slope = matrix @ point - vector
    assert np.all(point >= least)
    assert np.all(np.abs(slope[point > least]) < 1e-4)
    assert np.all(slope[point == least] > -1e-4)


def test_a_start_that_is_the_least_is_kept():
    assert minimize(lambda x: (x @ x, 2 * x), np.zeros(3), np.zeros(3), 10).tolist() == [0, 0, 0]
