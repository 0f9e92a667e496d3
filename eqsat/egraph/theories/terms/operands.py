"""The operands of n-ary operators, read from terms. Order and grouping do not matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from eqsat.dtype import DType
from eqsat.egraph.tables.schema import kind_of, nary_op
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.uop import UOp, toposort
from eqsat.uop.satisfying import Satisfying

_COMBINE: Mapping[Op, Callable[[int, int], int]] = {
    Op.MAX: max,
    Op.MIN: min,
    Op.AND: int.__and__,
    Op.OR: int.__or__,
    Op.XOR: int.__xor__,
}


def same_operands(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that both combine the same operands."""
    ops = {op for side in (before, after) if (op := operator_of(side)) is not None}
    return any(operands_and_constant(before, op) == operands_and_constant(after, op) for op in ops)


def operator_of(node: UOp) -> Op | None:
    """The n-ary operator of a term, if the order, grouping and repetition of operands do not matter; else None."""
    if node.op not in ALU or node.op in COMPARISON or len(node.src) != 2:
        return None
    op = nary_op(node.op, kind_of(node.dtype))
    return op if op in _COMBINE else None


def occurrences(root: UOp, op: Op) -> dict[UOp, int]:
    """Counts how often an application of an operator combines each operand, including constants. A term of another operator is its own operand."""
    counts = path_counts(root, lambda node: operator_of(node) is op)
    return {node: times for node, times in counts.items() if operator_of(node) is not op}


def operands_and_constant(root: UOp, op: Op) -> tuple[frozenset[UOp], int | None]:
    """The operands that are not constants, and the constant with which they are combined (None if it has no effect).

    There are no operands if the constant alone decides the result.
    """
    dtype = root.dtype
    assert isinstance(dtype, DType)
    counts = occurrences(root, op)
    if op is Op.XOR:  # an operand that occurs an even number of times has no effect
        counts = {operand: times for operand, times in counts.items() if times % 2}
    numbers = [int(value) for operand in counts if (value := constant_of(operand)) is not None]
    others = frozenset(operand for operand in counts if constant_of(operand) is None)
    combined, decides = combined_constants(op, dtype, numbers, bool(others))
    return frozenset() if decides else others, combined


def combined_constants(
    op: Op, dtype: DType, numbers: Sequence[int], has_others: bool
) -> tuple[int | None, bool]:
    """Combines constants into one (None if it has no effect on other operands), and says whether it decides the result."""
    if not numbers:
        return None, False
    combined = reduce(_COMBINE[op], numbers)
    neutral, absorbing = _ends(op, dtype)
    has_no_effect = combined == neutral and (has_others or op is Op.XOR)
    return None if has_no_effect else combined, combined == absorbing


def _ends(op: Op, dtype: DType) -> tuple[int | None, int | None]:
    """The constant that has no effect in an operator, and the constant that decides the result; None if there is none."""
    if op is Op.XOR:
        return 0, None
    if op in (Op.AND, Op.OR):
        return (dtype.all_ones, 0) if op is Op.AND else (0, dtype.all_ones)
    least, greatest = (None, None) if dtype.is_index else (dtype.min, dtype.max)
    return (least, greatest) if op is Op.MAX else (greatest, least)


def path_counts(root: UOp, is_inner: Callable[[UOp], bool]) -> dict[UOp, int]:
    """Counts the paths from a root through inner nodes to each node. The result lists users before sources.

    Each distinct node is visited once, although the number of paths doubles with each nested application that is used twice.
    """
    counts = {root: 1}
    if not is_inner(root):
        return counts
    for node in reversed(toposort([root], Satisfying(lambda node: not is_inner(node)))):
        if is_inner(node):
            for source in node.src:
                counts[source] = counts.get(source, 0) + counts[node]
    return counts
