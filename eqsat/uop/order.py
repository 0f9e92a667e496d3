"""The order of a graph's nodes."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Protocol, Self, TypeVar


class Node(Protocol):
    """What has sources of its own kind."""

    @property
    def src(self) -> tuple[Self, ...]:
        """What it is made of."""
        ...


N = TypeVar("N", bound=Node)


def toposort(roots: Iterable[N], leaves: Container[N] = ()) -> list[N]:
    """Every node reachable from `roots`, each once, after its sources; sources from left to right.

    Nodes in `leaves` are listed, but what is below them is not, unless they are roots.
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
