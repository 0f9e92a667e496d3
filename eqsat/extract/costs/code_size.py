"""How long the machine code is."""

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
    """Instructions of a program's text, each operation once: neither copies by unrolling nor trip counts matter.

    `eqsat.machine.prices` has those of each operation, for x86 with AVX2. Division of integers goes through a conversion and a
    correction; a load or store counts its address.
    """

    name: ClassVar[str] = "code-size"
    unit: ClassVar[str] = "instructions"

    def cost(self, node: Node) -> float:
        """Instructions that the node adds, however many elements it has.

        >>> from eqsat.dtype import float32
        >>> from eqsat.extract import Value
        >>> CodeSize().cost(Node(Op.EXP2, float32, None, (1000,), (Value(float32, (1000,)),)))
        14.0
        """
        dtype = node.dtype if isinstance(node.dtype, DType) else node.dtype.base
        loop = price(Op.END, dtype).instructions if is_reduction(node) else 0.0
        return loop + price(combining(node), dtype).instructions * node.operations
