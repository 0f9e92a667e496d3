"""Computes a lower bound on the DAG cost of all valid choices, which is cheap to compute and often not tight."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from eqsat.errors import ExtractionError
from eqsat.extract.problem.cheapest_first import settle
from eqsat.extract.problem.problem import Problem, require_problem

Successors = Callable[[int], Iterable[int]]


def lower_bound(problem: Problem) -> float:
    """Returns a lower bound on the DAG cost of all valid choices; `inf` if some root cannot be extracted.

    It is the greater of two bounds. *Required classes*: every choice contains the roots, and each class that all usable nodes of a
    required class have as a child; each of them costs at least its cheapest node. *Longest path*: a term costs at least its top node
    plus the bound of its most expensive child. With negative costs, only the first bound holds, and each other reachable class may
    lower it by a negative cost of its cheapest node.

    Raises:
        ExtractionError: the costs of required classes add up to more than a float holds.

    >>> lower_bound(Problem.build([2, 3, 5], [0, 1, 1], [[], [0], [0]], roots=[1]))
    5.0
    """
    require_problem(problem)
    distinct = problem.usage.distinct
    rows = [[distinct[node] for node in nodes] for nodes in problem.usable_nodes]
    if any(not rows[root] for root in problem.roots.tolist()):
        return math.inf
    costs: list[float] = problem.node_cost.tolist()
    cheapest = [min((costs[node] for node in nodes), default=0.0) for nodes in problem.usable_nodes]
    required = _closure(
        problem.roots.tolist(), lambda owner: set(rows[owner][0]).intersection(*rows[owner][1:])
    )
    reached = _closure(problem.roots.tolist(), lambda owner: set[int]().union(*rows[owner]))
    bound = sum_of_costs(cheapest[owner] for owner in required)
    bound += sum_of_costs(min(0.0, cheapest[owner]) for owner in reached - required)
    if min((cheapest[owner] for owner in reached), default=0.0) < 0:
        return bound
    return max(bound, _longest_path(problem))


def sum_of_costs(costs: Iterable[float]) -> float:
    """The sum of the costs, rounded once.

    Raises:
        ExtractionError: the sum is more than a float holds.
    """
    try:
        return math.fsum(costs)
    except OverflowError as error:
        raise ExtractionError(
            "costs add up to more than a float holds; divide all of them by one number"
        ) from error


def _closure(roots: list[int], successors: Successors) -> set[int]:
    found = set(roots)
    stack = list(found)
    while stack:
        for child in successors(stack.pop()):
            if child not in found:
                found.add(child)
                stack.append(child)
    return found


def _longest_path(problem: Problem) -> float:
    costs: list[float] = problem.node_cost.tolist()
    rows = problem.child_rows
    path = [0.0] * problem.class_count

    def evaluate(node: int) -> float:
        return costs[node] + max((path[child] for child in rows[node]), default=0.0)

    def accept(owner: int, node: int) -> None:
        path[owner] = evaluate(node)

    settle(problem, evaluate, accept)
    roots: list[int] = problem.roots.tolist()
    return max(path[root] for root in roots)
