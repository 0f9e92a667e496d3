"""A mutable extraction problem, on which the reductions work. Nodes and classes keep their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eqsat.extract.problem.problem import Problem


class Graph:
    """The nodes, classes and roots that are left.

    Attributes:
        costs: per node, its cost, including the costs of collapsed classes that it needs.
        owners: per node, its class.
        rows: per node, the classes that it needs.
        nodes: per class, its nodes; empty if the class was removed.
        roots: the classes that every choice contains.
        fixed: the node of each decided class.
        offset: the cost of decided nodes that was not added to a node that is left.
    """

    def __init__(self, problem: Problem) -> None:
        self.costs: list[float] = problem.node_cost.tolist()
        self.owners: list[int] = problem.node_class.tolist()
        self.rows: list[frozenset[int]] = [frozenset(row) for row in problem.usage.distinct]
        self.nodes: list[list[int]] = list(problem.usable_nodes)
        self.roots: set[int] = set(problem.roots.tolist())
        self.fixed: dict[int, int] = {}
        self.offset = 0.0

    def classes(self) -> list[int]:
        """The classes that the roots reach, in an order in which each comes after the classes that it needs, except on cycles."""
        seen: set[int] = set()
        order: list[int] = []
        for root in sorted(self.roots):
            if root in seen:
                continue
            seen.add(root)
            stack = [(root, self._children(root))]
            while stack:
                owner, children = stack[-1]
                for child in children:
                    if child not in seen:
                        seen.add(child)
                        stack.append((child, self._children(child)))
                        break
                else:
                    stack.pop()
                    order.append(owner)
        return order

    def _children(self, owner: int) -> Iterator[int]:
        return iter(sorted(self.needs(owner)))

    def needs(self, owner: int) -> set[int]:
        """The classes that at least one node of a class needs."""
        return set[int]().union(*(self.rows[node] for node in self.nodes[owner]))

    def keep(self, owner: int, nodes: Iterable[int]) -> int:
        """Removes all nodes of a class but these, and returns the number of removed nodes."""
        before = len(self.nodes[owner])
        self.nodes[owner] = list(nodes)
        return before - len(self.nodes[owner])

    def users(self, classes: Iterable[int]) -> dict[int, list[int]]:
        """Maps each class to the nodes that need it."""
        found: dict[int, list[int]] = {owner: [] for owner in classes}
        for owner in found:
            for node in self.nodes[owner]:
                for child in self.rows[node]:
                    found[child].append(node)
        return found
