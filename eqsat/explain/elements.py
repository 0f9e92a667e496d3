"""Chains of an operation whose order and grouping do not matter, as their elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from eqsat.dtype import DType
from eqsat.egraph.schema import chain_of, kind_of
from eqsat.explain.bounds import Bounds
from eqsat.explain.constants import constant_of
from eqsat.explain.paths import path_counts
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.uop import UOp

_COMBINE: Mapping[Op, Callable[[int, int], int]] = {
    Op.MAX: max,
    Op.MIN: min,
    Op.AND: int.__and__,
    Op.OR: int.__or__,
    Op.XOR: int.__xor__,
}


def same_chain(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Both combine the same elements."""
    ops = {op for side in (before, after) if (op := chain_op_of(side)) is not None}
    return any(chain_elements(before, op) == chain_elements(after, op) for op in ops)


def chain_op_of(node: UOp) -> Op | None:
    """The operation of the chain that a term ends, if order, grouping and repetition do not matter to it."""
    if node.op not in ALU or node.op in COMPARISON or len(node.src) != 2:
        return None
    op = chain_of(node.op, kind_of(node.dtype))
    return op if op in _COMBINE else None


def occurrences(root: UOp, op: Op) -> dict[UOp, int]:
    """How often a chain of one operation combines each of its operands, constants included; a root that is no such chain is its own operand."""
    counts = path_counts(root, lambda node: chain_op_of(node) is op)
    return {node: times for node, times in counts.items() if chain_op_of(node) is not op}


def chain_elements(root: UOp, op: Op) -> tuple[frozenset[UOp], int | None]:
    """The elements of a chain that are no constants, and the constant with which they are combined, if it has an effect."""
    dtype = root.dtype
    assert isinstance(dtype, DType)
    counts = occurrences(root, op)
    if op is Op.XOR:  # what occurs an even number of times has no effect
        counts = {element: times for element, times in counts.items() if times % 2}
    numbers = [int(value) for element in counts if (value := constant_of(element)) is not None]
    others = frozenset(element for element in counts if constant_of(element) is None)
    if op is Op.XOR:
        return others, reduce(int.__xor__, numbers, 0) or None
    combined = reduce(_COMBINE[op], numbers) if numbers else None
    neutral, absorbing = _ends(op, dtype)
    if combined is not None and combined == absorbing:
        return frozenset(), combined
    return others, None if combined == neutral and others else combined


def _ends(op: Op, dtype: DType) -> tuple[int | None, int | None]:
    """The constant without effect, and the one that decides; None where there is none."""
    ones = 1 if dtype.is_bool else dtype.max if dtype.kind == "u" else -1
    if op in (Op.AND, Op.OR):
        return (ones, 0) if op is Op.AND else (0, ones)
    least, greatest = (None, None) if dtype.is_index else (dtype.min, dtype.max)
    return (least, greatest) if op is Op.MAX else (greatest, least)
