"""PoCL is told the processor's name where it has none, and keeps its files to itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eqsat.runtime import get_device, pocl

AVX2 = frozenset({"sse2", "sse4_1", "avx", "avx2", "fma", "bmi1", "bmi2", "f16c", "abm"})


@pytest.mark.parametrize(
    ("flags", "model"),
    [
        (AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}, b"skylake-avx512"),
        (AVX2 | {"avx512f"}, b"haswell"),
        (AVX2, b"haswell"),
        (AVX2 - {"fma"}, b"ivybridge"),
        (frozenset({"sse2"}), b"x86-64"),
        (frozenset(), None),
    ],
)
def test_model_has_only_features_that_are_there(flags: frozenset[str], model: bytes | None) -> None:
    assert pocl.model_of(flags) == model


def test_named_processor_is_left_alone() -> None:
    device = get_device("pocl")  # its discovery named it, or it had a name
    assert pocl.name_processor(device.handle) is None


def test_processor_without_a_name_gets_advice() -> None:
    code = """
from eqsat.runtime import get_device, pocl
pocl.name_processor = lambda handle: None
from eqsat.runtime.program import Program
from tests.runtime.programs import addition
device = get_device("pocl")
print(pocl.is_unnamed(device.handle))
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
    left = tmp_path / "pocl" / f"{pocl.platform.node()}-999999999-killed"
    left.mkdir(parents=True)
    assert "program.bc" in _use(tmp_path)
    assert list((tmp_path / "pocl").iterdir()) == [], "neither this process's nor a killed one's"


def test_directory_that_the_user_chose_is_kept(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    assert _use(tmp_path / "cache", POCL_CACHE_DIR=str(chosen)) == "[]\n"
    assert list(chosen.glob("**/program.bc"))
