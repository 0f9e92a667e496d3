"""The roofline: what takes longer, the arithmetic or the memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import applications, bytes_moved, is_reduction, itemsize


class Rates(Protocol):
    """What `Roofline.of` reads of a device; a `DeviceDescription` has it all."""

    @property
    def cores(self) -> int:
        """That work side by side."""
        ...

    @property
    def vector_bytes(self) -> int:
        """Of one vector register."""
        ...

    @property
    def frequency(self) -> float:
        """Cycles per second."""
        ...

    @property
    def fma_per_cycle(self) -> float:
        """Vector operations that one core starts per cycle."""
        ...

    @property
    def bandwidth(self) -> float:
        """Bytes per second from memory."""
        ...

    @property
    def launch_seconds(self) -> float:
        """To start a kernel."""
        ...


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
    """

    name: ClassVar[str] = "roofline"
    unit: ClassVar[str] = "seconds"
    operations_per_second: float = 115e9
    bandwidth: float = 42e9
    launch_seconds: float = 10e-6

    @staticmethod
    def of(device: Rates) -> Roofline:
        """The roofline of a device: `Roofline.of(eqsat.get_device().description)`."""
        rate = device.cores * device.frequency * device.fma_per_cycle * device.vector_bytes / 4
        return Roofline(rate, device.bandwidth, device.launch_seconds)

    def cost(self, node: Node) -> float:
        """Seconds of the node on all elements.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> from eqsat.ops import Op
        >>> read = Node(Op.PARAM, float32, (0, 42), (42,), ())
        >>> Roofline(bandwidth=168.0).cost(read)
        1.0
        """
        # `Latency` gives the cycles of one element after another; an operation of one cycle fills one lane of a vector unit.
        per_element = Latency().cost(node) / node.operations * max(1.0, itemsize(node.dtype) / 4)
        arithmetic = per_element * applications(node) / self.operations_per_second
        launch = self.launch_seconds if is_reduction(node) else 0.0
        return max(arithmetic, bytes_moved(node) / self.bandwidth) + launch
