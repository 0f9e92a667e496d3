"""What it takes to compute one element of an e-class, to judge whether computing it repeatedly may be worth it."""

from __future__ import annotations

from eqsat.ops import ALONG_AXES, ALU, Op
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.staging import COSTLY, COSTLY_OF_INPUTS


class ElementCosts:
    """The costs of elements, found when they are asked for."""

    def __init__(self, graph: ArrayGraph, candidates: StorageCandidates) -> None:
        self.graph, self.candidates = graph, candidates
        self._cycles: dict[int, float] = {}
        self._of_inputs: dict[int, bool] = {}

    def cycles(self, c: int) -> float:
        """Approximate cycles for a vector register of elements of `c`, if all values that can be stored or moved out of loops are available."""
        if c not in self._cycles:
            self._cycles[c] = self._counted(c)
        return self._cycles[c]

    def is_weighed(self, c: int) -> bool:
        """Whether `cycles` of an e-class was asked for."""
        return c in self._cycles

    def is_costly(self, c: int) -> bool:
        """Whether staging an e-class may be worth it. Less work suffices for values of inputs alone, such as panels, which are packed as well."""
        cycles = self.cycles(c) * self.graph.machine.units
        return cycles >= COSTLY or (cycles >= COSTLY_OF_INPUTS and self._is_of_inputs(c))

    def _is_of_inputs(self, c: int) -> bool:
        """Whether an e-class is computed only from elements of inputs, constants and indices."""
        graph, known = self.graph, self._of_inputs
        pending = [c]
        while pending:  # chains may be longer than Python's stack
            each = pending[-1]
            node = graph.cheapest[each]
            op = graph.term(node).op
            is_given = each in graph.inputs | graph.constants or op is Op.BUFFERIZE
            operands = graph.rows[node] if op in ALU | MOVES and not is_given else ()
            if unknown := [operand for operand in operands if operand not in known]:
                pending += unknown
                continue
            known[each] = is_given or (op in ALU | MOVES and all(known[operand] for operand in operands))
            pending.pop()
        return known[c]

    def _counted(self, c: int) -> float:
        graph, total, seen = self.graph, 0.0, {c}
        stack = [(graph.cheapest[c], 1)]
        while stack:
            node, times = stack.pop()
            term, row = graph.term(node), graph.rows[node]
            if term.op in ALONG_AXES:
                times = times * graph.sizes[row[0]] // max(1, graph.sizes[graph.owner[node]])
                total += times * graph.machine.cycles(term.arg[0], term.dtype)
            total += times * graph.cycles(node)
            if term.op is not Op.EXPAND:
                below = set(row) - seen - self.candidates.storable - graph.inputs
                seen |= below
                stack += [(graph.cheapest[each], times) for each in below]
        return total
