"""Machines as they were measured, kept in the cache by device and driver."""

from __future__ import annotations

import warnings
from pathlib import Path

from eqsat.errors import MachineError
from eqsat.machine import Machine, from_json, to_json
from eqsat.runtime.cache import MEASUREMENTS, CacheWarning, cache_directory, digest
from eqsat.runtime.device import Device

_KNOWN: dict[tuple[Path | None, str, Machine], Machine] = {}  # what was read, in this process


def machine_of(device: Device) -> Machine:
    """The machine of a device: as `eqsat devices --calibrate` measured it, or as it was described where that was not run.

    A calibration holds for one description: with other cores or caches the device is another machine. One that cannot be read is
    forgotten, with a warning.
    """
    place = cache_directory(), device.identity, device.described
    if place not in _KNOWN:
        _KNOWN[place] = _stored(device)
    return _KNOWN[place]


def keep_machine(device: Device, machine: Machine) -> None:
    """Make `machine` that of a device, here and in later processes; `device.described` undoes a calibration."""
    MEASUREMENTS.put(_key(device), to_json(machine).encode())
    _KNOWN[cache_directory(), device.identity, device.described] = machine


def _stored(device: Device) -> Machine:
    key = _key(device)
    stored = MEASUREMENTS.get(key)
    if stored is None:
        return device.described
    try:
        return from_json(stored.decode())
    except (MachineError, UnicodeDecodeError) as error:
        MEASUREMENTS.drop(key)
        warnings.warn(f"the calibration of {device.name} is forgotten: {error}", CacheWarning, stacklevel=3)
        return device.described


def _key(device: Device) -> str:
    return digest("machine", device.identity, repr(device.described))
