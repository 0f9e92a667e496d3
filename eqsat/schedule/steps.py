"""Where a program may be cut into steps that hand several arrays on to later steps, as the steps of a recurrence do.

The *level* of a node is the greatest number of long reductions after it, each computed from the one before. Nodes before a level hand on the
arrays that nodes after it read. Levels that hand on arrays of equal shapes and dtypes are a family. A program is cut at the levels of a large
family; of several large families, at those of the one that hands on the fewest elements.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod

from eqsat.ops import ACROSS, ALU, MOVEMENT, Op
from eqsat.schedule.element_work import ElementWork, element_work, is_long
from eqsat.shape import Shape
from eqsat.uop import UOp

FEWEST_STEPS = 3  # levels at which a program is cut at least, if at any
Family = tuple[tuple[Shape, str], ...]


class Steps:
    """The levels of a program, and the arrays that each hands on.

    Attributes:
        level: the level of each node.
        cuts: the levels at which the program may be cut, those of its last steps first.
    """

    def __init__(
        self,
        order: Sequence[UOp],
        readers: Callable[[UOp], Sequence[UOp]],
        given: Collection[UOp],
    ) -> None:
        """`order` has each node after its sources, the SINK last; nodes in `given` need not be handed on."""
        self._order, self._readers, self._given = order[:-1], readers, given
        self.level = {order[-1]: 0}
        self._find_levels()
        self.cuts = self._found()

    def _find_levels(self) -> None:
        # nodes that are only computed for reductions, and the number of elements that go into the largest of these
        inner: dict[UOp, int] = {}
        for node in reversed(self._order):
            readers = self._readers(node)
            sizes = [size for each in readers if (size := self._reduced(each, inner)) is not None]
            is_inner = len(sizes) == len(readers) and (
                node.op in MOVEMENT or (node.op in ALU and node.elements >= max(sizes))
            )
            if is_inner:
                inner[node] = max(sizes)
            self.level[node] = max(
                self.level[each] + (not is_inner and self._reduced(each, inner) is not None)
                for each in readers
            )

    def _reduced(self, reader: UOp, inner: Mapping[UOp, int]) -> int | None:
        """The number of elements reduced, if `reader` is a long reduction or is computed only for one; otherwise None."""
        if reader in inner:
            return inner[reader]
        return reader.src[0].elements if reader.op in ACROSS and is_long(reader) else None

    def _found(self) -> list[int]:
        handed: dict[int, set[UOp]] = defaultdict(set)
        for node in self._order:
            if node not in self._given:
                own = self.level[node]
                for reader in self._readers(node):
                    if self.level[reader] < own:
                        handed[self.level[reader] + 1].add(stored(node))
        worth = self._worth_storing()
        families: dict[Family, list[int]] = defaultdict(list)
        for level, nodes in handed.items():
            if not worth.isdisjoint(nodes):
                family = sorted((node.shape or (), str(node.dtype)) for node in nodes)
                families[tuple(family)].append(level)
        most = max(map(len, families.values()), default=0)
        frequent = [
            family for family, levels in families.items() if len(levels) >= max(FEWEST_STEPS, most - 1)
        ]
        if not frequent:
            return []
        return sorted(families[min(frequent, key=_elements)])

    def _worth_storing(self) -> set[UOp]:
        """The arrays worth storing at a cut: results of nonlinear operations on sums, and sums with several readers.

        Other sums may still be computed in another order, across the cut.
        """
        found: set[UOp] = set()
        work: dict[UOp, ElementWork] = {}
        for node in self._order:
            below = max((work[source] for source in node.src), default=ElementWork.LITTLE)
            work[node] = below if node.op is Op.SHRINK else element_work(node, below)
            if work[node] is ElementWork.MORE or (
                work[node] is ElementWork.SUM and len(self._readers(node)) > 1
            ):
                found.add(node)
        return found

    def step(self, node: UOp, cuts: Sequence[int]) -> int:
        """The number of the step that computes a node, if the program is cut at these levels; the last step has number 0."""
        return bisect_right(cuts, self.level[node])

    def handed_on(self, cuts: Sequence[int]) -> list[UOp]:
        """The arrays that steps compute and later steps read, each after those that it is computed from."""
        found = {
            stored(node)
            for node in self._order
            if node not in self._given
            and any(self.step(node, cuts) > self.step(reader, cuts) for reader in self._readers(node))
        }
        return [node for node in self._order if node in found]


def stored(node: UOp) -> UOp:
    """The array that is stored so that a node may be read: the base of a view, otherwise the node itself."""
    while node.op in MOVEMENT:
        (node,) = node.src
    return node


def _elements(family: Family) -> int:
    return sum(prod(shape) for shape, _ in family)
