"""What PoCL, the driver that installs with eqsat, needs from its host: a name for the processor, files of its own, and a linker.

**A name.** PoCL compiles kernels for the processor model that LLVM 14 names, and links them with a library of built-in functions that
it chooses by the processor's feature flags. The two must agree. They do not where LLVM does not know the processor:
- "generic" (for AMD's Zen 5, for example) is a name that the Clang inside PoCL rejects, so that every build fails with "unknown target CPU
  'generic'" (https://github.com/pocl/pocl/issues/1049);
- a name with narrower registers than the library's (AMD's Zen 4 is "znver3") makes kernels pass vectors in memory that the library
  expects in registers: a call of `sin` on 16 lanes ends the process;
- a name with wider registers (in a virtual machine that hides AVX-512) makes kernels use instructions that the processor lacks;
- a name that lacks one instruction of the library's model ("icelake-client" has no CLWB) keeps LLVM from inlining any library function.
Later releases of PoCL read the name from an environment variable; 3.0 has it in its device structure only. `name_processor` finds
that field and points it at the model for which the library was compiled. The field is recognized by what it and its neighbour
point to. Only reads that cannot fault are used (`/proc/self/mem`), so an unexpected layout is left alone.

**Devices.** PoCL's driver "pthread" gives kernels to threads of its own. Waking them and waiting for them takes 20 to 70 µs. Its driver "basic"
runs kernels in the thread that waits for them, on one core, and takes 1.5 µs for a launch. `both_drivers` makes PoCL list both devices; the
second becomes the `companion` of the first. Linux often wakes the threads of "pthread" on the same core, where they take turns while
another core idles: `threads_apart` binds each to a core of its own.

**Work-items.** Kernels with groups of two items are compiled as loops over items, like all others, and vectorized: see `loop_over_items`.

**Files.** PoCL stores what it compiles in a directory that all processes share, and trusts it: a truncated library (`.so`) there ends each
process that loads it (tried). eqsat's own cache verifies what it reads. So here PoCL gets a directory for this process only, which is
removed when the process ends.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib.util
import os
import platform
import re
import shutil
import signal
import stat
import struct
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eqsat.errors import DeviceError
from eqsat.runtime.folder import is_private, make_private
from eqsat.runtime.limits import has_room

if TYPE_CHECKING:
    import pyopencl

STRUCTURE_BYTES = 1024  # searched bytes of PoCL 3.0's device structure; the field was found at byte 640
LOWEST_ADDRESS = 1 << 16  # smaller words are numbers, not addresses
TRIPLE = b"x86_64-"
GENERIC = b"generic"
LINKER = "ld"
FILES_VARIABLE = "POCL_CACHE_DIR"
DEVICES_VARIABLE = "POCL_DEVICES"
CORES_VARIABLE = "POCL_AFFINITY"
ITEMS_VARIABLE = "POCL_WORK_GROUP_METHOD"
DISTRIBUTION = "pocl_binary_distribution"  # pip's PoCL, which has no devices but processors
THREADS, CALLER = "pthread", "basic"
# With several cores: the delay of each further kernel until the other cores help. 1 µs with a crew, 9 µs through the queue.
FOLLOWING_SECONDS = 2e-6
# For a launch in the calling thread: 20 to 30 ns in direct calls. Only the first calls of a program go through the queue.
CALLER_LAUNCH_SECONDS = 5e-8
GATHERING = frozenset({"avx512f", "amx_tile"})
PROCESSES = Path("/proc")
MEMORY_FILES = Path("/dev/shm")

# PoCL's libraries of built-in functions, best first: the flags that each needs, as the Linux kernel spells them, and LLVM's model.
# The first model is the second with an instruction for products of bytes, and uses the same functions.
MODELS: tuple[tuple[frozenset[str], bytes], ...] = (
    (frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni"}), b"cascadelake"),
    (frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}), b"skylake-avx512"),
    (frozenset({"avx2", "fma", "bmi1", "bmi2", "f16c", "abm"}), b"haswell"),
    (frozenset({"avx", "f16c"}), b"ivybridge"),
    (frozenset({"avx"}), b"sandybridge"),
    (frozenset({"sse4_1"}), b"penryn"),
    (frozenset({"sse2"}), b"x86-64"),
)

# LLVM 14's names of models with registers of 64 bytes. Those in `WITHOUT_AVX` have registers of 16 bytes, all others of 32.
AVX512 = frozenset({
    b"skylake-avx512", b"cascadelake", b"cooperlake", b"cannonlake", b"icelake-client", b"icelake-server", b"rocketlake",
    b"tigerlake", b"sapphirerapids", b"knl", b"knm",
})  # fmt: skip
# LLVM does not inline functions for the first of `MODELS` into kernels for these models, which lack CLWB: the functions might use it.
WITHOUT_CLWB = frozenset({b"cannonlake", b"icelake-client", b"rocketlake"})
# Models that have the instruction for products of bytes (AVX-512 VNNI).
WITH_PRODUCTS_OF_BYTES = frozenset({
    b"cascadelake", b"cooperlake", b"icelake-client", b"icelake-server", b"rocketlake", b"tigerlake", b"sapphirerapids",
})  # fmt: skip
WITHOUT_AVX = frozenset({
    b"x86-64", b"x86-64-v2", b"nocona", b"core2", b"penryn", b"nehalem", b"westmere", b"bonnell", b"silvermont", b"goldmont",
    b"goldmont-plus", b"tremont", b"k8", b"k8-sse3", b"amdfam10", b"btver1",
})  # fmt: skip

# PoCL holds the addresses of these names, so they are never freed.
_NAMES = {model: ctypes.create_string_buffer(model) for _, model in MODELS}


def waking_seconds(cores: int) -> float:
    """Seconds that a program on several cores loses at its start, besides the delay of its first kernel: 1 µs with a crew of two.

    First calls lose 50 µs more, since they go through the queue of "pthread".
    """
    return min(0.5e-6 * cores, 20e-6)


def is_misnamed(device: pyopencl.Device) -> bool:
    """Whether PoCL misnames this device's x86-64 processor: it has no name, or one with which library functions fail or are not inlined."""
    name, model = name_of(device), model_of(processor_flags())
    if name is None or model is None:
        return name == GENERIC
    return name == GENERIC or _register(name) != _register(model) or name in WITHOUT_CLWB


def name_of(device: pyopencl.Device) -> bytes | None:
    """PoCL's name of an x86-64 processor; None for other devices."""
    match = re.search(rf"PoCL.*{TRIPLE.decode()}\S*?-gnu-(\S+)\s*$", device.version)
    return match[1].encode() if match else None


def _register(model: bytes) -> int:
    """Bytes of the widest register in which functions that are compiled for a model take vectors."""
    return 64 if model in AVX512 else 16 if model in WITHOUT_AVX else 32


def model_of(flags: frozenset[str]) -> bytes | None:
    """LLVM's name of the best processor model whose features are all among `flags`."""
    return next((model for needed, model in MODELS if needed <= flags), None)


def name_processor(device: pyopencl.Device) -> str | None:
    """Gives the processor of a PoCL device the name of its library's model. Returns that name; None if it is not possible."""
    model, present = model_of(processor_flags()), name_of(device)
    if model is None or present is None or struct.calcsize("P") != 8:
        return None
    try:
        memory = os.open("/proc/self/mem", os.O_RDWR)
    except OSError:
        return None
    try:
        address = _address_of(device)
        field = _find_field(memory, address, present + b"\0") or _find_field(memory, address, model + b"\0")
        if field is None:
            return None
        os.pwrite(memory, struct.pack("<Q", ctypes.addressof(_NAMES[model])), field)
    finally:
        os.close(memory)
    return model.decode()


@contextmanager
def both_drivers() -> Generator[bool]:
    """Inside the block, PoCL initializes itself with two devices: one with threads, and one that runs kernels in the calling thread.

    If the user chose PoCL's devices, nothing is changed, and the block is given False. The same holds if this is not pip's PoCL, which may
    have graphics cards that the choice would hide.
    """
    if DEVICES_VARIABLE in os.environ or importlib.util.find_spec(DISTRIBUTION) is None:
        yield False
        return
    os.environ[DEVICES_VARIABLE] = f"{THREADS} {CALLER}"
    try:
        yield True
    finally:
        del os.environ[DEVICES_VARIABLE]  # PoCL has read it, and child processes should not see it


def loop_over_items() -> None:
    """Makes PoCL compile work-items as loops, which LLVM may vectorize, unless the user chose another method.

    PoCL would compile groups of two items as two copies of the code. For some kernels with barriers in loops this goes wrong, and running
    them ends the process. Its method "loops" is without LLVM's vectorizers.
    """
    os.environ.setdefault(ITEMS_VARIABLE, "loopvec")  # PoCL reads it whenever it compiles a kernel


@contextmanager
def threads_apart() -> Generator[None]:
    """Binds each thread that PoCL starts inside the block to a core of its own.

    The threads are left alone if the user chose (`POCL_AFFINITY`), if their number is not that of the cores that this process may use,
    and on systems other than Linux.
    """
    before = _threads()
    yield
    started = sorted(_threads() - before)
    if CORES_VARIABLE in os.environ or not started:
        return
    cores = os.sched_getaffinity(0)
    if len(cores) == len(started):
        for thread, core in zip(started, sorted(cores), strict=True):
            with suppress(OSError):  # the thread is gone, or the system forbids it
                os.sched_setaffinity(thread, {core})


def _threads() -> set[int]:
    """The numbers of this process's threads; empty if the system does not list them."""
    try:
        return {int(task.name) for task in (PROCESSES / "self" / "task").iterdir()}
    except OSError:
        return set()


def driver_of(device: pyopencl.Device) -> str | None:
    """PoCL's driver of a processor on x86-64; None for other devices.

    >>> from types import SimpleNamespace
    >>> driver_of(SimpleNamespace(version="OpenCL 3.0 PoCL HSTR: basic-x86_64-unknown-linux-gnu-znver3"))
    'basic'
    """
    match = re.search(rf"PoCL.* (\w+)-{TRIPLE.decode()}", device.version)
    return match[1] if match else None


def require_linker(doing: str) -> None:
    """Check that PoCL finds a linker, and learns how it ends.

    Raises:
        DeviceError: it does not.
    """
    if hasattr(signal, "SIGCHLD") and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        raise DeviceError(
            f"this process ignores SIGCHLD, so PoCL cannot wait for the linker that it needs for {doing}; call "
            f"signal.signal(signal.SIGCHLD, signal.SIG_DFL) first"
        )
    if shutil.which(LINKER) is None:
        raise DeviceError(
            f"PoCL needs the linker {LINKER!r} for {doing}, and it is not in PATH; install it (`apt install binutils`)"
        )


@contextmanager
def private_files(root: Path | None) -> Generator[Path | None]:
    """Inside the block, PoCL initializes itself with a directory of this process's own. The block is given the directory.

    The directory is made under `root`. If `root` is None, cannot be written or is full, it is made among the system's temporary files. It is
    removed when the process ends. If the user chose a directory, or none can be made, PoCL's setting is not changed, and the block is given
    the user's directory or None. Directories that killed processes left behind are removed first.
    """
    chosen = os.environ.get(FILES_VARIABLE)
    directory = (
        _make_directory([*([root / "pocl"] if root else []), *_temporary()]) if chosen is None else None
    )
    if directory is None:
        yield None if chosen is None else Path(chosen)
        return
    os.environ[FILES_VARIABLE] = str(directory)
    try:
        yield directory
    finally:
        del os.environ[FILES_VARIABLE]  # PoCL has read it, and child processes should not see it


def _temporary() -> list[Path]:
    """The existing directories for temporary files. Files in the second one are in memory."""
    try:
        found = [Path(tempfile.gettempdir())]
    except OSError:
        found = list[Path]()
    return [*found, *(path for path in (MEMORY_FILES,) if path.is_dir())]


def _make_directory(parents: list[Path]) -> Path | None:
    """Makes a directory in the first of `parents` that has room, else in the first that can be written; None if none can."""
    prefix = f"eqsat-{platform.node()}-"
    full: Path | None = None
    for parent in parents:
        try:
            make_private(parent)
            _remove_left(parent, prefix)
            # PoCL executes files from there, so nobody else may replace the directory. In a sticky parent such as /tmp nobody can.
            if is_private(parent) or parent.stat().st_mode & stat.S_ISVTX:
                directory = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=parent))
                atexit.register(_remove, directory, os.getpid())
                if has_room(directory):
                    return directory
                full = full or directory
        except OSError:
            continue
    return full


def _remove_left(parent: Path, prefix: str) -> None:
    """Removes the directories of this user's processes that no longer exist."""
    for left in parent.glob(f"{prefix}*") if PROCESSES.is_dir() else ():
        process = left.name.removeprefix(prefix).partition("-")[0]
        if process.isdigit() and not (PROCESSES / process).exists():
            shutil.rmtree(left, ignore_errors=True)


def _remove(directory: Path, owner: int) -> None:
    """Removes a directory when the process that made it ends, but not when a process that was forked off it ends."""
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


def _address_of(device: Any) -> int:
    return device.int_ptr


def _find_field(memory: int, address: int, present: bytes) -> int | None:
    """The address of the field that points to the name `present`, in the structure at `address`; None if it is not found.

    The field just before it must point to the target triple.
    """
    structure = _read(memory, address, STRUCTURE_BYTES)
    words = struct.unpack(f"<{len(structure) // 8}Q", structure[: len(structure) // 8 * 8])
    for position in range(1, len(words)):
        triple, name = words[position - 1 : position + 1]
        if _read(memory, name, len(present)) == present and _read(memory, triple, len(TRIPLE)) == TRIPLE:
            return address + 8 * position
    return None


def _read(memory: int, address: int, count: int) -> bytes:
    """Up to `count` bytes at `address`; empty if nothing is mapped there."""
    if not LOWEST_ADDRESS <= address < 1 << 47:
        return b""
    try:
        return os.pread(memory, count, address)
    except OSError:
        return b""


def processor_flags() -> frozenset[str]:
    """The feature flags of the first processor, as Linux lists them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())


def has_quick_gathers(flags: frozenset[str]) -> bool:
    """Whether a processor's gather instruction is faster than loads of single lanes: on Sapphire Rapids and later.

    On Intel's earlier processors a protection against data leaks through the instruction (Downfall) makes it many times as slow. On AMD's
    processors the instruction itself loads single lanes.
    """
    return flags >= GATHERING
