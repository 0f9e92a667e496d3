"""Finds the classes that every term of a class contains (dominators in the AND-OR graph).

`needed(c)` contains c, and the classes that *every* usable node of c requires, directly or not. Any assignment of sets that satisfies

    needed(c) = {c} ∪ ⋂ over nodes n of c: ⋃ over children d of n: needed(d)

contains only classes that every term of c contains, by induction over the height of a term. Iteration from above finds the greatest such
assignment. Sets are bits of Python integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eqsat.extract.reductions.graph import Graph

MOST_CLASSES = 20_000  # the sets of this many classes take at most 50 MB


@dataclass(frozen=True, slots=True, eq=False)
class RequiredClasses:
    """The required classes of each class.

    Attributes:
        bit: the bit of each class.
        sets: for each class, the classes that it requires, as bits.
    """

    bit: dict[int, int]
    sets: dict[int, int]

    def of_node(self, row: frozenset[int]) -> int:
        """The classes that a node with these children requires, except its own."""
        union = 0
        for child in row:
            union |= self.sets[child]
        return union

    def direct(self, row: frozenset[int]) -> int:
        """The classes of the children, as bits."""
        bits = 0
        for child in row:
            bits |= self.bit[child]
        return bits


def find_required_classes(graph: Graph, order: Sequence[int]) -> RequiredClasses:
    """The classes that each class of `order` requires; if there are more than `MOST_CLASSES`, each is taken to require only itself."""
    bit = {owner: 1 << position for position, owner in enumerate(order)}
    if len(order) > MOST_CLASSES:
        return RequiredClasses(bit, dict(bit))
    everything = (1 << len(order)) - 1
    needed = RequiredClasses(bit, dict.fromkeys(order, everything))
    changed = True
    while changed:
        changed = False
        for owner in order:
            common = everything
            for node in graph.nodes[owner]:
                common &= needed.of_node(graph.rows[node])
            common |= bit[owner]
            if common != needed.sets[owner]:
                needed.sets[owner] = common
                changed = True
    return needed
