"""Values that need not be stored, because only elementwise operations lie between them and one value that post-dominates all their uses.

The kernel of that value computes them once. Uses may also meet in a stack of few arrays: a kernel that stores it piece by piece computes all
pieces in the same loops. And they may meet in outputs of one shape, which one kernel may store together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import prod

from eqsat.ops import ALU, Op
from eqsat.schedule.layouts import extents_of_memory
from eqsat.schedule.lowering.pieces import MOST
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.kernel_limits import KERNEL_STORES, is_one_kernel
from eqsat.schedule.post_dominators import PostDominators
from eqsat.shape import Shape
from eqsat.support.bits import union

NOWHERE = -1  # kernels of several outputs have the numbers below it


def converging(graph: ArrayGraph, stored: set[int]) -> set[int]:
    """The e-classes that need not be stored, because all their uses meet in another value, element by element.

    That value is their immediate post-dominator among elementwise operations, where each e-class is computed by its cheapest e-node. The
    e-classes in `stored` are stored in any case.
    """
    uses = _Uses(graph)
    dominators = PostDominators(NOWHERE)
    together = {c: NOWHERE - 1 - k for k, group in enumerate(uses.together(stored)) for c in group}
    for kernel in set(together.values()):
        dominators.add(kernel, [NOWHERE])
    for c in reversed(graph.classes):
        is_inner = c not in stored and uses.are_by_element(c)
        dominators.add(c, uses.readers[c] if is_inner else [together.get(c, NOWHERE)])
    return {c for c in graph.classes if c not in stored and dominators.immediate[c] != NOWHERE}


@dataclass(eq=False)
class _Uses:
    """The uses of each e-class, where each is computed by its cheapest e-node.

    Attributes:
        graph: the e-graph.
        readers: for each e-class, the e-classes that read it and that the outputs need.
        stacked: for each e-class, the axes that it got to be part of a stack: a RESHAPE added them, and PADs may have made them longer.
    """

    graph: ArrayGraph
    readers: list[list[int]] = field(init=False)
    stacked: list[frozenset[int]] = field(default_factory=list[frozenset[int]])

    def __post_init__(self) -> None:
        graph = self.graph
        self.readers = [[] for _ in graph.classes]
        for c in reversed(graph.needed):
            for each in dict.fromkeys(graph.rows[graph.cheapest[c]]):
                self.readers[each].append(c)
        self.others = set(graph.classes).difference(graph.needed)
        for c in self.others:
            self.readers[c] = [reader for reader in graph.readers[c] if reader > c]
        for c in graph.classes:
            self.stacked.append(self._stacked_along(c))

    def _stacked_along(self, c: int) -> frozenset[int]:
        graph, (op, row) = self.graph, self._computed(c)
        if op is Op.RESHAPE and extents_of_memory(graph.shapes[row[0]]) == extents_of_memory(graph.shapes[c]):
            new = {axis for axis, extent in enumerate(graph.shapes[c]) if extent == 1}
            places = zip(_axes(graph.shapes[row[0]]), _axes(graph.shapes[c]), strict=True)
            return frozenset(new | {after for before, after in places if before in self.stacked[row[0]]})
        if op is Op.PAD:
            return self.stacked[row[0]]
        values = row[1:] if op is Op.WHERE else row if op in ALU else []
        varying = [self.stacked[each] for each in values if each not in graph.constants]
        return frozenset[int].intersection(*varying) if varying else frozenset[int]()

    def _computed(self, c: int) -> tuple[Op, list[int]]:
        node = self.graph.cheapest[c]
        return self.graph.term(node).op, self.graph.rows[node]

    def together(self, stored: set[int]) -> list[list[int]]:
        """Groups of two or more outputs of one shape that one kernel may store: elements of each depend on the same elements of the others alone."""
        graph, by_shape = self.graph, dict[Shape, list[int]]()
        outputs = {graph.buffer[c] for c in graph.outputs}
        for c in sorted(stored):
            if graph.buffer[c] in outputs:
                by_shape.setdefault(graph.shapes[c], []).append(c)
        return [group for group in by_shape.values() if len(group) > 1 and self._are_one_kernel(group)]

    def _are_one_kernel(self, group: list[int]) -> bool:
        graph, below = self.graph, union(self.graph.below[c] for c in group)
        operations = sum(
            1 << c for c in graph.needed if below >> c & 1 and graph.term(graph.cheapest[c]).op in ALU
        )
        is_small = len(group) <= KERNEL_STORES and is_one_kernel(graph, operations)
        return is_small and all(
            graph.buffer[one] != graph.buffer[other]
            and self._is_from_same_elements(one, other)
            and self._is_from_same_elements(other, one)
            for one, other in combinations(group, 2)
        )

    def _is_from_same_elements(self, high: int, low: int) -> bool:
        """Whether each element of `high` depends on no other element of `low` than the same."""
        below, seen, pending = self.graph.below[high], {low}, [low]
        while pending:
            c = pending.pop()
            between = [each for each in self.readers[c] if each == high or below >> each & 1]
            if not all(self._is_by_element(c, each) for each in between):
                return False
            new = {*between} - seen - {high}
            seen |= new
            pending += new
        return True

    def are_by_element(self, c: int) -> bool:
        """Whether an e-class has readers, and each computes from it element by element, or stacks it with few other arrays."""
        return bool(self.readers[c]) and all(self._is_by_element(c, each) for each in self.readers[c])

    def _is_by_element(self, c: int, reader: int) -> bool:
        if c in self.others:
            return all(self.graph.term(node).op in ALU for node in self.graph.readers[c][reader])
        op, shape = self._computed(reader)[0], self.graph.shapes[reader]
        if op is Op.RESHAPE:  # adds the axis of a stack
            others = {self._computed(each)[0] for each in self.readers[reader]}
            return others == {Op.PAD} and extents_of_memory(self.graph.shapes[c]) == extents_of_memory(shape)
        if op is Op.PAD:
            amounts = self.graph.term(self.graph.cheapest[reader]).arg
            padded = {axis for axis, both in enumerate(amounts) if any(both)}
            return padded <= self.stacked[c] and prod(shape[axis] for axis in padded) <= MOST
        return op in ALU or op is Op.CONTIGUOUS


def _axes(shape: Shape) -> list[int]:
    """The axes with more than one element."""
    return [axis for axis, extent in enumerate(shape) if extent != 1]
