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
from typing import Any, Generic, NamedTuple, TypeVar

from eqsat.errors import ExtractionError

Name = TypeVar("Name")
MOST = 500  # frontiers at a time
FEW = 16  # of which it does not pay to compare all

Frontiers = dict[int, tuple[float, Any]]  # with what the cheapest choice costs, and its names as a chain


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
    options: Mapping[int, Sequence[Option[Name]]], order: Iterable[int], roots: int
) -> Found[Name] | None:
    """The cheapest choice of nodes for the roots, which are bits, and all that they need; None if there are too many frontiers.

    Raises:
        ExtractionError: no choice has a finite cost.
    """
    frontiers: Frontiers = {roots: (0.0, None)}
    for owner in order:
        frontiers = _following(frontiers, owner, options[owner])
        if len(frontiers) > MOST:
            return None
    return _found(frontiers, is_least=True)


def promising(
    options: Mapping[int, Sequence[Option[Name]]], order: Sequence[int], roots: int, width: int
) -> Found[Name]:
    """A choice that is cheap, and the cheapest unless there are more than `width` frontiers at a time.

    Of these, those are followed that cost least together with their part of what is to come.

    Raises:
        ExtractionError: no choice that was followed has a finite cost.
    """
    parts: dict[int, float] = {}
    frontiers: Frontiers = {roots: (0.0, None)}
    for owner in order:
        frontiers = _following(frontiers, owner, options[owner])
        if len(frontiers) > width:
            parts = parts or _parts(options, order)
            expected = {
                frontier: state[0] + sum(parts[each] for each in bits_of(frontier))
                for frontier, state in frontiers.items()
            }
            frontiers = {
                frontier: frontiers[frontier]
                for frontier in sorted(expected, key=expected.__getitem__)[:width]
            }
    return _found(frontiers, is_least=not parts)


def _following(frontiers: Frontiers, owner: int, options: Sequence[Option[Any]]) -> Frontiers:
    """The frontiers after a class is decided, the cheapest first where there are many."""
    bit, following = 1 << owner, Frontiers()
    for frontier, state in frontiers.items():
        if not frontier & bit:
            if frontier not in following or state[0] < following[frontier][0]:
                following[frontier] = state
            continue
        for option in options:
            cost, rest = state[0] + option.cost, (frontier ^ bit) | option.children
            if rest not in following or cost < following[rest][0]:
                following[rest] = cost, (state[1], option.name)
    if len(following) <= FEW:
        return following
    kept: list[int] = []
    for frontier in sorted(following, key=lambda frontier: following[frontier][0]):
        others = ~frontier
        for cheaper in kept:
            if not cheaper & others:
                break
        else:
            kept.append(frontier)
    return {frontier: following[frontier] for frontier in kept}


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
    cost, trail = frontiers[0]
    names: list[Any] = []
    while trail is not None:
        trail, name = trail
        names.append(name)
    return Found(cost, cost if is_least else 0.0, names)


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
