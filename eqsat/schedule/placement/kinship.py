"""Which variants of a kernel are one kernel in other words, and which differ in arithmetic alone.

Rules write a value in many ways: a movement before an operation or after it, a factor inside a sum or outside. Movements are arithmetic of indices,
and a sum takes in a product whether these are one e-node or two, so variants that differ in this alone are the same kernel. Those that differ in
`ARITHMETIC` of the same floats, too, have all else in common that costs: loads and stores, reductions, functions, local memory. What that
takes is a lower bound for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.ops import AT_HAND, AXES_REDUCED, Op
from eqsat.schedule.cost.operations import ARITHMETIC
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import LOADED, STAGED, Cone
from eqsat.schedule.placement.writing import operands_first

Frame = frozenset[int]  # of a value: the values that arithmetic makes it of, by number


class Kin(NamedTuple):
    """What a variant has in common with its kin: `kernel` is that of the same kernel, `frame` that of those that differ in arithmetic."""

    kernel: Hashable
    frame: Hashable


class _Does(NamedTuple):
    """What a node does: its operation, None of loads, whether that is done to floats of one dtype, and a number for all of it."""

    op: Op | None
    is_of_one_float: bool
    number: int


@dataclass(eq=False)
class Kinship:
    """The kin of the variants of one cone.

    Attributes:
        numbers: of what was seen so far.
        nodes: those that were seen.
    """

    graph: ArrayGraph
    cone: Cone
    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    nodes: dict[int, _Does] = field(default_factory=dict[int, _Does])

    def of(self, inside: Mapping[int, int]) -> Kin:
        """Of the variant that has these nodes."""
        same: dict[int, int] = {}
        frames: dict[int, Frame] = {}
        leaves: list[int] = []
        readers = Counter(chain.from_iterable(self.cone.rows[node] for node in inside.values()))
        for owner, node in operands_first(self.cone, inside):
            row = self.cone.rows[node]
            op, is_of_one_float, what = does = self._does(node)
            if op in MOVES and op is not Op.PAD and row:
                same[owner], frames[owner] = same[row[0]], frames[row[0]]
                continue
            below = row if op is not None or self.cone.ways[node].node == STAGED else []
            fused = self._fused(does, below, inside, readers)
            written = [same[each] for each in fused or below]
            same[owner] = self._number((Op.MULACC if fused else what, *written))
            if op in AT_HAND:
                frames[owner] = frozenset()
            elif op in ARITHMETIC and is_of_one_float:
                frames[owner] = frozenset(chain.from_iterable([frames[each] for each in below]))
            else:
                leaves.append(self._number((None, what, *[frames[each] for each in below])))
                frames[owner] = frozenset(leaves[-1:])
        roots = self.cone.roots
        return Kin(tuple(same[root] for root in roots), (*sorted(leaves), *(frames[root] for root in roots)))

    def _fused(
        self, does: _Does, below: Sequence[int], inside: Mapping[int, int], readers: Mapping[int, int]
    ) -> Sequence[int]:
        """The operands of a product that nothing but a sum reads, and what is added to it; none of all else."""
        if does.op not in (Op.MULACC, Op.ADD) or not does.is_of_one_float:
            return ()
        for place, each in enumerate(below) if does.op is Op.ADD else ():
            if readers[each] == 1 and self._does(inside[each]).op is Op.MUL:
                return *self.cone.rows[inside[each]], below[1 - place]
        return below if does.op is Op.MULACC else ()

    def _number(self, what: Hashable) -> int:
        return self.numbers.setdefault(what, len(self.numbers))

    def _does(self, node: int) -> _Does:
        if node not in self.nodes:
            way = self.cone.ways[node].node
            op = self.graph.term(way).op if way >= 0 else None
            self.nodes[node] = _Does(op, self._is_of_one_float(node), self._number(self._what(node)))
        return self.nodes[node]

    def _what(self, node: int) -> Hashable:
        """What a node does with its operands. Arithmetic does it wherever it is; a reduction, in its loops; all else, at one index map."""
        cone = self.cone
        owner, way, row, places = cone.owner[node], cone.ways[node], cone.rows[node], cone.places
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

    def _is_of_one_float(self, node: int) -> bool:
        """Whether the class of a node and its operands are floats of one dtype."""
        if self.cone.ways[node].node < 0:
            return False
        places = [self.cone.places[each][0] for each in (self.cone.owner[node], *self.cone.rows[node])]
        types = {self.graph.snapshot.class_dtype[c] for c in places}
        return len(types) == 1 and all(isinstance(each, DType) and each.is_float for each in types)
