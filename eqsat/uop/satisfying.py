"""A set of nodes given by a predicate."""

from __future__ import annotations

from collections.abc import Callable

from eqsat.uop.node import UOp


class Satisfying:
    """Contains the nodes for which a predicate is true. As the `leaves` of `toposort`, they end the walk."""

    def __init__(self, predicate: Callable[[UOp], bool]) -> None:
        self.predicate = predicate

    def __contains__(self, node: object) -> bool:
        return isinstance(node, UOp) and self.predicate(node)
