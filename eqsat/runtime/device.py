"""Which devices there are, and which one is meant.

Devices are listed in a fixed order: graphics processors, then processors (the embedded PoCL before other drivers), then
simulators. The first is the default; a simulator is never chosen unless it is named.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Literal, Protocol

from eqsat.errors import DeviceError
from eqsat.forks import Threads
from eqsat.schedule.device import DeviceDescription

if TYPE_CHECKING:
    from eqsat.runtime.opencl import OpenCLDevice

VARIABLE = "EQSAT_DEVICE"
INSTALL = (
    'install one: `pip install "pyopencl[pocl]"` runs kernels on the processor (Linux x86-64), `pip install intel-opencl-rt` '
    "does so with Intel's runtime, and the driver of a graphics processor brings its own"
)

Kind = Literal["gpu", "cpu", "simulator"]
ORDER: tuple[Kind, ...] = ("gpu", "cpu", "simulator")


class Device(Protocol):
    """Where kernels run."""

    @property
    def name(self) -> str:
        """Platform and device, as `EQSAT_DEVICE` may give it."""
        ...

    @property
    def kind(self) -> Kind:
        """A simulator interprets kernels to find faults in them, thousands of times slower than a processor."""
        ...

    @property
    def description(self) -> DeviceDescription:
        """What the cost model assumes of it."""
        ...

    @property
    def identity(self) -> str:
        """Everything about driver and device that a compiled binary depends on."""
        ...


DRIVERS = Threads("devices")
_FINDING = threading.Lock()


def devices() -> tuple[OpenCLDevice, ...]:
    """All OpenCL devices, the default first; looked for once per process.

    Raises:
        DeviceError: there is no OpenCL platform, or none with a device.
        ForkError: this process was forked off one that had used a device.
    """
    DRIVERS.require()
    with _FINDING:
        return _devices()


@cache
def _devices() -> tuple[OpenCLDevice, ...]:
    from eqsat.runtime.opencl import discover

    found = discover()
    if not found:
        raise DeviceError(f"no OpenCL platform with a device was found; {INSTALL}")
    return tuple(
        sorted(found, key=lambda device: (ORDER.index(device.kind), not device.is_pocl, device.name))
    )


def get_device(name: str | int | None = None) -> OpenCLDevice:
    """The device of this name.

    Args:
        name: its name, a part of it in any case, a part of its driver's version (`pocl`), or its number in `devices()`. None asks
            the environment variable `EQSAT_DEVICE`, and without that takes the first device that is no simulator.

    Raises:
        DeviceError: no device has this name; the message lists those there are.
    """
    chosen = str(name) if name is not None else os.environ.get(VARIABLE, "").strip()
    found = devices()
    if not chosen:
        real = [device for device in found if device.kind != "simulator"]
        if not real:
            raise DeviceError(
                f"only simulators were found ({_listed(found)}); name one with {VARIABLE}, or {INSTALL}"
            )
        return real[0]
    if chosen.isdigit():
        if int(chosen) < len(found):
            return found[int(chosen)]
        raise DeviceError(f"there is no device number {chosen}; there are {_listed(found)}")
    exact = [device for device in found if device.name == chosen]
    similar = exact or [
        device for device in found if chosen.lower() in f"{device.name} {device.identity}".lower()
    ]
    if not similar:
        raise DeviceError(
            f"no device is named {chosen!r}; there are {_listed(found)}. Give a part of a name or a number, or {INSTALL}"
        )
    return similar[0]


def _listed(found: tuple[OpenCLDevice, ...]) -> str:
    return ", ".join(f"{number}: {device.name!r}" for number, device in enumerate(found))
