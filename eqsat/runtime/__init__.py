"""Devices, memory and caches: the only part of eqsat that touches devices and the disk.

`get_device` chooses a device; `Executable` compiles a schedule for it and runs it. `Device` is the protocol that both rely on;
`opencl` implements it.
"""

from eqsat.runtime.cache import (
    BINARIES,
    MEASUREMENTS,
    PLANS,
    CacheStatistics,
    CacheWarning,
    DiskCache,
    digest,
    sealed,
    unsealed,
)
from eqsat.runtime.calibrated import keep_machine, machine_of
from eqsat.runtime.device import Device
from eqsat.runtime.devices import devices, get_device, split
from eqsat.runtime.executable import Executable

__all__ = [
    "BINARIES",
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
    "keep_machine",
    "machine_of",
    "sealed",
    "split",
    "unsealed",
]
