"""Lists the devices, and finds one by its name. Only this module names an implementation of `Device`."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from functools import cache

from eqsat.errors import DeviceError, brief, shortened
from eqsat.runtime.device import DRIVERS, Device
from eqsat.runtime.opencl import OpenCLDevice, advice, discover

VARIABLE = "EQSAT_DEVICE"
_PART = re.compile(
    r"(.+):(\d{1,9})/(\d{1,9})", re.ASCII
)  # `NAME:1/2`, for example, is the first half of the cores
_FINDING = threading.RLock()


def devices() -> tuple[Device, ...]:
    """All OpenCL devices, the default first. They are looked for once per process.

    The order is fixed: graphics processors, then processors (the embedded PoCL before other drivers), then simulators.

    Raises:
        DeviceError: there is no OpenCL platform, or none with a device.
        ForkError: this process was forked off one that had used a device.
    """
    DRIVERS.require()
    with _FINDING:
        return _devices()


@cache
def _devices() -> tuple[OpenCLDevice, ...]:
    return tuple(discover())


def split(device: str | int | Device | None, count: int) -> tuple[Device, ...]:
    """A device divided into `count` devices with equally many cores, made once per process. Part k has the name `NAME:k/count`.

    Raises:
        DeviceError: there is no such device, or its driver cannot divide it so.
    """
    whole = get_device(device)
    if not isinstance(whole, OpenCLDevice):
        raise DeviceError(f"{whole.name} is no OpenCL device, and only these are divided; name another")
    DRIVERS.require()
    with _FINDING:
        return _parts(whole, count)


@cache
def _parts(whole: OpenCLDevice, count: int) -> tuple[OpenCLDevice, ...]:
    return whole.parts(count)


def get_device(name: str | int | Device | None = None) -> Device:
    """The device of this name.

    Args:
        name: its name, a part of it in any case, a part of its driver's version (`pocl`), or its number in `devices()`. None asks
            the environment variable `EQSAT_DEVICE`, and without that takes the first device that is no simulator. `NAME:1/2` is the
            first of two parts of a device, as `split` makes them. A device is returned as it is.

    Raises:
        DeviceError: no device has this name, with a list of those there are; or it cannot be divided.
    """
    if name is not None and not isinstance(name, str | int):
        if not hasattr(name, "identity"):
            raise DeviceError(
                f"{brief(name)} is no device; give a part of a name, a number of eqsat.devices(), or a device"
            )
        return name
    if name == "":
        raise DeviceError(f"a device has a name; None asks for the default among {_listed(devices())}")
    if name is None:
        chosen = os.environ.get(VARIABLE, "").strip()
    else:
        chosen = brief(name) if isinstance(name, int) else name
    part = _PART.fullmatch(chosen)
    if part is not None:
        return _part(part[1], int(part[2]), int(part[3]))
    if not chosen:
        return _default()
    return _numbered(chosen) if chosen.isascii() and chosen.isdigit() else _named(chosen)


def _part(whole: str, number: int, count: int) -> Device:
    if not 1 <= number <= count:
        raise DeviceError(
            f"{brief(f'{whole}:{number}/{count}')} is no part of a device; give a count from 1 on, and a number from 1 to that count"
        )
    return split(whole, count)[number - 1]


def _default() -> Device:
    found = devices()
    real = [device for device in found if device.kind != "simulator"]
    if not real:
        raise DeviceError(
            f"only simulators were found ({_listed(found)}); name one with {VARIABLE}, or {advice()}"
        )
    return real[0]


def _numbered(number: str) -> Device:
    found = devices()
    numbered = {str(place): device for place, device in enumerate(found)}
    if number not in numbered:
        raise DeviceError(f"there is no device number {shortened(number)}; there are {_listed(found)}")
    return numbered[number]


def _named(name: str) -> Device:
    found = devices()
    companions = [device.companion for device in _devices() if device.companion is not None]
    every = [*found, *companions]
    exact = [device for device in every if device.name == name]
    similar = exact or [
        device for device in every if name.lower() in f"{device.name} {device.identity}".lower()
    ]
    if not similar:
        raise DeviceError(
            f"no device is named {brief(name)}; there are {_listed(found)}. Give a part of a name or a number, or {advice()}"
        )
    return similar[0]


def _listed(found: Sequence[Device]) -> str:
    return ", ".join(f"{number}: {device.name!r}" for number, device in enumerate(found))
