"""Values that serve as indices, as expressions over loops, such as the indices of a gather."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.dtype import index
from eqsat.ops import Op
from eqsat.schedule.lowering.index_arithmetic import ARITHMETIC, flatten_index, simplified
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.index_maps import IndexMaps
from eqsat.schedule.placement.writing import formula
from eqsat.uop import UOp

Place = tuple[int, int]  # an e-class, at an index map


def index_value(graph: ArrayGraph, maps: IndexMaps, c: int, at: int) -> UOp:
    """The element of an e-class at an index map: an expression over loops and variables, with LOADs of values that only the kernel knows."""
    found: dict[Place, UOp] = {}
    pending = [(c, at)]
    while pending:
        place = pending[-1]
        operands = _operands(graph, maps, *place)
        missing = [each for each in operands if each not in found]
        if missing:
            pending += missing
            continue
        found[pending.pop()] = _value(graph, maps, *place, [found[each] for each in operands])
    return found[c, at]


def _operands(graph: ArrayGraph, maps: IndexMaps, c: int, at: int) -> list[Place]:
    """The elements from which an index is computed by a movement or by index arithmetic; empty for other values."""
    if c in graph.constants:
        return []
    term, row = graph.term(graph.cheapest[c]), graph.rows[graph.cheapest[c]]
    if term.op in MOVES - {Op.PAD}:
        return [(row[0], maps.moved(term.op, term.arg, graph.shapes[row[0]], at))]
    is_arithmetic = term.op in ARITHMETIC and graph.snapshot.class_dtype[c] is index
    return [(each, at) for each in row] if is_arithmetic else []


def _value(graph: ArrayGraph, maps: IndexMaps, c: int, at: int, operands: Sequence[UOp]) -> UOp:
    """The value of an index, given the values of its operands."""
    term = graph.term(graph.cheapest[c])
    if c in graph.constants:
        return UOp(term.op, index, (), term.arg)
    if operands:
        return simplified(UOp(term.op, index, tuple(operands))) if term.op in ARITHMETIC else operands[0]
    if term.op is Op.BUFFERIZE and graph.snapshot.class_dtype[c] is index:
        value, *loops = formula(graph, c).src
        return value.substitute(dict(zip(loops, maps.by_number[at][0], strict=True)))
    flat = flatten_index(maps.by_number[at][0], graph.shapes[c])
    buffer = UOp.param(c, max(1, graph.sizes[c]), index)
    return UOp(Op.LOAD, index, (UOp(Op.INDEX, index, (buffer, flat)),))
