"""The operands of n-ary operators, read from terms. Order and grouping do not matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from eqsat.dtype import DType
from eqsat.egraph.tables.schema import kind_of, nary_op
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.uop import UOp, toposort

_COMBINE: Mapping[Op, Callable[[int, int], int]] = {
    Op.MAX: max,
    Op.MIN: min,
    Op.AND: int.__and__,
    Op.OR: int.__or__,
    Op.XOR: int.__xor__,
}


def same_operands(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Both combine the same operands."""
    ops = {op for side in (before, after) if (op := operator_of(side)) is not None}
    return any(operands_and_constant(before, op) == operands_and_constant(after, op) for op in ops)


def operator_of(node: UOp) -> Op | None:
    """The n-ary operator of a term, if order, grouping and repetition of operands do not matter to it."""
    if node.op not in ALU or node.op in COMPARISON or len(node.src) != 2:
        return None
    op = nary_op(node.op, kind_of(node.dtype))
    return op if op in _COMBINE else None


def occurrences(root: UOp, op: Op) -> dict[UOp, int]:
    """How often an application of one operator combines each operand, constants included; a term of another one is its own operand."""
    counts = path_counts(root, lambda node: operator_of(node) is op)
    return {node: times for node, times in counts.items() if operator_of(node) is not op}


def operands_and_constant(root: UOp, op: Op) -> tuple[frozenset[UOp], int | None]:
    """The operands that are no constants, and the constant with which they are combined, if it has an effect."""
    dtype = root.dtype
    assert isinstance(dtype, DType)
    counts = occurrences(root, op)
    if op is Op.XOR:  # what occurs an even number of times has no effect
        counts = {operand: times for operand, times in counts.items() if times % 2}
    numbers = [int(value) for operand in counts if (value := constant_of(operand)) is not None]
    others = frozenset(operand for operand in counts if constant_of(operand) is None)
    combined, decides = combined_constants(op, dtype, numbers, bool(others))
    return frozenset() if decides else others, combined


def combined_constants(
    op: Op, dtype: DType, numbers: Sequence[int], has_others: bool
) -> tuple[int | None, bool]:
    """Constants combined into one, None if it has no effect on the other operands; and whether it decides the result."""
    if not numbers:
        return None, False
    combined = reduce(_COMBINE[op], numbers)
    neutral, absorbing = _ends(op, dtype)
    has_no_effect = combined == neutral and (has_others or op is Op.XOR)
    return None if has_no_effect else combined, combined == absorbing


def _ends(op: Op, dtype: DType) -> tuple[int | None, int | None]:
    """The constant without effect, and the one that decides; None where there is none."""
    if op is Op.XOR:
        return 0, None
    if op in (Op.AND, Op.OR):
        return (dtype.all_ones, 0) if op is Op.AND else (0, dtype.all_ones)
    least, greatest = (None, None) if dtype.is_index else (dtype.min, dtype.max)
    return (least, greatest) if op is Op.MAX else (greatest, least)


def path_counts(root: UOp, is_inner: Callable[[UOp], bool]) -> dict[UOp, int]:
    """The number of paths from a root to each node that inner nodes lead to, users before sources; inner nodes themselves included.

    They are counted along distinct nodes: an application that is shared n times over has 2ⁿ operands.
    """
    counts = {root: 1}
    if not is_inner(root):
        return counts
    for node in reversed(toposort([root], _Operands(is_inner))):
        if is_inner(node):
            for source in node.src:
                counts[source] = counts.get(source, 0) + counts[node]
    return counts


@dataclass(frozen=True, slots=True)
class _Operands:
    """The nodes that are not inner ones."""

    is_inner: Callable[[UOp], bool]

    def __contains__(self, node: object) -> bool:
        return isinstance(node, UOp) and not self.is_inner(node)
