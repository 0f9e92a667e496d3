"""Calibrated descriptions of machines, cached on disk by device and driver."""

from __future__ import annotations

import warnings
from pathlib import Path

from eqsat.errors import MachineError
from eqsat.machine import Machine, from_json, to_json
from eqsat.runtime.cache import MEASUREMENTS, CacheWarning, cache_directory, digest
from eqsat.runtime.device import Device

_KNOWN: dict[tuple[Path | None, str, Machine], Machine] = {}  # machines that this process has read or stored


def machine_of(device: Device) -> Machine:
    """The machine of a device: as `eqsat devices --calibrate` measured it, or `device.described` where that was not run.

    A calibration is valid for one description only: with other cores or caches the device is another machine. A calibration that cannot
    be read is removed, with a warning.
    """
    place = cache_directory(), device.identity, device.described
    if place not in _KNOWN:
        _KNOWN[place] = _stored(device)
    return _KNOWN[place]


def keep_machine(device: Device, machine: Machine) -> None:
    """Stores `machine` as the machine of a device, for this process and later ones. Storing `device.described` undoes a calibration."""
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
