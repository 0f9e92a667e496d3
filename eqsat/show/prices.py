"""Explains why a node was chosen: the cost of the cheapest program that has another node of the same class."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from eqsat.errors import ExtractionError
from eqsat.extract.extractors.by_component import ByComponent
from eqsat.extract.extractors.greedy_dag import GreedyDag, greedy_choice
from eqsat.extract.extractors.incremental_choice import IncrementalChoice
from eqsat.extract.problem.incumbent import Incumbent
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import NOT_CHOSEN, Extraction

REDUCING = 60_000  # the most nodes of all problems that are solved by reductions; about five seconds
GREEDY = 300_000  # the most nodes of all problems that are solved greedily; also about five seconds


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a node that was not chosen.

    Attributes:
        cost: DAG cost of the cheapest program found that has the node; `inf` if no program can have it.
        exact: whether it is proved that no program with the node costs less; otherwise the cost is an upper bound.
    """

    cost: float
    exact: bool


def find_prices(extraction: Extraction, reducing: int = REDUCING, greedy: int = GREEDY) -> dict[int, Price]:
    """The prices of the nodes that were not chosen, in every class that was extracted.

    First the node takes the place of the chosen node, and all other choices stay. Then the whole problem is solved again with the node forced.
    If that takes at most `reducing` nodes of work for all alternatives, it is solved by reductions, which prove many prices. In larger problems
    only the nodes that would close a cycle with the present choice are forced. These problems are solved greedily, until `greedy` nodes of work
    are spent; most such nodes are impossible. Work is counted in nodes, not in seconds, so that every run gives the same prices.

    >>> problem = Problem.build([1, 4, 2], [0, 1, 1], [[], [0], [0]], roots=[1])
    >>> find_prices(Extraction.from_choice(problem, np.array([0, 2]), 3.0, 0.0))
    {1: Price(cost=5.0, exact=True)}
    """
    alternatives = _alternatives(extraction)
    swapped = _prices_of_swaps(extraction, alternatives)
    least = extraction.lower_bound + extraction.rounding
    prices = {node: Price(cost, exact=cost <= least) for node, cost in swapped.items()}
    nodes = extraction.problem.node_count
    if nodes * len(alternatives) <= reducing:
        solve, forced = _Reductions().extract, alternatives
    else:
        unpriced = [node for node in alternatives if node not in swapped]
        solve, forced = GreedyDag().extract, unpriced[: greedy // nodes]
    for node in forced:
        prices[node] = _price_of_forcing(extraction, node, swapped.get(node, math.inf), solve)
    return prices


def runner_up(nodes: Iterable[int], prices: dict[int, Price]) -> int | None:
    """The node with the least price, and the first of these if several have it; None if no node has a finite price.

    >>> runner_up([4, 7], {4: Price(9.0, True), 7: Price(8.0, False)})
    7
    """
    priced = [node for node in nodes if node in prices and math.isfinite(prices[node].cost)]
    return min(priced, key=lambda node: prices[node].cost, default=None)


def _alternatives(extraction: Extraction) -> list[int]:
    """The nodes that could have been chosen in the classes that were extracted."""
    problem = extraction.problem
    chosen: list[int] = extraction.choice[problem.node_class].tolist()
    usable = problem.usage.usable
    return [
        node for node, other in enumerate(chosen) if other != NOT_CHOSEN and other != node and usable[node]
    ]


def _prices_of_swaps(extraction: Extraction, alternatives: list[int]) -> dict[int, float]:
    """The cost of the extraction with one node replaced. Classes that become required get their greedy choice."""
    problem = extraction.problem
    owners: list[int] = problem.node_class.tolist()
    kept = extraction.choice != NOT_CHOSEN
    policy = IncrementalChoice(problem, np.where(kept, extraction.choice, greedy_choice(problem)))
    costs: dict[int, float] = {}
    for node in alternatives:
        owner = owners[node]
        before = policy.node[owner]
        if policy.swap(owner, node):
            costs[node] = policy.cost
            policy.swap(owner, before)
    return costs


class _Reductions(ByComponent):
    """Reduces the problem, and keeps the greedy choice of each part."""

    seconds = math.inf
    listener = None

    def improve(self, part: Incumbent) -> None:
        """Leaves a part as it is."""


def _price_of_forcing(
    extraction: Extraction, node: int, known: float, solve: Callable[[Problem], Extraction]
) -> Price:
    """The price after solving the problem again without the other nodes of the class; `known` is the cost of a program found before."""
    problem = extraction.problem
    owner = int(problem.node_class[node])
    others = [other for other in problem.nodes_by_class[owner] if other != node]
    costs = problem.node_cost.copy()
    costs[others] = math.inf
    roots = np.append(problem.roots, np.int32(owner)).astype(np.int32)
    try:
        found = solve(replace(problem, node_cost=costs, roots=roots))
    except ExtractionError:
        return Price(math.inf, exact=True)
    cost = min(known, found.dag_cost)
    least = max(each.lower_bound + each.rounding for each in (found, extraction))
    return Price(cost, exact=cost <= least)
