"""An e-graph of arrays, as the choice of kernels sees it: readers, buffers that e-classes share, and the e-nodes worth considering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import prod

from eqsat.dtype import DType, bool_
from eqsat.egraph.snapshot.snapshot import Snapshot, Term
from eqsat.errors import ScheduleError
from eqsat.integers import narrowing
from eqsat.machine import Machine
from eqsat.machine.prices import price
from eqsat.ops import ALONG_AXES, ALU, AT_HAND, COMMUTATIVE, COMPARISON, REORDERING, Op
from eqsat.schedule.dynamic.restrictions import NO_DYNAMIC_EXTENTS, DynamicExtents
from eqsat.schedule.lowering.movements import MOVES, SAME
from eqsat.shape import Shape
from eqsat.support.bits import bits_of, union
from eqsat.support.disjoint_sets import DisjointSets
from eqsat.uop.recurrence import operations, unpacked

SAME_ORDER = frozenset({Op.RESHAPE, *(SAME - {Op.CONTIGUOUS})})  # results lie in memory as their operands do
IN_ORDER = frozenset(
    {Op.SCAN_AXIS, Op.SCATTER_AXIS, Op.RECUR_AXIS}
)  # they combine elements one after the other
REPEATING = MOVES - {Op.PAD}  # if all elements of the operand are one value, so are those of the result


@dataclass(frozen=True, eq=False)
class ArrayGraph:
    """E-classes by number, each with an e-node of lower-numbered operands.

    Attributes:
        snapshot: the e-graph; its only root is a SINK.
        machine: the machine that tells the cycles of operations.
        dynamic: its `unstaged` extents are those of axes that are not staged in local memory.
        rows: the operands of each e-node.
    """

    snapshot: Snapshot
    machine: Machine
    dynamic: DynamicExtents = NO_DYNAMIC_EXTENTS
    rows: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.snapshot.terms)
        object.__setattr__(self, "rows", [self.snapshot.operands(node) for node in range(count)])

    @property
    def classes(self) -> range:
        """All e-classes."""
        return range(len(self.snapshot.class_dtype))

    @property
    def outputs(self) -> list[int]:
        """The e-classes of the program's results."""
        sink: int = self.snapshot.root_classes[0]
        return self.rows[self.nodes[sink][0]]

    def term(self, node: int) -> Term:
        """What an e-node does."""
        return self.snapshot.terms[node]

    @cached_property
    def owner(self) -> list[int]:
        """The e-class of each e-node."""
        return self.snapshot.node_class.tolist()

    @cached_property
    def shapes(self) -> list[Shape]:
        """The shape of each e-class; that of a scalar if it is no array."""
        return [shape or () for shape in self.snapshot.class_shape]

    @cached_property
    def sizes(self) -> list[int]:
        """The number of elements of each e-class; 1 if it is no array."""
        return [prod(shape) for shape in self.shapes]

    @cached_property
    def has_narrow_integers(self) -> bool:
        """Whether any e-class holds integers of at most 16 bits."""
        dtypes = self.snapshot.class_dtype
        return any(
            isinstance(each, DType) and each.kind in "iu" and each.itemsize <= narrowing.BYTES
            for each in dtypes
        )

    @cached_property
    def itemsizes(self) -> list[int]:
        """Bytes of an element of each e-class."""
        return [
            dtype.itemsize if isinstance(dtype, DType) else dtype.base.itemsize
            for dtype in self.snapshot.class_dtype
        ]

    def bytes(self, c: int) -> int:
        """The bytes of a whole array."""
        return self.sizes[c] * self.itemsizes[c]

    def are_apart(self, one: int, other: int) -> bool:
        """Whether neither of two e-classes depends on the other, and they are different buffers."""
        is_made = self.below[one] >> other & 1 or self.below[other] >> one & 1
        return not is_made and self.buffer[one] != self.buffer[other]

    @cached_property
    def ops(self) -> list[set[Op]]:
        """The operations of all e-nodes of each e-class."""
        start = self.snapshot.class_start.tolist()
        return [{self.term(node).op for node in range(*start[c : c + 2])} for c in self.classes]

    @cached_property
    def inputs(self) -> set[int]:
        """The e-classes that lie in memory at the start."""
        return {c for c in self.classes if Op.PARAM in self.ops[c]}

    @cached_property
    def constants(self) -> set[int]:
        """The e-classes of a single value that every kernel has without loading it: constants and variables."""
        return {c for c in self.classes if self.ops[c] & AT_HAND}

    @cached_property
    def masks(self) -> set[int]:
        """The e-classes of bools that depend on variables, and on no input: computing them is quicker than loading them."""
        inputs = sum(1 << c for c in self.inputs)
        variables = sum(1 << c for c in self.classes if Op.DEFINE_VAR in self.ops[c])
        return {
            c
            for c in self.classes
            if self.snapshot.class_dtype[c] is bool_
            and self.below[c] & variables
            and not self.below[c] & inputs
        }

    @cached_property
    def splats(self) -> set[int]:
        """The e-classes all of whose elements equal one constant or variable."""
        found = set(self.constants)
        start = self.snapshot.class_start.tolist()
        for c in self.classes:
            nodes = range(*start[c : c + 2])
            if any(self.term(node).op in REPEATING and self.rows[node][0] in found for node in nodes):
                found.add(c)
        return found

    @cached_property
    def nodes(self) -> list[list[int]]:
        """The e-nodes of each e-class that are worth considering.

        A constant has only itself, and an input only its PARAM. Of operations on the same operands, constants aside, the cheapest one is left.
        Of movements one is left, as they all lead to the same element of the value that was computed first. Of reductions of the same elements
        in other shapes or orders one is left, too: that of the operand that was computed first, or else one over the first axes, since its
        results lie side by side.
        """
        start = self.snapshot.class_start.tolist()
        return self._without_other_orders(
            [self._undominated(c, range(*start[c : c + 2])) for c in self.classes]
        )

    def _undominated(self, c: int, nodes: Iterable[int]) -> list[int]:
        for op in (Op.CONST, Op.DEFINE_VAR, Op.PARAM):
            if op in self.ops[c]:
                return [node for node in nodes if self.term(node).op is op][:1]
        best: dict[object, int] = {}
        for node in sorted(nodes, key=self._cost_key):
            op, row = self.term(node).op, self.rows[node]
            if op in MOVES:
                if row[0] < c or self._shows_parts(node):
                    best.setdefault(MOVES, node)
            elif op is Op.REDUCE_AXIS and c not in row:
                key = Op.REDUCE_AXIS, self._first_order(row[0])
                best[key] = min(best.get(key, node), node, key=self._plainness)
            elif c not in row:
                best.setdefault(frozenset(row) - self.constants if op in ALU else node, node)
        return sorted(best.values())

    def _shows_parts(self, node: int) -> bool:
        """Whether an e-node cuts the padding off a scan or scatter in parts, which may have a higher number than the whole."""
        is_in_order = bool(self.ops[self.owner[node]] & IN_ORDER)
        return self.machine.waits and is_in_order and self.term(node).op is Op.SHRINK

    def _cost_key(self, node: int) -> tuple[object, ...]:
        """Sort key: the cycles, then the number of operands that are splats."""
        row = self.rows[node]
        return self.cycles(node), sum(each in self.splats for each in row), row

    def _first_order(self, c: int) -> int:
        """The lowest e-class that has the same elements in any shape and order."""
        start = self.snapshot.class_start
        while True:
            sources = [
                self.rows[node][0] for node in range(*start[c : c + 2]) if self.term(node).op in REORDERING
            ]
            first = min(sources, default=c)
            if first >= c:
                return c
            c = first

    def _plainness(self, node: int) -> tuple[object, ...]:
        """A sort key: first the reduction whose operand precedes its result, is not only moved, and loses its first axes."""
        (operand,) = self.rows[node]
        return operand > self.owner[node], self.ops[operand] <= MOVES, self.term(node).arg[1], node

    def _without_other_orders(self, found: list[list[int]]) -> list[list[int]]:
        """Drops movements that bring the result of a reduction into another order, if a reduction also computes that order directly.

        They are dropped where a later reduction prefers the other order, and nothing but the movement reads the first one.
        """
        kept = set(chain.from_iterable(found))
        reductions = {node for node in range(len(self.rows)) if self.term(node).op is Op.REDUCE_AXIS}
        reads = Counter(each for node in kept for each in self.rows[node])
        reduced = {self.owner[node] for node in kept & reductions}
        passed_over = {self.rows[node][0] for node in reductions - kept} & reduced
        needless = {c for c in passed_over if reads[c] == 1}
        chosen: list[list[int]] = []
        for c, own in enumerate(found):
            plain = [
                node for node in own if self.term(node).op not in MOVES or self.rows[node][0] not in needless
            ]
            is_computed = c in reduced and any(max(self.rows[node], default=-1) < c for node in plain)
            chosen.append(plain if is_computed else own)
        return chosen

    def cycles(self, node: int) -> float:
        """Cycles of an e-node for one vector register of elements; 0 if it is no elementwise operation and no recurrence."""
        row = self.rows[node]
        constants = row if self.term(node).op in COMMUTATIVE else row[-1:]
        is_by_constant = any(each in self.splats for each in constants)
        cycles = self.machine.cycles_by_constant if is_by_constant else self.machine.cycles
        return self._price(node, cycles)

    def instructions(self, node: int) -> float:
        """Instructions of an e-node for one element; 0 if it is no elementwise operation."""
        return self._price(node, lambda op, dtype: price(op, dtype).instructions)

    @cached_property
    def cheapest_instructions(self) -> list[float]:
        """Instructions of the cheapest e-node of each e-class, for one element."""
        return [self.instructions(node) for node in self.cheapest]

    def _price(self, node: int, price_of: Callable[[Op, DType], float]) -> float:
        """The price of an e-node with all its operands, by that of an operation on two; 0 if it is no elementwise operation."""
        term, row = self.term(node), self.rows[node]
        if term.op is Op.RECUR_AXIS:
            return sum(price_of(op, dtype) for op, dtype in operations(term.arg[0]))
        if term.op not in ALU:
            return 0.0
        dtype = self.snapshot.class_dtype[row[0]] if term.op in COMPARISON else term.dtype
        assert isinstance(dtype, DType), "operations on elements have no pointers"
        return price_of(term.op, dtype.scalar) * max(1, len(row) - 1 if term.op is not Op.WHERE else 1)

    @cached_property
    def cheapest(self) -> list[int]:
        """The e-node of each e-class with the least cost, that of all e-classes that it needs included; a scatter only if there is no other.

        An e-class that is needed several times counts once: if it counted for each use, the cost of a recurrence such as `x = f(x) + g(x)`
        would double with each step, and sums with hundreds of terms over all former steps would seem cheap.
        """
        found: list[int] = []
        work: list[float] = []
        needed: list[int] = []  # for each e-class, itself and all e-classes below it, as a bit mask
        for c in self.classes:
            options = [node for node in self.nodes[c] if all(each < c for each in self.rows[node])]
            if not options:
                raise ScheduleError(f"e-class {c} has no e-node of lower-numbered operands")
            best, *others = sorted(options, key=lambda node: self.term(node).op is Op.SCATTER_AXIS)
            below = self._union(needed, best)
            for node in others:
                if self.term(node).op is Op.SCATTER_AXIS:
                    break
                rival = self._union(needed, node)
                more, less = bits_of(rival & ~below), bits_of(below & ~rival)
                change = sum(work[each] for each in more) - sum(work[each] for each in less)
                if self._work(node) + change < self._work(best):
                    best, below = node, rival
            found.append(best)
            work.append(self._work(best))
            needed.append(below | 1 << c)
        return found

    @cached_property
    def needed(self) -> list[int]:
        """The e-classes that the outputs need if each is computed by its cheapest e-node, each after its operands."""
        found = set(self.outputs)
        for c in reversed(self.classes):
            if c in found:
                found.update(self.rows[self.cheapest[c]])
        return sorted(found)

    def _union(self, masks: Sequence[int], node: int) -> int:
        return union(masks[each] for each in self.rows[node])

    def _work(self, node: int) -> float:
        """Cycles of an e-node for all its elements, times the bytes of a vector register."""
        term, row = self.term(node), self.rows[node]
        if term.op in ALONG_AXES:
            assert isinstance(term.dtype, DType)
            return self.machine.cycles(term.arg[0], term.dtype) * self.bytes(row[0])
        return self.cycles(node) * self.bytes(self.owner[node])

    def kept(self, node: int) -> object:
        """A key that is equal for e-nodes of recurrences that keep the same values."""
        return tuple(self.rows[node]), unpacked(self.term(node).arg[0]).following

    @cached_property
    def keeping_alike(self) -> Counter[object]:
        """The number of recurrences that keep the same values, by `kept`."""
        return Counter(
            self.kept(node) for node in range(len(self.rows)) if self.term(node).op is Op.RECUR_AXIS
        )

    @cached_property
    def movements(self) -> set[int]:
        """The e-classes that only move the elements of another one."""
        return {c for c in self.classes if self.ops[c] <= MOVES}

    @cached_property
    def reshaped(self) -> dict[int, set[Shape]]:
        """By number of elements, the shapes of arrays before and after a RESHAPE."""
        found: dict[int, set[Shape]] = {}
        for node, row in enumerate(self.rows):
            if self.term(node).op is Op.RESHAPE:
                shapes = self.shapes[row[0]], self.shapes[self.owner[node]]
                found.setdefault(self.sizes[row[0]], set()).update(shapes)
        return found

    @cached_property
    def readers(self) -> list[dict[int, set[int]]]:
        """For each e-class, the e-classes that read it, with their e-nodes that do."""
        found: list[dict[int, set[int]]] = [{} for _ in self.classes]
        for c in self.classes:
            for node in self.nodes[c]:
                for each in self.rows[node]:
                    found[each].setdefault(c, set()).add(node)
        return found

    @cached_property
    def buffer(self) -> list[int]:
        """For each e-class, the lowest of all e-classes that lie in memory as it does: reshaped arrays are one buffer."""
        sets = DisjointSets(self.classes)
        for node, row in enumerate(self.rows):
            if self.term(node).op in SAME_ORDER:
                sets.merge(*sorted(map(sets.representative, (self.owner[node], row[0]))))
        return [sets.representative(c) for c in self.classes]

    @cached_property
    def below(self) -> list[int]:
        """For each e-class, the e-classes that it may be computed from, itself included, as a bit mask."""
        found = [1 << c for c in self.classes]
        changed = True
        while changed:
            changed = False
            for c in self.classes:
                wider = found[c]
                for each in self._operands(c):
                    wider |= found[each]
                changed |= wider != found[c]
                found[c] = wider
        return found

    def _operands(self, c: int) -> Iterator[int]:
        for node in self.nodes[c]:
            yield from self.rows[node]
