"""Devices, memory and caches: the only part of eqsat that touches OpenCL and the disk.

`get_device` chooses where to run, `Executable` compiles a schedule for it and runs it. pyopencl is imported when either is
first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eqsat.runtime.cache import BINARIES, CACHES, PLANS, CacheStatistics, CacheWarning, DiskCache, digest
from eqsat.runtime.device import Device, devices, get_device

if TYPE_CHECKING:
    from eqsat.runtime.executable import Executable

__all__ = [
    "BINARIES",
    "CACHES",
    "PLANS",
    "CacheStatistics",
    "CacheWarning",
    "Device",
    "DiskCache",
    "Executable",
    "devices",
    "digest",
    "get_device",
]


def __getattr__(name: str) -> Any:
    """`Executable`, whose module imports pyopencl (0.2 s), when it is asked for."""
    if name == "Executable":
        from eqsat.runtime.executable import Executable

        return Executable
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
