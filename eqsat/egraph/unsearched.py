"""The snapshot of a graph that is too large to search within its budget: the graph itself, one node to a class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eqsat.egraph.encode import operands_of, ordered
from eqsat.egraph.snapshot import UNKNOWN_HI, UNKNOWN_LO, Snapshot, Term
from eqsat.uop import UOp


def snapshot_as_written(roots: Sequence[UOp]) -> Snapshot:
    """What saturation gives before any rule has run, without egglog; the only extraction is the graph."""
    order = ordered(roots)
    number = {node: position for position, node in enumerate(order)}
    operands = [operands_of(node) for node in order]
    count = len(order)
    return Snapshot(
        terms=tuple(
            Term(node.op, node.dtype, node.arg, node.src[len(own) :])
            for node, own in zip(order, operands, strict=True)
        ),
        node_class=np.arange(count, dtype=np.int64),
        child_start=np.cumsum([0, *map(len, operands)], dtype=np.int64),
        children=np.array([number[source] for own in operands for source in own], np.int64),
        root_classes=np.array([number[root] for root in roots], np.int64),
        class_start=np.arange(count + 1, dtype=np.int64),
        class_dtype=tuple(node.dtype for node in order),
        class_shape=tuple(node.shape for node in order),
        lo=np.full(count, UNKNOWN_LO),
        hi=np.full(count, UNKNOWN_HI),
    )
