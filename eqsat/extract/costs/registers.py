"""Estimates how many registers a program needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from eqsat.dtype import DType
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import READS, is_reduction
from eqsat.extract.options import require_options
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import ALU, Op


@dataclass(frozen=True)
class RegisterPressure:
    """The number of vector registers that all values of a program fill together, as if none was ever released.

    A value takes registers from its computation or load until its last use, which is unknown before the operations have an order. So
    each distinct value counts for the whole program. This is an upper bound for every order: programs with fewer intermediate values
    and more sharing win. A reduction takes `accumulators` accumulators. Integer constants are part of an instruction; other constants
    take a register. Movement is index arithmetic and takes none.

    Attributes:
        lanes: the number of elements of one vector.
        register_bytes: the number of bytes of one vector register.
        accumulators: the number of accumulators of one reduction.
    """

    name: ClassVar[str] = "register-pressure"
    unit: ClassVar[str] = "registers"
    lanes: int = PROCESSOR.lanes
    register_bytes: int = PROCESSOR.vector_bytes
    accumulators: int = 4

    def __post_init__(self) -> None:
        require_options(self, "lanes", "register_bytes", "accumulators")

    @staticmethod
    def of(machine: Machine) -> RegisterPressure:
        """The model with the numbers of a machine."""
        return RegisterPressure(machine.lanes, machine.vector_bytes)

    def cost(self, node: Node) -> float:
        """The number of registers that the value of the node fills.

        >>> from eqsat.dtype import float32, float64
        >>> from eqsat.extract import Value
        >>> for dtype in (float32, float64):
        ...     RegisterPressure().cost(Node(Op.ADD, dtype, None, (64,), (Value(dtype, (64,)),) * 2))
        1.0
        2.0
        """
        if is_reduction(node):
            return self.accumulators * self._registers(node)
        is_constant = node.op is Op.CONST and isinstance(node.dtype, DType) and node.dtype.is_float
        return self._registers(node) if node.op in ALU or node.op in READS or is_constant else 0.0

    def _registers(self, node: Node) -> float:
        size = node.dtype.itemsize if isinstance(node.dtype, DType) else 8
        return float(max(1, ceil(size * self.lanes / self.register_bytes)))
