"""Where a program may be cut into steps, each of which hands several arrays to the next ones, as those of a recurrence do.

A *level* is the number of long reductions that follow a node, one computed of the other. The nodes before a level hand those after it what these
read of them. Where equal arrays are handed on at many levels, the program is cut there: of several such families of levels, at the one
that hands on the least.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod

from eqsat.ops import ALONG_AXES, ALU, MOVEMENT, Op
from eqsat.schedule.takes import Takes, is_long, takes_of
from eqsat.shape import Shape
from eqsat.uop import UOp

FEWEST = 3  # levels at which a program is cut, if at any
Family = tuple[tuple[Shape, str], ...]


class Steps:
    """The levels of a program, and what each hands on.

    Attributes:
        level: of each node.
        cuts: levels at which the program may be cut, the last of its steps first.
    """

    def __init__(
        self,
        order: Sequence[UOp],
        readers: Callable[[UOp], Sequence[UOp]],
        given: Collection[UOp],
    ) -> None:
        """`order` has the nodes each after its sources, the SINK last; what is `given` needs not be handed on."""
        self._order, self._readers, self._given = order[:-1], readers, given
        self.level = {order[-1]: 0}
        self._find_levels()
        self.cuts = self._found()

    def _find_levels(self) -> None:
        inner: dict[
            UOp, int
        ] = {}  # nodes that are computed for a reduction alone, and how many elements that has
        for node in reversed(self._order):
            readers = self._readers(node)
            sizes = [size for each in readers if (size := self._reduced(each, inner)) is not None]
            is_inner = len(sizes) == len(readers) and (
                node.op in MOVEMENT or (node.op in ALU and _size(node) >= max(sizes))
            )
            if is_inner:
                inner[node] = max(sizes)
            self.level[node] = max(
                self.level[each] + (not is_inner and self._reduced(each, inner) is not None)
                for each in readers
            )

    def _reduced(self, reader: UOp, inner: Mapping[UOp, int]) -> int | None:
        """Of how many elements what a node reads is one of a long reduction; None if it is not."""
        if reader in inner:
            return inner[reader]
        return _size(reader.src[0]) if reader.op in ALONG_AXES and is_long(reader) else None

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
        frequent = [family for family, levels in families.items() if len(levels) >= max(FEWEST, most - 1)]
        if not frequent:
            return []
        return sorted(families[min(frequent, key=_elements)])

    def _worth_storing(self) -> set[UOp]:
        """The arrays whose elements take more than a sum that may be taken in another order."""
        found: set[UOp] = set()
        takes: dict[UOp, Takes] = {}
        for node in self._order:
            below = max((takes[source] for source in node.src), default=Takes.LITTLE)
            takes[node] = below if node.op is Op.SHRINK else takes_of(node, below)
            if takes[node] is Takes.MORE or (takes[node] is Takes.SUM and len(self._readers(node)) > 1):
                found.add(node)
        return found

    def step(self, node: UOp, cuts: Sequence[int]) -> int:
        """The number of the step that computes a node, if the program is cut at these levels; the last one has 0."""
        return bisect_right(cuts, self.level[node])

    def handed_on(self, cuts: Sequence[int]) -> list[UOp]:
        """What steps compute and later ones read, each after what it is made of."""
        found = {
            stored(node)
            for node in self._order
            if node not in self._given
            and any(self.step(node, cuts) > self.step(reader, cuts) for reader in self._readers(node))
        }
        return [node for node in self._order if node in found]


def stored(node: UOp) -> UOp:
    """What is stored so that a node may be read: of a view, what it is one of."""
    while node.op in MOVEMENT:
        (node,) = node.src
    return node


def _elements(family: Family) -> int:
    return sum(prod(shape) for shape, _ in family)


def _size(node: UOp) -> int:
    return prod(node.shape or ())
