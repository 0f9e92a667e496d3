"""Values of which all uses meet again, element by element: the kernel that computes where they meet computes them once.

Uses meet in a stack, too, if it is of few arrays: a kernel that stores it piece by piece has all pieces in the same loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from math import prod

from eqsat.ops import ALU, Op
from eqsat.schedule.lowering.pieces import MOST
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.shape import Shape

NOWHERE = -1


def converging(graph: ArrayGraph, stored: set[int]) -> set[int]:
    """The e-classes that need not be stored, because another value is made of all their uses, element by element.

    That value is their immediate post-dominator among elementwise operations (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
    Algorithm"), where each e-class is computed by its cheapest e-node; `stored` are the e-classes that are stored in any case.
    """
    uses = _Uses(graph)
    meets = [NOWHERE] * len(graph.classes)
    depths = [1] * len(graph.classes)
    for c in reversed(graph.classes):
        if c not in stored and uses.are_by_element(c):
            meet = reduce(lambda one, other: _common(one, other, meets, depths), uses.readers[c])
            if meet != NOWHERE:
                meets[c], depths[c] = meet, depths[meet] + 1
    return {c for c in graph.classes if meets[c] != NOWHERE}


def _common(one: int, other: int, meets: list[int], depths: list[int]) -> int:
    """The first e-class in which all uses of both meet."""
    while one != other and NOWHERE not in (one, other):
        if depths[one] < depths[other]:
            one, other = other, one
        one = meets[one]
    return NOWHERE if NOWHERE in (one, other) else one


@dataclass(eq=False)
class _Uses:
    """What uses each e-class, where each is computed by its cheapest e-node.

    Attributes:
        readers: by e-class, the needed ones that are made of it.
        stacked: by e-class, the axes along which arrays that have not got them are stacked.
    """

    graph: ArrayGraph
    readers: list[list[int]] = field(init=False)
    stacked: list[frozenset[int]] = field(default_factory=list[frozenset[int]])

    def __post_init__(self) -> None:
        graph = self.graph
        self.readers = [[] for _ in graph.classes]
        needed = set(graph.outputs)
        for c in reversed(graph.classes):
            for each in dict.fromkeys(graph.rows[graph.cheapest[c]]) if c in needed else ():
                self.readers[each].append(c)
                needed.add(each)
        for c in graph.classes:
            self.stacked.append(self._stacked_along(c))

    def _stacked_along(self, c: int) -> frozenset[int]:
        graph, (op, row) = self.graph, self._computed(c)
        if op is Op.RESHAPE and _wide(graph.shapes[row[0]]) == _wide(graph.shapes[c]):
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
        """Whether what an e-class is used for is made of it element by element, or has it among few that are stacked."""
        return bool(self.readers[c]) and all(self._is_by_element(c, each) for each in self.readers[c])

    def _is_by_element(self, c: int, reader: int) -> bool:
        op, shape = self._computed(reader)[0], self.graph.shapes[reader]
        if op is Op.RESHAPE:  # an axis for a stack
            others = {self._computed(each)[0] for each in self.readers[reader]}
            return others == {Op.PAD} and _wide(self.graph.shapes[c]) == _wide(shape)
        if op is Op.PAD:
            amounts = self.graph.term(self.graph.cheapest[reader]).arg
            padded = {axis for axis, both in enumerate(amounts) if any(both)}
            return padded <= self.stacked[c] and prod(shape[axis] for axis in padded) <= MOST
        return op in ALU


def _axes(shape: Shape) -> list[int]:
    """The axes with more than one element."""
    return [axis for axis, extent in enumerate(shape) if extent != 1]


def _wide(shape: Shape) -> list[int]:
    return [extent for extent in shape if extent != 1]
