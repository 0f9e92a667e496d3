"""The length of the machine code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eqsat.dtype import DType
from eqsat.extract.costs.protocol import Node
from eqsat.extract.costs.work import combining, is_reduction
from eqsat.machine import price
from eqsat.ops import Op


@dataclass(frozen=True)
class CodeSize:
    """The number of instructions in the text of a program. Each operation counts once; unrolling and trip counts do not matter.

    `eqsat.machine.prices` has the instructions of each operation, for x86 with AVX2. A division of integers includes a conversion and a
    correction; a load or store includes the computation of its address.
    """

    name: ClassVar[str] = "code-size"
    unit: ClassVar[str] = "instructions"

    def cost(self, node: Node) -> float:
        """The instructions of the node, whatever its number of elements.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> CodeSize().cost(Node(Op.EXP2, float32, None, (1000,), (Value(float32, (1000,)),)))
        14.0
        """
        dtype = node.dtype if isinstance(node.dtype, DType) else node.dtype.base
        loop = price(Op.END, dtype).instructions if is_reduction(node) else 0.0
        return loop + price(combining(node), dtype).instructions * node.operations
