"""An executable computes what its kernels say, on the caller's memory where it can, and leaves nothing behind."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from eqsat import dtype as dtypes
from eqsat.errors import DeviceError, EqsatError, ExecutionError, MemoryExhaustedError
from eqsat.runtime import get_device
from eqsat.runtime.executable import Executable
from eqsat.runtime.opencl import lazy
from eqsat.runtime.opencl.failures import explain, explained
from eqsat.runtime.record import VARIABLE as RECORD
from eqsat.schedule.kernel import Role, Schedule
from tests.runtime.programs import addition, argument, buffer, chain, in_caller, rendered, schedule
from tests.threads import at_once

# PoCL's threads and the calling thread work on NumPy's memory; other drivers of processors map it; the simulator has memory of its own.
DEVICES = ("pocl", "caller", "mapped", "oclgrind")


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    match request.param:
        case "caller":
            return in_caller()
        case "mapped":
            monkeypatch.setattr(get_device("pocl"), "is_pocl", False)
            return get_device("pocl")
        case name:
            return get_device(name)


def floats(size: int) -> np.ndarray:
    return np.random.default_rng(size).standard_normal(size).astype(np.float32)


def test_sum_of_two_arrays(device) -> None:
    executable = Executable(device, *addition(100))
    for _ in range(3):
        a, b = floats(100), floats(100)
        (result,) = executable(a, b)
        assert (result == a + b).all()


def test_results_of_earlier_calls_stay(device) -> None:
    executable = Executable(device, *addition(1000))
    inputs = [(floats(1000) * number, floats(1000)) for number in range(5)]
    results = [executable(a, b)[0] for a, b in inputs]
    assert all((result == a + b).all() for (a, b), result in zip(inputs, results, strict=True))
    results[0][:] = 0
    assert (results[1] == sum(inputs[1])).all(), "results are the caller's, and may be written"


def test_temporaries_share_arenas(device) -> None:
    (result,) = Executable(device, *chain(1000, 9))(np.zeros(1000, np.float32))
    assert (result == 9).all()


def test_inputs_are_not_written_and_may_be_read_only(device) -> None:
    a, b = floats(64), floats(64)
    copies = a.copy(), b.copy()
    a.flags.writeable = b.flags.writeable = False
    Executable(device, *addition(64))(a, b)
    assert (a == copies[0]).all()
    assert (b == copies[1]).all()


def test_inputs_that_may_and_may_not_be_written_take_turns(device) -> None:
    """Kernels are given those in different ways."""
    executable = Executable(device, *addition(64))
    for number in range(16):
        a, b = floats(64) * number, floats(64)
        a.flags.writeable, b.flags.writeable = bool(number & 1), bool(number & 2)
        assert (executable(a, b)[0] == a + b).all()


def test_strided_misaligned_and_swapped_inputs(device) -> None:
    executable = Executable(device, *addition(64))
    plain = floats(64)
    wide = np.zeros((64, 2), np.float32)
    wide[:, 1] = plain
    for array in (
        wide[:, 1],
        plain[::-1][::-1],
        plain.reshape(8, 8),
        _misaligned(plain),
        plain.astype(">f4"),
        floats(65)[1:],
    ):
        flat = np.ascontiguousarray(array, np.float32).reshape(-1)
        assert (executable(array, array)[0] == flat + flat).all()


def _misaligned(array: np.ndarray) -> np.ndarray:
    room = np.zeros(array.nbytes + 1, np.uint8)
    room[1:] = array.view(np.uint8)
    found = room[1:].view(np.float32)
    assert not found.flags.aligned
    return found


def test_one_array_for_two_inputs(device) -> None:
    a = floats(64)
    assert (Executable(device, *addition(64))(a, a)[0] == 2 * a).all()


def test_result_is_an_input_of_the_next_call(device) -> None:
    executable, total = Executable(device, *addition(64)), np.zeros(64, np.float32)
    for _ in range(10):
        (total,) = executable(total, np.ones(64, np.float32))
    assert (total == 10).all()


@pytest.mark.parametrize("dtype", [dtypes.bool_, dtypes.int32, dtypes.int64, dtypes.float64])
def test_dtypes_pass_through(device, dtype) -> None:
    kernel = rendered(
        "copy", "o[i] = a[i];", [argument(0, 8, written=True, dtype=dtype), argument(1, 8, dtype=dtype)], 8
    )
    made = schedule(
        [("copy", (0, 1))], [buffer(8, Role.OUTPUT, 0, dtype=dtype), buffer(8, Role.INPUT, 0, dtype=dtype)]
    )
    values = np.array([0, 1, 1, 0, 1, 0, 0, 1], dtypes.to_numpy(dtype))
    (result,) = Executable(device, made, [kernel])(values)
    assert result.dtype == values.dtype
    assert (result == values).all()


def test_bfloat16_is_stored_in_two_bytes(device) -> None:
    kernel = rendered(
        "copy",
        "o[i] = a[i];",
        [argument(0, 4, written=True, dtype=dtypes.bfloat16), argument(1, 4, dtype=dtypes.bfloat16)],
        4,
    )
    made = schedule(
        [("copy", (0, 1))],
        [buffer(4, Role.OUTPUT, 0, dtype=dtypes.bfloat16), buffer(4, Role.INPUT, 0, dtype=dtypes.bfloat16)],
    )
    values = np.array([1.0, -2.5, np.inf, np.nan], np.float32)
    (result,) = Executable(device, made, [kernel])(values)
    assert result.dtype == np.float32
    assert np.array_equal(result, values, equal_nan=True)


def test_arrays_without_elements(device) -> None:
    made, kernels = addition(0)
    (result,) = Executable(device, made, kernels)(np.zeros(0, np.float32), np.zeros((3, 0), np.float32))
    assert result.shape == (0,)


def test_kernel_that_reads_an_empty_array(device) -> None:
    kernel = rendered("sevens", "o[i] = 7;", [argument(0, 4, written=True), argument(1, 0)], 4)
    made = schedule([("sevens", (0, 1))], [buffer(4, Role.OUTPUT, 0), buffer(0, Role.INPUT, 0)])
    assert (Executable(device, made, [kernel])(np.zeros(0, np.float32))[0] == 7).all()


def test_program_without_kernels_returns_copies(device) -> None:
    made = Schedule((), (buffer(4, Role.INPUT, 0),), (0,), (0, 0))
    array = floats(4)
    first, second = Executable(device, made, [])(array)
    assert (first == array).all()
    assert not np.shares_memory(first, array)
    assert not np.shares_memory(first, second)


def test_output_returned_twice_is_two_arrays_of_which_one_is_copied(device, monkeypatch) -> None:
    taken: list[np.ndarray] = []
    take = device.host_pool.take_array
    monkeypatch.setattr(
        device.host_pool, "take_array", lambda *wanted: taken.append(take(*wanted)) or taken[-1]
    )
    made, kernels = addition(4)
    first, second = Executable(device, replace(made, outputs=(0, 0)), kernels)(floats(4), floats(4))
    assert (first == second).all()
    assert not np.shares_memory(first, second)
    assert [np.shares_memory(first, each) for each in taken] == [True]


def test_threads_take_turns(device) -> None:
    executable, wrong = Executable(device, *addition(256)), list[int]()

    def work(number: int) -> None:
        a = np.full(256, number, np.float32)
        for _ in range(20):
            if not (executable(a, a)[0] == 2 * number).all():
                wrong.append(number)

    at_once(work)
    assert not wrong


@pytest.mark.parametrize("failing", range(3))
def test_launch_that_fails_leaves_memory_as_it_was(device, failing: int, monkeypatch) -> None:
    """The launches before it are waited for, what the run borrowed is free again, and no input is written."""
    executable, a, launched = Executable(device, *chain(1 << 16, 3)), floats(1 << 16), list[int]()
    before, enqueue = a.copy(), lazy.cl.enqueue_nd_range_kernel

    def launch(*wanted):
        launched.append(len(launched))
        return enqueue(*wanted) if len(launched) <= failing else enqueue(*wanted[:2], (0,) * 9, None)

    expected = executable(a)[0].copy()
    idle = device.host_pool.idle_bytes, device.device_pool.idle_bytes
    with monkeypatch.context() as patch:
        patch.setattr(lazy.cl, "enqueue_nd_range_kernel", launch)
        with pytest.raises(EqsatError, match="running step0, step1, step2"):
            executable(a)
    assert len(launched) == failing + 1
    gc.collect()
    assert (device.host_pool.idle_bytes, device.device_pool.idle_bytes) == idle
    assert (a == before).all()
    assert (executable(a)[0] == expected).all()


def test_profile_times_each_kernel(device) -> None:
    executable = Executable(device, *chain(1000, 3))
    times = executable.profile(np.zeros(1000, np.float32))
    assert len(times) == 3
    assert all(0 < seconds < 10 for seconds in times)


def test_profile_of_nothing_is_zero(device) -> None:
    assert Executable(device, *addition(0)).profile(np.zeros(0, np.float32), np.zeros(0, np.float32)) == (
        0.0,
    )


def test_memory_is_bounded_over_a_thousand_calls() -> None:
    device = get_device("pocl")
    size = 1 << 18  # a result of 1 MiB
    executable, a = Executable(device, *addition(size)), floats(size)
    for _ in range(20):
        executable(a, a)
    before, idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, device.host_pool.idle_bytes
    for _ in range(1000):
        executable(a, a)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 16 << 10, f"{grown} KiB more than at first"
    assert device.host_pool.idle_bytes - idle < 16 << 20


def test_results_reuse_the_memory_of_dropped_ones() -> None:
    executable, a = Executable(get_device("pocl"), *addition(50_000)), floats(50_000)
    addresses = {executable(a, a)[0].ctypes.data for _ in range(20)}
    assert len(addresses) <= 2


SPIN = """
import numpy as np, sys
from eqsat.runtime import get_device
from eqsat.runtime.executable import Executable
from tests.runtime.programs import argument, buffer, rendered, schedule
from eqsat.schedule.kernel import Role
body = "float x = 0; for (long k = 0; k < 1000000000; k++) x = x * 1.0001f + 1; o[i] = x;"
kernel = rendered("spin", body, [argument(0, 1, written=True)], 1)
executable = Executable(get_device("pocl"), schedule([("spin", (0,))], [buffer(1, Role.OUTPUT, 0)]), [kernel])
print("ready", flush=True)
try:
    executable()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_interrupt_waits_for_the_kernel() -> None:
    environment = {name: value for name, value in os.environ.items() if name != RECORD}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    process = subprocess.Popen(
        [sys.executable, "-c", SPIN], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert (output, process.returncode) == ("interrupted\n", 0)


def test_wrong_number_of_arrays() -> None:
    executable = Executable(get_device("pocl"), *addition(4))
    with pytest.raises(ExecutionError, match="add takes 2 arrays and was given 1; pass one per input"):
        executable(floats(4))


def test_wrong_shape() -> None:
    executable = Executable(get_device("pocl"), *addition(4))
    with pytest.raises(
        ExecutionError, match=r"argument 1 of add has shape \(5,\), 5 elements, and needs 4; compile again"
    ):
        executable(floats(4), floats(5))


def test_wrong_dtype() -> None:
    executable = Executable(get_device("pocl"), *addition(4))
    with pytest.raises(
        ExecutionError, match=r"argument 0 of add is float64 and must be float32; convert it with .astype"
    ):
        executable(np.zeros(4), floats(4))


def test_wrong_number_of_kernels() -> None:
    made, _ = addition(4)
    with pytest.raises(ExecutionError, match="0 rendered kernels for a schedule of 1"):
        Executable(get_device("pocl"), made, [])


def test_launch_that_opencl_rejects_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RECORD, raising=False)  # the referee could not launch it either
    made, (kernel,) = addition(4, "odd")
    executable = Executable(get_device("pocl"), made, [replace(kernel, local_size=(3,))])
    with pytest.raises(ExecutionError, match="refused while running .*WORK_GROUP_SIZE.*please report"):
        executable(floats(4), floats(4))


def test_buffer_that_does_not_fit_is_explained() -> None:
    device = get_device("pocl")
    with (
        pytest.raises(
            MemoryExhaustedError, match="had no memory for a buffer while testing .*smaller pieces"
        ),
        explained("testing", device.name),
    ):
        device.device_pool.take(1 << 45)
    with (
        pytest.raises(MemoryExhaustedError, match="no host memory was left while testing"),
        explained("testing", device.name),
    ):
        device.host_pool.take(1 << 60)


def test_group_that_a_device_has_not_is_explained() -> None:
    error = explain(-54, "clEnqueueNDRangeKernel failed", "running wide", "a card")
    assert isinstance(error, ExecutionError)
    assert "no such groups of work-items; shorten the LOCAL ranges" in str(error)


@pytest.mark.parametrize("code", [-2, -5, -36])
def test_lost_device_is_explained(code: int) -> None:
    error = explain(code, "clFinish failed", "running add", "a card")
    assert isinstance(error, DeviceError)
    assert (
        "a card was lost or is out of resources while running add (clFinish failed); nothing of this run was returned"
        in str(error)
    )
