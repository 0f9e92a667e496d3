"""Replaces nodes of graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self, TypeVar

from eqsat.uop.order import Node, toposort


class Renewable(Node, Protocol):
    """A node that can be rebuilt with other sources."""

    def with_src(self, src: tuple[Self, ...]) -> Self:
        """The same node with other sources."""
        ...


N = TypeVar("N", bound=Renewable)


def rewrite(roots: Sequence[N], mapping: Mapping[N, N], rebuild: Callable[[N], N] | None = None) -> list[N]:
    """`roots` with the keys of `mapping` replaced by their values.

    Every other node is rebuilt on its new sources, sources first, and passed through `rebuild` if that is given.
    """
    done: dict[N, N] = dict(mapping)
    for node in toposort(roots, mapping):
        if node not in done:
            renewed = node.with_src(tuple([done[source] for source in node.src]))
            done[node] = rebuild(renewed) if rebuild else renewed
    return [done[root] for root in roots]
