"""Parts of a graph of classes: what hangs together at all, and what is on a cycle together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eqsat.extract.problem.problem import Problem
from eqsat.extract.reductions.graph import Graph

if TYPE_CHECKING:
    import networkx as nx


def components(graph: Graph, order: Sequence[int]) -> list[list[int]]:
    """Classes that edges connect, in whatever direction; each list sorted."""
    import networkx as nx

    return [sorted(part) for part in nx.weakly_connected_components(_class_graph(graph, order))]


def cyclic_components(graph: Graph, order: Sequence[int]) -> dict[int, int]:
    """A number for each class, the same for classes that can need each other."""
    import networkx as nx

    parts = nx.strongly_connected_components(_class_graph(graph, order))
    return {owner: number for number, part in enumerate(parts) for owner in part}


def cyclic_groups(problem: Problem) -> list[list[int]]:
    """The classes that can need each other, for each group of two or more."""
    import networkx as nx

    graph = Graph(problem)
    parts = nx.strongly_connected_components(_class_graph(graph, graph.classes()))
    return [sorted(part) for part in parts if len(part) > 1]


def _class_graph(graph: Graph, order: Sequence[int]) -> nx.DiGraph[int]:
    import networkx as nx

    found: nx.DiGraph[int] = nx.DiGraph()
    found.add_nodes_from(order)
    found.add_edges_from((owner, child) for owner in order for child in sorted(graph.needs(owner)))
    return found
