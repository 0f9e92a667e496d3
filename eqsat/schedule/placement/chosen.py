"""The choice of one e-node for each e-class that the chosen kernels compute.

Kernels may compute an e-class by different e-nodes. The e-node of the first kernel counts, so that each e-node comes after its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eqsat.schedule.placement.array_graph import SAME_ORDER, ArrayGraph
from eqsat.schedule.placement.cone import LOADED, Cone
from eqsat.schedule.placement.extraction import Placed
from eqsat.schedule.placement.writing import operands_first

NOT_CHOSEN = -1


def chosen_nodes(placed: Placed) -> list[int]:
    """The e-node of each e-class that the kernels of a program compute; -1 for the others."""
    choice = _Choice(placed.graph)
    for kernel in placed.kernels:
        for owner, node in operands_first(kernel.cone, kernel.inside):
            choice.follow(kernel.cone, owner, node)
    (root,) = placed.graph.snapshot.root_classes.tolist()
    choice.need(root)
    return choice.node


@dataclass(eq=False)
class _Choice:
    """The e-nodes that are chosen so far; the operands of each of them have an e-node, too."""

    graph: ArrayGraph
    node: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.node = [NOT_CHOSEN for _ in self.graph.classes]

    def follow(self, cone: Cone, owner: int, node: int) -> None:
        """Records the e-node that a kernel chose for one of its classes."""
        c, enode, _ = cone.kinds[node]
        if enode == LOADED:
            self.need(c)
        elif enode >= 0 and self.node[c] == NOT_CHOSEN:
            self._take(c, enode)

    def need(self, c: int) -> None:
        """Chooses e-nodes for an e-class: reshapes of one that has an e-node, or else its cheapest e-nodes."""
        if self.node[c] != NOT_CHOSEN:
            return
        for each, node in self._view(c):
            self.node[each] = node
        if self.node[c] == NOT_CHOSEN:
            self._take(c, self.graph.cheapest[c])

    def _take(self, c: int, node: int) -> None:
        for each in self.graph.rows[node]:
            self.need(each)
        self.node[c] = node

    def _view(self, c: int) -> Sequence[tuple[int, int]]:
        """The e-nodes that only reshape, on a path to this e-class from one that has an e-node; empty if there is no path."""
        graph, came = self.graph, {c: (c, NOT_CHOSEN)}
        agenda = [c]
        start = graph.snapshot.class_start.tolist()
        for at in agenda:
            if self.node[at] != NOT_CHOSEN:
                return _path(came, at)
            for node in range(*start[at : at + 2]):
                if graph.term(node).op in SAME_ORDER and graph.rows[node][0] not in came:
                    came[graph.rows[node][0]] = at, node
                    agenda.append(graph.rows[node][0])
        return []


def _path(came: dict[int, tuple[int, int]], at: int) -> list[tuple[int, int]]:
    """The path from an e-class back to where a search began: for each step, the e-class that it led from, and the e-node."""
    found: list[tuple[int, int]] = []
    while came[at][1] != NOT_CHOSEN:
        found.append(came[at])
        at = came[at][0]
    return found
