"""Parts of a graph of classes: what hangs together at all, and what is on a cycle together."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.extract.problem import Problem
from eqsat.extract.reductions.graph import Graph


def components(graph: Graph, order: Sequence[int]) -> list[list[int]]:
    """Classes that edges connect, in whatever direction; each list sorted, in the order of their least classes."""
    neighbours: dict[int, list[int]] = {owner: [] for owner in order}
    for owner in order:
        for child in graph.needs(owner):
            neighbours[owner].append(child)
            neighbours[child].append(owner)
    found: list[list[int]] = []
    seen: set[int] = set()
    for start in sorted(order):
        if start in seen:
            continue
        seen.add(start)
        members = [start]
        for owner in members:
            fresh = [neighbour for neighbour in dict.fromkeys(neighbours[owner]) if neighbour not in seen]
            seen.update(fresh)
            members += fresh
        found.append(sorted(members))
    return found


def may_cycle(problem: Problem) -> bool:
    """Whether some class that the roots reach can be needed by what it needs."""
    graph = Graph(problem)
    order = graph.classes()
    return len(set(cyclic_components(graph, order).values())) < len(order)


def cyclic_components(graph: Graph, order: Sequence[int]) -> dict[int, int]:
    """A number for each class, the same for classes that can need each other.

    Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972), with a stack instead of recursion.
    """
    children = {owner: sorted(graph.needs(owner)) for owner in order}
    visited: dict[int, int] = {}
    lowest: dict[int, int] = {}
    component: dict[int, int] = {}
    pending: list[int] = []
    for start in order:
        if start in visited:
            continue
        visited[start] = lowest[start] = len(visited)
        pending.append(start)
        stack = [(start, iter(children[start]))]
        while stack:
            owner, rest = stack[-1]
            for child in rest:
                if child not in visited:
                    visited[child] = lowest[child] = len(visited)
                    pending.append(child)
                    stack.append((child, iter(children[child])))
                    break
                if child not in component:
                    lowest[owner] = min(lowest[owner], visited[child])
            else:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    lowest[above] = min(lowest[above], lowest[owner])
                if lowest[owner] == visited[owner]:
                    while owner not in component:
                        component[pending.pop()] = visited[owner]
    return component
