"""How much work the elements of an array take, which tells whether the array is worth storing."""

from __future__ import annotations

from enum import IntEnum

from eqsat.ops import ALU, AXES_REDUCED, REORDERING, Op
from eqsat.uop import UOp

LONG_REDUCTION = (
    16  # elements for each result of a reduction, from which on it is not computed again for each use
)
LINEAR = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.NEG})  # matrices before and after these may be merged


class ElementWork(IntEnum):
    """The work for each element of an array, from the inputs of its layer on: little, a long sum with linear operations, or more than that."""

    LITTLE = 0
    SUM = 1
    MORE = 2


def element_work(node: UOp, sources: ElementWork) -> ElementWork:
    """The work for each element of a node, given the work for each element of its sources."""
    if node.op in AXES_REDUCED and is_long(node):
        return ElementWork.SUM if node.arg[0] is Op.ADD else ElementWork.MORE
    if node.op in ALU and sources is not ElementWork.LITTLE:
        return sources if node.op in LINEAR else ElementWork.MORE
    return sources if node.op in REORDERING else ElementWork.LITTLE


def is_long(node: UOp) -> bool:
    """Whether a reduction combines so many elements that storing its result is better than computing it again."""
    return node.src[0].elements >= LONG_REDUCTION * node.elements
