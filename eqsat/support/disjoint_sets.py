"""A union-find: disjoint sets that are merged, each with one element that represents it.

networkx and SciPy have one, too, but importing either takes longer than most programs take to be optimized.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class DisjointSets(Generic[T]):
    """Sets of one element each, until they are merged.

    >>> sets = DisjointSets("abc")
    >>> sets.merge("b", "c")
    >>> [sets.representative(each) for each in "abc"]
    ['a', 'b', 'b']
    """

    def __init__(self, elements: Iterable[T]) -> None:
        self._parent = {each: each for each in elements}

    def representative(self, element: T) -> T:
        """The element that represents the set of this one; it changes only when the set is merged into another."""
        parent = self._parent
        while (above := parent[element]) != element:
            parent[element] = element = parent[above]  # path halving: Tarjan and van Leeuwen, JACM 31 (1984)
        return element

    def merge(self, first: T, second: T) -> None:
        """Merges the sets of two elements; the representative of the first represents both."""
        self._parent[self.representative(second)] = self.representative(first)
