"""Lower bounds of what the nodes of a cone need, in seconds of each resource: arithmetic, access ports, memory.

Under any loops a kernel takes at least its launch, plus what its nodes need of the busiest resource. To make sure of that, a value counts once
for each iteration of the loops that it depends on, if it is needed there. The bytes of a buffer count once, and all accesses count as whole
vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np

from eqsat.dtype import DType, float32, index
from eqsat.integers import narrowing
from eqsat.ops import ALONG_AXES, ALU, AXES_REDUCED, Op
from eqsat.schedule.cost.groups import ITEM_BYTES, VECTOR_BYTES
from eqsat.schedule.cost.operations import STAYING, SUMS, latency
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import LOADED, Cone, Floats, Transfer
from eqsat.schedule.placement.index_maps import IndexMaps
from eqsat.support.bits import union
from eqsat.uop.recurrence import leaf, unpacked

TILE = (
    512  # iterations of the largest tile: at most so many reuse a value that does not depend on their loops
)
PRODUCT = frozenset({Op.MUL})
IN_MAGNITUDES = frozenset({Op.CMPLT, Op.NEG, Op.SUB, Op.MUL})
RESOURCES = 3  # arithmetic, access ports, memory


@dataclass(eq=False)
class LowerBounds:
    """The lower bounds of the nodes of one cone. Sets of loops are bit masks.

    Attributes:
        loops: for each node, the loops of its reduction.
        depends: for each class, the loops that its value depends on whichever node is chosen.
        around: for each loop of a reduction, the loops around it.
        closed: for each set of loops, these and all loops around them.
    """

    cone: Cone
    loops: Sequence[int]
    graph: ArrayGraph
    maps: IndexMaps
    depends: list[int] = field(default_factory=list[int])
    around: dict[int, int] = field(default_factory=dict[int, int])
    closed: dict[int, int] = field(default_factory=dict[int, int])

    def write(self) -> None:
        """Writes the seconds of each node into the cone."""
        cone, graph, machine = self.cone, self.graph, self.graph.machine
        parallel = min(machine.cores, graph.sizes[cone.stores[0]])
        self.cycle = 1.0 / machine.frequency / parallel
        cone.stored_bytes = sum(map(graph.bytes, cone.stores))
        near, cached = machine.cache_bytes_per_cycle
        cone.transfer = self.transfer = Transfer(
            machine,
            near / self.cycle,
            cached / self.cycle,
            min(parallel * machine.core_bandwidth, machine.bandwidth),
        )
        self._find_dependences()
        self._find_surroundings()
        cone.launch = machine.launch_seconds
        accesses = cone.stored_bytes * self._port_seconds(Op.STORE)
        cone.store_seconds = (0.0, accesses, self.transfer.seconds(cone.stored_bytes, cone.stored_bytes))
        cone.least_seconds = np.zeros((len(cone.owner), RESOURCES))
        cone.read_bytes = np.zeros(len(cone.owner))
        cone.chains = np.zeros(len(cone.owner))
        cone.loop_shares = self._loop_shares()
        self._price_computations()
        self._price_loads()

    def _port_seconds(self, op: Op) -> float:
        """Seconds for each byte, if all accesses are whole vectors; those to two cache lines count twice, as arrays start anywhere.

        Work-items of a group may all load the same vector.
        """
        machine = self.graph.machine
        passes = machine.passes if op is Op.LOAD else 1.0
        times = passes + machine.vector_bytes / machine.line_bytes
        if machine.has_groups:
            times = ITEM_BYTES / VECTOR_BYTES if op is Op.LOAD else 1.0
        return machine.cycles(op, float32) * times / machine.vector_bytes * self.cycle

    def _find_dependences(self) -> None:
        cone, maps = self.cone, self.maps
        everywhere = -1
        self.depends = [everywhere] * cone.class_count
        self.own: list[int] = [0] * len(cone.owner)
        for node in reversed(range(len(cone.owner))):
            owner, row, kind = cone.owner[node], cone.rows[node], cone.kinds[node]
            if cone.reads[node] >= 0:
                continue
            loops = 0
            if kind.node < 0:
                loops = maps.loops[cone.elements[owner][1]]
            elif not row:
                term = self.graph.term(kind.node)
                loops = maps.loops[cone.elements[owner][1]] if term.op is Op.BUFFERIZE else 0
            for each in row if kind.node >= 0 else ():
                loops |= max(0, self.depends[each])
            loops &= ~self.loops[node]
            self.own[node] = loops
            self.depends[owner] &= loops

    def _find_surroundings(self) -> None:
        """Finds the loops around each reduction: those on which its result depends, or on which the results of all that share its loop depend."""
        for node, loops in enumerate(self.loops):
            while loops:
                loop = loops & -loops
                loops ^= loop
                self.around[loop] = self.around.get(loop, -1) & self.own[node]

    def _loop_shares(self) -> Floats:
        """Returns `Cone.loop_shares`: the bodies of different loops run one after the other."""
        cone, maps = self.cone, self.maps
        outputs = union(maps.loops[cone.elements[root][1]] for root in cone.roots)
        found = np.zeros((len(cone.owner), 2))
        for node, owner in enumerate(cone.owner):
            at = cone.elements[owner][1]
            if cone.reads[node] < 0:
                most = maps.loops[at] | self.loops[node]
                found[node] = not most & ~outputs, bool((self.own[node] | self.loops[node]) & ~outputs)
        return found

    def _trips(self, loops: int) -> int:
        """How often a value that depends on `loops` is computed at least, inside these loops and those around them."""
        if loops not in self.closed:
            wide, before = loops, -1
            while wide != before:
                before = wide
                for loop, around in self.around.items():
                    if wide & loop:
                        wide |= around
            self.closed[loops] = wide
        return self.maps.trips_of(loops, self.closed[loops], TILE)

    def _price_computations(self) -> None:
        cone, graph = self.cone, self.graph
        machine = self.graph.machine
        fused, others = self._fused_and_alternatives()
        # further cycles of a sum that fuses with a product
        added, product, both = (machine.cycles(op, float32) for op in (Op.ADD, Op.MUL, Op.MULACC))
        more = min(product, max(0.0, both - added))
        for node, (c, enode, _) in enumerate(cone.kinds):
            if enode < 0 or node in others:
                continue
            term, row = graph.term(enode), cone.rows[node]
            loops = self.own[node]
            if node in fused:
                work = more
            elif term.op in ALONG_AXES and row:
                work = machine.cycles(term.arg[0], term.dtype)
                loops = max(0, self.depends[row[0]])
            elif (
                term.op is Op.RECUR_AXIS
            ):  # a kernel of several that keep the same values computes these once
                work = graph.cycles(enode) / graph.keeping_alike[graph.kept(enode)]
                cone.chains[node] = self._seconds_in_turn(enode)
            elif term.op in ALU and (term.dtype is not index or term.op in STAYING):
                work = graph.cycles(enode)
            else:
                continue
            trips = self._trips(loops) * self.maps.share(cone.elements[cone.owner[node]][1])
            cone.least_seconds[node, 0] = (
                work * trips * self._width(c, enode) / machine.vector_bytes * self.cycle
            )
            if term.op in AXES_REDUCED and row:
                cone.chains[node] = trips * graph.itemsizes[c] * self._chain_seconds

    def _seconds_in_turn(self, enode: int) -> float:
        """Seconds of a recurrence that waits in each step for the step before."""
        graph = self.graph
        packed, along = graph.term(enode).arg
        axes: tuple[int, ...] = along
        following = unpacked(packed).following
        kept = [leaf(number, each.dtype) for number, each in enumerate(following)]
        steps = graph.shapes[graph.owner[enode]][axes[0]]
        return steps * latency(kept, following, graph.machine) / graph.machine.frequency

    @cached_property
    def _chain_seconds(self) -> float:
        """Seconds of waiting for each accumulated byte, if all registers are accumulators: more would spill, which costs more than it saves."""
        machine = self.graph.machine
        is_worse = machine.spill_cycles * machine.vector_registers >= machine.accumulate_cycles
        if machine.has_groups or not is_worse:
            return 0.0
        return machine.accumulate_cycles / (machine.vector_registers * machine.vector_bytes) * self.cycle

    def _width(self, c: int, enode: int) -> int:
        """Bytes of the widest element of a result and its operands, indices aside; wide integers may be computed in 16 bits beside narrow ones."""
        graph = self.graph
        types = [graph.snapshot.class_dtype[each] for each in (c, *graph.rows[enode])]
        known = [dtype for dtype in types if isinstance(dtype, DType) and dtype is not index]
        widest = max((dtype.itemsize for dtype in known), default=index.itemsize)
        are_integers = all(dtype.kind in "iu" for dtype in known)
        return (
            min(widest, narrowing.BYTES) if known and are_integers and graph.has_narrow_integers else widest
        )

    def _fused_and_alternatives(self) -> tuple[set[int], set[int]]:
        """The products of floats with which a sum may fuse, as a multiply-add, and the nodes with which a magnitude may be written."""
        cone, graph = self.cone, self.graph
        nodes = cone.nodes_by_class()
        products: set[int] = set()
        others: set[int] = set()
        for node, (_, enode, _) in enumerate(cone.kinds):
            if enode < 0:
                continue
            term = graph.term(enode)
            is_sum = term.op in SUMS or (term.op is Op.REDUCE_AXIS and term.arg[0] is Op.ADD)
            if is_sum and isinstance(term.dtype, DType) and term.dtype.is_float:
                products.update(self._below(nodes, cone.rows[node], PRODUCT))
            elif term.op is Op.WHERE:
                others.update(self._below(nodes, cone.rows[node], IN_MAGNITUDES))
        return products, others

    def _below(self, nodes: list[list[int]], row: Sequence[int], ops: frozenset[Op]) -> set[int]:
        """The nodes with these operations among the nodes of these classes, and of classes that they move."""
        cone, graph = self.cone, self.graph
        found: set[int] = set()
        seen, stack = set(row), list(row)
        while stack:
            for node in nodes[stack.pop()]:
                enode = cone.kinds[node].node
                if enode < 0:
                    continue
                op = graph.term(enode).op
                if op in ops:
                    found.add(node)
                elif op not in ALU | ALONG_AXES:
                    new = set(cone.rows[node]) - seen
                    seen |= new
                    stack += new
        return found

    def _price_loads(self) -> None:
        cone, graph, maps = self.cone, self.graph, self.maps
        port = self._port_seconds(Op.LOAD)
        touched: dict[int, float] = {}
        loads = [
            (node, c, cone.elements[cone.owner[node]][1])
            for node, (c, enode, _) in enumerate(cone.kinds)
            if enode == LOADED
        ]
        walks = [(c, maps.moving(at, graph.shapes[c])) for _, c, at in loads]
        sharing = Counter(walks)  # loads at constant offsets may read the same elements
        for (node, c, at), walk in zip(loads, walks, strict=True):
            (read,) = cone.rows[node]
            elements, size = maps.touched(at, graph.shapes[c]) * maps.share(at), graph.itemsizes[c]
            cone.least_seconds[node, 1] = elements * size * port / sharing[walk]
            touched[read] = min(touched.get(read, inf), min(elements, graph.sizes[c]) * size)
        for node, buffer in enumerate(cone.reads):
            if buffer >= 0:
                amount = cone.read_bytes[node] = touched.get(cone.owner[node], 0.0)
                cone.least_seconds[node, 2] = self.transfer.seconds(amount, max(amount, cone.stored_bytes))
