"""A snapshot without some of its nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate, chain

import numpy as np

from eqsat.egraph.snapshot.snapshot import Int, Snapshot
from eqsat.egraph.snapshot.structural_order import OrderKey, ranks
from eqsat.support.reachability import reachable


def without(snapshot: Snapshot, nodes: Collection[int]) -> Snapshot:
    """The part of a snapshot that its roots reach without these nodes; classes of the same height stay in their order."""
    left = [node for node in range(len(snapshot.terms)) if node not in nodes]
    rows = {node: snapshot.operands(node) for node in left}
    reached = _reached(snapshot, rows)
    owner = snapshot.node_class.tolist()
    rank = ranks([OrderKey(owner[n], (owner[n],), tuple(rows[n]), True) for n in left if owner[n] in reached])
    kept = [node for node in left if owner[node] in rank and all(each in rank for each in rows[node])]
    kept.sort(key=lambda node: (rank[owner[node]], node))
    classes = sorted(rank, key=rank.__getitem__)
    node_class = np.array([rank[owner[node]] for node in kept], np.int64)
    return Snapshot(
        tuple(snapshot.terms[node] for node in kept),
        node_class,
        _ints(accumulate((len(rows[node]) for node in kept), initial=0)),
        _ints(rank[each] for each in chain.from_iterable(rows[node] for node in kept)),
        _ints(rank[root] for root in snapshot.root_classes.tolist()),
        np.searchsorted(node_class, np.arange(len(classes) + 1)),
        tuple(snapshot.class_dtype[c] for c in classes),
        tuple(snapshot.class_shape[c] for c in classes),
        snapshot.lo[classes],
        snapshot.hi[classes],
    )


def _reached(snapshot: Snapshot, rows: dict[int, list[int]]) -> set[int]:
    """The classes that the roots reach through the nodes in `rows`, which maps each node to its operands."""
    start: list[int] = snapshot.class_start.tolist()

    def operands(c: int) -> Iterator[int]:
        return chain.from_iterable(rows[node] for node in range(*start[c : c + 2]) if node in rows)

    return set(reachable(snapshot.root_classes.tolist(), operands))


def _ints(values: Iterable[int]) -> Int:
    return np.array(list(values), np.int64)
