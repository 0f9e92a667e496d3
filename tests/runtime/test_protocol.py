"""The pipeline runs programs on whatever is a `Device`."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.runtime import Device, Executable, get_device
from tests.runtime.interpreted import InterpretedDevice
from tests.runtime.programs import addition

INTERPRETER: Device = InterpretedDevice()


def normalized(x, weights):
    centred = x - eq.mean(x, axis=1, keepdims=True)
    scaled = centred / eq.sqrt(eq.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
    return eq.matmul(scaled, weights), eq.argmax(scaled, axis=1)


def test_program_runs_on_another_device() -> None:
    random = np.random.default_rng(0)
    x, weights = random.standard_normal((6, 20)), random.standard_normal((20, 4))
    graph = eq.trace(normalized, eq.spec(x.shape, eq.float64), eq.spec(weights.shape, eq.float64))
    here, there = (eq.compile(graph, eq.Plan(device=device)) for device in (INTERPRETER, "pocl"))
    assert here.device is INTERPRETER
    for mine, other in zip(here(x, weights), there(x, weights), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


def test_half_precision_is_stored_alike() -> None:
    x = np.linspace(-3, 3, 24, dtype=np.float32)

    @eq.jit(plan=eq.Plan(device=INTERPRETER))
    def rounded(x):
        return eq.astype(eq.sum(eq.astype(x, eq.bfloat16).reshape(4, 6), axis=1) + 1, eq.float32)

    assert rounded(x).shape == (4,)


def test_a_device_is_itself() -> None:
    assert get_device(INTERPRETER) is INTERPRETER
    opencl = get_device("pocl")
    assert get_device(opencl) is opencl


def test_kernels_are_timed() -> None:
    executable = Executable(INTERPRETER, *_without_source())
    assert all(seconds > 0 for seconds in executable.profile(np.zeros(4, np.float32)))


def _without_source():
    graph = eq.trace(lambda x: x + 1, eq.spec(4, eq.float32))
    program = eq.compile(graph, eq.Plan(device=INTERPRETER))
    return program.schedule, program.kernels


def test_arrays_that_do_not_fit_are_refused_on_every_device() -> None:
    with pytest.raises(eq.ExecutionError, match="takes 2 arrays and was given 1"):
        Executable(INTERPRETER, *addition(4))(np.zeros(4, np.float32))
