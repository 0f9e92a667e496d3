"""Finds the cheapest choice of an acyclic problem by dynamic programming over its classes, each visited after all classes that may need it.

A partial choice matters to later decisions only by its *frontier*: the classes that it needs and that are still to be visited. So only the
cheapest partial choice for each frontier is retained. It is dropped, too, if its frontier contains the frontier of a cheaper one. The graphs of
programs are long and narrow, so there are few frontiers at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from math import inf
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import ExtractionError
from eqsat.support.bits import bits_of, union

Name = TypeVar("Name")
MOST = 500  # the most frontiers at a time in an exact search
FEW = 16  # up to this many frontiers, comparing all of them does not pay
BLOCK = 64  # the number of frontiers that are compared at once


State = tuple[float, float, Any]
"""The cost of a frontier's cheapest partial choice; this cost plus the parts (`_parts`) of the classes in the frontier; and the names of the
chosen nodes as a linked list."""

Frontiers = dict[int, State]


class Option(NamedTuple, Generic[Name]):
    """A node: its cost, the classes of its children as bits, and the caller's name for it."""

    cost: float
    children: int
    name: Name | None


class Found(NamedTuple, Generic[Name]):
    """A choice: its cost, a lower bound on the cost of all choices, and the names of its nodes."""

    cost: float
    lower_bound: float
    names: list[Name | None]

    @property
    def is_least(self) -> bool:
        """Whether no choice costs less."""
        return self.cost <= self.lower_bound


def in_order(options: Mapping[int, Sequence[Option[Any]]]) -> list[int] | None:
    """The classes in topological order, each before its children; the greatest possible number comes first. None if there is a cycle."""
    children = {owner: 0 for owner in options}
    for owner, own in options.items():
        for option in own:
            children[owner] |= option.children
    # By class, how many classes may need it that are not in the order yet
    waiting = dict.fromkeys(options, 0)
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
    """The cheapest choice of nodes for the roots (given as bits) and for all classes that they need; None if there are too many frontiers.

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
    """A cheap choice; it is the cheapest one unless there are more than `width` frontiers at a time.

    In that case the search retains the frontiers that cost least together with the parts of their classes, and the empty frontier.

    Raises:
        ExtractionError: no retained choice has a finite cost.
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
    """The frontiers at one point of the walk over an order of classes.

    Attributes:
        options: the nodes of each class.
        parts: each class's part of its estimated cost, see `_parts`.
        sums: cached sums of the parts of sets of classes.
        frontiers: the state of each retained frontier.
    """

    def __init__(
        self, options: Mapping[int, Sequence[Option[Any]]], order: Sequence[int], roots: int
    ) -> None:
        self.options = options
        self.parts = _parts(options, order)
        self.sums = {0: 0.0}
        self.frontiers: Frontiers = {roots: (0.0, self._sum(roots), None)}

    def decide(self, owner: int) -> None:
        """Decides a class: replaces each frontier that contains it by one for each of its nodes."""
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
        """The frontiers in order of cost, or with `by` 1 in order of cost plus parts."""
        costs = [(state[by], frontier) for frontier, state in self.frontiers.items()]
        return [frontier for _, frontier in sorted(costs, key=itemgetter(0))]

    def undominated(self, most: int) -> list[int]:
        """The undominated frontiers in order of cost plus parts; if there are more than `most`, `most` + 1 of them.

        A frontier is dominated if it contains another frontier that costs no more.
        """
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
        """Drops all frontiers but these."""
        self.frontiers = {each: self.frontiers[each] for each in kept}

    def _sum(self, classes: int) -> float:
        found = self.sums[classes] = sum(self.parts[each] for each in bits_of(classes))
        return found


def _parts(options: Mapping[int, Sequence[Option[Any]]], order: Sequence[int]) -> dict[int, float]:
    """For each class, its part of an estimated cost: the cost of its cheapest term, divided by the number of classes that may need it, plus 1.

    The costs of children count in a term with their parts.
    """
    users = dict.fromkeys(options, 1)
    for own in options.values():
        for child in bits_of(union(option.children for option in own)):
            users[child] += 1
    parts: dict[int, float] = {}
    for owner in reversed(order):
        costs = (
            option.cost + sum(parts[child] for child in bits_of(option.children)) for option in options[owner]
        )
        parts[owner] = min(costs, default=inf) / users[owner]
    return parts


def _found(frontiers: Frontiers, *, is_least: bool) -> Found[Any]:
    """The choice of the empty frontier, which needs no more classes."""
    if 0 not in frontiers:
        raise ExtractionError("no choice of nodes has a finite cost")
    cost, _, trail = frontiers[0]
    names: list[Any] = []
    while trail is not None:
        trail, name = trail
        names.append(name)
    return Found(cost, cost if is_least else 0.0, names)


def minimal(masks: Sequence[int], most: int) -> list[int]:
    """The masks that do not contain all bits of an earlier mask; if there are more than `most`, at least `most` + 1 of them."""
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
    """For each of `rows` and each of `others`, whether the row has all bits of the other one."""
    found = np.ones((len(rows), len(others)), bool)
    for word in words:
        found &= (word[others] & ~word[rows, None]) == 0
    return found


def undominated(options: Iterable[Option[Name]]) -> list[Option[Name]]:
    """The options of finite cost that are not dominated: no other option costs as much or less and has only children of this one."""
    kept: list[Option[Name]] = []
    for option in sorted(options, key=lambda option: (option.cost, option.children.bit_count())):
        if option.cost < inf and not any(each.children & ~option.children == 0 for each in kept):
            kept.append(option)
    return kept
