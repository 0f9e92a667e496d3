"""Make the PoCL 3.0 wheel compile on processors that are younger than its LLVM.

The LLVM 14 inside the wheel calls a processor that it does not know (AMD's Zen 5, for one) "generic", and the Clang inside it
rejects that name, so that every build fails with "unknown target CPU 'generic'" (https://github.com/pocl/pocl/issues/1049).
PoCL releases after 3.0 read the name from an environment variable; 3.0 keeps it in its device structure only. `name_processor`
finds that field and points it at the model for which PoCL's own library of built-in functions was compiled, which PoCL chose by
the processor's feature flags. The field is recognized by what it and its neighbour point to, and only reads that cannot fault
are used (`/proc/self/mem`), so an unexpected layout is left alone.
"""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyopencl

STRUCTURE_BYTES = 1024  # of PoCL 3.0's device structure that are searched; the field was found at byte 640
LOWEST_ADDRESS = 1 << 16  # smaller words are numbers, not addresses
TRIPLE = b"x86_64-"
UNKNOWN = b"generic\0"

# PoCL's table of its libraries of built-in functions, best first: flags as the kernel of Linux spells them, and LLVM's model.
MODELS: tuple[tuple[frozenset[str], bytes], ...] = (
    (frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}), b"skylake-avx512"),
    (frozenset({"avx2", "fma", "bmi1", "bmi2", "f16c", "abm"}), b"haswell"),
    (frozenset({"avx", "f16c"}), b"ivybridge"),
    (frozenset({"avx"}), b"sandybridge"),
    (frozenset({"sse4_1"}), b"penryn"),
    (frozenset({"sse2"}), b"x86-64"),
)

_NAMES = {model: ctypes.create_string_buffer(model) for _, model in MODELS}  # PoCL keeps their addresses: never freed


def is_unnamed(device: pyopencl.Device) -> bool:
    """Whether this is a PoCL device on x86-64 that would reject every build because its processor has no name."""
    return "PoCL" in device.version and "x86_64" in device.version and device.version.rstrip().endswith("-generic")


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


def _address_of(device: Any) -> int:
    return device.int_ptr


def _find_field(memory: int, address: int) -> int | None:
    """Where the structure at `address` points to "generic" just after it points to the target triple."""
    words = struct.unpack(f"<{STRUCTURE_BYTES // 8}Q", _read(memory, address, STRUCTURE_BYTES))
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
