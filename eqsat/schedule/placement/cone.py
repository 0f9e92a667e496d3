"""All that one kernel may compute: the cone of e-classes at index maps below the arrays that it stores, down to those that it loads.

The classes of a cone are `inline(c, x)`, element x of e-class c computed in this kernel, and `read(b)`, the traffic of a buffer that it loads
from. A node of `inline(c, x)` is an e-node of c, whose operands are at the index maps that it derives from x, or a LOAD, or a LOAD from local
memory, whose operand is the value that fills it. Equal elements are one class, so a shared value is paid for once. The taps of a stencil
differ in x, so a value that is computed for each tap is paid for once per tap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import Machine
from eqsat.schedule.lowering.local_memory import StagedParts

Floats = NDArray[np.float64]

LOADED = -1  # in place of the number of an e-node: the element is loaded from a buffer
READ = -2  # likewise: the traffic of a buffer
STAGED = -3  # likewise: the element is loaded from local memory, which the kernel has filled


class Transfer(NamedTuple):
    """How quickly a kernel can move data at best.

    Attributes:
        machine: the machine that runs the kernel.
        near_rate: bytes a second between the cores and their own second cache.
        cache_rate: bytes a second between the last cache and the cores.
        memory_rate: bytes a second between memory and the last cache.
    """

    machine: Machine
    near_rate: float
    cache_rate: float
    memory_rate: float

    def seconds(self, amount: float, touched: float) -> float:
        """Seconds to move `amount` bytes in a kernel that touches `touched` bytes, some of which caches have lost since the run before."""
        lost, far = self.machine.from_memory(touched), self.machine.from_level3(touched)
        return amount * max(1.0 / self.near_rate, far / self.cache_rate, lost / self.memory_rate)


class NodeKind(NamedTuple):
    """How a node of a cone gives e-class `c`: by an e-node, by a LOAD, or by a LOAD from local memory.

    Attributes:
        c: the e-class; of a READ, the buffer.
        node: the e-node that it computes, or LOADED, READ or STAGED.
        staged: for STAGED, the part of the array that is in local memory at a time.
    """

    c: int
    node: int
    staged: StagedParts = ()


@dataclass(eq=False)
class Cone:
    """One kernel's part of the problem. Its classes and nodes have numbers of their own.

    Attributes:
        stores: the e-classes that the kernel stores.
        roots: for each stored e-class, the class of the element that is stored.
        launch: seconds that every variant pays.
        store_seconds: seconds of arithmetic, of access ports and of memory traffic that the stores take at least.
        stored_bytes: bytes that the kernel writes at least.
        owner, rows, kinds: for each node, its class, the classes of its operands, and its kind.
        reads: the buffer of each node that is a READ; -1 for the others.
        least_seconds: (nodes, 3), the seconds that each node takes at least: arithmetic, access ports, memory traffic.
        loop_shares: (nodes, 2), the share of a node's arithmetic and accesses that runs in output loops only, and the share that runs in other loops:
            (1, 0), (0, 1), or (0, 0) where this depends on the choice of other nodes.
        chains: for each node, the seconds for which its reduction waits for accumulators, even with an accumulator in every register.
        read_bytes: for each node, the bytes that it reads at least.
        transfer: the rates at which the kernel can move data at best.
        copied: e-classes that lie in memory, and of which local memory may have a copy.
        copied_alone: those of `copied` that are copied only where nothing else is staged: other kernels store them, or the copies are filled in loops
            that are not around all values that may be staged.
        reread: classes that loops read repeatedly: staging one gains something even if the kernel needs its e-class nowhere else.
        elements: for each class, its e-class and index map; for the traffic of a buffer, the buffer and READ.
        pattern: the cone of the same structure that this one was copied from; None if it was built itself.
        renamed: for each buffer of the pattern, the buffer in its place.
    """

    stores: tuple[int, ...]
    launch: float = 0.0
    store_seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stored_bytes: float = 0.0
    roots: list[int] = field(default_factory=list[int])
    owner: list[int] = field(default_factory=list[int])
    rows: list[list[int]] = field(default_factory=list[list[int]])
    kinds: list[NodeKind] = field(default_factory=list[NodeKind])
    reads: list[int] = field(default_factory=list[int])
    least_seconds: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    loop_shares: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    chains: Floats = field(default_factory=lambda: np.zeros(0))
    read_bytes: Floats = field(default_factory=lambda: np.zeros(0))
    transfer: Transfer | None = None
    elements: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    copied: set[int] = field(default_factory=set[int])
    copied_alone: set[int] = field(default_factory=set[int])
    reread: set[int] = field(default_factory=set[int])
    pattern: Cone | None = None
    renamed: Mapping[int, int] = field(default_factory=dict[int, int])

    @property
    def class_count(self) -> int:
        """The number of classes."""
        return len(self.elements)

    @cached_property
    def needs(self) -> Floats:
        """(nodes, 7), what each node needs: arithmetic and access ports in output loops only, both in other loops, and memory traffic, all in
        seconds, then `read_bytes` and `chains`.
        """
        computing, memory = self.least_seconds[:, :2], self.least_seconds[:, 2]
        alone, inner = (computing * self.loop_shares[:, side, None] for side in range(2))
        return np.column_stack([alone, inner, memory, self.read_bytes, self.chains])

    def needs_of(self, nodes: Sequence[int]) -> Floats:
        """What nodes need together: sums of `needs`, and of the chains the longest."""
        needs = self.needs[nodes]
        together = needs.sum(axis=0)
        together[-1] = needs[:, -1].max(initial=0.0)
        return together

    @cached_property
    def read_nodes(self) -> dict[int, int]:
        """The node of each class that is the traffic of a buffer."""
        return {owner: node for node, owner in enumerate(self.owner) if self.reads[node] >= 0}

    @cached_property
    def index_maps(self) -> dict[int, set[int]]:
        """The index maps at which each e-class may be needed."""
        found: dict[int, set[int]] = {}
        for c, at in self.elements:
            found.setdefault(c, set()).add(at)
        return found

    @cached_property
    def filling(self) -> frozenset[int]:
        """The classes whose values may fill local memory."""
        return frozenset(
            row[0] for row, kind in zip(self.rows, self.kinds, strict=True) if kind.node == STAGED
        )

    def required(self, *, with_local_memory: bool) -> list[int]:
        """For each class, the classes that it needs whichever nodes are chosen, itself included, as a bit mask.

        Unless `with_local_memory`, nodes that load from local memory are never chosen.
        """
        return self.common([1 << owner for owner in self.owner], with_local_memory=with_local_memory)

    def common(self, of_nodes: Sequence[int], *, with_local_memory: bool = True) -> list[int]:
        """For each class, what the chosen nodes below it have in any case; `of_nodes` are the bit masks of what each node has.

        All bits are set for a class without a choice of finite size. Unless `with_local_memory`, nodes that load from local memory are never chosen.
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
                    if self.kinds[node].node == STAGED and not with_local_memory:
                        continue
                    union = of_nodes[node]
                    for each in self.rows[node]:
                        union |= required[each]
                    common &= union
                changed |= common != required[owner]
                required[owner] = common
        return required

    def nodes_by_class(self) -> list[list[int]]:
        """The nodes of each class."""
        found: list[list[int]] = [[] for _ in self.elements]
        for node, owner in enumerate(self.owner):
            found[owner].append(node)
        return found
