"""Lower bounds on the seconds of a kernel's variants, of whole and of partial choices of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np
from numpy.typing import NDArray

from eqsat.schedule.cost.estimates import NOT_HIDDEN
from eqsat.schedule.placement.cone import STAGED, Cone, Floats


def lower_bound_of(cone: Cone, needs: Floats) -> float:
    """A lower bound of a variant's exact price, summed as in `Estimates.seconds`: the busiest resource, and the part of the others it does not hide.

    Computing takes at least as long as the busier of arithmetic and access ports, first in the bodies of inner loops and then around them.
    Of several reductions only the one that waits longest for its accumulators counts, as they may share a loop. `needs` are those of all its nodes
    together.
    """
    arithmetic, ports, inner_arithmetic, inner_ports, memory, moved, chain = needs.tolist()
    storing_arithmetic, storing_ports, storing_memory = cone.store_seconds
    memory += storing_memory
    if cone.transfer is not None:
        moved += cone.stored_bytes
        memory = max(memory, cone.transfer.seconds(moved, moved))
    outside = max(arithmetic + storing_arithmetic, ports + storing_ports)
    resources = outside + max(inner_arithmetic, inner_ports), chain, memory
    busiest = max(resources)
    return cone.launch + busiest + NOT_HIDDEN * (sum(resources) - busiest)


class PartialBounds:
    """Lower bounds of all variants that complete a partial choice: its nodes, and the cheapest node of each class that they all need.

    Attributes:
        order: the classes, by position.
        required: (classes, classes), whether each class needs each class whichever nodes are chosen, by positions.
        cheapest: (classes, needs), the least that each class needs of each resource, by position.
    """

    def __init__(self, cone: Cone, order: list[int]) -> None:
        self.cone, self.order = cone, order
        count = cone.class_count
        masks = cone.required(with_local_memory=False)
        self.required = np.array([_bools(mask & ((1 << count) - 1), count) for mask in masks])[order][
            :, order
        ]
        cheapest = np.full((count, cone.needs.shape[1]), inf)
        plain = [node for node, kind in enumerate(cone.kinds) if kind.node != STAGED]
        np.minimum.at(cheapest, np.array(cone.owner)[plain], cone.needs[plain])
        cheapest[:, -1] = 0.0  # chains do not add up
        self.cheapest = cheapest[order]

    def of(self, inside: Mapping[int, int], decided: int, waiting: int) -> tuple[float, tuple[int, ...]]:
        """The seconds that all completions of a partial choice take at least, and the buffers that all of them read.

        `inside` has the nodes chosen so far, `decided` their classes, and `waiting` the classes that need one, as bit masks of positions.
        """
        cone, count = self.cone, len(self.order)
        more = self.required[_bools(waiting, count)].any(axis=0) & ~_bools(decided, count)
        needs = cone.needs_of(list(inside.values())) + self.cheapest[more].sum(axis=0)
        read = [cone.read_nodes[self.order[each]] for each in np.flatnonzero(more[: len(cone.read_nodes)])]
        return lower_bound_of(cone, needs), tuple(sorted(cone.reads[node] for node in read))


def _bools(mask: int, count: int) -> NDArray[np.bool_]:
    """The lowest bits of a mask, one by one."""
    given = np.frombuffer(mask.to_bytes(-(-count // 8), "little"), np.uint8)
    return np.unpackbits(given, count=count, bitorder="little").astype(np.bool_)
