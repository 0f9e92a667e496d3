"""The devices that a graph names."""

from __future__ import annotations

from dataclasses import dataclass

from eqsat.distribution import HOST, Link
from eqsat.errors import DeviceError
from eqsat.ops import Op
from eqsat.runtime import Device, get_device, machine_of
from eqsat.runtime.ranks import rank_of
from eqsat.uop import UOp, rewrite, toposort

BETWEEN_RANKS = Link(bandwidth=5e9, step_seconds=50e-6)  # measured between two processes of one machine


@dataclass(frozen=True)
class Named:
    """A graph that calls each device by its own name.

    Attributes:
        graph: the graph with those names.
        devices: the devices by name. A rank of MPI stands for the device that it uses by default.
        device: computes everything that is placed on no device.
        ranks: the ranks of the names that mean a rank.
    """

    graph: UOp
    devices: dict[str, Device]
    device: Device
    ranks: dict[str | None, int]

    @staticmethod
    def of(graph: UOp, device: Device) -> Named:
        """Looks up the devices that a graph names.

        Raises:
            DeviceError: there is no such device.
        """
        devices: dict[str, Device] = {}
        ranks: dict[str | None, int] = {}
        mapping: dict[UOp, UOp] = {}
        for node in toposort([graph]):
            if node.op is not Op.DEVICE or node.arg == HOST:
                continue
            try:
                rank = rank_of(node.arg)
                if rank is not None:
                    devices[node.arg], ranks[node.arg] = device, rank
                    continue
                named = device if node.arg == device.name else get_device(node.arg)
            except DeviceError as error:
                raise DeviceError(f"{node!r}: {error}") from error
            devices[named.name] = named
            mapping[node] = node.replace(arg=named.name)
        return Named(rewrite([graph], mapping)[0], devices, device, ranks)

    @property
    def is_one(self) -> bool:
        """Whether the whole graph is computed on one device."""
        return not self.devices.keys() - {self.device.name}

    @property
    def link(self) -> Link:
        """The speed of copies between the devices. The host makes a copy by reading and writing, so it gets half of the bandwidth."""
        if self.ranks:  # a constant, so that all ranks decide alike
            return BETWEEN_RANKS
        return Link(min(machine_of(each).bandwidth for each in self.devices.values()) / 2)
