"""Devices, memory and caches: the only part of eqsat that touches OpenCL and the disk.

`get_device` chooses where to run, `Executable` compiles a schedule for it and runs it. pyopencl is imported when either is
first used.
"""

from eqsat.runtime.cache import (
    BINARIES,
    CACHES,
    MEASUREMENTS,
    PLANS,
    CacheStatistics,
    CacheWarning,
    DiskCache,
    digest,
)
from eqsat.runtime.device import Device, devices, get_device
from eqsat.runtime.executable import Executable

__all__ = [
    "BINARIES",
    "CACHES",
    "MEASUREMENTS",
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
