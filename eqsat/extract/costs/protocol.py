"""The protocol of cost models: a cost model gives every e-node a price in a stated unit.

A model sees one node at a time: its operation, and the dtypes and shapes of its result and of its sources. It never sees which other
nodes are chosen; sharing is the extractor's business. A model of your own has a name, a unit and one method:

>>> from eqsat.dtype import float32
>>> class CountProducts:
...     name, unit = "products", "multiplications"
...     def cost(self, node):
...         return float(node.op is Op.MUL)
>>> CountProducts().cost(Node(Op.MUL, float32, None, (), (Value(float32, ()),) * 2))
1.0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from math import prod
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from eqsat.dtype import DType, PtrDType
from eqsat.errors import ExtractionError, brief
from eqsat.ops import TABLE, Op
from eqsat.uop import UOp, toposort
from eqsat.uop.recurrence import operations

if TYPE_CHECKING:
    from eqsat.egraph.snapshot.snapshot import Snapshot


class Value(NamedTuple):
    """An e-class as a cost model sees it: its dtype, and its shape (None if it has no value, as a SINK)."""

    dtype: DType | PtrDType
    shape: tuple[int, ...] | None


class Node(NamedTuple):
    """One e-node as a cost model sees it. An n-ary operator, such as ADD, may have more than two sources."""

    op: Op
    dtype: DType | PtrDType
    arg: Any
    shape: tuple[int, ...] | None
    sources: tuple[Value, ...]

    @property
    def elements(self) -> int:
        """The number of elements of the result; 1 for a result without a shape."""
        return prod(self.shape or ())

    @property
    def operations(self) -> int:
        """The number of operations for each element; a sum of n terms adds n - 1 times, and a recurrence consists of several."""
        if self.op is Op.RECUR_AXIS:
            return len(operations(self.arg[0]))
        return len(self.sources) - 1 if TABLE[self.op].associative and len(self.sources) > 2 else 1


class CostModel(Protocol):
    """A price for each e-node.

    Attributes:
        name: the name on the command line (`eqsat extract --cost`) and in tables.
        unit: the unit of the prices, in words.
    """

    name: ClassVar[str]
    unit: ClassVar[str]

    def cost(self, node: Node) -> float:
        """The cost of adding `node` to a program that has its sources already: a real number. `inf` forbids the node; NaN is an error."""
        ...


def cost_of(model: CostModel, node: Node) -> float:
    """The cost of a node by a model, which may be a user's: a float, of whatever kind of real numbers the cost is.

    Raises:
        ExtractionError: the cost is not a number, or too large for a float.

    >>> from eqsat.dtype import float32
    >>> from eqsat.extract.costs.operations import OperationCount
    >>> cost_of(OperationCount(), Node(Op.ADD, float32, None, (), ()))
    1.0
    """
    cost: Any = model.cost(node)
    if cost.__class__ is float:  # asked first, because models are asked for thousands of costs
        return cost
    if isinstance(cost, Real | Decimal):
        with suppress(OverflowError, ValueError):
            return float(cost)
    raise ExtractionError(
        f"{type(model).__name__} says that a {node.op.name} of {node.dtype} with shape {node.shape} costs {brief(cost)};"
        " give a number that a float holds, or inf to forbid the node"
    )


def nodes_of(snapshot: Snapshot) -> Iterator[Node]:
    """Yields the nodes of an e-graph in order, as a cost model sees them."""
    values = [
        Value(dtype, shape) for dtype, shape in zip(snapshot.class_dtype, snapshot.class_shape, strict=True)
    ]
    owners: list[int] = snapshot.node_class.tolist()
    children: list[int] = snapshot.children.tolist()
    start: list[int] = snapshot.child_start.tolist()
    for number, term in enumerate(snapshot.terms):
        sources = tuple(values[child] for child in children[start[number] : start[number + 1]])
        yield Node(term.op, term.dtype, term.arg, values[owners[number]].shape, sources)


def nodes_of_graph(roots: Iterable[UOp]) -> Iterator[Node]:
    """Yields each node of a graph once, as a cost model sees it."""
    for node in toposort(roots):
        sources = tuple(Value(source.dtype, source.shape) for source in node.src)
        yield Node(node.op, node.dtype, node.arg, node.shape, sources)


def total_cost(model: CostModel, roots: Iterable[UOp]) -> float:
    """The cost of a graph, in which each node counts once.

    Raises:
        ExtractionError: as `cost_of`.

    >>> from eqsat.extract.costs.operations import OperationCount
    >>> i = UOp.variable("i", 0, 9)
    >>> total_cost(OperationCount(), [(i + 1) * (i + 1)])
    2.0
    """
    return sum(cost_of(model, node) for node in nodes_of_graph(roots))


def is_leaf(op: Op) -> bool:
    """Whether an operation computes nothing: constants, inputs, loop variables, and operations that only collect results."""
    return op in _LEAVES


_LEAVES = frozenset({
    Op.SINK, Op.CONST, Op.VCONST, Op.PARAM, Op.BUFFER, Op.DEFINE_VAR, Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG, Op.RANGE,
    Op.SPECIAL, Op.DEVICE, Op.UNIQUE, Op.LUNIQUE, Op.NOOP, Op.GROUP, Op.TUPLE, Op.GET_TUPLE,
})  # fmt: skip
