"""A LINEAR that grows: each instruction once, in a block that is open where it is used."""

from __future__ import annotations

from eqsat.dtype import void
from eqsat.ops import KernelInfo, Op
from eqsat.uop import UOp, toposort


class GoneError(Exception):
    """An instruction is wanted whose block is closed, or one that is there already."""


class Listing:
    """Instructions in order, and the blocks that are open.

    Attributes:
        depth: open blocks.
    """

    def __init__(self) -> None:
        self._top: dict[UOp, None] = {}  # constants, which are used everywhere
        self._body: list[UOp] = []
        self._block: dict[UOp, int] = {}
        self._open: list[int] = [0]
        self._blocks = 0

    @property
    def depth(self) -> int:
        return len(self._open) - 1

    @property
    def last(self) -> UOp:
        return self._body[-1]

    def put(self, node: UOp) -> UOp:
        """An instruction, after what it needs.

        Raises:
            GoneError: it cannot stand here.
        """
        needed = toposort([node], leaves=self._block.keys() - {node})
        missing = [each for each in needed if each not in self._block]
        for each in needed:
            if each in self._block and self._block[each] not in self._open and each.dtype.scalar.kind != "v":
                raise GoneError
        if node.dtype.scalar.kind == "v" and node not in missing and node.op is not Op.BARRIER:
            raise GoneError
        for each in missing:
            self._list(each)
        if node.op is Op.BARRIER and node not in missing:
            self._body.append(node)
        return node

    def _list(self, node: UOp) -> None:
        if node.op is Op.CONST:
            self._top[node] = None
            self._block[node] = 0
            return
        self._body.append(node)
        self._block[node] = self._open[-1]

    def open(self, node: UOp) -> UOp:
        """A RANGE or IF; what follows is in its block."""
        self.put(node)
        self._blocks += 1
        self._open.append(self._blocks)
        return node

    def close(self, node: UOp) -> UOp:
        """An END, ENDRANGE or ENDIF."""
        self._open.pop()
        self._body.append(node)
        self._block[node] = self._open[-1]
        return node

    def linear(self, name: str) -> UOp:
        """The program so far."""
        return UOp(Op.LINEAR, void, (*self._top, *self._body), KernelInfo(name))
