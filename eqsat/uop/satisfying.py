"""A container of nodes that is defined by a predicate."""

from __future__ import annotations

from collections.abc import Callable

from eqsat.uop.node import UOp


class Satisfying:
    """Contains the nodes for which a predicate is true. Given to `toposort` as `leaves`, it ends the walk at them."""

    def __init__(self, predicate: Callable[[UOp], bool]) -> None:
        self.predicate = predicate

    def __contains__(self, node: object) -> bool:
        return isinstance(node, UOp) and self.predicate(node)
