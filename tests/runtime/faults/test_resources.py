"""Memory, file descriptors, devices and compilers that are missing: docs/faults.md, row by row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

from eqsat.errors import DeviceError, MemoryExhaustedError
from eqsat.runtime import get_device
from eqsat.runtime.executable import Executable
from tests.runtime.faults.children import assert_whole, run
from tests.runtime.programs import addition

pytestmark = pytest.mark.timeout(900)


def test_file_descriptors_are_exhausted(tmp_path: Path) -> None:
    run(
        """
def exhaust():
    taken = []
    while True:
        try:
            taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            return taken

resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
taken = exhaust()
for _ in range(8):  # enough for imports
    os.close(taken.pop())
refused(eq.DeviceError, "file descriptors were left for loading OpenCL drivers")
for descriptor in taken:
    os.close(descriptor)
use()
taken = exhaust()
use()  # compiled already
for _ in range(8):
    os.close(taken.pop())
refused(eq.DeviceError, "file descriptors were left for compiling", lambda: use(6))
for descriptor in taken:
    os.close(descriptor)
use(6)
""",
        tmp_path,
    )
    assert_whole(tmp_path)


def test_address_space_is_exhausted(tmp_path: Path) -> None:
    run(
        """
def limited(extra, act):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + (extra << 20), before[1]))
    try:
        act()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)

eq.trace(lambda x: x + 1, eq.spec((4,), eq.float32))
limited(400, lambda: refused(eq.MemoryExhaustedError, "address space were left for loading OpenCL drivers"))
use()
limited(100, use)  # compiled already
limited(200, lambda: refused(eq.MemoryExhaustedError, "address space were left for compiling", lambda: use(6)))
use(6)
""",
        tmp_path,
    )
    assert_whole(tmp_path)


def test_array_is_larger_than_memory(tmp_path: Path) -> None:
    run(
        """
for size in (1 << 36, 1 << 45):
    huge = eq.jit(lambda: eq.zeros(size, dtype=eq.uint8))
    refused(eq.MemoryExhaustedError, "smaller pieces", huge)
use()
""",
        tmp_path,
    )


@pytest.mark.parametrize("code", [-4, -6, -61])
def test_device_has_no_memory(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    executable, a = Executable(get_device("pocl"), *addition(4)), np.ones(4, np.float32)
    with monkeypatch.context() as patch:
        patch.setattr(get_device("pocl"), "wrap", _raiser(code))
        with pytest.raises(
            MemoryExhaustedError, match="had no memory for a buffer while running add .*smaller"
        ):
            executable(a, a)
    assert (executable(a, a)[0] == 2).all()


@pytest.mark.parametrize("code", [-2, -5, -36])
@pytest.mark.parametrize("call", ["enqueue_nd_range_kernel", "enqueue_map_buffer"])
def test_device_is_lost(code: int, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_device("pocl"), "is_pocl", call != "enqueue_map_buffer")  # it needs no map
    executable, a = Executable(get_device("pocl"), *addition(4)), np.ones(4, np.float32)
    with monkeypatch.context() as patch:
        patch.setattr(f"eqsat.runtime.opencl.lazy.cl.{call}", _raiser(code))
        with pytest.raises(
            DeviceError, match="lost or is out of resources while running add .*nothing of this run"
        ):
            executable(a, a)
    assert (a == 1).all()
    assert (executable(a, a)[0] == 2).all()


def _raiser(code: int):
    def refuse(*_: object, **__: object) -> None:
        raise cl.RuntimeError(cl._cl._ErrorRecord(msg="injected", code=code, routine="clInjected"))

    return refuse


def test_there_is_no_device(tmp_path: Path) -> None:
    run(
        'refused(eq.DeviceError, "no OpenCL platform with a device was found; install one")',
        tmp_path,
        OCL_ICD_VENDORS=str(tmp_path / "nowhere"),
    )


def test_device_of_that_name_is_not_there(tmp_path: Path) -> None:
    run(
        "refused(eq.DeviceError, \"no device is named 'toaster'; there are 0: \")",
        tmp_path,
        EQSAT_DEVICE="toaster",
    )


@pytest.mark.parametrize("chosen", ["", "toaster"])
def test_the_environment_hides_devices(chosen: str, tmp_path: Path) -> None:
    run(
        f'refused(eq.DeviceError, "unset POCL_DEVICES, which is {chosen!r}")',
        tmp_path,
        POCL_DEVICES=chosen,
    )


def test_linker_is_missing(tmp_path: Path) -> None:
    run('refused(eq.DeviceError, "install it (`apt install binutils`)")', tmp_path, PATH=str(tmp_path))


@pytest.mark.parametrize("guarded", ["0", "1"])
def test_child_signals_are_ignored(guarded: str, tmp_path: Path) -> None:
    """The system then forgets how a linker ended, and PoCL ends its process."""
    run(
        """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
refused(eq.DeviceError, "call signal.signal(signal.SIGCHLD, signal.SIG_DFL) first")
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
use()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
use()  # compiled already
""",
        tmp_path,
        EQSAT_GUARD=guarded,
    )


def test_memory_maps_are_exhausted(tmp_path: Path) -> None:
    run(
        """
from ctypes import CDLL, addressof, c_char, c_void_p
import mmap
from eqsat.runtime import limits
use()
most = int(limits.MOST_MAPS.read_bytes())
memory = mmap.mmap(-1, most * mmap.PAGESIZE)
address, protect = addressof(c_char.from_buffer(memory)), CDLL(None).mprotect
pages = range(0, most - limits.MAPS - len(limits.MAPS_OF_PROCESS.read_bytes().splitlines()) + 9, 2)
for page in pages:  # each page of its own becomes a map, and the one after it another
    assert protect(c_void_p(address + page * mmap.PAGESIZE), mmap.PAGESIZE, mmap.PROT_READ) == 0
limits.require_maps.__self__._uncounted = 0
refused(eq.MemoryExhaustedError, "memory maps were left for compiling", lambda: use(6))
use()  # compiled already
for page in pages:
    protect(c_void_p(address + page * mmap.PAGESIZE), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE)
use(6)
""",
        tmp_path,
    )
    assert_whole(tmp_path)


def test_driver_cannot_build(tmp_path: Path) -> None:
    """A linker that fails makes PoCL 3.0 end its process; a guarded one does so in a child."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ld").write_text("#!/bin/sh\nexit 1\n")
    (tools / "ld").chmod(0o755)
    run(
        'refused(eq.ExecutionError, "ended its process (SIGABRT) while running")',
        tmp_path / "cache",
        PATH=f"{tools}:/usr/bin:/bin",
        EQSAT_GUARD="1",
    )
