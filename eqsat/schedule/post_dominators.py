"""Immediate post-dominators: for each node of a graph, the first node through which all paths from it to the root lead."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import reduce
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class PostDominators(Generic[T]):
    """The post-dominators of nodes that are added after all of their readers.

    The intersection of two chains of dominators is that of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

    >>> tree = PostDominators("root")
    >>> for node, readers in {"a": ["root"], "b": ["a"], "c": ["a", "b"], "d": ["root", "c"]}.items():
    ...     tree.add(node, readers)
    >>> tree.immediate["c"], tree.immediate["d"]
    ('a', 'root')

    Attributes:
        immediate: the immediate post-dominator of each node; the root is its own.
    """

    def __init__(self, root: T) -> None:
        self.immediate = {root: root}
        self._depth = {root: 0}

    def add(self, node: T, readers: Iterable[T]) -> None:
        """Adds a node with at least one reader."""
        above = reduce(self.common, readers)
        self.immediate[node], self._depth[node] = above, self._depth[above] + 1

    def common(self, one: T, other: T) -> T:
        """The first node through which all paths from both nodes lead, which may be one of the two."""
        while one != other:
            if self._depth[one] < self._depth[other]:
                one, other = other, one
            one = self.immediate[one]
        return one
