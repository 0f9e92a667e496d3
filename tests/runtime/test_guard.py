"""With EQSAT_GUARD=1 a kernel that ends its process ends a child's, and one that did not is not guarded again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eqsat.codegen import RenderedKernel
from eqsat.errors import CompileError, ExecutionError
from eqsat.runtime import get_device
from eqsat.runtime.executable import Executable
from eqsat.runtime.opencl import guard
from eqsat.runtime.record import VARIABLE as RECORD
from tests.runtime.programs import addition, argument, rendered

CRASH = "*(volatile __global int *)(a + (1L << 50)) = 1; o[i] = 0;"
ENDLESS = "float x = a[i]; for (long k = 0; k < 1L << 50; k++) x = x * 1.0001f + 1; o[i] = x;"
DEEP = f"o[i] = {'- ' * 400_000}a[i];"  # the parser's recursion runs out of stack
ALIGNED = "float4 x = *(__global const float4 *)a; *(__global float4 *)o = x;"  # arrays need not be


@pytest.fixture(autouse=True)
def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(guard.VARIABLE, "1")
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))
    monkeypatch.delenv(RECORD, raising=False)  # the referee would die of these kernels, too
    guard._seen.cache_clear()  # pyright: ignore[reportPrivateUsage]
    yield
    guard.GUARDED.close()


def kernel(name: str, body: str) -> RenderedKernel:
    return rendered(name, body, [argument(0, 4, written=True), argument(1, 4)], 1)


def test_crash_while_running_is_an_error() -> None:
    with pytest.raises(
        ExecutionError, match=r"ended its process \(SIG\w+\) while running crash in a guarded process"
    ):
        guard.require_harmless(get_device("pocl"), [kernel("crash", CRASH)])


def test_kernel_that_expects_more_alignment_than_arrays_have_is_an_error() -> None:
    with pytest.raises(ExecutionError, match="while running aligned"):
        guard.require_harmless(get_device("pocl"), [kernel("aligned", ALIGNED)])


def test_crash_while_compiling_is_an_error() -> None:
    with pytest.raises(
        CompileError, match=r"ended its process \(SIG\w+\) while compiling deep in a guarded process"
    ):
        guard.require_harmless(get_device("pocl"), [kernel("deep", DEEP)])


def test_kernel_that_does_not_end_is_an_error() -> None:
    with pytest.raises(ExecutionError, match="did not answer for 6 s while running endless"):
        guard.require_harmless(get_device("pocl"), [kernel("endless", ENDLESS)], seconds=6)


def test_crash_of_a_schedule_names_its_kernel() -> None:
    made, (added,) = addition(4, "unlucky")
    source = added.source.replace("o[i] = a[i] + b[i];", CRASH)
    with pytest.raises(ExecutionError, match="while running unlucky .*EQSAT_DEVICE.*report"):
        Executable(get_device("pocl"), made, [replace(added, source=source)])


def test_crash_of_a_child_that_other_code_waits_for_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def reaped(process: subprocess.Popen[str], *given: object) -> tuple[str, str]:
        found = communicate(process, *given)
        process.returncode = 0
        return found

    communicate = subprocess.Popen.communicate
    monkeypatch.setattr(subprocess.Popen, "communicate", reaped)
    crashing = [kernel("reaped", CRASH)]
    for _ in range(2):  # it is not remembered as harmless
        with pytest.raises(ExecutionError, match="ended its process while running reaped"):
            guard.require_harmless(get_device("pocl"), crashing)
    guard.require_harmless(get_device("pocl"), [kernel("harmless", "o[i] = a[i];")])


def test_kernel_that_does_not_compile_is_not_remembered() -> None:
    device, wrong = get_device("pocl"), [kernel("wrong", "o[i] = nonsense;")]
    guard.require_harmless(device, wrong)  # this process will raise the same error
    assert not guard._seen()  # pyright: ignore[reportPrivateUsage]


def test_rejected_source_is_the_usual_error() -> None:
    made, (added,) = addition(4, "wrong")
    with pytest.raises(CompileError, match="cannot compile wrong"):
        Executable(get_device("pocl"), made, [replace(added, source="__kernel void wrong() { int x = y; }")])


def test_guarded_program_computes() -> None:
    a = np.arange(4, dtype=np.float32)
    assert (Executable(get_device("pocl"), *addition(4))(a, a)[0] == 2 * a).all()


def test_kernels_that_ran_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    device, harmless = get_device("pocl"), [kernel("harmless", "o[i] = a[i];")]
    guard.require_harmless(device, harmless)

    def never(*_: object) -> None:
        raise AssertionError("run again")

    monkeypatch.setattr(guard, "_run", never)
    guard.require_harmless(device, harmless)
    guard._seen.cache_clear()  # pyright: ignore[reportPrivateUsage]
    guard.require_harmless(device, harmless)
    with pytest.raises(AssertionError, match="run again"):
        guard.require_harmless(device, [kernel("another", "o[i] = a[i] + 1;")])


def test_kernels_that_crashed_are_not_remembered() -> None:
    for _ in range(2):
        with pytest.raises(ExecutionError):
            guard.require_harmless(get_device("pocl"), [kernel("crash", CRASH)])


def test_without_the_variable_nothing_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(guard.VARIABLE, "0")
    monkeypatch.setattr(guard, "_run", None)
    assert Executable(get_device("pocl"), *addition(4))


PROGRAM = """
import numpy as np
import eqsat as eq
x = np.arange(100, dtype=np.float16)
assert (eq.jit(lambda x: x + eq.zeros(100, dtype=eq.float16))(x) == x).all()
print("right")
"""


def test_whole_programs_run_guarded(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr
    assert (tmp_path / "guarded" / "cache.db").exists()
