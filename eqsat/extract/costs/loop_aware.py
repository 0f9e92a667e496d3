"""Cycles times the iterations of the surrounding loops: a cost model for array programs, the default of `Plan`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.dtype import DType, PtrDType
from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import applications, bytes_moved, independent, is_reduction, itemsize
from eqsat.extract.options import require_options
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import MOVEMENT


@dataclass(frozen=True)
class LoopAware:
    """The cycles of an array program: each operation times the iterations of its loops, divided by the lanes and cores that share them.

    Before scheduling, the loops of a value are its axes. So an operation runs once for each of its elements, and a reduction once for
    each of its *input* elements. Moving elements costs next to nothing, because it becomes index arithmetic. Reading from memory and
    writing to it (inputs, gathers, results of reductions) costs by the byte. A reduction ends a kernel, which costs a launch. A
    reduction to few elements keeps few cores busy, so that splitting a large one pays.

    Attributes:
        cores: the number of cores of the device.
        lanes: the number of 32-bit lanes of one vector; operations on wider elements have fewer lanes.
        bytes_per_cycle: the memory traffic of the whole device, in bytes per cycle of one core.
        launch_cycles: the cycles to end a kernel and start the next one.
        movement_cycles: the cycles per moved element; few, but enough that a graph without movement wins.
        machine: the machine, which has the cycles of each operation; `LoopAware.of` takes the other numbers from it, too.
    """

    name: ClassVar[str] = "loop-aware"
    unit: ClassVar[str] = "cycles"
    cores: int = PROCESSOR.cores
    lanes: int = PROCESSOR.lanes
    bytes_per_cycle: float = PROCESSOR.bandwidth / PROCESSOR.frequency
    launch_cycles: float = PROCESSOR.launch_seconds * PROCESSOR.frequency
    movement_cycles: float = 0.005
    machine: Machine = PROCESSOR

    def __post_init__(self) -> None:
        require_options(self, "cores", "lanes", "bytes_per_cycle")

    @staticmethod
    def of(machine: Machine) -> LoopAware:
        """The model of a machine: `LoopAware.of(eqsat.machine.PROCESSOR)`."""
        per_cycle = machine.bandwidth / machine.frequency
        launch = machine.launch_seconds * machine.frequency
        return LoopAware(machine.cores, machine.lanes, per_cycle, launch, machine=machine)

    def cost(self, node: Node) -> float:
        """The cycles of the operation on all elements.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> from eqsat.ops import Op
        >>> small, large = (Node(Op.ADD, float32, None, (n,), (Value(float32, (n,)),) * 2) for n in (16, 1600))
        >>> LoopAware().cost(large) / LoopAware().cost(small)
        100.0
        """
        if node.op in MOVEMENT:
            return self.movement_cycles * node.elements
        cores = max(1, min(self.cores, independent(node)))
        cycles = Latency(self.machine).cost(node) / node.operations
        work = cycles * applications(node) / (self._lanes(node.dtype) * cores)
        launch = self.launch_cycles if is_reduction(node) else 0.0
        return work + bytes_moved(node) / self.bytes_per_cycle + launch

    def _lanes(self, dtype: DType | PtrDType) -> float:
        size = itemsize(dtype)
        return max(1.0, self.lanes * 4 / size) if size else 1.0
