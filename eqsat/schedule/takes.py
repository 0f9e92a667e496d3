"""What computing the elements of arrays takes: whether that is worth storing them."""

from __future__ import annotations

from enum import IntEnum
from math import prod

from eqsat.ops import ALU, AXES_REDUCED, Op
from eqsat.uop import UOp

LONG = 16  # elements of a reduction, from which its result is not computed anew for each use
LINEAR = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.NEG})  # matrices around these may be one
SAME_ELEMENTS = frozenset({Op.RESHAPE, Op.PERMUTE, Op.FLIP})


class Takes(IntEnum):
    """What each element of an array takes, from the inputs of its layer on: little, a long sum of its own, or more than that and linear ones."""

    LITTLE = 0
    SUM = 1
    MORE = 2


def takes_of(node: UOp, sources: Takes) -> Takes:
    """What each element of a node takes, if those of its sources take that."""
    if node.op in AXES_REDUCED and is_long(node):
        return Takes.SUM if node.arg[0] is Op.ADD else Takes.MORE
    if node.op in ALU and sources is not Takes.LITTLE:
        return sources if node.op in LINEAR else Takes.MORE
    return sources if node.op in SAME_ELEMENTS else Takes.LITTLE


def is_long(node: UOp) -> bool:
    """Whether a reduction combines so many elements that its result is stored sooner than computed anew."""
    return prod(node.src[0].shape or ()) >= LONG * prod(node.shape or ())
