"""The figures of `benchmarks.ranking`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmarks.ranking import leave_out, medians, spearman
from benchmarks.variants import KERNELS, study
from eqsat.runtime import get_device
from eqsat.schedule.ranking import KERNEL_MODELS


@pytest.mark.parametrize("values", [1000, 7, 2], ids=["no ties", "some ties", "many ties"])
def test_the_correlation_is_spearmans(values):
    random = np.random.default_rng(values)
    left = random.integers(0, values, 40).astype(float)
    right = left + random.integers(0, values, 40)
    assert spearman(left, right) == pytest.approx(spearmanr(left, right).statistic)


def test_equal_predictions_rank_nothing():
    assert spearman(np.ones(5), np.arange(5.0)) == 0.0


def test_the_last_row_has_the_medians():
    rows = [{"kernel": name, "learned": value} for name, value in (("a", 0.1), ("b", 0.9), ("c", 0.5))]
    assert medians(rows) == {"kernel": "median", "learned": 0.5}


def test_nothing_learns_from_itself():
    assert leave_out(1, "abc") == ["a", "c"]


def test_schedules_of_a_kernel_differ_and_agree(monkeypatch):
    function, _ = KERNELS["max_pool"]
    monkeypatch.setitem(KERNELS, "max_pool", (function, (((1, 2, 12, 12), "float32"),)))
    found = study("max_pool", get_device(), 6)
    assert len(set(found.variants.tilings)) == 6
    found.check()
    times = found.times(1)
    assert times.shape == (1, 6)
    assert (times > 0).all()
    for model in KERNEL_MODELS:
        assert model.predict(found.variants).shape == (6,)
