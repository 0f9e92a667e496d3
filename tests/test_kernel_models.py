"""Models of whole kernels, and schedules of one kernel side by side."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks.kernel_models import (
    KERNEL_MODELS,
    Analytic,
    CodeLength,
    InstructionsExecuted,
    KernelRoofline,
    RegistersNeeded,
    Variants,
    every_tiling,
)
from benchmarks.learned_ranking import FEATURES, LearnedRanking
from eqsat.dtype import float32
from eqsat.errors import ScheduleError
from eqsat.machine import Machine
from eqsat.pipeline import render
from eqsat.runtime import Executable, get_device
from eqsat.schedule.draft import Drafts
from eqsat.schedule.plan import draft
from eqsat.schedule.tiling import Axis, Tiling
from eqsat.uop import UOp
from tests.schedule.graphs import GRAPHS, layer_norm, matmul, two_matmuls

DEVICE = Machine()
LEARNED = LearnedRanking("a device", (0.5,) * len(FEATURES), 2.0, 0.1)


def drafted(sink: UOp) -> Drafts:
    return draft(sink, DEVICE)


def variants_of(sink: UOp, count: int = 40) -> Variants:
    """Schedules of the last kernel, from all over the range."""
    kernel = drafted(sink).kernels[-1].profile
    ranked = every_tiling(kernel, DEVICE).ranked
    return Variants(kernel, ranked[:: max(1, len(ranked) // count)], DEVICE)


@cache
def variants_of_graph(name: str) -> Variants:
    """The same for all models."""
    return variants_of(GRAPHS[name]())


@pytest.mark.parametrize("model", [*KERNEL_MODELS, LEARNED], ids=lambda model: model.name)
@pytest.mark.parametrize("graph", GRAPHS)
def test_every_schedule_has_a_finite_cost_above_zero(graph, model) -> None:
    variants = variants_of_graph(graph)
    predicted = model.predict(variants)
    assert predicted.shape == (len(variants.tilings),)
    assert np.all(np.isfinite(predicted))
    assert np.all(predicted > 0)


@pytest.mark.parametrize("model", [*KERNEL_MODELS, LEARNED], ids=lambda model: model.name)
def test_a_model_is_a_value(model) -> None:
    assert pickle.loads(pickle.dumps(model)) == model
    variants = variants_of(layer_norm(64, 64))
    np.testing.assert_array_equal(model.predict(variants), model.predict(replace(variants)))


def test_a_vector_of_eight_executes_an_eighth_of_the_instructions() -> None:
    kernel = drafted(UOp.sink(UOp.param(0, 1 << 12, float32) * 2.0)).kernels[0].profile
    scalar, vector = (Tiling((Axis(lanes=lanes, parallel=True),), (0,)) for lanes in (1, 8))
    executed = InstructionsExecuted().predict(Variants(kernel, (scalar, vector), DEVICE))
    assert executed[0] == pytest.approx(8 * executed[1])


def test_copies_lengthen_the_code_and_need_registers() -> None:
    kernel = drafted(matmul(64, 64, 64)).kernels[0].profile
    loops = len(kernel.extents)
    single, tiled = (
        Tiling((Axis(copies=copies, parallel=True), *[Axis()] * (loops - 1)), (0,)) for copies in (1, 8)
    )
    variants = Variants(kernel, (single, tiled), DEVICE)
    for model in (CodeLength(), RegistersNeeded()):
        plain, wide = model.predict(variants)
        assert wide > plain


def test_a_roofline_knows_cores_and_memory() -> None:
    kernel = drafted(UOp.sink(UOp.param(0, 1 << 20, float32) * 2.0)).kernels[0].profile
    alone, shared = Tiling((Axis(),), ()), Tiling((Axis(parallel=True),), (0,))
    variants = Variants(kernel, (alone, shared), replace(DEVICE, launch_seconds=0.0, bandwidth=1e15))
    computing = KernelRoofline().predict(variants)
    assert computing[0] == pytest.approx(DEVICE.cores * computing[1])
    slow = KernelRoofline().predict(replace(variants, device=replace(variants.device, bandwidth=1.0)))
    assert slow == pytest.approx(8 << 20)


def test_the_analytic_model_is_the_one_that_chooses() -> None:
    found = drafted(layer_norm(64, 64)).kernels[-1]
    predicted = Analytic().predict(Variants(found.profile, found.choice.ranked, DEVICE))
    np.testing.assert_allclose(predicted, found.choice.seconds)


def test_all_that_was_chosen_among_is_among_all_there_is() -> None:
    found = drafted(matmul(64, 64, 64)).kernels[0]
    every = every_tiling(found.profile, DEVICE)
    assert set(found.choice.ranked) <= set(every.ranked)
    assert every.seconds[0] <= found.choice.seconds[0]
    assert len(every.ranked) > 2 * len(found.choice.ranked)


def test_learning_finds_the_powers_behind_times() -> None:
    kernels = [variants_of(sink) for sink in (matmul(64, 64, 64), layer_norm(64, 64), matmul(16, 256, 32))]
    seconds = [LEARNED.predict(each) for each in kernels]
    learned = LearnedRanking.train(kernels, seconds, "a device", penalty=1e-9)
    assert learned.error < 0.05
    for each, taken in zip(kernels, seconds, strict=True):
        np.testing.assert_allclose(learned.predict(each), taken, rtol=0.1)


def test_what_nothing_can_be_learned_from_is_refused() -> None:
    variants = variants_of(layer_norm(64, 64))
    times = np.ones(len(variants.tilings))
    for kernels, seconds in (
        ([], []),
        ([variants], []),
        ([variants], [times[1:]]),
        ([variants], [0 * times]),
    ):
        with pytest.raises(ScheduleError, match="a time above 0 for each schedule"):
            LearnedRanking.train(kernels, seconds, "a device")


def test_a_ranking_is_kept_as_a_document() -> None:
    assert LearnedRanking.from_json(LEARNED.to_json()) == LEARNED
    for document in ("", "[]", '{"weights": {}}'):
        with pytest.raises(ScheduleError, match="train it again"):
            LearnedRanking.from_json(document)


@pytest.mark.parametrize(
    ("graph", "kernels"),
    [(matmul(16, 16, 16), 1), (layer_norm(8, 16), 1), (two_matmuls(192), 2)],
    ids=["matmul", "layer_norm", "two_matmuls"],
)
def test_every_chosen_schedule_gives_one_result(graph, kernels) -> None:
    """Loops are given to the last kernel; those before it keep the ones that are predicted to be quickest."""
    device = get_device()
    drafts = draft(graph, device.described)
    number = len(drafts.kernels) - 1
    assert number == kernels - 1
    ranked = every_tiling(drafts.kernels[number].profile, device.described).ranked
    random = np.random.default_rng(0)
    inputs = [random.random(drafts.buffers[place].size, np.float32) for place in drafts.inputs]
    plain = drafts.schedule()
    (expected,) = Executable(device, plain, render(plain, device), save=False)(*inputs)
    for tiling in ranked[1 :: max(1, len(ranked) // 5)]:
        planned = drafts.schedule({number: tiling})
        assert planned.kernels[:number] == plain.kernels[:number]
        assert planned.kernels[number].choice != plain.kernels[number].choice
        (result,) = Executable(device, planned, render(planned, device), save=False)(*inputs)
        np.testing.assert_allclose(result, expected, rtol=1e-4)
