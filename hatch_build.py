"""Builds the extension that makes small calls quicker, where that is possible; without it everything works all the same.

It is for CPython on x86-64 Linux, the only place where programs are called past OpenCL's queue. It takes a C compiler and Python's headers.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("eqsat", "runtime", "opencl", "_call.c")
LONGEST = 120  # seconds that the compiler may take


class ExtensionHook(BuildHookInterface):
    """Adds the extension to wheels. For an editable installation it lies beside its source, where git ignores it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by Hatchling before it builds a wheel; `version` is "editable" or "standard"."""
        if self.target_name != "wheel" or not is_of_use():
            return
        source = Path(self.root, SOURCE)
        built = source.with_name("_call" + sysconfig.get_config_var("EXT_SUFFIX"))
        if version == "editable":
            if not is_compiled(source, built):
                built.unlink(missing_ok=True)  # an older one
            return
        self._folder = tempfile.mkdtemp(prefix="eqsat-")
        made = Path(self._folder, built.name)
        if is_compiled(source, made):
            build_data["force_include"][str(made)] = SOURCE.with_name(built.name).as_posix()
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the wheel is built."""
        shutil.rmtree(getattr(self, "_folder", ""), ignore_errors=True)


def is_of_use() -> bool:
    """Whether this interpreter can use the extension."""
    return (
        sys.implementation.name == "cpython"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and (sys.platform, platform.machine()) == ("linux", "x86_64")
    )


def is_compiled(source: Path, built: Path) -> bool:
    """Compiles the extension, and says whether that worked."""
    try:
        import numpy as np
    except ImportError:  # pip brings it, except where it was told not to
        return False
    usual = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    includes = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    partial = built.with_suffix(f".{os.getpid()}")  # a process may have the one that is there in use
    for compiler in (usual, ["cc"], ["gcc"], ["clang"]):
        command = [*compiler, "-O2", "-fPIC", "-shared", *includes, "-o", str(partial), str(source)]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=LONGEST)
            partial.replace(built)
        except (OSError, subprocess.SubprocessError):  # there is no such compiler, or it lacks something
            partial.unlink(missing_ok=True)
        else:
            return True
    return False
