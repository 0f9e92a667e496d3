"""E-classes that are stored so that no kernel without a reduction is too large for OpenCL compilers."""

from __future__ import annotations

from collections.abc import Callable

from eqsat.ops import ACROSS, ALU
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.support.bits import bits_of

KERNEL_NODES = 400  # operations of a kernel that is cut where one value carries most of them
KERNEL_INSTRUCTIONS = (
    5000  # for one element of any kernel; a larger one takes compilers minutes, or more stack than they have
)
GROWTH = 1.25  # how many times as many operations a kernel has that may be cut again if one was not
KERNEL_BUFFERS = 60  # arguments that every device accepts
KERNEL_STORES = 16  # arrays that one kernel stores
TRIED = 16  # places that are tried for a cut


def cuts(graph: ArrayGraph, stored: set[int], array_of: Callable[[int], int]) -> set[int]:
    """E-classes that have to be stored, besides `stored`, to keep kernels within `KERNEL_INSTRUCTIONS` and `KERNEL_BUFFERS`.

    The program is cut as its cheapest e-nodes compute it. Each cut is the e-class that leaves the fewest operations and buffers above it, so that
    a long recurrence is cut where one value carries all of its state, as soon as it has more than `KERNEL_NODES`. Where many values carry it, each
    cut would take a kernel and leave most of the work to the next one. `array_of` gives the e-class that is stored where another one is only a
    reshaped view of it.
    """
    return _Cuts(graph, stored, array_of).found()


def is_one_kernel(graph: ArrayGraph, operations: int) -> bool:
    """Whether one kernel may compute these elementwise operations, a bit mask of e-classes, all by their cheapest e-nodes."""
    each = graph.cheapest_instructions
    most = operations.bit_count() * max(each, default=0)
    return most <= KERNEL_INSTRUCTIONS or sum(each[c] for c in bits_of(operations)) <= KERNEL_INSTRUCTIONS


class _Cuts:
    """What one kernel would compute and read for each e-class, as bit masks of e-classes.

    Attributes:
        cuts: the cuts found so far.
        is_read: whether a kernel reads each e-class from memory.
        least: number of operations beyond which a kernel is cut where one value carries most of them.
        readers: for each e-class, those that are computed of it.
        operations, buffers: the operations of the kernel that computes each e-class, and what it reads.
    """

    def __init__(self, graph: ArrayGraph, stored: set[int], array_of: Callable[[int], int]) -> None:
        self.graph, self.array_of = graph, array_of
        self.cuts: set[int] = set()
        self.is_read = [
            c in graph.inputs or bool(graph.ops[c] & ACROSS) or c in stored for c in graph.classes
        ]
        self.least = KERNEL_NODES
        self.readers: list[list[int]] = [[] for _ in graph.classes]
        for c in graph.needed:
            for each in graph.rows[graph.cheapest[c]]:
                self.readers[each].append(c)
        self.operations = [0] * len(graph.classes)
        self.buffers = [0] * len(graph.classes)

    def found(self) -> set[int]:
        for c in self.graph.needed:
            self._measure(c)
            while self._is_large(c) and (cut := self._best_cut(c)) is not None:
                if not self._is_too_large(c) and not self._carries_most(c, cut):
                    self.least = int(GROWTH * self.operations[c].bit_count())
                    break
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

    def _is_large(self, c: int) -> bool:
        return self.operations[c].bit_count() > self.least or self._is_too_large(c)

    def _is_too_large(self, c: int) -> bool:
        return self.buffers[c].bit_count() >= KERNEL_BUFFERS or not is_one_kernel(
            self.graph, self.operations[c]
        )

    def _size(self, c: int) -> int:
        return (self.operations[c] | self.buffers[c]).bit_count()

    def _best_cut(self, c: int) -> int | None:
        """The operation below `c` that leaves the least to compute and read above it, among those with the most below them."""
        below = [each for each in range(c) if self.operations[c] >> each & 1]
        largest = sorted(below, key=self._size, reverse=True)[:TRIED]
        return min(map(self.array_of, largest), key=lambda cut: self._left(c, cut), default=None)

    def _carries_most(self, c: int, cut: int) -> bool:
        """Whether `cut` has most of the operations of the kernel for `c` below it, and nothing else needs most of these."""
        below, within = self.operations[cut], {cut}
        for each in reversed(range(cut)):
            if below >> each & 1 and within.issuperset(self.readers[each]):
                within.add(each)
        return 2 * self._left(c, cut) <= self._size(c) and 2 * len(within) >= below.bit_count()

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
