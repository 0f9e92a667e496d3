"""Which variants of a kernel are one kernel in other words, and which differ in arithmetic alone.

Rules write a value in many ways: a movement before an operation or after it, a factor inside a sum or outside. Movements are arithmetic of indices,
so variants that differ in these alone are the same kernel. Those that differ in `ARITHMETIC` of the same floats, too, have all else in common
that costs: loads and stores, reductions, functions, local memory. What that takes is a lower bound for all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.ops import AT_HAND, AXES_REDUCED, Op
from eqsat.schedule.cost.profile import ARITHMETIC
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import LOADED, STAGED, Cone
from eqsat.schedule.placement.writing import operands_first

Frame = frozenset[int]  # of a value: the values that arithmetic makes it of, by number


class Kin(NamedTuple):
    """What a variant has in common with its kin: `kernel` is that of the same kernel, `frame` that of those that differ in arithmetic."""

    kernel: Hashable
    frame: Hashable


@dataclass(eq=False)
class Kinship:
    """The kin of the variants of one cone.

    Attributes:
        numbers: of what was seen so far.
    """

    graph: ArrayGraph
    cone: Cone
    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])

    def of(self, inside: Mapping[int, int]) -> Kin:
        """Of the variant that has these nodes."""
        same: dict[int, int] = {}
        frames: dict[int, Frame] = {}
        leaves: list[int] = []
        for owner, node in operands_first(self.cone, inside):
            way, row = self.cone.ways[node], self.cone.rows[node]
            op = self.graph.term(way.node).op if way.node >= 0 else None
            if op in MOVES and op is not Op.PAD and row:
                same[owner], frames[owner] = same[row[0]], frames[row[0]]
                continue
            what = self._what(owner, node)
            below = () if way.node == LOADED else tuple(row)
            same[owner] = self._number((what, *(same[each] for each in below)))
            if op in AT_HAND:
                frames[owner] = frozenset()
            elif op in ARITHMETIC and self._is_of_one_float(owner, below):
                frames[owner] = frozenset(chain.from_iterable(frames[each] for each in below))
            else:
                leaves.append(self._number(("leaf", what, *(frames[each] for each in below))))
                frames[owner] = frozenset(leaves[-1:])
        roots = self.cone.roots
        return Kin(tuple(same[root] for root in roots), (*sorted(leaves), *(frames[root] for root in roots)))

    def _number(self, what: Hashable) -> int:
        return self.numbers.setdefault(what, len(self.numbers))

    def _what(self, owner: int, node: int) -> Hashable:
        """What a node does with its operands. Arithmetic does it wherever it is; a reduction, in its loops; all else, at one index map."""
        way, row, places = self.cone.ways[node], self.cone.rows[node], self.cone.places
        if way.node == LOADED:
            return LOADED, owner
        if way.node == STAGED:
            return STAGED, owner, row[0]
        term = self.graph.term(way.node)
        if term.op in ARITHMETIC or term.op in AT_HAND:
            return term
        if term.op in AXES_REDUCED and row:
            return term.op, term.arg[0], term.dtype, places[owner][1], places[row[0]][1]
        return term, owner

    def _is_of_one_float(self, owner: int, below: tuple[int, ...]) -> bool:
        """Whether a class and its operands are floats of one dtype."""
        types = {self.graph.snapshot.class_dtype[self.cone.places[each][0]] for each in (owner, *below)}
        return len(types) == 1 and all(isinstance(each, DType) and each.is_float for each in types)
