"""What the tests of pages show: a graph of ours, and an e-graph of any size without one."""

import random

import eqsat as eq
from eqsat.extract import GreedyDag, Problem
from eqsat.show import Subject

HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">"


def graph_subject():
    """An index expression with several nodes in a class, saturated with the library."""
    x, y = eq.variable("x", 0, 63), eq.variable("y", 0, 7)
    return eq.optimize(eq.UOp.sink((x * 8 + y) // 8 % 4 + x // 4 // 2)).subject("an index")


def large_subject(nodes=5000):
    """Layers of classes with two nodes each, costs and operations drawn; one label tries to break out of the page."""
    draw = random.Random(0)
    classes, costs, children, labels = [], [], [], []
    for owner in range(nodes // 2):
        for _ in range(2):
            classes.append(owner)
            costs.append(draw.randint(1, 9))
            below = range(max(0, owner - 50), owner)
            children.append(draw.sample(below, min(2, len(below))))
            labels.append(draw.choice(("add", "mul", "shift", "load")))
    labels[0] = HOSTILE
    problem = Problem.build(costs, classes, children, [nodes // 2 - 1], labels=labels)
    return Subject(GreedyDag().extract(problem), f"{nodes} nodes {HOSTILE}")
