"""What PoCL, the driver that installs with eqsat, needs from its host: a name for the processor, files of its own, and a linker.

**A name.** PoCL compiles kernels for the processor model that LLVM 14 names, and links them with a library of built-in functions that
it chooses by the processor's feature flags. The two must agree, and do not where LLVM does not know the processor:
- "generic" (AMD's Zen 5, for one) is a name that the Clang inside PoCL rejects, so that every build fails with "unknown target CPU
  'generic'" (https://github.com/pocl/pocl/issues/1049);
- a name with narrower registers than the library's (AMD's Zen 4 is "znver3") makes kernels pass vectors in memory that the library
  expects in registers: a call of `sin` on 16 lanes ends the process;
- a name with wider ones (a virtual machine that hides AVX-512) makes kernels use instructions that are not there;
- a name without one instruction of the library's model ("icelake-client" has no CLWB) makes LLVM leave every call of the library a call.
Later releases of PoCL read the name from an environment variable; 3.0 keeps it in its device structure only. `name_processor` finds
that field and points it at the model for which the library was compiled. The field is recognized by what it and its neighbour
point to, and only reads that cannot fault are used (`/proc/self/mem`), so an unexpected layout is left alone.

**Devices.** PoCL's driver "pthread" gives kernels to threads of its own, which takes 20 to 70 µs to wake them and wait; its driver "basic"
runs kernels in the thread that waits for them, at 1.5 µs a launch, on one core. `both_drivers` makes PoCL list the two, of which the
second becomes the `companion` of the first. Linux often wakes the threads of "pthread" on the same core, where they take turns while
another core idles: `threads_apart` gives each a core of its own.

**Work-items.** Kernels with groups of two items are compiled as loops over items like all others: see `loop_over_items`.

**Files.** PoCL keeps what it compiles in a directory that all processes share, and trusts it: a library that lost its tail there
ends the process that loads it, each time (tried: a truncated `.so`). eqsat's own cache verifies what it reads, so here PoCL gets
a directory for this process only, removed at its end.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib.util
import os
import platform
import re
import shutil
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

STRUCTURE_BYTES = 1024  # of PoCL 3.0's device structure that are searched; the field was found at byte 640
LOWEST_ADDRESS = 1 << 16  # smaller words are numbers, not addresses
TRIPLE = b"x86_64-"
GENERIC = b"generic"
LINKER = "ld"
FILES_VARIABLE = "POCL_CACHE_DIR"
DEVICES_VARIABLE = "POCL_DEVICES"
CORES_VARIABLE = "POCL_AFFINITY"
ITEMS_VARIABLE = "POCL_WORK_GROUP_METHOD"
DISTRIBUTION = "pocl_binary_distribution"  # pip's PoCL, which knows no devices but processors
THREADS, CALLER = "pthread", "basic"
FOLLOWING_SECONDS = 2e-6  # that a further kernel starts later there, and until its other cores help: 1 with a crew, 9 through the queue
CALLER_LAUNCH_SECONDS = 5e-8  # of a kernel in the calling thread: 20 to 30 ns past the queue, which only the first calls of a program go through
GATHERING = frozenset({"avx512f", "amx_tile"})
PROCESSES = Path("/proc")
MEMORY_FILES = Path("/dev/shm")

# PoCL's table of its libraries of built-in functions, best first: flags as the kernel of Linux spells them, and LLVM's model.
# The first model is the second with an instruction for products of bytes, and runs the same functions.
MODELS: tuple[tuple[frozenset[str], bytes], ...] = (
    (frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni"}), b"cascadelake"),
    (frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}), b"skylake-avx512"),
    (frozenset({"avx2", "fma", "bmi1", "bmi2", "f16c", "abm"}), b"haswell"),
    (frozenset({"avx", "f16c"}), b"ivybridge"),
    (frozenset({"avx"}), b"sandybridge"),
    (frozenset({"sse4_1"}), b"penryn"),
    (frozenset({"sse2"}), b"x86-64"),
)

# LLVM 14's names of models with registers of 64 bytes, and of those with 16; the others have 32.
AVX512 = frozenset({
    b"skylake-avx512", b"cascadelake", b"cooperlake", b"cannonlake", b"icelake-client", b"icelake-server", b"rocketlake",
    b"tigerlake", b"sapphirerapids", b"knl", b"knm",
})  # fmt: skip
# Of these, functions for the first of `MODELS` are not inlined: each lacks CLWB, which they might use.
WITHOUT_CLWB = frozenset({b"cannonlake", b"icelake-client", b"rocketlake"})
# Of these, the instruction for products of bytes is known (AVX-512 VNNI).
WITH_PRODUCTS_OF_BYTES = frozenset({
    b"cascadelake", b"cooperlake", b"icelake-client", b"icelake-server", b"rocketlake", b"tigerlake", b"sapphirerapids",
})  # fmt: skip
WITHOUT_AVX = frozenset({
    b"x86-64", b"x86-64-v2", b"nocona", b"core2", b"penryn", b"nehalem", b"westmere", b"bonnell", b"silvermont", b"goldmont",
    b"goldmont-plus", b"tremont", b"k8", b"k8-sse3", b"amdfam10", b"btver1",
})  # fmt: skip

# PoCL keeps their addresses: never freed.
_NAMES = {model: ctypes.create_string_buffer(model) for _, model in MODELS}


def waking_seconds(cores: int) -> float:
    """What several cores lose by the start of a program: two of a crew 1 to 5 µs. First calls take 50 more, through the queue of "pthread"."""
    return min(2.5e-6 * cores, 20e-6)


def is_misnamed(device: pyopencl.Device) -> bool:
    """Whether this is a PoCL device on x86-64 whose processor has no name, or one with which its functions go wrong or stay calls."""
    name, model = name_of(device), model_of(processor_flags())
    if name is None or model is None:
        return name == GENERIC
    return name == GENERIC or _register(name) != _register(model) or name in WITHOUT_CLWB


def name_of(device: pyopencl.Device) -> bytes | None:
    """What PoCL calls an x86-64 processor; None for other devices."""
    match = re.search(rf"PoCL.*{TRIPLE.decode()}\S*?-gnu-(\S+)\s*$", device.version)
    return match[1].encode() if match else None


def _register(model: bytes) -> int:
    """Bytes of the widest register in which functions for a model take vectors."""
    return 64 if model in AVX512 else 16 if model in WITHOUT_AVX else 32


def model_of(flags: frozenset[str]) -> bytes | None:
    """LLVM's name of the best processor model whose features are all among `flags`."""
    return next((model for needed, model in MODELS if needed <= flags), None)


def name_processor(device: pyopencl.Device) -> str | None:
    """Name the processor of a PoCL device after its functions; the model's name, or None where that is not possible."""
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
    """Inside the block, PoCL initializes itself with a device of threads and one that runs kernels in the calling thread.

    Where the user chose its devices, or it is not pip's PoCL and may know graphics cards that the choice would hide, it has those that it
    would have had, and the block is given False.
    """
    if DEVICES_VARIABLE in os.environ or importlib.util.find_spec(DISTRIBUTION) is None:
        yield False
        return
    os.environ[DEVICES_VARIABLE] = f"{THREADS} {CALLER}"
    try:
        yield True
    finally:
        del os.environ[DEVICES_VARIABLE]  # read once by PoCL, and no business of child processes


def loop_over_items() -> None:
    """Lets PoCL write work-items as loops, unless the user chose how.

    Two items it would write one after the other, and does so wrongly for some kernels with barriers in loops, which end the process.
    """
    os.environ.setdefault(ITEMS_VARIABLE, "loops")  # read whenever a kernel is compiled


@contextmanager
def threads_apart() -> Generator[None]:
    """Each thread that PoCL starts inside the block is bound to one core.

    They are left alone where the user chose (`POCL_AFFINITY`), where there are not as many of them as cores that this process may use,
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
    """The numbers of this process's threads; none where the system does not tell."""
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
    """Check that PoCL finds a linker.

    Raises:
        DeviceError: it does not.
    """
    if shutil.which(LINKER) is None:
        raise DeviceError(
            f"PoCL needs the linker {LINKER!r} for {doing}, and it is not in PATH; install it (`apt install binutils`)"
        )


@contextmanager
def private_files(root: Path | None) -> Generator[Path | None]:
    """Inside the block, PoCL initializes itself with a directory of this process, which is given and removed at its end.

    It is made under `root`; where that is None, cannot be written or is full, among the system's temporary files. Where none can be
    made or the user chose one, PoCL keeps its own habits. Directories that killed processes left behind are removed first.
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
        del os.environ[FILES_VARIABLE]  # read once by PoCL, and no business of child processes


def _temporary() -> list[Path]:
    """Directories for temporary files that there are; in the second, files are in memory."""
    try:
        found = [Path(tempfile.gettempdir())]
    except OSError:
        found = list[Path]()
    return [*found, *(path for path in (MEMORY_FILES,) if path.is_dir())]


def _make_directory(parents: list[Path]) -> Path | None:
    """A directory in the first of `parents` that has room, else in the first that can be written; None where none can."""
    prefix = f"eqsat-{platform.node()}-"
    full: Path | None = None
    for parent in parents:
        try:
            make_private(parent)
            _remove_left(parent, prefix)
            # PoCL runs what it finds there; in a directory like /tmp, which others can write, nobody can replace a private one.
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
    """Remove this user's directories of processes that are no more."""
    for left in parent.glob(f"{prefix}*") if PROCESSES.is_dir() else ():
        process = left.name.removeprefix(prefix).partition("-")[0]
        if process.isdigit() and not (PROCESSES / process).exists():
            shutil.rmtree(left, ignore_errors=True)


def _remove(directory: Path, owner: int) -> None:
    """At the end of the process that made a directory, not of one that was forked off it."""
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


def _address_of(device: Any) -> int:
    return device.int_ptr


def _find_field(memory: int, address: int, present: bytes) -> int | None:
    """Where the structure at `address` points to the `present` name just after it points to the target triple."""
    structure = _read(memory, address, STRUCTURE_BYTES)
    words = struct.unpack(f"<{len(structure) // 8}Q", structure[: len(structure) // 8 * 8])
    for position in range(1, len(words)):
        triple, name = words[position - 1 : position + 1]
        if _read(memory, name, len(present)) == present and _read(memory, triple, len(TRIPLE)) == TRIPLE:
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


def processor_flags() -> frozenset[str]:
    """The feature flags of the first processor, as Linux lists them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())


def has_quick_gathers(flags: frozenset[str]) -> bool:
    """Whether a processor's instruction for gathers is quicker than loads of single lanes: of Sapphire Rapids and later.

    Earlier ones of Intel are kept from leaking data through it (Downfall), which makes it many times as slow; AMD's load single lanes, too.
    """
    return flags >= GATHERING
