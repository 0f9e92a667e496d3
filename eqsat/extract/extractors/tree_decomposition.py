"""Finds the cheapest choice by dynamic programming over a tree decomposition, if one of small width is found.

A class matters to the others by one bit: whether it is extracted. An extracted class costs as much as its cheapest node whose children are all
extracted. That is a table over the class and its children. The tables are summed and minimized class by class (Arnborg and Proskurowski, "Linear time
algorithms for NP-hard problems restricted to partial k-trees", 1989; for extraction: Goharshady, Lam and Parreaux, "Fast and optimal extraction for
sparse equality graphs", 2024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.elimination import Elimination, Graph, eliminate
from eqsat.extract.extractors.foundedness import unfounded_loops
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Integers, Problem
from eqsat.extract.problem.result import NOT_CHOSEN, Listener

QUICK = 1 << 22  # entries of all tables that are summed faster than other exact extractors begin


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
        seconds: limit of wall time for all parts; a part for which there is no time keeps the greedy choice.
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
        solved = _solve(part, self.width)
        if solved is None:
            return
        choice, cost = solved
        part.raise_bound(cost)
        if not unfounded_loops(part.problem, choice):
            part.offer(choice)


def quick_width(classes: int) -> int:
    """The greatest width with which a part of so many classes is solved faster than by other exact extractors."""
    return max(0, (QUICK // max(1, classes)).bit_length() - 2)


def _solve(part: Incumbent, width: int) -> tuple[Integers, float] | None:
    """The cheapest choice, which may have cycles, and its cost; None if the decomposition found is too wide, or time is up."""
    problem = part.problem
    scopes = [_scope(problem, owner) for owner in range(problem.class_count)]
    graph: Graph = {owner: set() for owner in range(problem.class_count)}
    for scope in scopes:
        if len(scope) > width + 1:
            return None
        for one in scope:
            graph[one].update(scope)
    for owner, near in graph.items():
        near.remove(owner)
    order = eliminate(graph, width, is_late=lambda: part.seconds_left <= 0)
    minimized = None if order is None else _minimize(part, order, scopes)
    if minimized is None:
        return None
    extracted, cost = minimized
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


def _minimize(
    part: Incumbent, order: Elimination, scopes: Sequence[tuple[int, ...]]
) -> tuple[set[int], float] | None:
    """The cheapest combination: the set of extracted classes, and its cost; None if time is up before.

    Each class, when it is eliminated, sums the tables that it is in, and leaves a table over its neighbours of the cheaper of its two bits.
    """
    place = {owner: number for number, owner in enumerate(order)}
    roots = set(part.problem.roots.tolist())
    owners: dict[int, list[int]] = {owner: [] for owner in order}  # whose tables each class sums
    for owner, scope in enumerate(scopes):
        owners[min(scope, key=place.__getitem__)].append(owner)
    left: dict[int, list[Table]] = {owner: [] for owner in order}  # for each class, by those before it
    is_better: dict[int, NDArray[np.bool_]] = {}  # to extract a class, for each combination of its neighbours
    cost = 0.0
    for gone, near in order.items():
        if part.seconds_left <= 0:
            return None
        bag = sorted({gone} | near)
        total = np.zeros([2] * len(bag))
        own = [_table(part.problem, owner, scopes[owner], owner in roots) for owner in owners[gone]]
        for table in (*own, *left.pop(gone)):
            total += table.over(bag)
        absent, extracted = np.moveaxis(total, bag.index(gone), 0)
        is_better[gone] = extracted < absent
        if near:
            rest = Table(tuple(sorted(near)), np.minimum(absent, extracted))
            left[min(near, key=place.__getitem__)].append(rest)
        else:
            cost += float(min(absent, extracted))
    return _traced(order, is_better), cost


def _traced(order: Elimination, is_better: Mapping[int, NDArray[np.bool_]]) -> set[int]:
    """The extracted classes of the cheapest combination: the class that was eliminated last is decided first."""
    bits: dict[int, int] = {}
    for owner in reversed(order):
        bits[owner] = int(is_better[owner][tuple(bits[other] for other in sorted(order[owner]))])
    return {owner for owner, bit in bits.items() if bit}


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
