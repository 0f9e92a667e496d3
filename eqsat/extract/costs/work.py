"""What a node computes and moves, counted: the quantities behind the models that look at the elements of arrays."""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType, PtrDType
from eqsat.extract.costs.protocol import Node
from eqsat.ops import ALU, MOVEMENT, TABLE, Category, Op

READS = frozenset({Op.PARAM, Op.BUFFER, Op.LOAD, Op.INDEX})  # what they yield comes from memory


def itemsize(dtype: DType | PtrDType) -> int:
    """Bytes of an element, of a pointer those of what it points to; 0 for void."""
    return dtype.itemsize if isinstance(dtype, DType) else dtype.base.itemsize


def is_reduction(node: Node) -> bool:
    """Whether it combines elements."""
    return TABLE[node.op].category is Category.REDUCTION


def combining(node: Node) -> Op:
    """The operation that is applied to elements: of a reduction the one that combines them, of any other node its own."""
    match node.op:
        case Op.REDUCE_AXIS:
            return node.arg[0]
        case Op.REDUCE | Op.ALLREDUCE:
            return node.arg
        case op:
            return op


def applications(node: Node) -> int:
    """How often the operation is applied to single elements: a reduction once for each element that goes in, a sum of n terms n - 1 times.

    >>> from eqsat.dtype import float32
    >>> from eqsat.extract import Value
    >>> applications(Node(Op.REDUCE_AXIS, float32, (Op.ADD, (0,)), (4,), (Value(float32, (100, 4)),)))
    400
    """
    if is_reduction(node):
        return prod(node.sources[0].shape or ())
    return node.operations * node.elements if node.op in ALU else 0


def bytes_moved(node: Node) -> int:
    """Bytes read from memory or written to it: by inputs, gathers, stores and the results of reductions; fused operations move none."""
    if node.op is Op.STORE:
        stored = node.sources[1]
        return itemsize(stored.dtype) * prod(stored.shape or ())
    return itemsize(node.dtype) * node.elements if node.op in READS or is_reduction(node) else 0


def reduced_axes(node: Node) -> str:
    """`rows` where a reduction runs over elements side by side, the last axis among them, else `columns`."""
    shape = node.sources[0].shape or ()
    axes: tuple[int, ...] = node.arg[1] if node.op is Op.REDUCE_AXIS else ()
    return "columns" if axes and len(shape) - 1 not in axes else "rows"


def moves_last_axis(node: Node) -> bool:
    """Whether a movement takes elements apart that lay side by side: a transposition, a flip, or padding of the last axis."""
    if node.op not in MOVEMENT or not node.arg or not node.shape:
        return False
    match node.op:
        case Op.PERMUTE:
            return node.arg[-1] != len(node.shape) - 1
        case Op.FLIP:
            return bool(node.arg[-1])
        case Op.PAD:
            return node.arg[-1] != (0, 0)
        case _:
            return False
