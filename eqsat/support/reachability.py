"""What can be reached in a directed graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def reachable(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> list[T]:
    """The starts and all that follow them, breadth first.

    >>> reachable("a", {"a": "cb", "b": "ad", "c": "d", "d": "", "e": "a"}.__getitem__)
    ['a', 'c', 'b', 'd']
    """
    found = dict.fromkeys(starts)
    for each in (pending := list(found)):
        for other in following(each):
            if other not in found:
                found[other] = None
                pending.append(other)
    return pending
