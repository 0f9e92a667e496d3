"""Checks that the devices named in a graph are the device that runs it."""

from __future__ import annotations

from eqsat.errors import DeviceError
from eqsat.ops import Op
from eqsat.runtime import Device, get_device
from eqsat.uop import UOp, toposort

HOST = "HOST"  # where the caller's arrays are: memory that every device is given what it needs of


def require_devices(graph: UOp, device: Device) -> None:
    """Checks that every DEVICE of a graph is the host, or the one device that the program runs on.

    Raises:
        DeviceError: the graph names a device that does not exist, or another device than the program runs on.
    """
    for node in toposort([graph]):
        if node.op is not Op.DEVICE or node.arg == HOST:
            continue
        try:
            named = get_device(node.arg)
        except DeviceError as error:
            raise DeviceError(f"{node!r}: {error}") from error
        if named is not device:
            raise DeviceError(
                f"{node!r} is {named.name!r}, and the program runs on {device.name!r} alone; compile with Plan(device={node.arg!r}), "
                f"or name the device {HOST!r}"
            )
