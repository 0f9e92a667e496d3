"""The roofline model: a node takes as long as its arithmetic or its memory traffic, whichever takes longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.dtype import float32
from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import applications, bytes_moved, is_reduction, itemsize
from eqsat.extract.options import require_options
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import Op


@dataclass(frozen=True)
class Roofline:
    """The seconds of an array program on a device that keeps all its vector units, or all its memory channels, busy.

    A node takes the time of its arithmetic or of its traffic, whichever is longer (S. Williams et al., "Roofline", CACM 2009). The model
    sees nodes, not kernels, so it adds up times that overlap in a kernel. It assumes that elementwise operations are fused: they move nothing. A
    reduction ends a kernel, which costs a launch.

    Attributes:
        operations_per_second: the operations per second on single 4-byte elements, of all cores together.
        bandwidth: the bytes per second from and to memory.
        launch_seconds: the seconds to end a kernel and start the next one.
        machine: the machine, which says how much longer than a multiply-add other operations take.
    """

    name: ClassVar[str] = "roofline"
    unit: ClassVar[str] = "seconds"
    operations_per_second: float = PROCESSOR.operations_per_second
    bandwidth: float = PROCESSOR.bandwidth
    launch_seconds: float = PROCESSOR.launch_seconds
    machine: Machine = PROCESSOR

    def __post_init__(self) -> None:
        require_options(self, "operations_per_second", "bandwidth")

    @staticmethod
    def of(machine: Machine) -> Roofline:
        """The roofline of a machine: `Roofline.of(eqsat.machine.PROCESSOR)`."""
        return Roofline(machine.operations_per_second, machine.bandwidth, machine.launch_seconds, machine)

    def cost(self, node: Node) -> float:
        """The seconds of the node on all elements.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> read = Node(Op.PARAM, float32, (0, 42), (42,), ())
        >>> Roofline(bandwidth=168.0).cost(read)
        1.0
        """
        simple = self.machine.cycles(Op.MULACC, float32)
        per_element = (
            Latency(self.machine).cost(node) / node.operations / simple * max(1.0, itemsize(node.dtype) / 4)
        )
        arithmetic = per_element * applications(node) / self.operations_per_second
        launch = self.launch_seconds if is_reduction(node) else 0.0
        return max(arithmetic, bytes_moved(node) / self.bandwidth) + launch
