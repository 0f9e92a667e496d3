"""Finds the connected and the strongly connected components of a graph of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eqsat.extract.problem.problem import Problem
from eqsat.extract.reductions.graph import Graph

if TYPE_CHECKING:
    import networkx as nx


def components(graph: Graph, order: Sequence[int]) -> list[list[int]]:
    """The connected components, whatever the direction of edges; each list is sorted."""
    import networkx as nx

    return [sorted(part) for part in nx.weakly_connected_components(_class_graph(graph, order))]


def cyclic_components(graph: Graph, order: Sequence[int]) -> list[list[int]]:
    """The strongly connected components, so classes that can need each other; each list is sorted."""
    import networkx as nx

    return [sorted(part) for part in nx.strongly_connected_components(_class_graph(graph, order))]


def cyclic_groups(problem: Problem) -> list[list[int]]:
    """The strongly connected components of two or more classes."""
    graph = Graph(problem)
    return [part for part in cyclic_components(graph, graph.classes()) if len(part) > 1]


def _class_graph(graph: Graph, order: Sequence[int]) -> nx.DiGraph[int]:
    import networkx as nx

    found: nx.DiGraph[int] = nx.DiGraph()
    found.add_nodes_from(order)
    found.add_edges_from((owner, child) for owner in order for child in sorted(graph.needs(owner)))
    return found
