"""Components of graphs of classes are those that networkx finds, in its order."""

import random

import networkx as nx

from eqsat.extract.problem.problem import Problem
from eqsat.extract.reductions.components import components, cyclic_components
from eqsat.extract.reductions.graph import Graph


def drawn(seed: int) -> Graph:
    """Classes that need up to three others each, in one of two ways; they may need each other, and themselves."""
    draw = random.Random(seed)
    count = draw.randint(1, 12)
    owners = [each for each in range(count) for _ in range(draw.randint(1, 2))]
    rows = [[draw.randrange(count) for _ in range(draw.randint(0, 3))] for _ in owners]
    return Graph(Problem.build([1.0] * len(owners), owners, rows, [0], class_count=count))


def test_components_are_those_of_networkx():
    differing = set[tuple[int, int]]()
    for seed in range(300):
        graph = drawn(seed)
        order = list(range(len(graph.nodes)))
        random.Random(seed).shuffle(order)
        known = nx.DiGraph()
        known.add_nodes_from(order)
        known.add_edges_from((owner, child) for owner in order for child in sorted(graph.needs(owner)))
        cyclic = cyclic_components(graph, order)
        assert cyclic == [sorted(part) for part in nx.strongly_connected_components(known)], seed
        connected = components(graph, order)
        assert connected == [sorted(part) for part in nx.weakly_connected_components(known)], seed
        differing.add((len(cyclic), len(connected)))
    assert len(differing) > 20
