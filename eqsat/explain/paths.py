"""How often the nodes of a chain occur in it, counted along distinct nodes: a chain that is shared n times over has 2ⁿ elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eqsat.uop import UOp, toposort


def path_counts(root: UOp, is_inner: Callable[[UOp], bool]) -> dict[UOp, int]:
    """The number of paths from a root to each node that inner nodes lead to, users before sources; inner nodes themselves included."""
    counts = {root: 1}
    if not is_inner(root):
        return counts
    for node in reversed(toposort([root], _Elements(is_inner))):
        if is_inner(node):
            for source in node.src:
                counts[source] = counts.get(source, 0) + counts[node]
    return counts


@dataclass(frozen=True, slots=True)
class _Elements:
    """The nodes that are not inner ones."""

    is_inner: Callable[[UOp], bool]

    def __contains__(self, node: object) -> bool:
        return isinstance(node, UOp) and not self.is_inner(node)
