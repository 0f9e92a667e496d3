"""Finds the cheapest choice by dynamic programming over a tree decomposition, if one of small width is found.

A class matters to the others by one bit: whether it is extracted. An extracted class costs as much as its cheapest node whose children are all
extracted. That is a table over the class and its children. The tables are summed and minimized bag by bag (Arnborg and Proskurowski, "Linear time
algorithms for NP-hard problems restricted to partial k-trees", 1989; for extraction: Goharshady, Lam and Parreaux, "Fast and optimal extraction for
sparse equality graphs", 2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.foundedness import unfounded_loops
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Integers, Problem
from eqsat.extract.problem.result import NOT_CHOSEN, Listener

QUICK = 1 << 22  # entries of all tables that are summed faster than other exact extractors begin

Bag = frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The cost of each combination of extracted classes: an axis of length 2 for each class, in ascending order; index 1 means extracted."""

    classes: tuple[int, ...]
    costs: NDArray[np.float64]

    def over(self, classes: Sequence[int]) -> NDArray[np.float64]:
        """The costs with an axis for each of `classes`, which include the table's; axes of other classes have length 1."""
        return self.costs.reshape([2 if owner in self.classes else 1 for owner in classes])


@dataclass(frozen=True)
class TreeDecomposition(ByComponent):
    """Minimizes the DAG cost exactly for parts of small treewidth without negative costs; other parts keep the greedy choice.

    If the cheapest choice has a cycle, its cost is only a lower bound.

    >>> from eqsat.extract import Problem
    >>> shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
    >>> TreeDecomposition().extract(shared).dag_cost
    9.0

    Attributes:
        width: the greatest width of a decomposition; time and memory double with each step.
        seconds: limit of wall time for all parts; a part that was begun is finished.
        listener: is called whenever the choice or the bound improves.
    """

    width: int = 16
    seconds: float = 60.0
    listener: Listener | None = None
    name: ClassVar[str] = "tree-decomposition"

    def improve(self, part: Incumbent) -> None:
        """Solves one part."""
        if part.seconds_left <= 0 or part.problem.node_cost.min(initial=0.0) < 0:
            return
        solved = _solve(part.problem, self.width)
        if solved is None:
            return
        choice, cost = solved
        part.raise_bound(cost)
        if not unfounded_loops(part.problem, choice):
            part.offer(choice)


def quick_width(classes: int) -> int:
    """The greatest width with which a part of so many classes is solved faster than by other exact extractors."""
    return max(0, (QUICK // max(1, classes)).bit_length() - 2)


def _solve(problem: Problem, width: int) -> tuple[Integers, float] | None:
    """The cheapest choice, which may have cycles, and its cost; None if the decomposition found is too wide."""
    import networkx as nx
    from networkx.algorithms import approximation

    roots = set(problem.roots.tolist())
    scopes = [_scope(problem, owner) for owner in range(problem.class_count)]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(problem.class_count))
    for owner, scope in enumerate(scopes):
        if len(scope) > width + 1:
            return None
        graph.add_edges_from((one, other) for one in (owner, *scope) for other in scope if one < other)
    found, tree = approximation.treewidth_min_fill_in(graph)
    if found > width:
        return None
    tables = [_table(problem, owner, scopes[owner], owner in roots) for owner in range(problem.class_count)]
    extracted, cost = _minimize(tree, tables)
    return _cheapest_nodes(problem, extracted), cost


def _scope(problem: Problem, owner: int) -> tuple[int, ...]:
    children = {child for node in problem.nodes_by_class[owner] for child in problem.usage.distinct[node]}
    return tuple(sorted({owner} | children))


def _table(problem: Problem, owner: int, scope: tuple[int, ...], is_root: bool) -> Table:
    """The cost of a class for each combination of extracted classes among itself and its children."""
    children = [child for child in scope if child != owner]
    cheapest = np.full([2] * len(children), np.inf)
    for node in problem.nodes_by_class[owner]:
        needed = tuple(int(child in problem.usage.distinct[node]) for child in children)
        cheapest[needed] = min(cheapest[needed], problem.node_cost[node])
    for axis in range(len(children)):  # a node that suffices with fewer extracted children suffices with more
        cheapest = np.minimum.accumulate(cheapest, axis=axis)
    absent = np.full_like(cheapest, np.inf if is_root else 0.0)
    return Table(scope, np.stack([absent, cheapest], axis=scope.index(owner)))


def _minimize(tree: Any, tables: Iterable[Table]) -> tuple[set[int], float]:
    """The cheapest combination: the set of extracted classes, and its cost."""
    import networkx as nx

    bags: list[Bag] = sorted(tree.nodes, key=sorted)
    waiting = list(tables)
    parents: dict[Bag, Bag | None] = {bags[0]: None}
    order = [bags[0]]
    for before, bag in nx.bfs_edges(tree, bags[0], sort_neighbors=lambda near: sorted(near, key=sorted)):
        parents[bag] = before
        order.append(bag)
    full: dict[Bag, Table] = {}
    messages: dict[Bag, list[Table]] = {bag: [] for bag in bags}
    for bag in reversed(order):
        own = [table for table in waiting if bag.issuperset(table.classes)]
        waiting = [table for table in waiting if not bag.issuperset(table.classes)]
        classes = tuple(sorted(bag))
        total = np.zeros([2] * len(classes))
        for table in (*own, *messages[bag]):
            total = total + table.over(classes)
        full[bag] = Table(classes, total)
        if (parent := parents[bag]) is not None:
            gone = tuple(axis for axis, owner in enumerate(classes) if owner not in parent)
            kept = tuple(owner for owner in classes if owner in parent)
            messages[parent].append(Table(kept, total.min(axis=gone)))
    cost = float(full[bags[0]].costs.min())
    return _traced(order, full), cost


def _traced(order: Sequence[Bag], full: dict[Bag, Table]) -> set[int]:
    """The extracted classes of the cheapest combination: fixes the cheapest entry of each bag, from the root of the tree down."""
    decided: dict[int, int] = {}
    for bag in order:
        table = full[bag]
        place: tuple[Any, ...] = tuple(decided.get(owner, slice(None)) for owner in table.classes)
        open_classes = [owner for owner in table.classes if owner not in decided]
        costs = table.costs[place]
        best = np.unravel_index(int(np.argmin(costs)), costs.shape)
        decided.update(zip(open_classes, map(int, best), strict=True))
    return {owner for owner, bit in decided.items() if bit}


def _cheapest_nodes(problem: Problem, extracted: set[int]) -> Integers:
    choice = np.full(problem.class_count, NOT_CHOSEN, np.int32)
    for owner in extracted:
        possible = [
            node
            for node in problem.nodes_by_class[owner]
            if extracted.issuperset(problem.usage.distinct[node])
        ]
        choice[owner] = min(possible, key=lambda node: (float(problem.node_cost[node]), node))
    return choice
