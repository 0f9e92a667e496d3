"""The figures of `benchmarks.ranking`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import eqsat as eq
from benchmarks.kernel_models import KERNEL_MODELS
from benchmarks.members import members
from benchmarks.ranking import leave_out, medians, regret
from benchmarks.variants import KERNELS, study
from eqsat.pipeline import render
from eqsat.runtime import get_device


def test_the_last_row_has_the_medians():
    rows = [{"kernel": name, "learned": value} for name, value in (("a", 0.1), ("b", 0.9), ("c", 0.5))]
    assert medians(rows) == {"kernel": "median", "learned": 0.5}


def test_regret_is_of_the_variant_that_is_predicted_to_be_quickest():
    assert regret(np.array([3.0, 1.0, 2.0]), np.array([2.0, 3.0, 4.0])) == 1.5


def test_nothing_learns_from_itself():
    assert leave_out(1, "abc") == ["a", "c"]


@pytest.fixture(scope="module")
def small_study():
    """Six variants of a small sum of squares, whose e-graph has several extractions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KERNELS, "small", (lambda xp, x: xp.sum((x + 1.0) * x * 0.5), (((64, 64), "float32"),)))
        return study("small", get_device(), 6)


def test_variants_are_of_several_extractions_and_agree(small_study):
    assert len(small_study.members) > 1
    assert len(small_study.programs) == 6
    sources = {
        tuple(kernel.source for kernel in render(program.schedule, get_device()))
        for _, program in small_study.programs
    }
    assert len(sources) == len(small_study.programs)
    small_study.check()


def test_a_member_that_computes_something_else_is_noticed(small_study):
    member = small_study.members[0]
    graph = eq.trace(eq.sum, eq.spec((64, 64), eq.float32))
    ((_, drafts), *_) = members(graph, get_device(), 1)
    other = replace(member, drafts=drafts, number=0, tilings=(drafts.kernels[0].choice.best,))
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        replace(small_study, members=(member, other)).check()


def test_a_variant_takes_the_time_of_all_its_kernels(small_study):
    times = small_study.times(2)
    assert times.whole.shape == times.varied.shape == (2, len(small_study.programs))
    assert (times.varied > 0).all()
    assert (times.whole >= times.varied).all()
    parts = small_study.by_member(times.whole[0])
    assert [len(part) for part in parts] == [len(member.tilings) for member in small_study.members]


@pytest.mark.parametrize("model", KERNEL_MODELS, ids=lambda model: model.name)
def test_models_predict_every_variant(small_study, model):
    assert small_study.predict(model).shape == (len(small_study.programs),)
