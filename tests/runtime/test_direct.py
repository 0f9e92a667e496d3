"""Programs that are called often run past the queue; nothing else about them changes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline import just_in_time
from eqsat.pipeline.programs.program import Program
from eqsat.runtime import get_device
from eqsat.runtime.buffers import ALIGNMENT, HostPool
from eqsat.runtime.device import DRIVERS
from eqsat.runtime.executable import CALLS_BEFORE_DIRECT
from eqsat.runtime.opencl import OpenCLDevice, direct, extension
from tests.runtime.often import called_often
from tests.threads import at_once

pytestmark = pytest.mark.usefixtures("way")
DRAW = np.random.default_rng(7)


def of_one_kernel(x: Any, y: Any) -> Any:
    return x * 2 + y


def of_local_memory(x: Any, y: Any) -> Any:
    return eq.softmax(x + y, axis=1)


def of_several_kernels(x: Any, y: Any) -> Any:
    return eq.matmul(eq.tanh(eq.matmul(x, eq.matrix_transpose(y))), y), eq.sum(x), x > y


def of_captured_data(x: Any, y: Any) -> Any:
    return x * eq.asarray(CAPTURED) + y


CAPTURED = DRAW.standard_normal((12, 20))
PROGRAMS = (of_one_kernel, of_local_memory, of_several_kernels, of_captured_data)


def compiled(function: Any, shape: tuple[int, ...], dtype: str = "float64") -> Program:
    spec = eq.spec(shape, getattr(eq, dtype))
    return eq.compile(eq.trace(function, spec, spec), eq.Plan(device="pocl"))


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("shape", [(12, 20)])
def test_results_are_the_same(function: Any, shape: tuple[int, ...]) -> None:
    program = compiled(function, shape)
    x, y = DRAW.standard_normal(shape), DRAW.standard_normal(shape)
    called_often(program, x, y)
    assert program.direct is not None
    for _ in range(3):
        x, y = DRAW.standard_normal(shape), DRAW.standard_normal(shape)
        usual = program._executable(*program._inputs([x, y]))
        made = program.direct([x, y])
        assert made is not None
        for one, other in zip(usual, made, strict=True):
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()
        results = program(x, y)
        assert all(map(np.array_equal, results if isinstance(results, tuple) else (results,), made))


@pytest.mark.parametrize("count", [64, 6000])
def test_results_are_memory_of_their_own(count: int) -> None:
    program = compiled(of_one_kernel, (count,))
    x, y = np.ones(count), np.zeros(count)
    called_often(program, x, y)
    assert program.direct is not None
    first = program(x, y)
    x[:] = 5
    second = program(x, y)
    assert (first == 2).all()
    assert (second == 10).all()
    first[:] = -1
    assert (second == 10).all()


@pytest.mark.parametrize("count", [64, 6000])
def test_arrays_that_lie_otherwise(count: int) -> None:
    """Read-only, with gaps, or not aligned: the results are those of the same elements."""
    program = compiled(of_one_kernel, (count,))
    x, y = DRAW.standard_normal(count), DRAW.standard_normal(count)
    expected = called_often(program, x, y)
    fixed = x.copy()
    fixed.flags.writeable = False
    apart = np.repeat(x, 3)[::3]
    shifted = np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view(np.float64)
    for other in (fixed, apart, shifted):
        assert program(other, y).tobytes() == expected.tobytes()


def test_arrays_that_do_not_fit_are_refused_as_before() -> None:
    program = compiled(of_one_kernel, (8,))
    x = np.ones(8)
    called_often(program, x, x)
    assert program.direct is not None
    with pytest.raises(eq.ExecutionError, match="takes 2 arrays"):
        program(x)
    with pytest.raises(eq.ExecutionError, match="shape"):
        program(np.ones(9), x)
    with pytest.raises(eq.ExecutionError, match="float32"):
        program(x.astype(np.float32), x)
    assert (program(np.ones((8,)), x.reshape(-1)) == 3).all()


def test_threads_do_not_mix_their_arrays() -> None:
    program = compiled(of_several_kernels, (12, 20))
    pairs = [(DRAW.standard_normal((12, 20)), DRAW.standard_normal((12, 20))) for _ in range(4)]
    expected = [program(*pair)[0] for pair in pairs]
    called_often(program, *pairs[0])
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(300):
            if not np.array_equal(program(*pairs[number])[0], expected[number]):
                wrong.append(number)

    at_once(work)
    assert not wrong


def test_forked_processes_are_refused_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    program = compiled(of_one_kernel, (8,))
    x = np.ones(8)
    called_often(program, x, x)
    monkeypatch.setattr(DRIVERS, "lost", True)
    with pytest.raises(eq.EqsatError, match="forked"):
        program(x, x)


def test_queue_is_taken_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(extension.VARIABLE, "off")
    program = compiled(of_one_kernel, (8,))
    called_often(program, np.ones(8), np.ones(8))
    assert program.direct is None
    assert (program(np.ones(8), np.ones(8)) == 3).all()


def test_queue_is_taken_where_subnormal_numbers_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "TINY", 0.0)  # as products are where the processor flushes them
    program = compiled(of_one_kernel, (8,))
    called_often(program, np.ones(8), np.ones(8))
    assert program.direct is None
    assert (program(np.ones(8), np.ones(8)) == 3).all()


def of_large_temporaries(x: Any, y: Any) -> Any:
    return (
        eq.sum(eq.cumulative_sum(x * y, axis=0), axis=1),
        eq.matmul(x[:16], eq.matrix_transpose(y[:32])),
        x + 1,
    )


def test_results_of_all_cores_are_the_same() -> None:
    program = compiled(of_large_temporaries, (500, 800), "float32")
    x, y = (DRAW.standard_normal((500, 800), np.float32) for _ in range(2))
    called_often(program, x, y)
    assert program.direct is not None
    for _ in range(40):
        x = DRAW.standard_normal((500, 800), np.float32)
        usual, made = program._executable(x, y), program.direct([x, y])
        assert made is not None
        assert [one.tobytes() for one in usual] == [other.tobytes() for other in made]


def test_threads_share_the_crew() -> None:
    programs = [
        compiled(function, (300, 500), "float32") for function in (of_large_temporaries, of_one_kernel)
    ]
    x, y = (DRAW.standard_normal((300, 500), np.float32) for _ in range(2))
    expected = [program.run([x, y])[0].tobytes() for program in programs]
    for program in programs:
        called_often(program, x, y)
        assert program.direct is not None
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(60):
            if programs[number % 2].run([x, y])[0].tobytes() != expected[number % 2]:
                wrong.append(number)

    at_once(work)
    assert not wrong


ENDING = """
import time
import numpy as np
import eqsat as eq
from eqsat import dtype as dtypes
double = eq.jit(lambda x: eq.exp(x) * 2)
x = np.ones(300_000, np.float32)
for turn in range(30):
    if turn in (10, 20):
        time.sleep(0.02)  # helpers fall asleep
    assert abs(double(x) - 5.4365635).max() < 1e-5
print("done")
"""


def test_processes_end_while_helpers_look_for_work() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr


def test_parts_of_a_device_have_their_queues() -> None:
    device = get_device("pocl")
    assert isinstance(device, OpenCLDevice)
    if device.handle.max_compute_units % 2:
        pytest.skip("the processor has no two halves")
    half = device.parts(2)[0]
    graph = eq.trace(eq.exp, eq.spec(30_000, eq.float32))
    program = eq.compile(graph, eq.Plan(device=half))
    called_often(program, np.ones(30_000, np.float32))
    assert program.direct is None


def test_memory_that_cannot_be_had_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    program = compiled(of_one_kernel, (600_000,))
    x = np.ones(600_000)  # the extension has memory for smaller results of its own
    called_often(program, x, x)
    assert program.direct is not None

    def none(*_: Any) -> np.ndarray:
        raise MemoryError

    monkeypatch.setattr(HostPool, "take_array", none)
    with pytest.raises(eq.EqsatError):
        program(x, x)
    monkeypatch.undo()
    assert (program(x, x) == 3).all()


@pytest.mark.parametrize("count", [9_000, 60_000, 600_000])
def test_memory_of_results_is_used_again_once_no_view_is_left(count: int) -> None:
    program = compiled(of_one_kernel, (count,))
    x = np.ones(count)
    called_often(program, x, x)
    first = program(x, x)
    place, view = first.ctypes.data, first[5:].reshape(-1, 5)
    assert place % ALIGNMENT == 0
    assert first.flags.writeable
    del first
    second = program(x, x * 2)
    assert second.ctypes.data != place
    assert (view == 3).all()
    assert (second == 4).all()
    del view
    third = program(x, x * 3)
    assert third.ctypes.data == place
    assert (second == 4).all()
    assert (third == 5).all()


def test_few_dropped_results_are_kept() -> None:
    programs = [compiled(of_one_kernel, (9_000 + 1_000 * number,)) for number in range(20)]
    given = [np.ones(9_000 + 1_000 * number) for number in range(20)]
    for program, x in zip(programs, given, strict=True):
        called_often(program, x, x)
    for _ in range(3):
        several = [program(x, x) for program, x in zip(programs, given, strict=True)]
        assert all((each == 3).all() for each in several)
        assert len({each.ctypes.data for each in several}) == len(several)


def test_jitted_functions_notice_what_differs() -> None:
    @eq.jit(plan=eq.Plan(device="pocl"))
    def scaled(x: Any, factor: float = 1.0) -> Any:
        return {"scaled": x * factor + SHIFT[0]}

    x = np.arange(6.0)
    called_often(scaled, x, 2.0)
    assert (scaled(x, 2.0)["scaled"] == 2 * x).all()
    assert (scaled(x, 3.0)["scaled"] == 3 * x).all()
    assert (scaled(x, factor=4.0)["scaled"] == 4 * x).all()
    assert (scaled(x)["scaled"] == x).all()
    assert scaled(x.astype(np.float32), 2.0)["scaled"].dtype == np.float32
    assert scaled(x.reshape(2, 3), 2.0)["scaled"].shape == (2, 3)
    SHIFT[0] = 1
    try:
        assert (scaled(x, 2.0)["scaled"] == 2 * x + 1).all()
    finally:
        SHIFT[0] = 0
    assert (scaled(x, 2.0)["scaled"] == 2 * x).all()


SHIFT = [0]


def test_several_signatures_of_a_jitted_function_are_called_directly() -> None:
    scaled = eq.jit(lambda x, factor: x * factor, plan=eq.Plan(device="pocl"))
    given = [(np.arange(count, dtype=np.float32), factor) for count in (3, 4, 5) for factor in (2, 3)]
    for x, factor in given * (CALLS_BEFORE_DIRECT + 1):
        assert (scaled(x, factor) == x * factor).all()
    assert len(scaled._quick) == just_in_time._MOST_QUICK
    for number, (x, factor) in enumerate(given):
        made = [quick((x, factor)) for _, quick in scaled._quick]
        assert sum(each is not None for each in made) == (number >= len(given) - just_in_time._MOST_QUICK)
    tried = scaled._quick
    for x, factor in given[-2:] * 2:
        assert (scaled(x, factor) == x * factor).all()
    assert scaled._quick is tried  # neither was looked up


def test_arrays_that_no_kernel_reads_matter_by_their_shape() -> None:
    @eq.jit(plan=eq.Plan(device="pocl"))
    def counted(x: Any, y: Any) -> Any:
        return x + y.shape[0]

    x = np.zeros(4)
    called_often(counted, x, np.ones(3))
    assert (counted(x, np.ones(3)) == 3).all()
    assert (counted(x, np.ones(5)) == 5).all()
    assert (counted(x, np.ones(3)) == 3).all()


def test_bytes_in_the_other_order_are_converted() -> None:
    program = compiled(of_one_kernel, (8,))
    swapped = np.zeros(8, ">f8")
    called_often(program, swapped, swapped)
    swapped[:] = 3
    assert (program(swapped, swapped) == 9).all()
