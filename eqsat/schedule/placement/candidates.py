"""Which e-classes may be stored in memory, and which must be.

Every e-class could be: an array equals a LOAD of what a kernel has stored of it. Left out are values that it is never much worse to compute
anew, wherever they are used, from candidates below them. To store a value costs a launch, and to write and read each element. To compute it
anew costs, for each use but one, its operations and what is read for it besides.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from eqsat.ops import ALONG_AXES, ALU, Op
from eqsat.schedule.lowering.movements import MOVES
from eqsat.schedule.placement.array_graph import SAME_ORDER, ArrayGraph
from eqsat.schedule.placement.converging import converging

KERNEL_NODES = 400  # operations of a kernel; a larger one takes the OpenCL compiler minutes
KERNEL_BUFFERS = 60  # arguments that every device accepts
MOST_COPIES = (
    12  # of an operation, at different elements, that may be computed anew for one element of a value
)
MANY = 1 << 40  # uses, more than which are not told apart


@dataclass(eq=False)
class Candidates:
    """The e-classes that may be stored.

    Attributes:
        graph: the e-graph.
        all_of: of a program of so many computed arrays or fewer, all are candidates.
        is_complete: whether all are.
        kept: those that are, whatever it costs: outputs, copies that the program asks for, and where a kernel would be too large.
        storable: all that may be, `kept` among them.
        copies: those of `storable` that hold the elements of another array in another order, or with a border.
        pairs: reductions of parts of the same elements, the second made of the first, that are reduced across parts together.
        scattered: those that kernels of their own may scatter.
        parts: the members of pairs. Computed where parts are joined, they would save nothing.
    """

    graph: ArrayGraph
    all_of: int = 0
    is_complete: bool = False
    kept: set[int] = field(init=False)
    storable: set[int] = field(init=False)
    copies: set[int] = field(init=False)
    pairs: set[tuple[int, int]] = field(init=False)
    scattered: set[int] = field(init=False)
    parts: set[int] = field(init=False)

    def __post_init__(self) -> None:
        graph = self.graph
        self.copies = set()
        asked = {c for c in graph.classes if Op.CONTIGUOUS in graph.ops[c] and graph.sizes[c]}
        outputs = {c for c in graph.outputs if graph.sizes[c]}
        there = {graph.buffer[c] for c in graph.inputs}
        self.kept = {self._stored(c) for c in asked | outputs if graph.buffer[c] not in there}
        self.kept |= {self._stored(c) for c in graph.classes if graph.ops[c] == {Op.SCATTER_AXIS}}
        self.kept |= self._cuts()
        self.storable = set(self.kept)
        computed = {c for c in graph.classes if self._is_computed(c)}
        self.is_small = len(computed) <= self.all_of
        self.is_complete |= self.is_small
        # what a stack is reduced to is no reduction if its parts are combined sooner
        reductions = {c for c in computed if graph.term(graph.cheapest[c]).op in ALONG_AXES}
        scans = {
            c for c in reductions if Op.SCAN_AXIS in graph.ops[c]
        }  # functions of it may be vectors elsewhere
        self.epilogues = {self._epilogue(c) for c in reductions} | scans
        self.scattered = {c for c in reductions if Op.SCATTER_AXIS in graph.ops[c]}
        self.pairs = {(low, c) for c in reductions for low in self._partners(c, reductions)}
        self.parts = {c for pair in self.pairs for c in pair}
        self.converging = converging(graph, self.kept)
        below = _Below(graph)
        buffers: set[int] = set()
        for c in graph.classes:
            if graph.buffer[c] not in there and self._is_candidate(c, below, buffers):
                self.storable.add(c)
                buffers.add(graph.buffer[c])
            below.add(c, c in self.storable)

    def _epilogue(self, c: int) -> int:
        """The last of what is made of a reduction alone, element by element: to store that instead takes no other kernel, and less traffic."""
        graph, at = self.graph, c
        while len(graph.readers[at]) == 1 and c not in self.kept:
            ((reader, nodes),) = graph.readers[at].items()
            ops = {graph.term(node).op for node in nodes}
            if reader <= at or not ops <= ALU | {Op.RESHAPE} or graph.bytes(reader) > graph.bytes(c):
                break
            at = reader
            if ops & ALU:
                c = at
            if at in self.kept:
                break
        return c

    def _partners(self, c: int, reductions: set[int]) -> set[int]:
        """The reductions of the same shape that a reduction is made of, if results of both, such as means and squares, are joined for parts.

        It is joined with what is made of them across parts, which need not be there before, and then reduced.
        """
        graph = self.graph
        joining = [
            reader
            for reader in graph.readers[c]
            if any(graph.ops[each] & ALONG_AXES for each in graph.readers[reader])
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
            c in self.kept
            or not graph.sizes[c]
            or any(c in each for each in (graph.constants, graph.inputs, graph.masks))
        ):
            return c in self.kept
        if self._is_computed(c) and (self.is_complete or c in self.epilogues | self.parts | self.scattered):
            return True
        if self._is_computed(c):
            return graph.term(graph.cheapest[c]).op not in ALONG_AXES and not self._is_cheap(c, below)
        if c in graph.movements and graph.buffer[c] not in buffers and self._is_copy(c):
            self.copies.add(c)
            return True
        return False

    def _is_computed(self, c: int) -> bool:
        """Whether an e-class is an array that operations compute, of elements that a kernel may store."""
        graph = self.graph
        is_array = graph.sizes[c] and graph.snapshot.class_shape[c] is not None and c not in graph.constants
        return bool(is_array and graph.ops[c] & (ALU | ALONG_AXES | {Op.INDEX}))

    def _is_cheap(self, c: int, below: _Below) -> bool:
        """Whether to compute a value anew for each of its uses is not much worse than to store it once."""
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
        """How many times each element of an e-class is needed, at most, if what uses it is computed once."""
        graph, total = self.graph, 0
        own = frozenset(axis for axis, n in enumerate(graph.shapes[c]) if n > 1)
        stack = [(c, 1, own)]
        while stack and total < MANY:
            at, times, axes = stack.pop()
            for reader, nodes in graph.readers[at].items():
                ops = {graph.term(node).op for node in nodes}
                grown = max(1, graph.sizes[reader] // max(1, graph.sizes[at]))
                if ops & (ALU | ALONG_AXES):
                    total += times if times > 1 and self._is_reduced(at, axes) else 1
                elif ops <= MOVES:
                    stack.append(
                        (reader, times * grown if Op.EXPAND in ops else times, self._moved(axes, min(nodes)))
                    )
                else:
                    total += 2 * grown
        return total

    def _is_reduced(self, c: int, axes: frozenset[int]) -> bool:
        """Whether what is made of a value, element by element, is reduced over one of these axes."""
        graph, seen, stack = self.graph, {c}, [(c, axes)]
        while stack:
            at, axes = stack.pop()
            for reader, nodes in graph.readers[at].items():
                term = graph.term(min(nodes))
                if term.op in ALONG_AXES:
                    if axes & {*term.arg[1]}:
                        return True
                elif reader > at and reader not in seen:
                    seen.add(reader)
                    stack.append((reader, axes if term.op in ALU else self._moved(axes, min(nodes))))
        return False

    def _moved(self, axes: frozenset[int], node: int) -> frozenset[int]:
        """What axes become by a movement; all where that is not plain."""
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
        """Whether an array that is used several times has its last axis elsewhere than what it is made of, or a border."""
        graph = self.graph
        term = graph.term(graph.cheapest[c])
        if term.op is Op.PERMUTE:
            moves = term.arg[-1] != len(graph.shapes[c]) - 1 and graph.shapes[c][-1] > 1
        else:
            moves = term.op is Op.PAD
        return moves and self._uses(c) > 1

    def _stored(self, c: int) -> int:
        """The e-class whose kernel writes what `c` is: where it only gives another array another shape, that one."""
        graph = self.graph
        while graph.ops[c] <= SAME_ORDER:
            c = graph.rows[graph.cheapest[c]][0]
        return c

    def _cuts(self) -> set[int]:
        """Values that are stored so that no kernel without a reduction has more than so many operations or buffers."""
        graph = self.graph
        operations, buffers = [0] * len(graph.classes), [0] * len(graph.classes)
        cuts: set[int] = set()

        def cut(c: int) -> None:
            cuts.add(c)
            operations[c], buffers[c] = 0, 1 << c

        for c, node in enumerate(graph.cheapest):
            row, is_alu = graph.rows[node], graph.term(node).op in ALU
            if c in graph.inputs or graph.ops[c] & ALONG_AXES or c in self.kept:
                buffers[c] = 1 << c
                continue
            while True:
                for each in row:
                    operations[c] |= operations[each]
                    buffers[c] |= buffers[each]
                operations[c] |= is_alu << c
                if operations[c].bit_count() <= KERNEL_NODES and buffers[c].bit_count() < KERNEL_BUFFERS:
                    break
                ready = [self._stored(each) for each in row if operations[each]]
                if not ready:
                    break
                largest = max(ready, key=lambda each: (operations[each] | buffers[each]).bit_count())
                cut(largest)
                for each in row:
                    if self._stored(each) == largest:
                        operations[each], buffers[each] = 0, 1 << largest
                operations[c] = buffers[c] = 0
        return cuts


class _Below:
    """What it takes to compute each e-class from the candidates and inputs below it: its operations, and what they read.

    Attributes:
        operations: of each e-class: e-classes below it, and at how many elements each is computed for one of it.
        leaves: of each e-class: the candidates and inputs.
    """

    def __init__(self, graph: ArrayGraph) -> None:
        self.graph = graph
        self.operations: list[dict[int, int]] = []
        self.leaves: list[frozenset[int]] = []

    def add(self, c: int, is_stored: bool) -> None:
        """The next e-class; what is stored is read."""
        operations, leaves = self._of(c)
        own = is_stored or c in self.graph.inputs
        self.operations.append({} if own else operations)
        self.leaves.append(frozenset({c}) if own else leaves)

    def cost(self, c: int) -> tuple[float, int, int]:
        """Cycles of one vector, bytes, and the most elements of one e-class that are computed."""
        operations, leaves = self._of(c)
        graph = self.graph
        cycles = sum(times * graph.cycles(graph.cheapest[each]) for each, times in operations.items())
        return cycles, sum(map(graph.bytes, leaves)), max(operations.values())

    def _of(self, c: int) -> tuple[dict[int, int], frozenset[int]]:
        """Operands at the same element share what is below them; views of one array are at others."""
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
