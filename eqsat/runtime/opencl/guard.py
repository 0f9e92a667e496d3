"""Builds and runs kernels in a child process first, so that a fault of the driver ends the child and not the user's process.

With `EQSAT_GUARD=1` each kernel that this driver has not run before is built and run once, on zeros, in `python -m
eqsat.runtime.opencl.guarded_child`. If it ends or stalls that process, an error names the kernel. If not, that is remembered on disk (in
the cache "guarded"), and the binary is in the cache for the process that asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from eqsat.errors import CompileError, ExecutionError
from eqsat.runtime.cache import GUARDED, digest
from eqsat.runtime.opencl.context import DeviceContext

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

VARIABLE = "EQSAT_GUARD"
SECONDS = 300.0  # time limit for building and running; a child that takes longer is ended
HARMLESS = b"ran"
BUILT, RAN = "built", "ran"


def is_on() -> bool:
    """Whether the environment asks for guarded first runs."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def require_harmless(
    device: DeviceContext, kernels: Sequence[RenderedKernel], seconds: float = SECONDS
) -> None:
    """Build and run kernels in a child process, unless this driver has run them before.

    Raises:
        MemoryExhaustedError, DeviceError: this process lacks something that the compiler needs, and so would the child.
        CompileError: the child ended or did not answer while it built them.
        ExecutionError: the child ended or did not answer while it ran them.
    """
    task = json.dumps(
        {"device": device.name, "kernels": [_document(kernel) for kernel in kernels]}, sort_keys=True
    )
    key = digest(device.identity, task)
    if key in _seen() or GUARDED.get(key) is not None:
        return
    device.require_compiler("compiling")
    said, end = _run(task, seconds)
    if end is None:
        if RAN in said:
            _seen().add(key)
            GUARDED.put(key, HARMLESS)
        return
    names = ", ".join(dict.fromkeys(kernel.name for kernel in kernels))
    built = BUILT in said
    raise (ExecutionError if built else CompileError)(
        f"{device.name} {end} while {'running' if built else 'compiling'} {names} in a guarded process: a fault of the driver; this "
        f"process is unharmed. Choose another device with EQSAT_DEVICE, and please report the source:\n"
        + "\n".join(kernel.source for kernel in kernels)
    )


@cache
def _seen() -> set[str]:
    """Keys of kernels that this process's children have run, for when there is no cache on disk."""
    return set()


def _document(kernel: RenderedKernel) -> dict[str, object]:
    return {
        "name": kernel.name,
        "source": kernel.source,
        "global_size": kernel.global_size,
        "local_size": kernel.local_size,
        "arguments": [
            [argument.slot, argument.dtype.name, argument.size, argument.written]
            for argument in kernel.arguments
        ],
    }


def _run(task: str, seconds: float) -> tuple[list[str], str | None]:
    """Returns the lines that the child printed, and a description of its abnormal exit; None if it exited normally.

    An exception in the child is no abnormal exit, because this process will then raise the same one.
    """
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        [sys.executable, "-m", "eqsat.runtime.opencl.guarded_child"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        said, _ = process.communicate(task, seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
        return said.splitlines(), f"did not answer for {seconds:g} s"
    finally:
        process.kill()
    lines = said.splitlines()
    if process.returncode < 0:
        return lines, f"ended its process ({signal.Signals(-process.returncode).name})"
    # Python reports 0, too, where other code has waited for the child
    return lines, None if process.returncode or RAN in lines else "ended its process"
