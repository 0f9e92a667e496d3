"""All that one kernel may compute: the cone of e-classes at index maps below what it stores, down to what it loads.

The classes of a cone are `inline(c, x)`, element x of e-class c computed in this kernel, and `read(b)`, the traffic of a buffer that it loads
from. A node of `inline(c, x)` is an e-node of c on operands at the index maps that it makes of x, or a LOAD, or a LOAD
from local memory whose operand is what fills it. Equal elements are one class,
so what is shared is paid once. The taps of a stencil differ in x, so a value that is computed for each of them is paid for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import Machine
from eqsat.schedule.lowering.local_memory import Kept

Floats = NDArray[np.float64]

LOADED = -1  # in place of an e-node: the element is loaded
READ = -2  # likewise: the traffic of a buffer
STAGED = -3  # likewise: the element is loaded from local memory, which the kernel has filled


class Transfer(NamedTuple):
    """How quickly a kernel can move data at best.

    Attributes:
        machine: it runs on.
        cache_rate: bytes a second between the last cache and the cores.
        memory_rate: bytes a second between memory and the last cache.
    """

    machine: Machine
    cache_rate: float
    memory_rate: float

    def seconds(self, amount: float, touched: float) -> float:
        """What `amount` bytes of a kernel take that touches `touched`: the last cache has lost some of these since the run before."""
        lost = self.machine.from_memory(touched)
        return amount * max(1.0 / self.cache_rate, lost / self.memory_rate)


class Way(NamedTuple):
    """What a node of a cone does for e-class `c`: `node` is the e-node that it computes, LOADED, READ or STAGED, then with `kept`."""

    c: int
    node: int
    kept: Kept = ()


@dataclass(eq=False)
class Cone:
    """One kernel's part of the problem. Its classes and nodes have numbers of their own.

    Attributes:
        stores: the e-classes that the kernel stores.
        roots: by stored e-class, the class of its element.
        launch: seconds that are paid in any case.
        store_seconds: seconds of arithmetic, of access ports and of memory traffic that the stores take at least.
        stored_bytes: that the kernel writes at least.
        owner, rows, ways: of each node its class, the classes of its operands, and what it does.
        reads: of each node that is a READ, the buffer; -1 of the others.
        least: (nodes, 3), the seconds of each node: arithmetic, access ports, memory traffic.
        within: (nodes, 2), the share of its arithmetic and its accesses that are made in the loops of the outputs alone, and within others: 1 and 0,
            0 and 1, or nothing of both where other choices decide.
        chains: by node, the seconds in which accumulators of a reduction wait for themselves, however many there are.
        read_bytes: by node, what it reads at least.
        transfer: how quickly at best.
        copied: e-classes that lie in memory, which local memory may have a copy of.
        alone: those of them that are copied where nothing else is kept: stored by other kernels, or in other loops than what may be kept.
        again: classes that loops read again and again: to keep one gains something even if no other of its e-class is needed.
        places: of each class its e-class and index map; of the traffic of a buffer the buffer and READ.
        pattern: the cone that it has the structure of, and is made from; None if it was built itself.
        renamed: by buffer of the pattern, the one in its place.
    """

    stores: tuple[int, ...]
    launch: float = 0.0
    store_seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stored_bytes: float = 0.0
    roots: list[int] = field(default_factory=list[int])
    owner: list[int] = field(default_factory=list[int])
    rows: list[list[int]] = field(default_factory=list[list[int]])
    ways: list[Way] = field(default_factory=list[Way])
    reads: list[int] = field(default_factory=list[int])
    least: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    within: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    chains: Floats = field(default_factory=lambda: np.zeros(0))
    read_bytes: Floats = field(default_factory=lambda: np.zeros(0))
    transfer: Transfer | None = None
    places: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    copied: set[int] = field(default_factory=set[int])
    alone: set[int] = field(default_factory=set[int])
    again: set[int] = field(default_factory=set[int])
    pattern: Cone | None = None
    renamed: Mapping[int, int] = field(default_factory=dict[int, int])

    @property
    def class_count(self) -> int:
        """How many classes there are."""
        return len(self.places)

    @cached_property
    def needs(self) -> list[list[float]]:
        """By node, seconds of arithmetic and of access ports in the loops of the outputs alone, of both within others, and of memory traffic, then
        `read_bytes` and `chains`.
        """
        computing, memory = self.least[:, :2], self.least[:, 2]
        alone, inner = (computing * self.within[:, side, None] for side in range(2))
        return np.column_stack([alone, inner, memory, self.read_bytes, self.chains]).tolist()

    @cached_property
    def read_nodes(self) -> dict[int, int]:
        """By class of a buffer's traffic, the node."""
        return {owner: node for node, owner in enumerate(self.owner) if self.reads[node] >= 0}

    @cached_property
    def filling(self) -> frozenset[int]:
        """The classes that local memory is filled with."""
        return frozenset(row[0] for row, way in zip(self.rows, self.ways, strict=True) if way.node == STAGED)

    def required(self, *, keeping: bool) -> list[int]:
        """Of each class, all that are needed with it whichever nodes are chosen, itself among them, as bits.

        Unless `keeping`, whichever but those that use local memory.
        """
        everything = -1
        required = [everything] * self.class_count
        nodes = self.nodes_by_class()
        changed = True
        while changed:
            changed = False
            for owner in reversed(range(self.class_count)):
                common = everything
                for node in nodes[owner]:
                    if self.ways[node].node == STAGED and not keeping:
                        continue
                    union = 1 << owner
                    for each in self.rows[node]:
                        union |= required[each]
                    common &= union
                changed |= common != required[owner]
                required[owner] = common
        return required

    def nodes_by_class(self) -> list[list[int]]:
        """The nodes of each class."""
        found: list[list[int]] = [[] for _ in self.places]
        for node, owner in enumerate(self.owner):
            found[owner].append(node)
        return found
