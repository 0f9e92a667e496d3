"""Which e-classes may be stored in memory, and which must be.

Every e-class could be stored, since an array equals a LOAD of it from a buffer that some kernel has filled. Left out are values for which
computing them again for each use, from the candidates below, is never much worse than storing them. Storing a value costs a launch, and a
write and a read of each element. Computing it again costs, for each use but one, its operations and the additional bytes that these read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from eqsat.ops import ACROSS, ALU, Op
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import SAME_ORDER, ArrayGraph
from eqsat.schedule.placement.converging import converging
from eqsat.schedule.placement.kernel_limits import cuts

FEW_CLASSES = 512  # e-classes of an e-graph in which values that only other e-nodes need may be stored, too
MOST_COPIES = 12  # elements of one operation that may be computed again for one element of a value
MANY = 1 << 40  # greatest count of uses; larger counts are cut off


@dataclass(eq=False)
class StorageCandidates:
    """The e-classes that may be stored.

    Attributes:
        graph: the e-graph.
        all_of: in a program of this many computed arrays or fewer, all computed arrays are candidates.
        is_complete: whether all computed arrays are candidates.
        must_store: the e-classes that are stored in any case: outputs, copies that the program asks for, scatters that have no other form, and
            arrays without which a kernel would be too large.
        storable: all e-classes that may be stored, `must_store` included.
        pairs: pairs of reductions of the same parts, the second computed from the first, that are joined across parts together.
        scattered: the reductions that a scatter in a kernel of its own may compute.
        pair_members: the members of `pairs`. Computing them in the kernel that joins parts would save nothing.
    """

    graph: ArrayGraph
    all_of: int = 0
    is_complete: bool = False
    must_store: set[int] = field(init=False)
    storable: set[int] = field(init=False)
    pairs: set[tuple[int, int]] = field(init=False)
    scattered: set[int] = field(init=False)
    pair_members: set[int] = field(init=False)

    def __post_init__(self) -> None:
        graph = self.graph
        asked = {c for c in graph.classes if Op.CONTIGUOUS in graph.ops[c] and graph.sizes[c]}
        outputs = {c for c in graph.outputs if graph.sizes[c]}
        there = {graph.buffer[c] for c in graph.inputs}
        self.must_store = {self._stored_class(c) for c in asked | outputs if graph.buffer[c] not in there}
        self.must_store |= {self._stored_class(c) for c in graph.classes if graph.ops[c] == {Op.SCATTER_AXIS}}
        self.must_store |= {self._stored_class(c) for c in graph.classes if self._is_read_in_parts(c)}
        self.must_store |= cuts(graph, self.must_store, self._stored_class)
        self.storable = set(self.must_store)
        computed = {c for c in graph.classes if self._is_computed(c)}
        self.is_small = len(computed) <= self.all_of
        self.is_complete |= self.is_small
        # the reduction of a stack does not count if it is cheaper to combine the parts of the stack
        reductions = {c for c in computed if graph.term(graph.cheapest[c]).op in ACROSS}
        # another kernel may vectorize the functions of a scan
        scans = {c for c in reductions if graph.ops[c] & {Op.SCAN_AXIS, Op.RECUR_AXIS}}
        self.epilogues = {self._epilogue(c) for c in reductions} | scans
        self.scattered = {c for c in reductions if Op.SCATTER_AXIS in graph.ops[c]}
        self.pairs = {(low, c) for c in reductions for low in self._partners(c, reductions)}
        self.pair_members = {c for pair in self.pairs for c in pair}
        self.converging = converging(graph, self.must_store)
        is_large = len(graph.classes) > FEW_CLASSES
        self.worth_storing = set(graph.needed if is_large else graph.classes)
        below = _Below(graph)
        buffers: set[int] = set()
        for c in graph.classes:
            if graph.buffer[c] not in there and self._is_candidate(c, below, buffers):
                self.storable.add(c)
                buffers.add(graph.buffer[c])
            below.add(c, c in self.storable)

    def _is_read_in_parts(self, c: int) -> bool:
        """Whether an e-class is a recurrence of which a reader takes some elements. No loop over these goes from one step to the next."""
        graph = self.graph
        readers = (graph.term(node).op for nodes in graph.readers[c].values() for node in nodes)
        return graph.ops[c] == {Op.RECUR_AXIS} and any(op in (Op.SHRINK, Op.PAD, Op.INDEX) for op in readers)

    def _epilogue(self, c: int) -> int:
        """The last e-class of the chain of elementwise operations on a reduction: storing it instead takes no further kernel, and less traffic."""
        graph, at = self.graph, c
        while len(graph.readers[at]) == 1 and c not in self.must_store:
            ((reader, nodes),) = graph.readers[at].items()
            ops = {graph.term(node).op for node in nodes}
            if reader <= at or not ops <= ALU | {Op.RESHAPE} or graph.bytes(reader) > graph.bytes(c):
                break
            at = reader
            if ops & ALU:
                c = at
            if at in self.must_store:
                break
        return c

    def _partners(self, c: int, reductions: set[int]) -> set[int]:
        """The reductions of the same shape that reduction `c` depends on, if both are joined across parts, as means and squares are.

        They are joined if some e-class combines `c` with a reduction of a partner across parts, on which `c` does not depend, and is then
        reduced itself.
        """
        graph = self.graph
        joining = [
            reader
            for reader in graph.readers[c]
            if any(graph.ops[each] & ACROSS for each in graph.readers[reader])
        ]
        alike = (
            [each for each in reductions if each != c and graph.shapes[each] == graph.shapes[c]]
            if joining
            else []
        )
        partners = {each for each in alike if graph.below[c] >> each & 1}
        across = [each for each in reductions if partners and not graph.below[c] >> each & 1]
        for reader in joining:
            others = {each for node in graph.nodes[reader] for each in graph.rows[node] if each != c}
            for each in across:
                if any(graph.below[other] >> each & 1 for other in others) and any(
                    graph.below[each] >> own & 1 for own in partners
                ):
                    return partners
        return set()

    def _is_candidate(self, c: int, below: _Below, buffers: set[int]) -> bool:
        graph = self.graph
        if (
            c in self.must_store
            or not graph.sizes[c]
            or any(c in each for each in (graph.constants, graph.inputs, graph.masks))
        ):
            return c in self.must_store
        if self._is_computed(c) and (
            self.is_complete or c in self.epilogues | self.pair_members | self.scattered
        ):
            return True
        if self._is_computed(c):
            is_elementwise = graph.term(graph.cheapest[c]).op not in ACROSS
            return is_elementwise and c in self.worth_storing and not self._is_cheap(c, below)
        return c in graph.movements and graph.buffer[c] not in buffers and self._is_copy(c)

    def _is_computed(self, c: int) -> bool:
        """Whether an e-class is an array that operations compute and that a kernel may store."""
        graph = self.graph
        is_array = graph.sizes[c] and graph.snapshot.class_shape[c] is not None and c not in graph.constants
        return bool(is_array and graph.ops[c] & (ALU | ACROSS | {Op.INDEX}))

    def _is_cheap(self, c: int, below: _Below) -> bool:
        """Whether computing a value again for each of its uses is not much worse than storing it once."""
        if c in self.converging:
            return True
        graph, machine = self.graph, self.graph.machine
        cycles, read, copies = below.cost(c)
        if copies > MOST_COPIES:
            return False
        rate = machine.cache_bytes_per_cycle[1]
        own = graph.bytes(c)
        anew = max(0, read - own) + cycles * own / machine.vector_bytes * rate
        launch = machine.launch_seconds * machine.frequency * rate
        return (self._uses(c) - 1) * anew <= 2 * own + launch

    def _uses(self, c: int) -> int:
        """How many times each element of an e-class is needed at most, if each of its users is computed once."""
        graph, total = self.graph, 0
        own = frozenset(axis for axis, n in enumerate(graph.shapes[c]) if n > 1)
        stack = [(c, 1, own)]
        while stack and total < MANY:
            at, times, axes = stack.pop()
            for reader, nodes in graph.readers[at].items():
                ops = {graph.term(node).op for node in nodes}
                grown = max(1, graph.sizes[reader] // max(1, graph.sizes[at]))
                if ops & (ALU | ACROSS):
                    total += times if times > 1 and self._is_reduced(at, axes) else 1
                elif ops <= MOVES:
                    stack.append(
                        (reader, times * grown if Op.EXPAND in ops else times, self._moved(axes, min(nodes)))
                    )
                else:
                    total += 2 * grown
        return total

    def _is_reduced(self, c: int, axes: frozenset[int]) -> bool:
        """Whether an e-class, or an elementwise function of it, is reduced over one of these axes."""
        graph, seen, stack = self.graph, {c}, [(c, axes)]
        while stack:
            at, axes = stack.pop()
            for reader, nodes in graph.readers[at].items():
                term = graph.term(min(nodes))
                if term.op in ACROSS:
                    if axes & {*term.arg[1]}:
                        return True
                elif reader > at and reader not in seen:
                    seen.add(reader)
                    stack.append((reader, axes if term.op in ALU else self._moved(axes, min(nodes))))
        return False

    def _moved(self, axes: frozenset[int], node: int) -> frozenset[int]:
        """The axes of the result of a movement that these axes of its operand become; all axes where that is not plain."""
        graph, term = self.graph, self.graph.term(node)
        source, result = graph.shapes[graph.rows[node][0]], graph.shapes[graph.owner[node]]
        if term.op is Op.PERMUTE:
            return frozenset(axis for axis, old in enumerate(term.arg) if old in axes)
        if term.op is not Op.RESHAPE:
            return axes if len(source) == len(result) else frozenset(range(len(result)))
        before, after = ([axis for axis, n in enumerate(shape) if n > 1] for shape in (source, result))
        if [source[axis] for axis in before] != [result[axis] for axis in after]:
            return frozenset(range(len(result)))
        return frozenset(new for old, new in zip(before, after, strict=True) if old in axes)

    def _is_copy(self, c: int) -> bool:
        """Whether a movement is used several times, and moves the last axis of its operand or adds a border."""
        graph = self.graph
        term = graph.term(graph.cheapest[c])
        if term.op is Op.PERMUTE:
            moves = term.arg[-1] != len(graph.shapes[c]) - 1 and graph.shapes[c][-1] > 1
        else:
            moves = term.op is Op.PAD
        return moves and self._uses(c) > 1

    def _stored_class(self, c: int) -> int:
        """The e-class whose kernel writes the memory of `c`: the array that `c` reshapes if it only does that, otherwise `c`."""
        graph = self.graph
        while graph.ops[c] <= SAME_ORDER:
            c = graph.rows[graph.cheapest[c]][0]
        return c


class _Below:
    """The work to compute each e-class from the candidates and inputs below it.

    Attributes:
        operations: for each e-class, the e-classes that are computed for it, with the number of elements of each for one of its own.
        leaves: for each e-class, the candidates and inputs that are read.
    """

    def __init__(self, graph: ArrayGraph) -> None:
        self.graph = graph
        self.operations: list[dict[int, int]] = []
        self.leaves: list[frozenset[int]] = []

    def add(self, c: int, is_stored: bool) -> None:
        """Adds the next e-class; readers of a stored e-class load it."""
        operations, leaves = self._of(c)
        own = is_stored or c in self.graph.inputs
        self.operations.append({} if own else operations)
        self.leaves.append(frozenset({c}) if own else leaves)

    def cost(self, c: int) -> tuple[float, int, int]:
        """Cycles for a vector register of elements, bytes that are read, and the most elements of one e-class that are computed for one element."""
        operations, leaves = self._of(c)
        graph = self.graph
        cycles = sum(times * graph.cycles(graph.cheapest[each]) for each, times in operations.items())
        return cycles, sum(map(graph.bytes, leaves)), max(operations.values())

    def _of(self, c: int) -> tuple[dict[int, int], frozenset[int]]:
        """The operations and leaves of an e-class. Operands at the same element share what is below them; views are at other elements."""
        row = dict.fromkeys(self.graph.rows[self.graph.cheapest[c]])
        same: dict[int, int] = {c: 1}
        other: dict[int, int] = {}
        for each in row:
            moved = each in self.graph.movements
            for below, times in self.operations[each].items():
                if moved:
                    other[below] = other.get(below, 0) + times
                else:
                    same[below] = max(same.get(below, 0), times)
        for below, times in other.items():
            same[below] = min(MANY, same.get(below, 0) + times)
        return same, frozenset[int]().union(*(self.leaves[each] for each in row))
