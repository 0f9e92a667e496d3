"""An elimination order of small width for an undirected graph, which is a tree decomposition: each vertex with its neighbours is a bag.

Eliminating a vertex joins its neighbours to each other. The next vertex is the one for which the fewest edges are added (minimum fill-in; Bodlaender
and Koster, "Treewidth computations I: upper bounds", 2010). networkx finds the same widths in cubic time, and does not stop before the end.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import combinations

Graph = dict[int, set[int]]  # the neighbours of each vertex
Elimination = dict[int, set[int]]  # the same at the time at which it is eliminated, in this order


def eliminate(graph: Graph, width: int, is_late: Callable[[], bool]) -> Elimination | None:
    """Eliminates all vertices of a graph, which is empty afterwards.

    None if a vertex would have more than `width` neighbours, or if it `is_late` before the end.

    >>> square = {0: {1, 3}, 1: {0, 2}, 2: {1, 3}, 3: {2, 0}}
    >>> eliminate(square, 2, is_late=lambda: False)
    {0: {1, 3}, 1: {2, 3}, 2: {3}, 3: set()}
    """
    found: Elimination = {}
    heap = [_entry(graph, vertex) for vertex in graph if len(graph[vertex]) <= width]
    heapify(heap)
    while graph:
        if not heap or is_late():
            return None
        entry = heappop(heap)
        vertex = entry[-1]
        if vertex not in graph or entry != _entry(graph, vertex):
            continue
        found[vertex] = graph.pop(vertex)
        for changed in sorted(_join(graph, vertex, found[vertex])):
            if len(graph[changed]) <= width:
                heappush(heap, _entry(graph, changed))
    return found


def _entry(graph: Graph, vertex: int) -> tuple[int, int, int]:
    """Twice the number of edges that eliminating the vertex adds, its number of neighbours, and the vertex."""
    near = graph[vertex]
    return sum(len(near - graph[other]) - 1 for other in near), len(near), vertex


def _join(graph: Graph, vertex: int, near: set[int]) -> set[int]:
    """Joins the neighbours of an eliminated vertex; returns all vertices whose entry this changes."""
    changed = set(near)
    for one in near:
        graph[one].remove(vertex)
    for one, other in combinations(near, 2):
        if other not in graph[one]:
            changed |= graph[one] & graph[other]
            graph[one].add(other)
            graph[other].add(one)
    return changed
