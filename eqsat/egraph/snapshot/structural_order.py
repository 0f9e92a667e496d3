"""Orders classes by structure alone.

The order of egglog's rows depends on its internal numbers, and so on earlier work of the process. Code that takes the first of several terms or
classes must therefore visit them in the order of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class OrderKey(NamedTuple):
    """The parts of a term that decide its place in the order.

    Attributes:
        owner: its class.
        key: everything but its operands; comparable with every other key.
        children: the classes of its operands.
        is_unordered: whether the order of the operands does not matter.
    """

    owner: int
    key: tuple[Any, ...]
    children: tuple[int, ...]
    is_unordered: bool

    def place(self, rank: dict[int, int]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        """The sort key of the term, once its operands have ranks."""
        ranks = [rank[child] for child in self.children]
        return self.key, tuple(sorted(ranks) if self.is_unordered else ranks)


def ranks(terms: Sequence[OrderKey]) -> dict[int, int]:
    """Numbers classes by the height of their smallest term, then by that term. A class without a finite term gets no number.

    >>> ranks([OrderKey(7, ("ADD",), (5, 5), True), OrderKey(5, ("b",), (), False), OrderKey(3, ("a",), (), False)])
    {3: 0, 5: 1, 7: 2}
    """
    waiting: dict[int, list[int]] = {}
    missing: list[int] = []
    level: dict[int, list[OrderKey]] = {}
    for number, term in enumerate(terms):
        distinct = set(term.children)
        missing.append(len(distinct))
        for child in distinct:
            waiting.setdefault(child, []).append(number)
        if not distinct:
            level.setdefault(term.owner, []).append(term)
    rank: dict[int, int] = {}
    while level:
        smallest = {owner: min(term.place(rank) for term in found) for owner, found in level.items()}
        new = sorted(smallest, key=smallest.__getitem__)
        for owner in new:
            rank[owner] = len(rank)
        level = {}
        for owner in new:
            for number in waiting.get(owner, ()):
                missing[number] -= 1
                term = terms[number]
                if not missing[number] and term.owner not in rank:
                    level.setdefault(term.owner, []).append(term)
    return rank
