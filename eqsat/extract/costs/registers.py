"""How many registers a program may need."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from eqsat.dtype import DType
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import READS, is_reduction
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import ALU, Op


@dataclass(frozen=True)
class RegisterPressure:
    """Vector registers that the values of a program would fill if none of them was ever given up.

    Every value that is computed or loaded takes registers from then until its last use; without an order of execution the last
    use is unknown. So each distinct value counts once, which bounds from above what any order needs: programs with fewer intermediate
    values, and more sharing, win. A reduction takes an accumulator for each of `accumulators` chains beside its operand. Integer
    constants are part of the instruction, other constants wait in a register; movement is index arithmetic, and counts nothing.

    Attributes:
        lanes: of the vectors that the program is computed in.
        register_bytes: of one vector register.
        accumulators: of one reduction.
    """

    name: ClassVar[str] = "register-pressure"
    unit: ClassVar[str] = "registers"
    lanes: int = PROCESSOR.lanes
    register_bytes: int = PROCESSOR.vector_bytes
    accumulators: int = 4

    @staticmethod
    def of(machine: Machine) -> RegisterPressure:
        """The model of a machine."""
        return RegisterPressure(machine.lanes, machine.vector_bytes)

    def cost(self, node: Node) -> float:
        """Registers that the node's value fills.

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
