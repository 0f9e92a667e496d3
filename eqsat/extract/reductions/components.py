"""Finds the connected and the strongly connected components of a graph of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from eqsat.extract.problem.problem import Problem
from eqsat.extract.reductions.graph import Graph

Needs = Mapping[int, Sequence[int]]  # for each class, the classes that it needs


def components(graph: Graph, order: Sequence[int]) -> list[list[int]]:
    """The connected components, regardless of the direction of edges; each list is sorted."""
    beside: dict[int, list[int]] = {owner: [] for owner in order}
    for owner, needed in _needs(graph, order).items():
        for child in needed:
            beside[owner].append(child)
            beside[child].append(owner)
    return list(map(sorted, _strongly_connected(beside)))


def cyclic_components(graph: Graph, order: Sequence[int]) -> list[list[int]]:
    """The strongly connected components, which are classes that can need each other; each list is sorted."""
    return list(map(sorted, _strongly_connected(_needs(graph, order))))


def cyclic_groups(problem: Problem) -> list[list[int]]:
    """The strongly connected components that have two or more classes."""
    graph = Graph(problem)
    return [part for part in cyclic_components(graph, graph.classes()) if len(part) > 1]


def _needs(graph: Graph, order: Sequence[int]) -> dict[int, list[int]]:
    return {owner: sorted(graph.needs(owner)) for owner in order}


def _strongly_connected(needs: Needs) -> Iterator[list[int]]:
    """Tarjan's algorithm (1972): a class is the first of its component if it reaches no class that was entered before it.

    `lowest` has, for each class, the least place of the classes that it is known to reach and that still wait for a component.
    """
    place: dict[int, int] = {}
    lowest: dict[int, int] = {}
    waiting: list[int] = []  # classes without a component yet, in the order in which they were entered
    done: set[int] = set()
    for root in needs:
        path = [] if root in place else [root]
        left: dict[int, Iterator[int]] = {}
        while path:
            owner = path[-1]
            if owner not in place:
                place[owner] = lowest[owner] = len(place)
                waiting.append(owner)
                left[owner] = iter(needs[owner])
            child = next((each for each in left[owner] if each not in done), None)
            if child is None:
                path.pop()
                if path:
                    lowest[path[-1]] = min(lowest[path[-1]], lowest[owner])
                if lowest[owner] == place[owner]:
                    found = [waiting.pop()]
                    while found[-1] != owner:
                        found.append(waiting.pop())
                    done.update(found)
                    yield found
            elif child in place:
                lowest[owner] = min(lowest[owner], place[child])
            else:
                path.append(child)
