"""PoCL is told the processor's name where it has none, and keeps its files to itself."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from eqsat.runtime.opencl import pocl

AVX2 = frozenset({"sse2", "sse4_1", "avx", "avx2", "fma", "bmi1", "bmi2", "f16c", "abm"})
AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}


@pytest.mark.parametrize(
    ("flags", "model"),
    [
        (AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}, b"skylake-avx512"),
        (AVX512 | {"avx512_vnni"}, b"cascadelake"),
        (AVX2 | {"avx512f", "avx512_vnni"}, b"haswell"),
        (AVX2 | {"avx512f"}, b"haswell"),
        (AVX2, b"haswell"),
        (AVX2 - {"fma"}, b"ivybridge"),
        (frozenset({"sse2"}), b"x86-64"),
        (frozenset(), None),
    ],
)
def test_model_has_only_features_that_are_there(flags: frozenset[str], model: bytes | None) -> None:
    assert pocl.model_of(flags) == model


@pytest.mark.parametrize(
    ("name", "flags", "misnamed"),
    [
        ("generic", AVX2, True),
        ("generic", frozenset[str](), True),
        ("znver3", AVX2, False),
        ("znver3", AVX512, True),  # Zen 4
        ("skylake-avx512", AVX512, False),
        ("cascadelake", AVX512 | {"avx512_vnni"}, False),
        ("sapphirerapids", AVX512, False),
        ("icelake-client", AVX512, True),  # without CLWB: calls of functions would not be inlined
        ("cascadelake", AVX2, True),  # a virtual machine without AVX-512
        ("knl", AVX2 | {"avx512f"}, True),
        ("haswell", frozenset({"sse2", "sse4_1"}), True),
        ("nehalem", frozenset({"sse2", "sse4_1"}), False),
        ("znver3", frozenset[str](), False),
    ],
)
def test_name_and_functions_agree(
    name: str, flags: frozenset[str], misnamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pocl, "processor_flags", lambda: flags)
    version = f"OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-{name}"
    assert pocl.is_misnamed(SimpleNamespace(version=version)) == misnamed


@pytest.mark.parametrize(
    "version",
    [
        "OpenCL 3.0 PoCL HSTR: pthread-aarch64-unknown-linux-gnu-generic",
        "OpenCL 3.0 (Build 0)",
        "OpenCL 1.2 (Oclgrind 21.10)",
    ],
)
def test_other_drivers_are_left_alone(version: str) -> None:
    assert not pocl.is_misnamed(SimpleNamespace(version=version))


NAME = """
import numpy as np
import pyopencl as cl
from eqsat.runtime.opencl import pocl
platform = next(each for each in cl.get_platforms() if "Portable" in each.name)
(device,) = platform.get_devices()
assert pocl.name_processor(device) == pocl.name_processor(device) != None
context = cl.Context([device])
queue = cl.CommandQueue(context)
angles = np.linspace(-30, 30, 16, dtype=np.float32)
for lanes in (4, 8, 16):
    source = f"__kernel void f(__global float{lanes} *a) {{ a[get_global_id(0)] = sin(a[get_global_id(0)]); }}"
    program = cl.Program(context, source).build(options=["-w"])
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=angles)
    program.f(queue, (16 // lanes,), None, buffer)
    result = np.empty_like(angles)
    cl.enqueue_copy(queue, result, buffer)
    assert np.allclose(result, np.sin(angles), atol=1e-6)
print("right")
"""


def test_processor_that_is_named_after_its_functions_computes_in_every_width() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NAME],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr


def test_processor_without_a_name_gets_advice() -> None:
    code = """
from eqsat.runtime import get_device
from eqsat.runtime.opencl import pocl
pocl.name_processor = lambda handle: None
from eqsat.runtime.opencl.program import Program
from tests.runtime.programs import addition
device = get_device("pocl")
print(pocl.name_of(device.handle) == pocl.GENERIC)  # of other wrong names, Clang knows the processor
Program(device, addition(4)[1])
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    advised = "this PoCL is older than the processor; install another driver" in done.stderr
    assert advised == (done.stdout == "True\n")
    assert advised == (done.returncode != 0)


USE = """
import os
from eqsat.runtime import get_device
import pyopencl as cl
device = get_device("pocl")
assert "POCL_CACHE_DIR" not in os.environ or "{chosen}"
cl.Program(device.context, "__kernel void f(__global int *a) {{ a[get_global_id(0)] = 1; }}").build(options=["-w"])
root = os.environ["EQSAT_CACHE"]
print([os.path.join(where, name) for where, _, names in os.walk(root) for name in names if name == "program.bc"])
"""


def _use(root: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", USE.format(chosen=environment.get("POCL_CACHE_DIR", ""))],
        env={**os.environ, "EQSAT_CACHE": str(root), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_files_of_a_process_go_when_it_ends(tmp_path: Path) -> None:
    left = tmp_path / "pocl" / f"eqsat-{pocl.platform.node()}-999999999-killed"
    left.mkdir(parents=True)
    assert "program.bc" in _use(tmp_path)
    assert list((tmp_path / "pocl").iterdir()) == [], "neither this process's nor a killed one's"


def test_directory_that_the_user_chose_is_kept(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    assert _use(tmp_path / "cache", POCL_CACHE_DIR=str(chosen)) == "[]\n"
    assert list(chosen.glob("**/program.bc"))


CORES = """
import os, sys
allowed = set(map(int, sys.argv[1].split(",")))
os.sched_setaffinity(0, allowed)
from eqsat.runtime import get_device
import numpy
before = set(os.listdir("/proc/self/task"))
get_device("pocl")
of_threads = [os.sched_getaffinity(int(name)) for name in set(os.listdir("/proc/self/task")) - before]
print(sorted(map(sorted, of_threads)), all(cores <= allowed for cores in of_threads))
"""


def _cores_of_threads(allowed: set[int], **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != pocl.CORES_VARIABLE}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CORES, ",".join(map(str, allowed))],
        env={**inherited, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.strip()


def test_each_thread_has_a_core_of_its_own() -> None:
    allowed = os.sched_getaffinity(0)
    assert _cores_of_threads(allowed) == f"{[[core] for core in sorted(allowed)]} True"


def test_threads_keep_to_the_cores_of_the_process() -> None:
    assert _cores_of_threads({max(os.sched_getaffinity(0))}).endswith(" True")


def test_threads_are_left_alone_where_the_user_chose() -> None:
    allowed = os.sched_getaffinity(0)
    assert _cores_of_threads(allowed, POCL_AFFINITY="0") == f"{[sorted(allowed)] * len(allowed)} True"


def test_other_threads_are_left_alone() -> None:
    """Those that are not as many as cores, and those that began before."""
    allowed = os.sched_getaffinity(0)
    ended = threading.Event()
    threads = [threading.Thread(target=ended.wait) for _ in range(len(allowed) + 2)]
    threads[0].start()
    with pocl.threads_apart():
        for thread in threads[1:]:
            thread.start()
    found = [os.sched_getaffinity(thread.native_id or 0) for thread in threads]
    ended.set()
    assert found == [allowed] * len(threads)
