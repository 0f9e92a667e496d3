"""Values of which all uses meet again, element by element: the kernel that computes where they meet computes them once."""

from __future__ import annotations

from eqsat.ops import ALU
from eqsat.schedule.placement.array_graph import ArrayGraph

NOWHERE = -1


def converging(graph: ArrayGraph, stored: set[int]) -> set[int]:
    """The e-classes that need not be stored, because another value is made of all their uses, element by element.

    That value is their immediate post-dominator among elementwise operations (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
    Algorithm"); `stored` are the e-classes that are stored in any case.
    """
    meets = [NOWHERE] * len(graph.classes)
    depths = [1] * len(graph.classes)
    for c in reversed(graph.classes):
        readers = {reader: nodes for reader, nodes in graph.readers[c].items() if reader > c}
        ops = {graph.term(node).op for nodes in readers.values() for node in nodes}
        if c in stored or not readers or not ops <= ALU:
            continue
        meet, *others = readers
        for other in others:
            meet = _common(meet, other, meets, depths)
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
