"""Programs with little work run in the calling thread, on a companion of PoCL's device that is no device of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import eqsat as eq
from eqsat.runtime import Executable, devices, get_device
from eqsat.runtime.opencl import OpenCLDevice, pocl
from eqsat.runtime.opencl import device as opencl_device
from eqsat.schedule.kernel import Role
from tests.runtime.programs import addition, argument, buffer, in_caller, rendered, schedule
from tests.threads import at_once


def test_companion_is_not_listed() -> None:
    device, companion = get_device("pocl"), in_caller()
    assert companion not in devices()
    assert companion.companion is None
    assert companion.described.cores == 1
    assert companion.name != device.name, "errors and guarded children tell which one it was"
    assert companion.identity != device.identity, "binaries are kept apart"


def test_a_driver_that_is_registered_twice_has_its_devices_once(monkeypatch: pytest.MonkeyPatch) -> None:
    handles = opencl_device._handles
    monkeypatch.setattr(opencl_device, "_handles", lambda: [*handles(), *handles()])
    assert [each.name for each in opencl_device.discover()] == [each.name for each in devices()]


def test_work_that_outweighs_waking_is_for_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    device, companion = get_device("pocl"), in_caller()
    for cores in (2, 64):
        monkeypatch.setattr(OpenCLDevice, "described", device.described.__class__(cores=cores))
        even = (pocl.waking_seconds(cores) + pocl.FOLLOWING_SECONDS) / (cores - 1)
        assert device.suited([0.0]) is device.suited([0.9 * even]) is companion
        assert device.suited([1.1 * even]) is device
        assert companion.suited([1.0]) is companion


def test_many_small_kernels_are_for_the_calling_thread() -> None:
    """Threads are woken for each of them: 20 steps of a recurrence, which no one kernel can compute."""
    device, companion = get_device("pocl"), in_caller()
    assert companion.described.launch_seconds < device.described.launch_seconds
    others = device.described.cores - 1
    small, large = (
        pocl.FOLLOWING_SECONDS / others,
        (pocl.waking_seconds(1 + others) + 3 * pocl.FOLLOWING_SECONDS) / others,
    )
    assert device.suited([]) is companion
    assert device.suited([small] * 100) is companion
    assert device.suited([large]) is device.suited([large, *[small] * 2]) is device
    assert device.suited([large, *[small] * 100]) is companion


@pytest.mark.parametrize(("size", "calling"), [(8, True), (1 << 20, False)])
def test_predicted_work_chooses(size: int, calling: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[OpenCLDevice] = []
    expected = in_caller() if calling else get_device("pocl")
    compile_kernels = OpenCLDevice.compile
    monkeypatch.setattr(
        OpenCLDevice,
        "compile",
        lambda device, *kernels, **options: (
            chosen.append(device) or compile_kernels(device, *kernels, **options)
        ),
    )
    program = eq.compile(eq.trace(lambda x: x + 1, eq.spec(size, eq.float32)), eq.Plan(device="pocl"))
    assert chosen == [expected]
    assert program.device is get_device("pocl"), "that is the device as users know it"
    assert (program(np.ones(size, np.float32)) == 2).all()


LIST = (
    "from eqsat.runtime import devices; print([(d.name, bool(d.companion)) for d in devices() if d.is_pocl])"
)


@pytest.mark.parametrize(
    ("chosen", "drivers"), [("pthread", ["pthread"]), ("pthread basic", ["basic", "pthread"])]
)
def test_devices_that_the_user_chose_are_listed_and_have_no_companions(
    chosen: str, drivers: list[str]
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), pocl.DEVICES_VARIABLE: chosen}
    done = subprocess.run(
        [sys.executable, "-c", LIST], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.count("False") == len(drivers)
    assert all(driver in done.stdout for driver in drivers)


def test_variable_is_set_for_pips_pocl_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(pocl.DEVICES_VARIABLE, raising=False)
    with pocl.both_drivers() as both:
        assert both
        assert os.environ[pocl.DEVICES_VARIABLE] == "pthread basic"
    assert pocl.DEVICES_VARIABLE not in os.environ
    monkeypatch.setattr(pocl, "DISTRIBUTION", "no_such_distribution")
    with pocl.both_drivers() as both:
        assert not both
        assert pocl.DEVICES_VARIABLE not in os.environ


def test_threads_with_programs_of_their_own() -> None:
    """They share a queue; the kernels take long enough for others to come between start and end."""
    body = "float x = a[i]; for (int k = 0; k < 50000; k++) x = x * 0.5f; o[i] = x + 1;"
    specs = [buffer(1, Role.OUTPUT, 0), buffer(1, Role.INPUT, 0)]
    wrong: list[int] = []

    def work(number: int) -> None:
        name = f"slow{number}"
        kernel = rendered(name, body, [argument(0, 1, written=True), argument(1, 1)], 1)
        executable = Executable(in_caller(), schedule([(name, (0, 1))], specs), [kernel])
        kept = [executable(np.full(1, each, np.float32))[0] for each in range(60)]
        wrong.extend(number for each in kept if each[0] != 1)

    at_once(work)
    assert not wrong


def test_arithmetic_of_the_calling_thread_is_as_before() -> None:
    """PoCL sets how the processor rounds while a kernel runs; NumPy's denormals and warnings must not change."""
    executable, tiny = Executable(in_caller(), *addition(4)), np.full(4, 1e-40, np.float32)
    huge = np.full(4, 3e38, np.float32)
    with np.errstate(all="raise"):
        assert (executable(tiny, tiny)[0] == tiny + tiny).all()
        assert np.isinf(executable(huge, huge)[0]).all()
        assert (tiny * np.float32(0.5) > 0).all()
        assert (huge * np.float32(0.5) == np.float32(1.5e38)).all()
