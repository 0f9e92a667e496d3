"""Which variants of a kernel are the same kernel written differently, and which differ only in arithmetic.

Rules write a value in many ways: a movement before an operation or after it, a factor inside a sum or outside. Movements are only index
arithmetic. A sum fuses with a product, whether the two are one e-node or two, and with either one if it adds two products. Variants that
differ only in this are the same kernel. Variants that also differ in `ARITHMETIC` of the same floats share all else that has a cost: loads
and stores, reductions, functions, local memory. The cost of these is a lower bound for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.ops import ALU, AT_HAND, AXES_REDUCED, Op
from eqsat.schedule.cost.operations import ARITHMETIC
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import LOADED, STAGED, Cone
from eqsat.schedule.placement.writing import operands_first

SUMS = frozenset({Op.ADD, Op.MULACC})

Frame = frozenset[int]  # the numbers of the values from which arithmetic alone computes a value


class VariantKeys(NamedTuple):
    """What to compare variants by: those of equal `kernel` are one kernel and have one price, those of equal `frame` differ only in arithmetic."""

    kernel: Hashable
    frame: Hashable


class _Operation(NamedTuple):
    """The operation of a node of a cone, as far as a comparison of two variants regards it.

    Attributes:
        op: its operation; None if it loads.
        is_of_one_float: whether its result and operands are floats of one dtype.
        number: identifies operation and attributes; nodes of equal numbers compute the same function of their operands.
    """

    op: Op | None
    is_of_one_float: bool
    number: int


@dataclass(eq=False)
class VariantComparison:
    """Compares the variants of one cone.

    Attributes:
        numbers: a number for each description that was met so far.
        nodes: what each node does, of those that were met so far.
    """

    graph: ArrayGraph
    cone: Cone
    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    nodes: dict[int, _Operation] = field(default_factory=dict[int, _Operation])

    def keys(self, inside: Mapping[int, int]) -> VariantKeys:
        """The keys of the variant with these nodes."""
        same: dict[int, int] = {}
        frames: dict[int, Frame] = {}
        leaves: list[int] = []
        readers = Counter(chain.from_iterable(self.cone.rows[node] for node in inside.values()))
        for owner, node in operands_first(self.cone, inside):
            row = self.cone.rows[node]
            op, is_of_one_float, what = self._operation(node)
            if op in MOVES and op is not Op.PAD and row:
                same[owner], frames[owner] = same[row[0]], frames[row[0]]
                continue
            below = row if op is not None or self.cone.kinds[node].node == STAGED else []
            written = [same[each] for each in below]
            if is_of_one_float and op in SUMS:
                products = [k for k, each in enumerate(below) if self._is_own_product(each, inside, readers)]
                if products or op is Op.MULACC:
                    what, written = Op.MULACC, self._terms(node, written, products)
            same[owner] = self._number((what, *written))
            if op in AT_HAND:
                frames[owner] = frozenset()
            elif op in ARITHMETIC and is_of_one_float:
                frames[owner] = frozenset(chain.from_iterable([frames[each] for each in below]))
            else:
                leaves.append(self._number((None, what, *[frames[each] for each in below])))
                frames[owner] = frozenset(leaves[-1:])
        roots = self.cone.roots
        return VariantKeys(
            tuple(same[root] for root in roots), (*sorted(leaves), *(frames[root] for root in roots))
        )

    def _is_own_product(self, owner: int, inside: Mapping[int, int], readers: Mapping[int, int]) -> bool:
        """Whether a class is a product that only one node reads."""
        return readers[owner] == 1 and self._operation(inside[owner]).op is Op.MUL

    def _terms(self, node: int, written: Sequence[int], products: Sequence[int]) -> list[int]:
        """The operands of a sum that fuses with a product: that product, then the addend. Two products that nothing else reads are sorted."""
        term = self.graph.term(self.cone.kinds[node].node)
        if term.op is Op.MULACC:
            left, right, added = written
            product = self._number((self._number(term._replace(op=Op.MUL)), left, right))
            return sorted([product, added]) if 2 in products else [product, added]
        first = products[0]
        return sorted(written) if len(products) == 2 else [written[first], written[1 - first]]

    def _number(self, what: Hashable) -> int:
        return self.numbers.setdefault(what, len(self.numbers))

    def _operation(self, node: int) -> _Operation:
        if node not in self.nodes:
            enode = self.cone.kinds[node].node
            op = self.graph.term(enode).op if enode >= 0 else None
            self.nodes[node] = _Operation(op, self._is_of_one_float(node), self._number(self._function(node)))
        return self.nodes[node]

    def _function(self, node: int) -> Hashable:
        """Returns a hashable description of the function that a node computes of its operands.

        Elementwise operations are equal at all index maps, and reductions at equal index maps. All else is equal only in one class.
        """
        cone = self.cone
        owner, kind, row, places = cone.owner[node], cone.kinds[node], cone.rows[node], cone.elements
        if kind.node == LOADED:
            return LOADED, owner
        if kind.node == STAGED:
            return STAGED, owner, row[0]
        term = self.graph.term(kind.node)
        if term.op in ALU or term.op in AT_HAND:
            return term
        if term.op in AXES_REDUCED and row:
            return term.op, term.arg[0], term.dtype, places[owner][1], places[row[0]][1]
        return term, owner

    def _is_of_one_float(self, node: int) -> bool:
        """Whether the result of a node and its operands are floats of one dtype."""
        if self.cone.kinds[node].node < 0:
            return False
        places = [self.cone.elements[each][0] for each in (self.cone.owner[node], *self.cone.rows[node])]
        types = {self.graph.snapshot.class_dtype[c] for c in places}
        return len(types) == 1 and all(isinstance(each, DType) and each.is_float for each in types)
