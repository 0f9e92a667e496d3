"""Values that need not be stored, because only elementwise operations lie between them and one value that post-dominates all their uses.

The kernel of that value computes them once. Uses may also meet in a stack of few arrays: a kernel that stores it piece by piece computes all
pieces in the same loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from eqsat.ops import ALU, Op
from eqsat.schedule.layouts import extents_of_memory
from eqsat.schedule.lowering.pieces import MOST
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.post_dominators import PostDominators
from eqsat.shape import Shape

NOWHERE = -1


def converging(graph: ArrayGraph, stored: set[int]) -> set[int]:
    """The e-classes that need not be stored, because all their uses meet in another value, element by element.

    That value is their immediate post-dominator among elementwise operations, where each e-class is computed by its cheapest e-node. The
    e-classes in `stored` are stored in any case.
    """
    uses = _Uses(graph)
    dominators = PostDominators(NOWHERE)
    for c in reversed(graph.classes):
        is_inner = c not in stored and uses.are_by_element(c)
        dominators.add(c, uses.readers[c] if is_inner else [NOWHERE])
    return {c for c in graph.classes if dominators.immediate[c] != NOWHERE}


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

    def are_by_element(self, c: int) -> bool:
        """Whether an e-class has readers, and each computes from it element by element, or stacks it with few other arrays."""
        return bool(self.readers[c]) and all(self._is_by_element(c, each) for each in self.readers[c])

    def _is_by_element(self, c: int, reader: int) -> bool:
        op, shape = self._computed(reader)[0], self.graph.shapes[reader]
        if op is Op.RESHAPE:  # adds the axis of a stack
            others = {self._computed(each)[0] for each in self.readers[reader]}
            return others == {Op.PAD} and extents_of_memory(self.graph.shapes[c]) == extents_of_memory(shape)
        if op is Op.PAD:
            amounts = self.graph.term(self.graph.cheapest[reader]).arg
            padded = {axis for axis, both in enumerate(amounts) if any(both)}
            return padded <= self.stacked[c] and prod(shape[axis] for axis in padded) <= MOST
        return op in ALU


def _axes(shape: Shape) -> list[int]:
    """The axes with more than one element."""
    return [axis for axis, extent in enumerate(shape) if extent != 1]
