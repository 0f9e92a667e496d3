"""The latency of each operation, in cycles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import combining
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import COMPARISON


@dataclass(frozen=True)
class Latency:
    """The cycles of each operation, counted once: the cost of a scalar program, or of one element of an array program.

    Attributes:
        machine: the machine, which has the cycles of each operation on one vector register of elements, or on a scalar in a register.
    """

    name: ClassVar[str] = "latency"
    unit: ClassVar[str] = "cycles"
    machine: Machine = PROCESSOR

    def cost(self, node: Node) -> float:
        """The cycles of the operation on one vector register of elements.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> from eqsat.ops import Op
        >>> Latency().cost(Node(Op.SQRT, float32, None, (16,), (Value(float32, (16,)),)))
        6.0
        """
        operand = node.sources[0].dtype if node.op in COMPARISON else node.dtype
        return self.machine.cycles(combining(node), operand) * node.operations
