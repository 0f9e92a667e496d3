"""Scans and scatters as a whole, for devices on which parts of them bring nothing.

An e-graph has long scans, and scatters to many positions, also in parts that work-items carry out side by side. A graphics card needs these. A
core of a processor does not wait for each step, and has few neighbours: for it they are left out before kernels are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.egraph.snapshot.without import without
from eqsat.ops import Op
from eqsat.schedule.placement.array_graph import IN_ORDER


def without_parts(snapshot: Snapshot) -> Snapshot:
    """The e-graph without what computes an array in parts that it computes as a whole, too."""
    needless: set[int] = set()
    is_whole = [term.op in IN_ORDER for term in snapshot.terms]
    for whole in set(snapshot.node_class[is_whole].tolist()):
        for node, reshaped in _gathered(snapshot, whole):
            if parts := _parts(snapshot, whole, reshaped):
                needless |= {node, *parts}
    return without(snapshot, needless) if needless else snapshot


def _gathered(snapshot: Snapshot, whole: int) -> Iterator[tuple[int, int]]:
    """E-nodes by which an e-class is another one in another shape, maybe without its end, and the other one."""
    for node in _nodes(snapshot, whole):
        if snapshot.terms[node].op in (Op.RESHAPE, Op.SHRINK):
            (source,) = snapshot.operands(node)
            yield node, source
            if snapshot.terms[node].op is Op.SHRINK:
                yield from ((node, reshaped) for _, reshaped in _gathered(snapshot, source))


def _parts(snapshot: Snapshot, whole: int, reshaped: int) -> list[int]:
    """The e-nodes that compute a reshaped array in parts: as a scatter to fewer positions, or a sum with scans of fewer elements."""
    longest = max(_extents(snapshot, whole))

    def is_part(node: int) -> bool:
        match snapshot.terms[node].op:
            case Op.SCATTER_AXIS:
                return _extent(snapshot, node) < longest
            case Op.ADD:
                scanned = (_extents(snapshot, each) for each in snapshot.operands(node))
                return any(extent < longest for extent in chain.from_iterable(scanned))
            case _:
                return False

    return [node for node in _nodes(snapshot, reshaped) if is_part(node)]


def _extents(snapshot: Snapshot, c: int) -> Iterator[int]:
    """How many elements follow each other in each scan or scatter of an e-class."""
    for node in _nodes(snapshot, c):
        if snapshot.terms[node].op in IN_ORDER:
            yield _extent(snapshot, node)


def _extent(snapshot: Snapshot, node: int) -> int:
    shape = snapshot.class_shape[snapshot.operands(node)[0]]
    assert shape is not None, "what is scanned or scattered is an array"
    axis: int = snapshot.terms[node].arg[1][0]
    return shape[axis]


def _nodes(snapshot: Snapshot, c: int) -> range:
    return range(*snapshot.class_start[c : c + 2].tolist())
