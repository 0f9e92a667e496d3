"""The snapshot of a graph that is too large to saturate within its budget: the graph itself, with one e-node in each e-class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eqsat.egraph.snapshot.snapshot import UNKNOWN_HI, UNKNOWN_LO, Snapshot, Term
from eqsat.egraph.tables.encode import operands_of, ordered
from eqsat.support.disjoint_sets import DisjointSets
from eqsat.uop import UOp


def snapshot_as_written(roots: Sequence[UOp], equalities: Sequence[tuple[UOp, UOp]] = ()) -> Snapshot:
    """The snapshot before any rule has run, built without egglog: each node is an e-class, and the two sides of an equality share one."""
    owner = _classes(ordered([*roots, *(side for pair in equalities for side in pair)]), equalities)
    order = sorted(owner, key=owner.__getitem__)
    operands = [operands_of(node) for node in order]
    node_class = np.array([owner[node] for node in order], np.int64)
    first = np.flatnonzero(np.diff(node_class, prepend=-1))
    return Snapshot(
        terms=tuple(
            Term(node.op, node.dtype, node.arg, node.src[len(own) :])
            for node, own in zip(order, operands, strict=True)
        ),
        node_class=node_class,
        child_start=np.cumsum([0, *map(len, operands)], dtype=np.int64),
        children=np.array([owner[source] for own in operands for source in own], np.int64),
        root_classes=np.array([owner[root] for root in roots], np.int64),
        class_start=np.append(first, len(order)),
        class_dtype=tuple(order[node].dtype for node in first.tolist()),
        class_shape=tuple(order[node].shape for node in first.tolist()),
        lo=np.full(len(first), UNKNOWN_LO),
        hi=np.full(len(first), UNKNOWN_HI),
    )


def _classes(nodes: Sequence[UOp], equalities: Sequence[tuple[UOp, UOp]]) -> dict[UOp, int]:
    """The class of each node. Classes are numbered in the order of their first nodes."""
    sets = DisjointSets(nodes)
    for left, right in equalities:
        sets.merge(left, right)
    numbers: dict[UOp, int] = {}
    return {node: numbers.setdefault(sets.representative(node), len(numbers)) for node in nodes}
