"""What a node costs: cost models are values, each with its unit.

A model sees one node at a time: its operation, and the element types and shapes of its result and of its sources. It never sees
which other nodes are chosen; sharing is the extractor's business. A model of your own has a name, a unit and one method:

>>> from eqsat.dtype import float32
>>> class CountProducts:
...     name, unit = "products", "multiplications"
...     def cost(self, node):
...         return float(node.op is Op.MUL)
>>> CountProducts().cost(Node(Op.MUL, float32, None, (), (Value(float32, ()),) * 2))
1.0
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from eqsat.dtype import DType, PtrDType
from eqsat.ops import ALU, COMPARISON, MOVEMENT, TABLE, Category, Op

if TYPE_CHECKING:
    from eqsat.egraph.snapshot import Snapshot


class Value(NamedTuple):
    """What is known of a class: its element type and shape (None where there is no value)."""

    dtype: DType | PtrDType
    shape: tuple[int, ...] | None


class Node(NamedTuple):
    """One e-node as a cost model sees it. A sum, product, min, max, and, or may have more than two sources."""

    op: Op
    dtype: DType | PtrDType
    arg: Any
    shape: tuple[int, ...] | None
    sources: tuple[Value, ...]

    @property
    def elements(self) -> int:
        """How many elements the result has; a value without a shape counts once."""
        return prod(self.shape or ())

    @property
    def operations(self) -> int:
        """How many times the operation is applied per element: a sum of n terms adds n - 1 times."""
        return len(self.sources) - 1 if TABLE[self.op].associative and len(self.sources) > 2 else 1


class CostModel(Protocol):
    """A price list.

    Attributes:
        name: as `eqsat extract --cost` and tables call it.
        unit: what one unit of the cost is.
    """

    name: ClassVar[str]
    unit: ClassVar[str]

    def cost(self, node: Node) -> float:
        """What choosing `node` adds to the program, its sources being there; `inf` forbids it, NaN is an error."""
        ...


def nodes_of(snapshot: Snapshot) -> Iterator[Node]:
    """The nodes of an e-graph in order, as a cost model sees them."""
    values = [
        Value(dtype, shape) for dtype, shape in zip(snapshot.class_dtype, snapshot.class_shape, strict=True)
    ]
    owners: list[int] = snapshot.node_class.tolist()
    children: list[int] = snapshot.children.tolist()
    start: list[int] = snapshot.child_start.tolist()
    for number, term in enumerate(snapshot.node_op):
        sources = tuple(values[child] for child in children[start[number] : start[number + 1]])
        yield Node(term.op, term.dtype, term.arg, values[owners[number]].shape, sources)


def is_leaf(op: Op) -> bool:
    """Whether nothing is computed: constants, inputs, loop variables, and what only collects results."""
    return op in _LEAVES


_LEAVES = frozenset(
    {
        Op.SINK,
        Op.CONST,
        Op.VCONST,
        Op.PARAM,
        Op.BUFFER,
        Op.DEFINE_VAR,
        Op.DEFINE_GLOBAL,
        Op.DEFINE_LOCAL,
        Op.DEFINE_REG,
    }
    | {Op.RANGE, Op.SPECIAL, Op.DEVICE, Op.UNIQUE, Op.LUNIQUE, Op.NOOP, Op.GROUP, Op.TUPLE, Op.GET_TUPLE}
)


@dataclass(frozen=True)
class OperationCount:
    """Every operation costs 1, leaves nothing; a sum of n terms is n - 1 operations."""

    name: ClassVar[str] = "operations"
    unit: ClassVar[str] = "operations"

    def cost(self, node: Node) -> float:
        """0 for a leaf, else how often the operation is applied to one element.

        >>> from eqsat.dtype import float32
        >>> OperationCount().cost(Node(Op.ADD, float32, None, (), (Value(float32, ()),) * 3))
        2.0
        """
        return 0.0 if is_leaf(node.op) else float(node.operations)


SLOW: dict[Op, float] = {
    Op.FLOORDIV: 8, Op.FLOORMOD: 8, Op.IDIV: 8, Op.MOD: 8, Op.FDIV: 8, Op.POW: 8, Op.SIN: 8,
    Op.RECIP: 4, Op.SQRT: 4, Op.EXP2: 4, Op.LOG2: 4, Op.MUL: 2,
}  # fmt: skip
"""How slow an operation is, 1 where it is not listed: which of two expressions with as many operations is better."""

_TIE = 1 / (1 << 14)  # what slowness counts beside an operation


@dataclass(frozen=True)
class FewestOperations:
    """Operations, and where two expressions have as many, the quicker ones.

    Attributes:
        forbidden: names of variables that must not occur.
    """

    forbidden: frozenset[str] = frozenset()
    name: ClassVar[str] = "fewest-operations"
    unit: ClassVar[str] = "operations"

    def cost(self, node: Node) -> float:
        """What an operation costs, each time that it is applied; `inf` for a forbidden variable.

        >>> from eqsat.dtype import index
        >>> add, multiply = (FewestOperations().cost(Node(op, index, None, (), (Value(index, ()),) * 2)) for op in (Op.ADD, Op.MUL))
        >>> 1 < add < multiply < 1.001
        True
        """
        if node.op is Op.DEFINE_VAR and node.arg[0] in self.forbidden:
            return inf
        if is_leaf(node.op) or node.op in MOVEMENT:
            return 0.0 if is_leaf(node.op) else _TIE
        return (1 + SLOW.get(node.op, 1) * _TIE) * node.operations


CYCLES: dict[Op, float] = {
    Op.ADD: 1, Op.SUB: 1, Op.NEG: 1, Op.MUL: 1, Op.MULACC: 1, Op.MAX: 1, Op.MIN: 1, Op.CMPLT: 1, Op.CMPNE: 1,
    Op.AND: 1, Op.OR: 1, Op.XOR: 1, Op.SHL: 1, Op.SHR: 1, Op.WHERE: 1, Op.CAST: 1, Op.BITCAST: 0.25,
    Op.FDIV: 8, Op.RECIP: 8, Op.SQRT: 12, Op.EXP2: 16, Op.LOG2: 20, Op.SIN: 24, Op.POW: 48,
    Op.IDIV: 24, Op.MOD: 26, Op.FLOORDIV: 28, Op.FLOORMOD: 30,
    Op.INDEX: 1, Op.LOAD: 4, Op.STORE: 4,
}  # fmt: skip
"""Cycles per element and core at full pipelines, on a current x86 core (Agner Fog's tables, rounded). Two things are folded in:
integer MUL costs 3 (see `cycles`), and signed floor division pays a correction over the truncating one."""

INTEGER_MULTIPLY = 3.0  # cycles
UNKNOWN = 4.0  # cycles, for an operation without a row


def cycles(op: Op, dtype: DType | PtrDType) -> float:
    """Cycles that one element of `op` takes, whose (first) operand has `dtype`; 0 for leaves and movement."""
    if is_leaf(op) or op in MOVEMENT:
        return 0.0
    if op is Op.MUL and not (isinstance(dtype, DType) and dtype.scalar.is_float):
        return INTEGER_MULTIPLY
    return CYCLES.get(op, UNKNOWN)


@dataclass(frozen=True)
class Latency:
    """The cycles of each operation, once: the cost of a scalar program, or of one element of an array program."""

    name: ClassVar[str] = "latency"
    unit: ClassVar[str] = "cycles"

    def cost(self, node: Node) -> float:
        """Cycles of the operation on one element.

        >>> from eqsat.dtype import float32
        >>> Latency().cost(Node(Op.SQRT, float32, None, (16,), (Value(float32, (16,)),)))
        12
        """
        if node.op is Op.REDUCE_AXIS:
            return cycles(node.arg[0], node.dtype)
        operand = node.sources[0].dtype if node.op in COMPARISON else node.dtype
        return cycles(node.op, operand) * node.operations


@dataclass(frozen=True)
class LoopAware:
    """Cycles of an array program: each operation times the iterations of the loops it sits in, spread over the lanes and cores.

    At this level the loops of a value are its axes, so the trip count of an operation is its number of elements, and that of a
    reduction its number of *input* elements. Moving data costs next to nothing, since it becomes index arithmetic. What is
    read from or written to memory (inputs, gathers, results of reductions) costs its bytes. A reduction to few elements
    keeps few cores busy, which is why a large one is worth splitting, and it ends a kernel, which costs a launch.

    Attributes:
        cores: cores of the device.
        lanes: 32-bit lanes of one vector; operations on wider elements have fewer.
        bytes_per_cycle: memory traffic of the whole device per cycle of one core.
        launch_cycles: what ending a kernel and starting the next costs.
        movement_cycles: per element moved; small, so that a graph without moves wins over one with.
    """

    name: ClassVar[str] = "loop-aware"
    unit: ClassVar[str] = "cycles"
    cores: int = 2
    lanes: int = 8
    bytes_per_cycle: float = 8.0
    launch_cycles: float = 30_000.0
    movement_cycles: float = 0.01

    def cost(self, node: Node) -> float:
        """Cycles of the operation on all elements.

        >>> from eqsat.dtype import float32
        >>> small, large = (Node(Op.ADD, float32, None, (n,), (Value(float32, (n,)),) * 2) for n in (16, 1600))
        >>> LoopAware().cost(large) / LoopAware().cost(small)
        100.0
        """
        if node.op in MOVEMENT:
            return self.movement_cycles * node.elements
        if TABLE[node.op].category is Category.REDUCTION:
            return self._reduction(node)
        if node.op in ALU:
            return (
                Latency().cost(node) * node.elements / (self._lanes(node.dtype) * self._busy(node.elements))
            )
        if node.op in (Op.PARAM, Op.BUFFER, Op.LOAD, Op.INDEX):
            return self._traffic(node.dtype, node.elements)
        if node.op is Op.STORE:
            return self._traffic(node.sources[1].dtype, prod(node.sources[1].shape or ()))
        return 0.0

    def _reduction(self, node: Node) -> float:
        source = node.sources[0]
        inputs = prod(source.shape or ())
        per_element = Latency().cost(node) / self._lanes(node.dtype)
        work = per_element * inputs / self._busy(node.elements)
        return work + self._traffic(node.dtype, node.elements) + self.launch_cycles

    def _busy(self, elements: int) -> int:
        """Cores that `elements` independent results can occupy."""
        return max(1, min(self.cores, elements))

    def _lanes(self, dtype: DType | PtrDType) -> float:
        return (
            max(1.0, self.lanes * 4 / dtype.itemsize) if isinstance(dtype, DType) and dtype.itemsize else 1.0
        )

    def _traffic(self, dtype: DType | PtrDType, elements: int) -> float:
        size = dtype.itemsize if isinstance(dtype, DType) else dtype.base.itemsize
        return size * elements / self.bytes_per_cycle


_models: tuple[CostModel, ...] = (OperationCount(), Latency(), LoopAware())
COST_MODELS = {model.name: model for model in _models}
