"""Topological order of a graph's nodes."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Protocol, Self, TypeVar


class Node(Protocol):
    """A node of a graph: an object with sources of its own class."""

    @property
    def src(self) -> tuple[Self, ...]:
        """The sources of the node."""
        ...


N = TypeVar("N", bound=Node)


def toposort(roots: Iterable[N], leaves: Container[N] = ()) -> list[N]:
    """Every node reachable from `roots`, once each and after its sources. Sources are visited from left to right.

    The walk does not go below nodes in `leaves`, though it lists them. Roots are expanded even if they are in `leaves`.
    """
    order: dict[N, None] = {}
    stack = list(roots)[::-1]
    entered: set[N] = set()
    given = frozenset(stack)
    while stack:
        node = stack.pop()
        if node in order:
            continue
        src = node.src
        if not src or node in entered or (leaves and node in leaves and node not in given):
            order[node] = None
            continue
        entered.add(node)
        stack.append(node)
        stack += src[::-1]
    return list(order)
