"""The roofline: what takes longer, the arithmetic or the memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.dtype import float32
from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import applications, bytes_moved, is_reduction, itemsize
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import Op


@dataclass(frozen=True)
class Roofline:
    """Seconds of an array program on a device that keeps all its vector units, or all its memory channels, busy.

    A node takes the longer of its arithmetic and its traffic (S. Williams et al., "Roofline", CACM 2009). A model of nodes
    sees no kernels, so what a kernel would overlap is added up here, and elementwise operations count as fused: they move
    nothing. A reduction ends a kernel, which costs a launch.

    Attributes:
        operations_per_second: single operations on 4-byte elements, all cores together.
        bandwidth: bytes per second, from and to memory.
        launch_seconds: to end a kernel and start the next.
        machine: how much longer than a multiply-add other operations take.
    """

    name: ClassVar[str] = "roofline"
    unit: ClassVar[str] = "seconds"
    operations_per_second: float = PROCESSOR.operations_per_second
    bandwidth: float = PROCESSOR.bandwidth
    launch_seconds: float = PROCESSOR.launch_seconds
    machine: Machine = PROCESSOR

    @staticmethod
    def of(machine: Machine) -> Roofline:
        """The roofline of a machine: `Roofline.of(eqsat.machine.PROCESSOR)`."""
        return Roofline(machine.operations_per_second, machine.bandwidth, machine.launch_seconds, machine)

    def cost(self, node: Node) -> float:
        """Seconds of the node on all elements.

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
