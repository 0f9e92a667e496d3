"""Programs of dims that are called often run past the queue, for each of their extents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat import dtype as dtypes
from eqsat.pipeline.programs import known
from eqsat.pipeline.programs.program import Program
from eqsat.runtime.executable import CALLS_BEFORE_DIRECT
from eqsat.runtime.opencl import extension
from eqsat.uop import UOp
from tests.runtime.often import called_often
from tests.threads import at_once

pytestmark = pytest.mark.usefixtures("way")
DRAW = np.random.default_rng(7)
N = eq.dim("n", 2, 600)


def of_dims(x: Any, y: Any) -> Any:
    """Over rows whose number calls know: small and large arrays, local memory, temporaries, captured data, and a result that may be empty."""
    return eq.softmax(x @ y) + eq.asarray(OF_COLUMNS), eq.cumulative_sum(x[2::3], axis=0), eq.sum(x * x)


OF_COLUMNS = DRAW.standard_normal(8).astype(np.float32)
COUNTS = (2, 3, 4, 9, 16, 17, 100, 385, 600, 5, 600, 2)


def with_dims(device: str = "pocl") -> Program:
    shapes = [eq.spec((N, 20), eq.float32), eq.spec((20, 8), eq.float32)]
    return eq.compile(eq.trace(of_dims, *shapes), eq.Plan(device=device))


def rows(count: int) -> list[np.ndarray]:
    return [DRAW.standard_normal(shape).astype(np.float32) for shape in ((count, 20), (20, 8))]


def test_programs_of_dims_make_the_same_bits_for_other_extents(monkeypatch: pytest.MonkeyPatch) -> None:
    program = with_dims()
    for count in COUNTS:
        called_often(program, *rows(count))
        program(*rows(count))
    assert program.direct is not None
    monkeypatch.setenv(extension.VARIABLE, "off")
    queued = with_dims()
    for count in (*COUNTS, 7, 300, 18):
        arrays = rows(count)
        usual = queued.run(arrays)
        program.run(arrays)  # the first with this extent
        made = program.direct(arrays)
        assert made is not None, count
        for one, other in zip(usual, made, strict=True):
            assert one.shape == other.shape
            assert one.tobytes() == other.tobytes()
    assert queued.direct is None


def test_threads_with_other_extents_do_not_mix_them() -> None:
    program = with_dims()
    given = [rows(count) for count in (3, 16, 40, 500)]
    expected = [[result.tobytes() for result in called_often(program, *arrays)] for arrays in given]
    wrong: list[int] = []

    def work(number: int) -> None:
        for turn in range(120):
            which = (number + turn) % len(given)
            if [result.tobytes() for result in program(*given[which])] != expected[which]:
                wrong.append(which)

    at_once(work)
    assert not wrong


def test_extents_out_of_bounds_are_refused_as_before() -> None:
    program = with_dims()
    called_often(program, *rows(9))
    assert program(*rows(9))[0].shape == (9, 8)
    assert program.direct is not None
    with pytest.raises(eq.ExtentError, match="601"):
        program(*rows(601))
    with pytest.raises(eq.ExtentError, match="19"):
        program(rows(9)[0][:, :19], rows(9)[1])
    with pytest.raises(eq.ExecutionError, match="takes 2 arrays"):
        program(rows(9)[0])
    with pytest.raises(eq.ExecutionError, match="float64"):
        program(rows(9)[0].astype(np.float64), rows(9)[1])


def test_values_by_name_are_taken_past_the_queue() -> None:
    factor = UOp.variable("k", 1, 9).cast(dtypes.float32).reshape((1,)).expand((24,))
    program = eq.compile(UOp.sink(UOp.param(0, 24, dtypes.float32) * factor), eq.Plan(device="pocl"))
    x = np.arange(24, dtype=np.float32)
    for k in (3, 4):
        results = [program(x, k=k) for _ in range(CALLS_BEFORE_DIRECT + 2)]
        assert all((result == k * x).all() for result in results)
        assert program._known.get((((24,),), (("k", k),))) is not None
    with pytest.raises(eq.ExecutionError, match="integer in"):
        program(x, k=3.0)
    with pytest.raises(eq.ExecutionError, match="integer in"):
        program(x, k=10)


def test_what_is_known_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MOST_KNOWN", 4)
    program = with_dims()
    for count in range(20, 40):
        called_often(program, *rows(count))
    assert len(program._known._found) == len(program._known._by_shapes) == 4
    assert program.direct is not None
    assert program.direct(rows(39)) is not None
    assert program.direct(rows(20)) is None
    assert program(*rows(20))[0].shape == (20, 8)


def test_jitted_functions_of_dims_are_called_directly() -> None:
    centred = eq.jit(
        lambda x: x - eq.mean(x, axis=0), dynamic={"x": {0: eq.dim("n", 1, 600)}}, plan=eq.Plan(device="pocl")
    )
    for count in (1, *COUNTS):
        x = DRAW.standard_normal((count, 3)).astype(np.float32)
        np.testing.assert_allclose(called_often(centred, x), x - x.mean(axis=0), atol=1e-5)
    with pytest.raises(eq.ExtentError):
        centred(np.ones((601, 3), np.float32))


def test_runs_of_one_extent_and_changes_between_extents_are_right() -> None:
    doubled = eq.jit(lambda x: x * 2.0, dynamic={"x": {0: N}}, plan=eq.Plan(device="pocl"))
    arrays = {count: DRAW.standard_normal(count).astype(np.float32) for count in (3, 5)}
    for x in arrays.values():
        called_often(doubled, x)
    for count in (3, 3, 3, 5, 3, 5, 5, 5, 5, 3, 3, 5):
        np.testing.assert_array_equal(doubled(arrays[count]), arrays[count] * 2)
    np.testing.assert_array_equal(doubled(arrays[5].astype(np.float64)), arrays[5].astype(np.float64) * 2)
