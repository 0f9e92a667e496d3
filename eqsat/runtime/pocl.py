"""What PoCL, the driver that installs with eqsat, needs from its host: a name for the processor, and files of its own.

**A name.** The LLVM 14 inside the wheel calls a processor that it does not know (AMD's Zen 5, for one) "generic", and the Clang
inside it rejects that name, so that every build fails with "unknown target CPU 'generic'"
(https://github.com/pocl/pocl/issues/1049). Later releases of PoCL read the name from an environment variable; 3.0 keeps it in its
device structure only. `name_processor` finds that field and points it at the model for which PoCL's own library of built-in
functions was compiled, which PoCL chose by the processor's feature flags. The field is recognized by what it and its neighbour
point to, and only reads that cannot fault are used (`/proc/self/mem`), so an unexpected layout is left alone.

**Files.** PoCL keeps what it compiles in a directory that all processes share, and trusts it: a library that lost its tail there
ends the process that loads it, each time (tried: a truncated `.so`). eqsat's own cache verifies what it reads, so here PoCL gets
a directory for this process only, removed at its end.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import shutil
import struct
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eqsat.runtime.folder import is_private, make_private

if TYPE_CHECKING:
    import pyopencl

STRUCTURE_BYTES = 1024  # of PoCL 3.0's device structure that are searched; the field was found at byte 640
LOWEST_ADDRESS = 1 << 16  # smaller words are numbers, not addresses
TRIPLE = b"x86_64-"
UNKNOWN = b"generic\0"
FILES_VARIABLE = "POCL_CACHE_DIR"
PROCESSES = Path("/proc")

# PoCL's table of its libraries of built-in functions, best first: flags as the kernel of Linux spells them, and LLVM's model.
MODELS: tuple[tuple[frozenset[str], bytes], ...] = (
    (frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}), b"skylake-avx512"),
    (frozenset({"avx2", "fma", "bmi1", "bmi2", "f16c", "abm"}), b"haswell"),
    (frozenset({"avx", "f16c"}), b"ivybridge"),
    (frozenset({"avx"}), b"sandybridge"),
    (frozenset({"sse4_1"}), b"penryn"),
    (frozenset({"sse2"}), b"x86-64"),
)

# PoCL keeps their addresses: never freed.
_NAMES = {model: ctypes.create_string_buffer(model) for _, model in MODELS}


def is_unnamed(device: pyopencl.Device) -> bool:
    """Whether this is a PoCL device on x86-64 that would reject every build because its processor has no name."""
    return (
        "PoCL" in device.version
        and "x86_64" in device.version
        and device.version.rstrip().endswith("-generic")
    )


def model_of(flags: frozenset[str]) -> bytes | None:
    """LLVM's name of the best processor model whose features are all among `flags`."""
    return next((model for needed, model in MODELS if needed <= flags), None)


def name_processor(device: pyopencl.Device) -> str | None:
    """Name the processor of an unnamed PoCL device; the model's name, or None where that is not possible."""
    model = model_of(_processor_flags())
    if model is None or struct.calcsize("P") != 8:
        return None
    try:
        memory = os.open("/proc/self/mem", os.O_RDWR)
    except OSError:
        return None
    try:
        field = _find_field(memory, _address_of(device))
        if field is None:
            return None
        os.pwrite(memory, struct.pack("<Q", ctypes.addressof(_NAMES[model])), field)
    finally:
        os.close(memory)
    return model.decode()


@contextmanager
def private_files(root: Path | None) -> Generator[None]:
    """Inside the block, PoCL initializes itself with a directory under `root` that is removed when this process ends.

    Without a root, or where the user chose a directory, or where none can be made, PoCL keeps its own habits. Directories that
    killed processes left behind are removed first.
    """
    directory = None if root is None or FILES_VARIABLE in os.environ else _make_directory(root / "pocl")
    if directory is None:
        yield
        return
    os.environ[FILES_VARIABLE] = str(directory)
    try:
        yield
    finally:
        del os.environ[FILES_VARIABLE]  # read once by PoCL, and no business of child processes


def _make_directory(parent: Path) -> Path | None:
    prefix = f"{platform.node()}-"
    try:
        make_private(parent)
        if not is_private(parent):  # PoCL runs what it finds there
            parent = Path(tempfile.gettempdir())
        for left in parent.glob(f"{prefix}*") if PROCESSES.is_dir() else ():
            process = left.name.removeprefix(prefix).partition("-")[0]
            if process.isdigit() and not (PROCESSES / process).exists():
                shutil.rmtree(left, ignore_errors=True)
        directory = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=parent))
    except OSError:
        return None
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def _address_of(device: Any) -> int:
    return device.int_ptr


def _find_field(memory: int, address: int) -> int | None:
    """Where the structure at `address` points to "generic" just after it points to the target triple."""
    structure = _read(memory, address, STRUCTURE_BYTES)
    words = struct.unpack(f"<{len(structure) // 8}Q", structure[: len(structure) // 8 * 8])
    for position in range(1, len(words)):
        triple, name = words[position - 1 : position + 1]
        if _read(memory, name, len(UNKNOWN)) == UNKNOWN and _read(memory, triple, len(TRIPLE)) == TRIPLE:
            return address + 8 * position
    return None


def _read(memory: int, address: int, count: int) -> bytes:
    """Up to `count` bytes at `address`; none where nothing is mapped."""
    if not LOWEST_ADDRESS <= address < 1 << 47:
        return b""
    try:
        return os.pread(memory, count, address)
    except OSError:
        return b""


def _processor_flags() -> frozenset[str]:
    """The feature flags of the first processor, as Linux lists them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())
