"""Builds cones from the e-graph: highest e-classes first, so that all elements of an e-class that a kernel needs are known by its turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from time import perf_counter

from eqsat.ops import ALU, AXES_REDUCED, Op
from eqsat.schedule.lowering.local_memory import StagedParts, stretch
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import SAME_ORDER, ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.cone import LOADED, READ, STAGED, Cone, NodeKind
from eqsat.schedule.placement.element_costs import ElementCosts
from eqsat.schedule.placement.index_maps import IndexMaps
from eqsat.schedule.placement.index_values import index_value
from eqsat.schedule.placement.isomorphic_cones import IsomorphicCones
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS
from eqsat.schedule.placement.lower_bounds import TILE, LowerBounds
from eqsat.schedule.placement.staging import (
    LOCAL_ARRAYS,
    MOST_BYTES,
    MOST_COPIED_BYTES,
    MOST_WINDOW_BYTES,
    parts_to_stage,
    window_to_stage,
)
from eqsat.shape import Shape

STAGED_DEPTH = (
    2  # longest chain of candidates to a value that may be staged, in a program of more than FEW_CANDIDATES
)
INLINED_DEPTH = 3  # longest chain of candidates, each computed from the next, that one kernel computes
FEW_CANDIDATES = 8  # most candidates of a program in which INLINED_DEPTH takes the place of STAGED_DEPTH
MOST_ELEMENTS = 1000  # classes of a cone; then one e-node per e-class, as cycles of several might never end
MOST_COPIES = 150  # classes of a cone beyond one per e-class; then whatever can be loaded is not computed
WASTE = 1.5  # computing a value repeatedly is not offered if it costs this many times what storing does


# Which part of an e-class to stage
Choose = Callable[[ArrayGraph, IndexMaps, int, Sequence[int], int], StagedParts]


@dataclass(eq=False)
class ConeBuilder:
    """Builds the cones of one e-graph.

    Attributes:
        graph: the e-graph.
        candidates: the e-classes that may be stored.
        falling: whether kernels load only buffers that precede all that they store, in the order of e-classes, so that no two need each other.
        until: the `perf_counter` time after which cones have little more than they need: most of what can be loaded is not computed, nor staged.
        maps: the index maps of all cones.
    """

    graph: ArrayGraph
    candidates: StorageCandidates
    falling: bool = False
    until: float = inf
    maps: IndexMaps = field(default_factory=IndexMaps)

    def __post_init__(self) -> None:
        self.costs = ElementCosts(self.graph, self.candidates)
        self.isomorphic = IsomorphicCones(self)
        self.starts: dict[Shape, int] = {}
        self.buffers = {self.graph.buffer[c] for c in self.candidates.storable | self.graph.inputs}

    def build(self, stores: Sequence[int]) -> Cone:
        """The cone of the kernel that stores these e-classes, all of one shape."""
        found = None if self.falling else self.isomorphic.find(stores)
        if found is None:
            found = _Building(self, Cone(tuple(stores))).run()
            self.isomorphic.note(found)
        return found

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return perf_counter() > self.until

    def start(self, c: int) -> int:
        """The index map of the element that a kernel stores of this e-class."""
        shape = self.graph.shapes[c]
        if shape not in self.starts:
            self.starts[shape] = self.maps.start(shape, self.graph.reshaped.get(self.graph.sizes[c], ()))
        return self.starts[shape]


class _Building:
    """One cone while it grows: the highest e-classes are expanded first, so that all index maps of an e-class are known by then."""

    def __init__(self, builder: ConeBuilder, cone: Cone) -> None:
        self.builder, self.cone = builder, cone
        self.graph, self.maps, self.machine = builder.graph, builder.maps, builder.graph.machine
        self.storable, self.inputs = builder.candidates.storable, builder.graph.inputs
        self.ids: dict[tuple[int, int], int] = {}
        self.reads: dict[int, int] = {}
        self.loops: list[int] = []  # by node, the loops of its reduction as a bit mask; 0 for other nodes
        self.agenda: list[int] = []
        self.index_maps: dict[int, list[int]] = {}  # by e-class, its index maps
        self.used: dict[int, list[int]] = {}  # likewise, without those that only fill local memory
        self.plain = 0  # classes at the index maps in `used`
        self.inlined: dict[int, int] = {}  # by e-class, the fewest candidates on the way to it and itself
        self.waiting: dict[int, list[int]] = {}
        self.staged: set[int] = set()
        # The copies offered so far: index maps of an array in its own shape, and the number of contiguous elements that are copied.
        self.stretches: set[tuple[frozenset[int], int]] = set()
        self.stagings = 0  # numbers the loops that fill local memory, alike in cones of one structure
        self.filled: set[int] = set()
        self.around = self.maps.loops[builder.start(cone.stores[0])]
        parallel = min(self.machine.cores, self.graph.sizes[cone.stores[0]])
        self.cycle = 1.0 / self.machine.frequency / parallel

    def run(self) -> Cone:
        cone = self.cone
        start = self.builder.start(cone.stores[0])
        for c in cone.stores:
            self.inlined[c] = 0
            cone.roots.append(self._class(c, start))
        self._grow()
        for c in sorted(self.index_maps, reverse=True):
            if self._is_first_view(c) or self._is_given(c):
                self._offer_copies(c, self.index_maps[c])
        self._grow()
        LowerBounds(cone, self.loops, self.graph, self.maps).write()
        return cone

    def _grow(self) -> None:
        """Expands the waiting classes, and the classes that these need."""
        while self.agenda:
            c = -heappop(self.agenda)
            index_maps = self.waiting.pop(c)
            if len(index_maps) > 1 or any(map(self._is_read_again, index_maps)) or self._is_padded(c):
                self._offer_staging(c, index_maps)
            for at in index_maps:
                self._expand(c, at)

    def _class(self, c: int, at: int) -> int:
        """The class of an e-class at an index map; a new class waits to be expanded."""
        key = c, at
        if key not in self.ids:
            self.ids[key] = len(self.cone.elements)
            self.cone.elements.append(key)
            self.index_maps.setdefault(c, []).append(at)
            if not self.maps.is_filled(at):
                self.used.setdefault(c, []).append(at)
                self.plain += 1
            if c not in self.waiting:
                heappush(self.agenda, -c)
            self.waiting.setdefault(c, []).append(at)
        return self.ids[key]

    def _add(self, owner: int, row: list[int], kind: NodeKind, read: int = -1, loops: int = 0) -> None:
        cone = self.cone
        cone.owner.append(owner)
        cone.rows.append(row)
        cone.kinds.append(kind)
        cone.reads.append(read)
        self.loops.append(loops)

    def _expand(self, c: int, at: int) -> None:
        owner = self.ids[c, at]
        loadable = self._is_loadable(c) and (owner not in self.filled or c in self.cone.copied)
        if loadable:
            self._add(owner, [self._read(c)], NodeKind(c, LOADED))
        is_given = c in self.inputs or (loadable and owner in self.filled)
        if is_given or (loadable and self._is_stopped(c, at)):
            return
        is_large = self.plain > MOST_ELEMENTS
        cheapest = self.graph.cheapest[c]
        for node in (
            [cheapest] if is_large else sorted(self.graph.nodes[c], key=lambda node: node != cheapest)
        ):
            if self.graph.term(node).op is Op.SCATTER_AXIS and (
                owner not in self.cone.roots or len(self.cone.stores) > 1
            ):
                continue  # a scatter combines with what its own kernel has stored
            row, loops = self._operands(node, at)
            for each, _ in row:
                depth = self.inlined[c] + (each in self.storable)
                self.inlined[each] = min(self.inlined.get(each, depth), depth)
            self._add(owner, [self._class(*each) for each in row], NodeKind(c, node), loops=loops)

    def _offer_staging(self, c: int, index_maps: Sequence[int]) -> None:
        """Offers to stage an e-class in local memory for these index maps, if computing its elements is costly or it is padded."""
        candidates = self.builder.candidates
        is_known = c in self.staged or c in candidates.must_store | self.inputs
        most = INLINED_DEPTH if len(candidates.storable) <= FEW_CANDIDATES else STAGED_DEPTH
        is_near = candidates.is_small or self.inlined[c] <= most
        is_framed = self._is_padded(c) and (is_near or len(candidates.storable) <= FEW_CANDIDATES)
        if not is_known and is_framed:
            staged = self._parts_to_stage(c, index_maps, MOST_WINDOW_BYTES, window_to_stage)
            if staged:
                self._stage(c, index_maps, staged)
        elif not is_known and is_near and self.builder.costs.is_costly(c):
            staged = self._parts_to_stage(c, index_maps, MOST_BYTES)
            if staged:
                self.around &= self.maps.loops[self.maps.around(staged, self.graph.shapes[c], index_maps[0])]
                self._stage(c, index_maps, staged)

    def _offer_copies(self, c: int, index_maps: Sequence[int]) -> None:
        """Offers to copy an array from memory to local memory, if it is read repeatedly.

        Copies of inputs may stand beside all other staged values, if the loops in which they are filled are around these. Other copies stand
        alone. One copy serves all index maps, or each of two has its own.
        """
        for group in [index_maps, *([at] for at in index_maps if len(index_maps) == 2)]:
            staged = self._parts_to_stage(c, group, MOST_COPIED_BYTES)
            around = self.maps.loops[self.maps.around(staged, self.graph.shapes[c], group[0])]
            if staged and any(map(self._is_read_again, group)):
                if not self._is_copied(c, group, staged):
                    self.cone.copied.add(c)
                    if around & ~self.around or not self._is_first_view(c):
                        self.cone.copied_alone.add(c)
                    self._stage(c, group, staged)
                if group is index_maps:
                    return

    def _is_copied(self, c: int, index_maps: Sequence[int], staged: StagedParts) -> bool:
        """Whether a copy of the same elements is already offered, maybe in another shape of the array; if not, records this one."""
        graph = self.graph
        size = stretch(staged, graph.shapes[c])
        if not size or not self._is_first_view(c):
            return False
        if c not in self.inputs:
            node = graph.cheapest[c]
            term, (source,) = graph.term(node), graph.rows[node]
            index_maps = [self.maps.moved(term.op, term.arg, graph.shapes[source], at) for at in index_maps]
        key = frozenset(index_maps), size
        is_known = key in self.stretches
        self.stretches.add(key)
        return is_known

    def _is_padded(self, c: int) -> bool:
        """Whether an e-class is an array with a border, for which each access would have to test.

        The border of an axis whose extent only calls know is a WHERE with a mask.
        """
        graph = self.graph
        term, row = graph.term(graph.cheapest[c]), graph.rows[graph.cheapest[c]]
        if term.op is Op.WHERE:
            is_frame = row[0] in graph.masks and row[2] in graph.splats
            return is_frame and graph.term(graph.cheapest[row[1]]).op is Op.INDEX
        return c in graph.movements and term.op is Op.PAD

    def _parts_to_stage(
        self, c: int, index_maps: Sequence[int], most: int, choose: Choose = parts_to_stage
    ) -> StagedParts:
        """The part of an e-class that may be staged for these index maps in at most so many bytes; empty if there is none."""
        if len(self.ids) > MOST_ELEMENTS or self.builder.is_over:
            return ()
        staged = choose(
            self.graph, self.maps, c, index_maps, min(most, self.machine.local_bytes // LOCAL_ARRAYS)
        )
        unstaged = self.graph.dynamic.unstaged
        is_unstaged = any(part.extent % whole == 0 for part in staged for whole in unstaged)
        return () if is_unstaged else staged

    def _stage(self, c: int, index_maps: Sequence[int], staged: StagedParts) -> None:
        """Offers to stage this part of an e-class in local memory for these index maps."""
        self.staged.add(c)
        self.stagings += 1
        for at in tuple(index_maps):
            filled = self._class(c, self.maps.filled(staged, self.graph.shapes[c], at, self.stagings))
            self.filled.add(filled)
            if self._is_read_again(at) or self._is_padded(c):
                self.cone.reread.add(self.ids[c, at])
            self._add(self.ids[c, at], [filled], NodeKind(c, STAGED, staged))

    def _is_read_again(self, at: int) -> bool:
        """Whether an index map is read repeatedly: loops around it do not occur in it, or it gathers elements, and so reads lines repeatedly."""
        maps = self.maps
        return maps.nests[at] != maps.loops[at] or any(map(maps.is_gathered, maps.by_number[at][0]))

    def _is_first_view(self, c: int) -> bool:
        """Whether an e-class is an input, or an input in another shape."""
        node = self.graph.cheapest[c]
        is_view = self.graph.term(node).op in SAME_ORDER and self.graph.rows[node][0] in self.inputs
        return c in self.inputs or is_view

    def _is_given(self, c: int) -> bool:
        """Whether another kernel may store an e-class and this one load it, and nothing of it may be staged so far."""
        return c in self.storable and c not in self.staged and self._is_loadable(c)

    def _is_loadable(self, c: int) -> bool:
        """Whether elements of an e-class may be loaded. Of a reshaped array they are not; those of the array that it reshapes may be."""
        graph = self.graph
        if c in self.inputs:
            return True
        if graph.buffer[c] not in self.builder.buffers:
            return False
        if c in graph.movements and graph.buffer[graph.rows[graph.cheapest[c]][0]] == graph.buffer[c]:
            return False
        stored = [graph.buffer[each] for each in self.cone.stores]
        return graph.buffer[c] < min(stored) if self.builder.falling else graph.buffer[c] not in stored

    def _is_stopped(self, c: int, at: int) -> bool:
        """Whether an e-class that can be loaded is not also computed.

        That is so if it is stored in any case, if the cone is large enough, if computing it repeatedly costs more than storing it once, or, once
        time is up, for half of the buffers that a kernel can have. In a small program each index map is judged by itself: the others may not
        be needed where something else is loaded.
        """
        candidates = self.builder.candidates
        if self.builder.is_over and 2 * len(self.reads) <= KERNEL_BUFFERS:
            return True
        used = [each for each in self.used.get(c, ()) if each == at or not candidates.is_small]
        if c in candidates.must_store | candidates.pair_members or self._is_waste(c, used):
            return True
        if candidates.is_small:
            return self.plain > MOST_ELEMENTS
        return self.plain - len(self.used) > MOST_COPIES or self.inlined[c] > INLINED_DEPTH

    def _is_waste(self, c: int, used: Sequence[int]) -> bool:
        """Whether computing an e-class for each of these uses takes `WASTE` times as long as storing it once and loading it for each use."""
        graph = self.graph
        shared = TILE if self.builder.candidates.is_small else 1
        computed = sum(self.maps.trips_of(self.maps.loops[at], self.maps.nests[at], shared) for at in used)
        again = computed - graph.sizes[c]
        if again <= 0:
            return False
        lanes = graph.itemsizes[c] / self.machine.vector_bytes
        loading = computed * lanes * self.cycle
        storing = self.machine.launch_seconds + 2 * graph.bytes(c) / self.machine.bandwidth + loading
        return (
            again * (self.builder.costs.cycles(c) if c in self.storable else 0.0) * lanes * self.cycle
            > WASTE * storing
        )

    def _read(self, c: int) -> int:
        """The class that is the traffic of an e-class's buffer."""
        buffer = self.graph.buffer[c]
        if buffer not in self.reads:
            self.reads[buffer] = len(self.cone.elements)
            self.cone.elements.append((buffer, READ))
            self._add(self.reads[buffer], [], NodeKind(buffer, READ), buffer)
        return self.reads[buffer]

    def _operands(self, node: int, at: int) -> tuple[list[tuple[int, int]], int]:
        """The e-classes and index maps that an e-node needs for its element at `at`, and the loops of its reduction as a bit mask."""
        graph, maps = self.graph, self.maps
        term, row = graph.term(node), graph.rows[node]
        # an empty operand is never computed, but a PAD or a reduction of it may be
        if any(0 in graph.shapes[each] for each in row):
            return [], 0
        if term.op in ALU or term.op in (Op.SCAN_AXIS, Op.RECUR_AXIS):
            return [(each, at) for each in row], 0
        if term.op in MOVES:
            return [(row[0], maps.moved(term.op, term.arg, graph.shapes[row[0]], at))], 0
        if term.op is Op.SCATTER_AXIS:
            inner, loops = maps.scattered(term.arg[1], graph.shapes[row[0]], at)
            return [(each, inner) for each in row], loops
        if term.op in AXES_REDUCED:
            inner, loops = maps.reduced(term.arg[1], graph.shapes[row[0]], at)
            return [(row[0], inner)], loops
        if term.op is Op.INDEX:
            indices = [index_value(graph, maps, each, at) for each in row[1:]]
            source = row[0], maps.gathered(indices, graph.shapes[row[0]])
            return [source, *((each, at) for each in row[1:])], 0
        return [], 0
