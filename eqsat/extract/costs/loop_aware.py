"""Cycles times the iterations of the loops around: the cost of array programs, and the default of `Plan`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from eqsat.dtype import DType, PtrDType
from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.protocol import Node
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import ALU, MOVEMENT, TABLE, Category, Op


@dataclass(frozen=True)
class LoopAware:
    """Cycles of an array program: each operation times the iterations of the loops it sits in, spread over the lanes and cores.

    At this level the loops of a value are its axes, so the trip count of an operation is its number of elements, and that of a
    reduction its number of *input* elements. Moving data costs next to nothing, since it becomes index arithmetic. What is
    read from or written to memory (inputs, gathers, results of reductions) costs its bytes. A reduction to few elements
    keeps few cores busy, which is why a large one is worth splitting, and it ends a kernel, which costs a launch.

    Attributes:
        cores: cores of the device.
        lanes: 32-bit lanes of one vector; operations on wider elements have fewer.
        bytes_per_cycle: memory traffic of the whole device per cycle of one core.
        launch_cycles: what ending a kernel and starting the next costs.
        movement_cycles: per element moved; small, so that a graph without moves wins over one with.
        machine: whose cycles operations take; `LoopAware.of` also takes the other numbers from it.
    """

    name: ClassVar[str] = "loop-aware"
    unit: ClassVar[str] = "cycles"
    cores: int = PROCESSOR.cores
    lanes: int = PROCESSOR.lanes
    bytes_per_cycle: float = PROCESSOR.bandwidth / PROCESSOR.frequency
    launch_cycles: float = PROCESSOR.launch_seconds * PROCESSOR.frequency
    movement_cycles: float = 0.005
    machine: Machine = PROCESSOR

    @staticmethod
    def of(machine: Machine) -> LoopAware:
        """The model of a machine: `LoopAware.of(eqsat.machine.PROCESSOR)`."""
        per_cycle = machine.bandwidth / machine.frequency
        launch = machine.launch_seconds * machine.frequency
        return LoopAware(machine.cores, machine.lanes, per_cycle, launch, machine=machine)

    def cost(self, node: Node) -> float:
        """Cycles of the operation on all elements.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> small, large = (Node(Op.ADD, float32, None, (n,), (Value(float32, (n,)),) * 2) for n in (16, 1600))
        >>> LoopAware().cost(large) / LoopAware().cost(small)
        100.0
        """
        if node.op in MOVEMENT:
            return self.movement_cycles * node.elements
        if TABLE[node.op].category is Category.REDUCTION:
            return self._reduction(node)
        if node.op in ALU:
            return (
                Latency(self.machine).cost(node)
                * node.elements
                / (self._lanes(node.dtype) * self._busy(node.elements))
            )
        if node.op in (Op.PARAM, Op.BUFFER, Op.LOAD, Op.INDEX):
            return self._traffic(node.dtype, node.elements)
        if node.op is Op.STORE:
            return self._traffic(node.sources[1].dtype, prod(node.sources[1].shape or ()))
        return 0.0

    def _reduction(self, node: Node) -> float:
        source = node.sources[0]
        inputs = prod(source.shape or ())
        per_element = Latency(self.machine).cost(node) / self._lanes(node.dtype)
        work = per_element * inputs / self._busy(node.elements)
        return work + self._traffic(node.dtype, node.elements) + self.launch_cycles

    def _busy(self, elements: int) -> int:
        """Cores that `elements` independent results can occupy."""
        return max(1, min(self.cores, elements))

    def _lanes(self, dtype: DType | PtrDType) -> float:
        return (
            max(1.0, self.lanes * 4 / dtype.itemsize) if isinstance(dtype, DType) and dtype.itemsize else 1.0
        )

    def _traffic(self, dtype: DType | PtrDType, elements: int) -> float:
        size = dtype.itemsize if isinstance(dtype, DType) else dtype.base.itemsize
        return size * elements / self.bytes_per_cycle
