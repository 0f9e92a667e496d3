"""E-classes that are stored so that no kernel without a reduction is too large for OpenCL compilers."""

from __future__ import annotations

from collections.abc import Callable

from eqsat.ops import ALONG_AXES, ALU
from eqsat.schedule.placement.array_graph import ArrayGraph

KERNEL_NODES = 400  # operations of a kernel; a larger one takes the OpenCL compiler minutes
KERNEL_BUFFERS = 60  # arguments that every device accepts
TRIED = 16  # places that are tried for a cut


def cuts(graph: ArrayGraph, stored: set[int], array_of: Callable[[int], int]) -> set[int]:
    """E-classes that have to be stored, besides `stored`, to keep kernels within `KERNEL_NODES` and `KERNEL_BUFFERS`.

    The program is cut as its cheapest e-nodes compute it. Each cut is the e-class that leaves the fewest operations and buffers above it, so that
    a long recurrence is cut where one value carries all of its state. `array_of` gives the e-class that is stored where another one is only a
    reshaped view of it.
    """
    return _Cuts(graph, stored, array_of).found()


class _Cuts:
    """What one kernel would compute and read for each e-class, as bit masks of e-classes."""

    def __init__(self, graph: ArrayGraph, stored: set[int], array_of: Callable[[int], int]) -> None:
        self.graph, self.array_of = graph, array_of
        self.cuts: set[int] = set()
        self.is_read = [
            c in graph.inputs or bool(graph.ops[c] & ALONG_AXES) or c in stored for c in graph.classes
        ]
        self.operations = [0] * len(graph.classes)
        self.buffers = [0] * len(graph.classes)

    def found(self) -> set[int]:
        for c in self.graph.needed:
            self._measure(c)
            while self._is_too_large(c) and (cut := self._best_cut(c)) is not None:
                self.cuts.add(cut)
                self.is_read[cut] = True
                for each in range(cut, c + 1):
                    self._measure(each)
        return self.cuts

    def _measure(self, c: int) -> None:
        """Notes the operations and buffers of an e-class from those of its operands, which precede it."""
        self.operations[c], self.buffers[c] = 0, 0
        if self.is_read[c]:
            self.buffers[c] = 1 << c
            return
        node = self.graph.cheapest[c]
        for each in self.graph.rows[node]:
            self.operations[c] |= self.operations[each]
            self.buffers[c] |= self.buffers[each]
        self.operations[c] |= (self.graph.term(node).op in ALU) << c

    def _is_too_large(self, c: int) -> bool:
        return self.operations[c].bit_count() > KERNEL_NODES or self.buffers[c].bit_count() >= KERNEL_BUFFERS

    def _size(self, c: int) -> int:
        return (self.operations[c] | self.buffers[c]).bit_count()

    def _best_cut(self, c: int) -> int | None:
        """The operation below `c` that leaves the least to compute and read above it, among those with the most below them."""
        below = [each for each in range(c) if self.operations[c] >> each & 1]
        largest = sorted(below, key=self._size, reverse=True)[:TRIED]
        return min(map(self.array_of, largest), key=lambda cut: self._left(c, cut), default=None)

    def _left(self, c: int, cut: int) -> int:
        """How many e-classes a kernel for `c` computes or reads if `cut` is stored."""
        seen, pending = {c}, [c]
        while pending:
            each = pending.pop()
            if each != cut and not self.is_read[each]:
                new = set(self.graph.rows[self.graph.cheapest[each]]) - seen
                seen |= new
                pending += new
        return len(seen)
