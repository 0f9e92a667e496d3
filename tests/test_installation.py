"""What `pip install` puts in place, with a C compiler and without."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from eqsat.runtime.opencl import extension

ROOT = Path(__file__).parents[1]
FOLDER = "eqsat/runtime/opencl/"


def built(target: str, folder: Path, **environment: str) -> Path:
    """The file that Hatchling makes of this tree, as pip calls it."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


def libraries_in(wheel: Path) -> list[str]:
    names = zipfile.ZipFile(wheel).namelist()
    assert f"{FOLDER}direct.py" in names
    return [name for name in names if name.endswith(".so")]


def test_wheels_have_the_extension_where_there_is_a_compiler(tmp_path: Path) -> None:
    if extension.call_type() is None:
        pytest.skip("the extension was not built here, so there may be no compiler")
    wheel = built("wheel", tmp_path)
    (library,) = libraries_in(wheel)
    assert library.startswith(f"{FOLDER}_call.")
    assert wheel.name.endswith("linux_x86_64.whl")


@pytest.mark.parametrize("compiler", ["/nowhere/cc", "false"])
def test_wheels_are_pure_python_where_there_is_none(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "commands").mkdir()
    wheel = built("wheel", tmp_path / "wheels", PATH=str(tmp_path / "commands"), CC=compiler)
    assert not libraries_in(wheel)
    assert wheel.name.endswith("py3-none-any.whl")


def test_archives_of_the_source_can_build_it(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"hatch_build.py", f"{FOLDER}_call.c", f"{FOLDER}_call.pyi"} <= names
    assert not any(name.endswith(".so") for name in names)
