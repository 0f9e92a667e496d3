"""Small random e-graphs, and the optimum of one by trying every choice."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np

from eqsat.errors import ExtractionError
from eqsat.extract import Extraction, Problem


def random_problem(seed: int, *, negative: bool = False) -> Problem:
    """2 to 12 classes with cycles, self-loops, shared roots, and now and then a forbidden node."""
    draw = random.Random(seed)
    count = draw.randint(2, 12)
    classes, costs, children = [], [], []
    for owner in range(count):
        for _ in range(draw.choice((1, 1, 2, 3))):
            classes.append(owner)
            costs.append(math.inf if draw.random() < 0.04 else draw.randint(-4 if negative else 0, 6))
            children.append([draw.randrange(count) for _ in range(draw.choice((0, 1, 1, 2, 3)))])
    roots = [draw.randrange(count) for _ in range(draw.randint(1, 3))]
    return Problem.build(costs, classes, children, roots, class_count=count)


def large_problem(classes: int) -> Problem:
    """One to four nodes for each class, over near classes or, the first of each, over any later ones; no reduction leaves small parts."""
    draw = random.Random(6)
    owners, costs, children = [], [], []
    for owner in range(classes):
        for number in range(draw.randint(1, 4)):
            low, high = (owner - 30, owner + 40) if number else (owner + 1, classes)
            count = draw.choice((0, 1, 2, 2, 3)) if owner < classes - 20 else 0
            owners.append(owner)
            costs.append(draw.randint(0, 9))
            children.append([draw.randrange(max(0, low), min(high, classes)) for _ in range(count)])
    return Problem.build(costs, owners, children, roots=[0, 1, 2])


def drawn_unit(problem: Problem, seed: int, *, spread: float = 0.0) -> Problem:
    """The same structure with other costs: no whole numbers, in a unit from 1e-15 to 1e15, and each up to 10**spread times larger or smaller."""
    draw = np.random.default_rng(seed)
    factors = draw.uniform(0.5, 1.0, problem.node_count) * 10 ** draw.uniform(
        -spread, spread, problem.node_count
    )
    return replace(problem, node_cost=problem.node_cost * factors * 10 ** draw.uniform(-15, 15))


def every_extraction(problem: Problem):
    """All valid choices, each cut down to what its roots reach."""
    options = [nodes or [-1] for nodes in problem.nodes_by_class]
    for combination in itertools.product(*options):
        try:
            found = Extraction.from_choice(problem, np.array(combination, np.int32), -math.inf, 0.0)
        except ExtractionError:
            continue
        if math.isfinite(found.dag_cost):
            yield found


def optimum(problem: Problem) -> tuple[float, float]:
    """The least tree cost and the least DAG cost; infinite if nothing can be extracted."""
    tree = dag = math.inf
    for found in every_extraction(problem):
        tree, dag = min(tree, found.tree_cost), min(dag, found.dag_cost)
    return tree, dag
