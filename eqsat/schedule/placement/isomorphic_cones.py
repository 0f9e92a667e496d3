"""Cones of one structure are built once; the others are copies of the first one with other e-classes, e-nodes and buffers.

The classes and nodes that a cone has for an e-class depend on its shape, its e-nodes and whether it may be stored, not on its number. So two
cones differ only in these numbers where the e-classes that they compute correspond one by one, down to the e-classes that the first one only
loads. The layers of a network have the same kernels, and copying their cones takes a fraction of the time that building does.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from eqsat.ops import Op
from eqsat.schedule.placement.array_graph import SAME_ORDER
from eqsat.schedule.placement.cone import READ, Cone, NodeKind

if TYPE_CHECKING:
    from eqsat.schedule.placement.cone_builder import ConeBuilder

MOST_COMPARED = 32  # cones of one key that are compared; the last ones are the likeliest to be alike
LEVELS = 4  # depth below the stored e-classes to which their kinds are part of the key
SAME_CYCLES = 1e-9  # relative difference of equal cycles, which may be summed in another order


class Pattern(NamedTuple):
    """A cone that was built, and the e-classes that it may compute. It only loads its other e-classes."""

    cone: Cone
    computed: frozenset[int]


@dataclass(eq=False)
class Renaming:
    """The e-classes, e-nodes and buffers that take the place of those of another cone."""

    classes: dict[int, int] = field(default_factory=dict[int, int])
    nodes: dict[int, int] = field(default_factory=dict[int, int])
    buffers: dict[int, int] = field(default_factory=dict[int, int])

    def apply(self, cone: Cone) -> Cone:
        """A copy of a cone with these in it."""
        classes, buffers = self.classes, self.buffers
        return replace(
            cone,
            stores=tuple(classes[c] for c in cone.stores),
            kinds=[self._renamed(kind) for kind in cone.kinds],
            reads=[buffers[each] if each >= 0 else each for each in cone.reads],
            elements=[(buffers[c] if at == READ else classes[c], at) for c, at in cone.elements],
            copied={classes[c] for c in cone.copied},
            copied_alone={classes[c] for c in cone.copied_alone},
            reread=cone.reread,
            pattern=cone,
            renamed=buffers,
        )

    def _renamed(self, kind: NodeKind) -> NodeKind:
        if kind.node == READ:
            return NodeKind(self.buffers[kind.c], READ)
        return NodeKind(self.classes[kind.c], self.nodes.get(kind.node, kind.node), kind.staged)


@dataclass(eq=False)
class IsomorphicCones:
    """The cones that were built from one e-graph, filed by the kinds of the e-classes that they store.

    Attributes:
        builder: the builder of the cones.
        built: the cones of each key, as `_key` gives it.
        kinds: a number for each description of an e-class, and for each combination of kinds.
        kind: the kind of each e-class.
        below: the kind of each e-class with those below it, by e-class and number of levels.
    """

    builder: ConeBuilder
    built: dict[tuple[int, ...], list[Pattern]] = field(default_factory=dict[tuple[int, ...], list[Pattern]])
    kinds: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    kind: dict[int, int] = field(default_factory=dict[int, int])
    below: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])

    def note(self, cone: Cone) -> None:
        """Remembers a cone unless it gathers elements: its index maps then refer to e-classes, which renaming would leave as they are."""
        graph = self.builder.graph
        nodes = {kind.node for kind in cone.kinds if kind.node >= 0}
        if any(graph.term(node).op is Op.INDEX for node in nodes):
            return
        computed = frozenset(kind.c for kind in cone.kinds if kind.node >= 0)
        self.built.setdefault(self._key(cone.stores), []).append(Pattern(cone, computed))

    def find(self, stores: Sequence[int]) -> Cone | None:
        """The cone that stores these e-classes, as a copy of one of the same structure; None if no such cone was built."""
        known = self.built.get(self._key(stores), ())
        for pattern in reversed(known[-MOST_COMPARED:]):
            renaming = self._renaming(pattern, stores)
            if renaming is not None:
                return renaming.apply(pattern.cone)
        return None

    def _key(self, stores: Sequence[int]) -> tuple[int, ...]:
        """The key of a cone, which cones of one structure share."""
        return tuple(self._kind_with_below(c, LEVELS) for c in stores)

    def _kind_with_below(self, c: int, levels: int) -> int:
        """A number for the kinds of an e-class and of those below it, so many levels down or to the first that may be loaded."""
        graph = self.builder.graph
        if not levels or c in graph.inputs:
            return self._kind_of(c)
        if (c, levels) not in self.below:
            below = tuple(
                self._kind_with_below(each, 0 if graph.buffer[each] in self.builder.buffers else levels - 1)
                for node in graph.nodes[c]
                for each in graph.rows[node]
            )
            self.below[c, levels] = self.kinds.setdefault((self._kind_of(c), below), len(self.kinds))
        return self.below[c, levels]

    def _renaming(self, pattern: Pattern, stores: Sequence[int]) -> Renaming | None:
        """The renaming from a pattern to the cone that stores these e-classes; None if the structures differ."""
        graph, found = self.builder.graph, Renaming()
        classes, buffers = found.classes, found.buffers
        stack = list(zip(pattern.cone.stores, stores, strict=True))
        while stack:
            c, other = stack.pop()
            if c in classes:
                if classes[c] != other:
                    return None
                continue
            classes[c] = other
            if buffers.setdefault(graph.buffer[c], graph.buffer[other]) != graph.buffer[other]:
                return None
            if not self._are_alike(c, other):
                return None
            if c in pattern.computed:
                for node, similar in zip(graph.nodes[c], graph.nodes[other], strict=True):
                    found.nodes[node] = similar
                    stack += zip(graph.rows[node], graph.rows[similar], strict=True)
        is_one_to_one = all(len(set(each.values())) == len(each) for each in (classes, buffers))
        return found if is_one_to_one else None

    def _are_alike(self, c: int, other: int) -> bool:
        """Whether cones treat both e-classes alike, their operands aside. Cycles matter only where the builder asked for them."""
        if self._kind_of(c) != self._kind_of(other):
            return False
        costs = self.builder.costs
        return not costs.is_weighed(c) or (
            isclose(costs.cycles(c), costs.cycles(other), rel_tol=SAME_CYCLES)
            and costs.is_costly(c) == costs.is_costly(other)
        )

    def _kind_of(self, c: int) -> int:
        """A number for all properties of an e-class that cones depend on, its operands aside."""
        if c not in self.kind:
            self.kind[c] = self.kinds.setdefault(self._description(c), len(self.kinds))
        return self.kind[c]

    def _description(self, c: int) -> Hashable:
        builder = self.builder
        graph, candidates = builder.graph, builder.candidates
        cheapest = graph.cheapest[c]
        op, row = graph.term(cheapest).op, graph.rows[cheapest]
        is_input = c in graph.inputs
        return (
            graph.shapes[c],
            graph.snapshot.class_dtype[c],
            is_input,
            c in graph.constants,
            c in graph.movements,
            c in candidates.storable,
            c in candidates.must_store,
            c in candidates.pair_members,
            graph.buffer[c] in builder.buffers,
            op in SAME_ORDER and row[0] in graph.inputs,
            bool(row) and graph.buffer[row[0]] == graph.buffer[c],
            None if is_input else graph.nodes[c].index(cheapest),
            None if is_input else tuple(map(self._node, graph.nodes[c])),
        )

    def _node(self, node: int) -> Hashable:
        """The term of an e-node, the types of its operands, and its cycles."""
        graph = self.builder.graph
        types = tuple(graph.snapshot.class_dtype[each] for each in graph.rows[node])
        return graph.term(node), types, graph.cycles(node)
