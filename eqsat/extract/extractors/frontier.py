"""Finds the cheapest choice of a problem without cycles by walking its classes, each after all that may need it.

On the way the only thing that matters of the choices so far is which classes they need that are still to come: the *frontier*. Of all choices
with one frontier the cheapest is kept, and none that needs all that a cheaper one needs. In graphs that are long and narrow, as those of
programs are, there are few frontiers at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from math import inf
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import ExtractionError

Name = TypeVar("Name")
MOST = 500  # frontiers at a time
FEW = 16  # of which it does not pay to compare all
BLOCK = 64  # of them are compared at once


State = tuple[float, float, Any]
"""What the cheapest choice of a frontier costs, the same with the parts of all classes still needed, and the names of that choice as a chain."""

Frontiers = dict[int, State]


class Option(NamedTuple, Generic[Name]):
    """A node: what it costs, the classes of its children as bits, and what the caller calls it."""

    cost: float
    children: int
    name: Name | None


class Found(NamedTuple, Generic[Name]):
    """A choice: its cost, the least cost of any, and the names of its nodes."""

    cost: float
    lower_bound: float
    names: list[Name | None]


def in_order(options: Mapping[int, Sequence[Option[Any]]]) -> list[int] | None:
    """The classes, each before its children, the greatest number first where there is a choice; None if there is a cycle."""
    children = {owner: 0 for owner in options}
    for owner, own in options.items():
        for option in own:
            children[owner] |= option.children
    waiting = dict.fromkeys(
        options, 0
    )  # by class, how many classes may need it that are not in the order yet
    for mask in children.values():
        for child in bits_of(mask):
            waiting[child] += 1
    ready = [-owner for owner, count in waiting.items() if not count]
    ready.sort()
    order: list[int] = []
    while ready:
        owner = -heappop(ready)
        order.append(owner)
        for child in bits_of(children[owner]):
            waiting[child] -= 1
            if not waiting[child]:
                heappush(ready, -child)
    return order if len(order) == len(options) else None


def cheapest(
    options: Mapping[int, Sequence[Option[Name]]], order: Sequence[int], roots: int
) -> Found[Name] | None:
    """The cheapest choice of nodes for the roots, which are bits, and all that they need; None if there are too many frontiers.

    Raises:
        ExtractionError: no choice has a finite cost.
    """
    walk = _Walk(options, order, roots)
    for owner in order:
        walk.decide(owner)
        if len(walk.frontiers) > FEW:
            kept = minimal(walk.ranked(), MOST)
            if len(kept) > MOST:
                return None
            walk.keep(kept)
    return _found(walk.frontiers, is_least=True)


def promising(
    options: Mapping[int, Sequence[Option[Name]]], order: Sequence[int], roots: int, width: int
) -> Found[Name]:
    """A choice that is cheap, and the cheapest unless there are more than `width` frontiers at a time.

    Of these, those are followed that cost least together with their part of what is to come, and the one that needs nothing more.

    Raises:
        ExtractionError: no choice that was followed has a finite cost.
    """
    walk, is_least = _Walk(options, order, roots), True
    for owner in order:
        walk.decide(owner)
        if len(walk.frontiers) > width:
            kept = walk.undominated(width)
            is_least &= len(kept) <= width
            whole = [0] if 0 in walk.frontiers and 0 not in kept[:width] else []
            walk.keep([*kept[:width], *whole])
    return _found(walk.frontiers, is_least=is_least)


class _Walk:
    """The frontiers before the next class of an order."""

    def __init__(
        self, options: Mapping[int, Sequence[Option[Any]]], order: Sequence[int], roots: int
    ) -> None:
        self.options = options
        self.parts = _parts(options, order)
        self.sums = {0: 0.0}  # of the parts of classes
        self.frontiers: Frontiers = {roots: (0.0, self._sum(roots), None)}

    def decide(self, owner: int) -> None:
        """Goes on by a class."""
        bit, options, sums, following = 1 << owner, self.options[owner], self.sums, Frontiers()
        for frontier, state in self.frontiers.items():
            if not frontier & bit:
                known = following.get(frontier)
                if known is None or state[0] < known[0]:
                    following[frontier] = state
                continue
            before, expected, names = state
            left, expected = frontier ^ bit, expected - self.parts[owner]
            for cost, children, name in options:
                rest, total = left | children, before + cost
                known = following.get(rest)
                if known is None or total < known[0]:
                    new = rest ^ left
                    parts = sums[new] if new in sums else self._sum(new)
                    following[rest] = total, expected + cost + parts, (names, name)
        self.frontiers = following

    def ranked(self, by: int = 0) -> list[int]:
        """The frontiers, those of least cost first, or with 1 those of least cost with their parts."""
        costs = [(state[by], frontier) for frontier, state in self.frontiers.items()]
        return [frontier for _, frontier in sorted(costs, key=itemgetter(0))]

    def undominated(self, most: int) -> list[int]:
        """The frontiers that cost least with their parts and do not need all that a cheaper one needs: all, or one more than `most`."""
        kept: list[tuple[int, float]] = []
        for frontier in self.ranked(by=1):
            others, cost = ~frontier, self.frontiers[frontier][0]
            for cheaper, its_cost in kept:
                if not cheaper & others and its_cost <= cost:
                    break
            else:
                kept.append((frontier, cost))
                if len(kept) > most:
                    break
        return [frontier for frontier, _ in kept]

    def keep(self, kept: Sequence[int]) -> None:
        """Goes on with these alone."""
        self.frontiers = {each: self.frontiers[each] for each in kept}

    def _sum(self, classes: int) -> float:
        found = self.sums[classes] = sum(self.parts[each] for each in bits_of(classes))
        return found


def _parts(options: Mapping[int, Sequence[Option[Any]]], order: Sequence[int]) -> dict[int, float]:
    """By class, what it costs with all that it needs, shared equally among all that may need it."""
    users = dict.fromkeys(options, 1)
    for own in options.values():
        for child in bits_of(reduce(int.__or__, (option.children for option in own), 0)):
            users[child] += 1
    parts: dict[int, float] = {}
    for owner in reversed(order):
        costs = (
            option.cost + sum(parts[child] for child in bits_of(option.children)) for option in options[owner]
        )
        parts[owner] = min(costs, default=inf) / users[owner]
    return parts


def _found(frontiers: Frontiers, *, is_least: bool) -> Found[Any]:
    """The choice that needs nothing more."""
    if 0 not in frontiers:
        raise ExtractionError("no choice of nodes has a finite cost")
    cost, _, trail = frontiers[0]
    names: list[Any] = []
    while trail is not None:
        trail, name = trail
        names.append(name)
    return Found(cost, cost if is_least else 0.0, names)


def minimal(masks: Sequence[int], most: int) -> list[int]:
    """The masks that have not all bits of one before them: all, or more than `most`."""
    size = 8 * -(-max(masks).bit_length() // 64)
    packed = b"".join([mask.to_bytes(size, "little") for mask in masks])
    words = np.frombuffer(packed, np.uint64).reshape(len(masks), -1).T
    words = words[(words != words[:, :1]).any(axis=1)]
    kept = np.zeros(0, np.int64)
    for start in range(0, len(masks), BLOCK):
        some = np.arange(start, min(start + BLOCK, len(masks)))
        some = some[~_above(words, some, kept).any(axis=1)]
        own = np.tril(_above(words, some, some), -1)
        kept = np.concatenate([kept, some[~own.any(axis=1)]])
        if len(kept) > most:
            break
    return [masks[row] for row in kept.tolist()]


def _above(
    words: NDArray[np.uint64], rows: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """For each of these rows, a row: which of the others have no bit that it has not."""
    found = np.ones((len(rows), len(others)), bool)
    for word in words:
        found &= (word[others] & ~word[rows, None]) == 0
    return found


def undominated(options: Iterable[Option[Name]]) -> list[Option[Name]]:
    """Those that no other is cheaper than, with some of its children."""
    kept: list[Option[Name]] = []
    for option in sorted(options, key=lambda option: (option.cost, option.children.bit_count())):
        if option.cost < inf and not any(each.children & ~option.children == 0 for each in kept):
            kept.append(option)
    return kept


def bits_of(mask: int) -> Iterable[int]:
    """The numbers of the bits that are set."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit
