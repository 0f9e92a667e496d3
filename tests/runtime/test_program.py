"""Sources are joined without repetition, compiled with errors that show them, and found again as binaries."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from eqsat.codegen.rendering.join import join
from eqsat.errors import CompileError
from eqsat.runtime import DiskCache, get_device
from eqsat.runtime.executable import Executable
from eqsat.runtime.opencl.program import Program, partition
from tests.runtime.programs import addition, argument, chain, rendered


@pytest.fixture
def cache(tmp_path: Path):
    opened = DiskCache("binaries", tmp_path)
    yield opened
    opened.close()


HELPER = "// A sum; of {two}.\ninline float plus(float x, float y) {\n    return x + y;\n}\n"
PRAGMA = "#pragma OPENCL FP_CONTRACT ON\n"


def test_definitions_are_joined_once() -> None:
    joined = join([PRAGMA + HELPER + "__kernel void f() {}", PRAGMA + HELPER + "__kernel void g() {\n}\n"])
    assert joined == PRAGMA + HELPER + "__kernel void f() {}\n__kernel void g() {\n}\n"


def test_kernels_share_helpers() -> None:
    device = get_device("pocl")
    body = "o[i] = plus(a[i], a[i]);"
    kernels = [
        rendered(name, body, [argument(0, 4, written=True), argument(1, 4)], 4)
        for name in ("first", "second")
    ]
    program = Program(device, [with_source(kernel, HELPER + kernel.source) for kernel in kernels])
    assert program.source.count("inline") == 1
    assert program.kernel("second").num_args == 2


def with_source(kernel, source: str):
    from dataclasses import replace

    return replace(kernel, source=source)


def test_kernels_of_one_name_are_apart() -> None:
    one, other = (
        rendered("same", body, [argument(0, 4, written=True)], 4) for body in ("o[i] = 1;", "o[i] = 2;")
    )
    assert partition([one, other, one]) == [[0, 2], [1]]


def test_rejected_source_is_shown_with_numbers_and_log() -> None:
    kernel = rendered("broken", "o[i] = nonsense;", [argument(0, 4, written=True)], 4)
    with pytest.raises(CompileError) as caught:
        Program(get_device("pocl"), [kernel])
    message = str(caught.value)
    assert "cannot compile broken:" in message
    assert "use of undeclared identifier 'nonsense'" in message
    assert "   3 |   o[i] = nonsense;" in message


def test_simulator_reports_errors_alike() -> None:
    with pytest.raises(CompileError, match="cannot compile broken(.|\n)*undeclared identifier"):
        Program(
            get_device("oclgrind"),
            [rendered("broken", "o[i] = nonsense;", [argument(0, 4, written=True)], 4)],
        )


@pytest.mark.parametrize("name", ["pocl", "oclgrind"])
def test_saved_binary_is_loaded(cache: DiskCache, name: str) -> None:
    _, kernels = chain(16, 3)
    first = Program(get_device(name), kernels, cache)
    first.save()
    second = Program(get_device(name), kernels, cache)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert second.kernel("step2").num_args == 2
    second.save()
    assert cache.statistics().entries == 1


def test_devices_have_binaries_of_their_own(cache: DiskCache) -> None:
    _, kernels = addition(16)
    Program(get_device("pocl"), kernels, cache).save()
    assert not Program(get_device("oclgrind"), kernels, cache).from_cache


@pytest.mark.parametrize("binary", [b"", b"no binary", b"poclbin" + bytes(1000)])
def test_binary_that_the_driver_rejects_is_compiled_again(cache: DiskCache, binary: bytes) -> None:
    device, (_, kernels) = get_device("pocl"), addition(16, "again")
    key = Program(device, kernels, cache)._key
    cache.put(key, binary)
    program = Program(device, kernels, cache)
    assert not program.from_cache
    assert cache.get(key) is None
    program.save()
    assert Program(device, kernels, cache).from_cache


def test_binary_of_other_kernels_is_compiled_again(cache: DiskCache) -> None:
    device = get_device("pocl")
    other, wanted = (
        Program(device, addition(16, "other")[1], cache),
        Program(device, addition(16, "wanted")[1], cache),
    )
    other.save()
    found = cache.get(other._key)
    assert found is not None
    cache.put(wanted._key, found)
    assert not Program(device, addition(16, "wanted")[1], cache).from_cache


RUN = """
import sys
import numpy as np
from eqsat.runtime import BINARIES, get_device
from eqsat.runtime.executable import Executable
from tests.runtime.programs import chain
found, get = [], BINARIES.get
BINARIES.get = lambda key: found.append(get(key)) or found[-1]
for length in range(1, 5):
    executable = Executable(get_device("pocl"), *chain(64, length))
    array = np.arange(64, dtype=np.float32)
    assert (executable(array)[0] == array + length).all()
print(sum(each is not None for each in found))
"""


def _run(root: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "EQSAT_CACHE": str(root), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-c", RUN],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_share_binaries(tmp_path: Path) -> None:
    for process in [_run(tmp_path) for _ in range(2)]:
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    output, _ = _run(tmp_path).communicate(timeout=120)
    assert output == "4\n"


def test_interrupted_compilation_leaves_a_sound_cache(tmp_path: Path) -> None:
    import signal
    import time

    for delay in (0.6, 0.9, 1.2):
        process = _run(tmp_path)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        # Python may not have begun on a busy machine; the signal alone ends it then.
        assert process.returncode in (0, -signal.SIGINT) or "KeyboardInterrupt" in errors
    output, errors = _run(tmp_path).communicate(timeout=120)
    assert output.strip().isdigit(), errors
    assert _run(tmp_path).communicate(timeout=120)[0] == "4\n"


def test_executable_saves_after_its_first_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from eqsat.runtime import BINARIES

    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))
    executable = Executable(get_device("pocl"), *addition(16, "kept"))
    assert BINARIES.statistics().entries == 0
    executable(np.zeros(16, np.float32), np.zeros(16, np.float32))
    assert BINARIES.statistics().entries == 1
    BINARIES.close()


def test_threads_that_make_one_kernel_do_not_meet() -> None:
    """pyopencl names what it writes for a kernel in two steps, and warned in between."""
    device, before = get_device("pocl"), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for number in range(40):
            name, start = f"made_{time.time_ns()}_{number}", Barrier(2)
            program = Program(device, [rendered(name, "o[i] = 1;", [argument(0, 4, written=True)], 4)])

            def make(_: int, program: Program = program, start: Barrier = start, name: str = name) -> object:
                start.wait()
                return program.kernel(name)

            with warnings.catch_warnings(action="error"), ThreadPoolExecutor(2) as pool:
                assert all(pool.map(make, range(2)))
    finally:
        sys.setswitchinterval(before)


def test_the_head_of_a_loaded_program_is_known(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """To ask PoCL for a binary would load one more library for each kernel, which it keeps."""
    device, kernels = get_device("pocl"), addition(4, "known")[1]
    first = Program(device, kernels, cache)
    first.save()
    again = Program(device, kernels, cache)
    assert again.from_cache
    for program in (first, again):
        with monkeypatch.context() as patch:
            patch.delattr(Program, "binary")
            head = program.head
        assert head
        assert program.binary.startswith(head)
