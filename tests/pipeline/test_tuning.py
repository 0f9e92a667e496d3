"""Tuning takes the quickest of the measured choices, survives those that fail, and measures nothing twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import RenderedKernel, render
from eqsat.pipeline.planning import tuning
from eqsat.runtime import MEASUREMENTS, PLANS, timing
from eqsat.runtime.record import VARIABLE as RECORD
from eqsat.runtime.task import Failure
from eqsat.schedule.kernel import Tuning
from tests.runtime.interpreted import InterpretedDevice

SIZE = 1 << 17


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))
    yield
    MEASUREMENTS.close()
    PLANS.close()


def squares(x: eq.Array) -> eq.Array:
    return x * x + 1.0


def graph() -> eq.UOp:
    return eq.trace(squares, eq.spec(SIZE, eq.float32))


def tuning_of(program: eq.Program) -> Tuning:
    (kernel,) = program.schedule.kernels
    assert kernel.tuning is not None
    return kernel.tuning


def timed_by(
    monkeypatch: pytest.MonkeyPatch, seconds: Callable[[RenderedKernel], list[float] | Failure]
) -> list[str]:
    """Replaces measuring by a function; the sources of the kernels asked about, in order."""
    asked: list[str] = []

    def times(_: timing.KernelTimer, kernel: RenderedKernel, repeats: int) -> list[float] | Failure:
        asked.append(kernel.source)
        return seconds(kernel)

    monkeypatch.setattr(timing.KernelTimer, "times", times)
    return asked


def by_first_seen(*seconds: float) -> Callable[[RenderedKernel], list[float]]:
    """So many seconds for the first kernel, so many for the second, and so on."""
    seen: dict[str, float] = {}

    def times(kernel: RenderedKernel) -> list[float]:
        return [seen.setdefault(kernel.source, seconds[len(seen) % len(seconds)])]

    return times


@pytest.mark.parametrize("wrong", [-1, 1.0, "3", None, True, 1 << 70])
def test_what_is_no_number_of_choices_is_an_error(wrong: object) -> None:
    with pytest.raises(eq.ScheduleError, match="tune says how many .* is no integer from 0"):
        eq.Plan(tune=wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("wrong", [-0.1, 1.5, "3", None, True, float("nan")])
def test_what_is_no_gap_is_an_error(wrong: object) -> None:
    with pytest.raises(eq.ScheduleError, match="gap says how far .* is no number from 0 to 1"):
        eq.Plan(gap=wrong)  # pyright: ignore[reportArgumentType]


def test_numbers_of_numpy_are_numbers() -> None:
    plain = eq.Plan(tune=2, gap=0.25, function_error=4.0, budget=eq.Budget(seconds=1.5, iterations=7))
    given = eq.Plan(
        tune=np.int64(2),  # pyright: ignore[reportArgumentType]
        gap=np.float32(0.25),  # pyright: ignore[reportArgumentType]
        function_error=np.float16(4.0),  # pyright: ignore[reportArgumentType]
        budget=eq.Budget(seconds=np.float64(1.5), iterations=np.uint8(7)),  # pyright: ignore[reportArgumentType]
    )
    assert given == plain
    assert given.key == plain.key


def test_programs_of_other_gaps_are_cached_apart() -> None:
    assert len({eq.Plan(gap=gap).key for gap in (0, 0.05, 0.5)}) == 3


def test_tuned_program_is_measured_stored_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    program = eq.compile(graph(), eq.Plan(tune=3))
    found = tuning_of(program)
    assert found.tried == 3
    assert found.failed == ()
    assert found.measured_before is not None
    assert found.measured is not None
    assert 0 < found.measured <= found.measured_before
    x = np.linspace(-1, 1, SIZE, dtype=np.float32)
    assert np.allclose(program(x), x * x + 1)
    asked = timed_by(monkeypatch, by_first_seen(1.0))
    again = eq.compile(graph(), eq.Plan(tune=3))
    assert asked == []
    assert again.schedule == program.schedule
    assert eq.compile(graph()).schedule.kernels[0].tuning is None, "other plans are other entries"


def test_quickest_choice_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = timed_by(monkeypatch, by_first_seen(3e-3, 1e-3, 2e-3, 2.5e-3))
    program = eq.compile(graph(), eq.Plan(tune=4))
    found = tuning_of(program)
    assert (found.measured_before, found.measured, found.tried) == (3e-3, 1e-3, 4)
    untuned = eq.compile(graph())
    assert program.schedule.kernels[0].choice != untuned.schedule.kernels[0].choice
    body = [source.partition("{")[2] for source in (asked[1], program.kernels[0].source)]
    assert body[0] == body[1]


def test_hardly_quicker_choice_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    timed_by(monkeypatch, by_first_seen(1.01e-3, 1e-3))
    program = eq.compile(graph(), eq.Plan(tune=2))
    assert program.schedule.kernels[0].choice == eq.compile(graph()).schedule.kernels[0].choice
    assert tuning_of(program).measured == 1.01e-3


def test_clear_losers_drop_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = timed_by(monkeypatch, by_first_seen(1e-4, 1e-3, 1.5e-4, 1.01e-4))
    eq.compile(graph(), eq.Plan(tune=4))
    turns = [asked.count(source) for source in dict.fromkeys(asked)]
    assert turns[0] == tuning.MOST_TURNS
    assert turns[1] == 1, "ten times slower"
    assert turns[1] < turns[2] < turns[3] == tuning.MOST_TURNS


def test_interrupted_tuning_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = timed_by(monkeypatch, by_first_seen(1e-3))
    eq.compile(graph(), eq.Plan(tune=3))
    MEASUREMENTS.clear()
    PLANS.clear()
    before: list[str] = []

    def interrupted(kernel: RenderedKernel) -> list[float]:
        if len(before) == 5:
            raise KeyboardInterrupt
        before.append(kernel.source)
        return [1e-3]

    timed_by(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        eq.compile(graph(), eq.Plan(tune=3))
    after = timed_by(monkeypatch, by_first_seen(1e-3))
    eq.compile(graph(), eq.Plan(tune=3))
    assert before + after == whole


def test_equal_kernels_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = timed_by(monkeypatch, by_first_seen(1e-3))

    def layers(x: eq.Array, *weights: eq.Array) -> eq.Array:
        for each in weights:
            x = eq.matmul(x, each)
        return x

    traced = eq.trace(layers, *[eq.spec((64, 64), eq.float32)] * 4)
    kernels = eq.compile(traced, eq.Plan(tune=2)).schedule.kernels
    distinct = {kernel.ast for kernel in kernels}
    assert len(distinct) < len(kernels)
    assert len(set(asked)) <= 2 * len(distinct)
    assert len(asked) == tuning.MOST_TURNS * len(set(asked))


@pytest.mark.parametrize(
    "wrong",
    [b"{", b"[]", b'{"seconds": {"7": [1.0]}}', b'{"seconds": {"0": []}}', b'{"seconds": {"0": ["x"]}}'],
)
def test_record_that_is_none_is_forgotten(wrong: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    timed_by(monkeypatch, by_first_seen(1e-3))
    records = recorded(monkeypatch)
    eq.compile(graph(), eq.Plan(tune=2))
    PLANS.clear()
    for key in records:
        MEASUREMENTS.put(key, wrong)
    asked = timed_by(monkeypatch, by_first_seen(1e-3))
    assert tuning_of(eq.compile(graph(), eq.Plan(tune=2))).measured == 1e-3
    assert len(asked) == 2 * tuning.MOST_TURNS


def recorded(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What is put into the cache from now on."""
    found: dict[str, bytes] = {}
    put = MEASUREMENTS.put
    monkeypatch.setattr(MEASUREMENTS, "put", lambda key, value: (found.update({key: value}), put(key, value)))
    return found


CRASH = "*(volatile __global int *)(1L << 50) = 1;"
ENDLESS = "for (volatile long k = 0; k < 1L << 50; k++) ;"
REJECTED = "int x = nothing;"


@pytest.fixture
def spoiled(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[int, str]], None]:
    """Puts a statement in front of the bodies of some choices, by their numbers; they are not shown to the referee."""
    monkeypatch.delenv(RECORD, raising=False)

    def spoil(bodies: dict[int, str]) -> None:
        numbers: dict[str, int] = {}

        def spoiling(ast: eq.UOp, dialect: eq.codegen.Dialect) -> RenderedKernel:
            found = render(ast, dialect)
            number = numbers.setdefault(found.source, len(numbers))
            head, brace, body = found.source.partition("{")
            return replace(found, source=f"{head}{brace}{bodies.get(number, '')}{body}")

        monkeypatch.setattr(tuning, "render_kernel", spoiling)

    return spoil


def end_endless_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless kernel has a second, which it takes a processor for; a busy machine may need longer for the others."""
    usual, times = timing.HANGING, timing.KernelTimer.times

    def limited(timer: timing.KernelTimer, kernel: RenderedKernel, repeats: int) -> list[float] | Failure:
        monkeypatch.setattr(timing, "HANGING", 1.0 if ENDLESS in kernel.source else usual)
        return times(timer, kernel, repeats)

    monkeypatch.setattr(timing.KernelTimer, "times", limited)


def test_choices_that_fail_are_recorded_and_cost_only_themselves(
    spoiled: Callable[[dict[int, str]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    end_endless_soon(monkeypatch)
    records = recorded(monkeypatch)
    spoiled({0: CRASH, 1: ENDLESS, 2: REJECTED})
    program = eq.compile(graph(), eq.Plan(tune=4))
    found = tuning_of(program)
    assert found.tried == 4
    assert found.measured_before is None
    assert found.measured is not None
    crashed, hung, rejected = found.failed
    assert "ended by SIG" in crashed
    assert "timed out" in hung
    assert "cannot compile" in rejected
    assert (program(np.ones(SIZE, np.float32)) == 2).all()
    (record,) = map(json.loads, records.values())
    assert sorted(record["failed"]) == ["0", "1", "2"]


def test_where_every_choice_fails_the_prediction_chooses(spoiled: Callable[[dict[int, str]], None]) -> None:
    spoiled(dict.fromkeys(range(9), REJECTED))
    program = eq.compile(graph(), eq.Plan(tune=2))
    assert tuning_of(program).measured is None
    assert len(tuning_of(program).failed) == 2
    assert program.schedule.kernels[0].choice == eq.compile(graph()).schedule.kernels[0].choice


def test_device_that_no_other_process_can_find_is_an_error() -> None:
    with pytest.raises(eq.DeviceError, match="interpreter"):
        eq.compile(graph(), eq.Plan(tune=2, device=InterpretedDevice()))


def test_programs_without_work_are_tuned_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = timed_by(monkeypatch, by_first_seen(1e-3))
    program = eq.compile(eq.trace(squares, eq.spec(0, eq.float32)), eq.Plan(tune=3))
    assert program(np.ones(0, np.float32)).shape == (0,)
    assert asked == []


def test_every_dtype_is_measured() -> None:
    dtypes = (eq.bool_, eq.int8, eq.uint64, eq.float16, eq.bfloat16, eq.float64)

    traced = eq.trace(
        lambda *given: [eq.flip(each) for each in given], *(eq.spec(35, each) for each in dtypes)
    )
    for kernel in eq.compile(traced, eq.Plan(tune=2)).schedule.kernels:
        assert kernel.tuning is not None
        assert kernel.tuning.failed == ()
