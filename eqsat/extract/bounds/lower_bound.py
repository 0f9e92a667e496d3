"""A lower bound on the DAG cost of every valid choice: cheap, simple, and often not tight."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from eqsat.extract.problem.cheapest_first import settle
from eqsat.extract.problem.problem import Problem

Successors = Callable[[int], Iterable[int]]


def lower_bound(problem: Problem) -> float:
    """A cost that no valid choice can go below; `inf` if a root cannot be extracted at all.

    The greater of two bounds. *Forced classes*: the roots are needed; a class that every usable node of a needed class has as a
    child is needed; each needed class costs at least its cheapest node. *Longest path*: a term costs at least its top node and
    its dearest child's bound. With negative costs, every class that can be reached may contribute its cheapest node, and paths
    say nothing.

    >>> lower_bound(Problem.build([2, 3, 5], [0, 1, 1], [[], [0], [0]], roots=[1]))
    5.0
    """
    usable, distinct = problem.usage.usable, problem.usage.distinct
    rows = [[distinct[node] for node in nodes if usable[node]] for nodes in problem.nodes_by_class]
    if any(not rows[root] for root in problem.roots.tolist()):
        return math.inf
    costs: list[float] = problem.node_cost.tolist()
    cheapest = [
        min((costs[node] for node in nodes if usable[node]), default=0.0) for nodes in problem.nodes_by_class
    ]
    forced = _closure(
        problem.roots.tolist(), lambda owner: set(rows[owner][0]).intersection(*rows[owner][1:])
    )
    reached = _closure(problem.roots.tolist(), lambda owner: set[int]().union(*rows[owner]))
    bound = math.fsum(cheapest[owner] for owner in forced)
    bound += math.fsum(min(0.0, cheapest[owner]) for owner in reached - forced)
    if min((cheapest[owner] for owner in reached), default=0.0) < 0:
        return bound
    return max(bound, _longest_path(problem))


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
