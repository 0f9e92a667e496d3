"""Counts the operations and the moved bytes of a node, for the cost models of array programs."""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType, PtrDType
from eqsat.extract.costs.protocol import Node
from eqsat.ops import ACROSS, ALU, MOVEMENT, TABLE, Category, Op

READS = frozenset({Op.PARAM, Op.BUFFER, Op.LOAD, Op.INDEX})  # their results come from memory


def itemsize(dtype: DType | PtrDType) -> int:
    """The bytes of one element, or of the element to which a pointer points; 0 for void."""
    return dtype.itemsize if isinstance(dtype, DType) else dtype.base.itemsize


def is_reduction(node: Node) -> bool:
    """Whether the node is a reduction, which combines elements of one array."""
    return TABLE[node.op].category is Category.REDUCTION


def combining(node: Node) -> Op:
    """The operation that is applied to elements: a reduction combines them with another operation, any other node applies its own."""
    match node.op:
        case Op.REDUCE_AXIS | Op.SCAN_AXIS | Op.SCATTER_AXIS | Op.SCAN | Op.ARGREDUCE_AXIS | Op.ARGREDUCE:
            return node.arg[0]
        case Op.REDUCE | Op.ALLREDUCE:
            return node.arg
        case Op.RECUR_AXIS:  # `operations` of them
            return Op.MULACC
        case op:
            return op


def applications(node: Node) -> int:
    """The number of times that the operation is applied to single elements, which for a reduction is once for each input element.

    A sum of n terms adds n - 1 times for each element.

    >>> from eqsat.dtype import float32
    >>> from eqsat.extract import Value
    >>> applications(Node(Op.REDUCE_AXIS, float32, (Op.ADD, (0,)), (4,), (Value(float32, (100, 4)),)))
    400
    """
    if node.op is Op.SCATTER_AXIS:  # the number of labels does not matter
        return prod(
            extent for axis, extent in enumerate(node.sources[0].shape or ()) if axis != node.arg[1][0]
        )
    if is_reduction(node):
        return prod(node.sources[0].shape or ()) * (node.operations if node.op is Op.RECUR_AXIS else 1)
    return node.operations * node.elements if node.op in ALU else 0


def independent(node: Node) -> int:
    """The number of results that cores can compute in parallel: along the axis of a scan or of labels, each result waits for the one before."""
    if node.op not in (Op.SCAN_AXIS, Op.SCATTER_AXIS, Op.RECUR_AXIS):
        return node.elements
    shape = node.sources[0].shape or ()
    return prod(extent for axis, extent in enumerate(shape) if axis not in node.arg[1])


def bytes_moved(node: Node) -> int:
    """The bytes that the node reads from memory or writes to it. Inputs, gathers, stores and reductions move bytes; fused operations do not."""
    if node.op is Op.STORE:
        stored = node.sources[1]
        return itemsize(stored.dtype) * prod(stored.shape or ())
    return itemsize(node.dtype) * node.elements if node.op in READS or is_reduction(node) else 0


def reduced_axes(node: Node) -> str:
    """`rows` if a reduction runs over neighbouring elements, that is, over the last axis; else `columns`."""
    shape = node.sources[0].shape or ()
    axes: tuple[int, ...] = node.arg[1] if node.op in ACROSS else ()
    axes = axes[1:] if node.op is Op.SCATTER_AXIS else axes
    return "columns" if axes and len(shape) - 1 not in axes else "rows"


def moves_last_axis(node: Node) -> bool:
    """Whether a movement separates neighbouring elements: a transposition, a flip, or padding of the last axis."""
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
