"""Drops the parts of scans and scatters, for devices that gain nothing from parts.

An e-graph has long scans, and scatters to many positions, also in parts that work-items compute side by side. A graphics card needs parts. The
few cores of a processor do not wait for each step, so that parts are dropped for them before kernels are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.egraph.snapshot.without import without
from eqsat.ops import Op
from eqsat.schedule.placement.array_graph import IN_ORDER


def without_parts(snapshot: Snapshot) -> Snapshot:
    """The e-graph without the e-nodes that compute an array in parts, if others compute it as a whole."""
    needless: set[int] = set()
    is_whole = [term.op in IN_ORDER for term in snapshot.terms]
    for whole in set(snapshot.node_class[is_whole].tolist()):
        for node, reshaped in _gathered(snapshot, whole):
            if parts := _parts(snapshot, whole, reshaped):
                needless |= {node, *parts}
    return without(snapshot, needless) if needless else snapshot


def _gathered(snapshot: Snapshot, whole: int) -> Iterator[tuple[int, int]]:
    """The e-nodes by which an e-class reshapes another one or cuts it off, each with the e-class that is reshaped or cut off."""
    for node in _nodes(snapshot, whole):
        if snapshot.terms[node].op in (Op.RESHAPE, Op.SHRINK):
            (source,) = snapshot.operands(node)
            yield node, source
            if snapshot.terms[node].op is Op.SHRINK:
                yield from ((node, reshaped) for _, reshaped in _gathered(snapshot, source))


def _parts(snapshot: Snapshot, whole: int, reshaped: int) -> list[int]:
    """The e-nodes that compute `reshaped` in parts of `whole`: a scatter to fewer positions, or a sum with scans of fewer elements."""
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
    """The number of elements along the axis of each scan or scatter of an e-class."""
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
