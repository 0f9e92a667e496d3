"""Operations of wide integers for which 16 bits are enough: operands and results fit, and so do those of all that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

from eqsat.dtype import DType, int16, uint16
from eqsat.integers.intervals import Interval
from eqsat.ops import DIVISIONS, Op
from eqsat.uop import UOp

BITS = 16
BYTES = BITS // 8
AMOUNTS = (0, BITS - 1)  # least and greatest amount of a shift in 16 bits
OPERATIONS = {
    Op.ADD,
    Op.SUB,
    Op.MUL,
    Op.AND,
    Op.SHR,
    Op.MIN,
    Op.MAX,
    *DIVISIONS,
}  # operations with known bounds
Intervals = Mapping[UOp, Interval]


def wide_operations(order: Iterable[UOp]) -> list[UOp]:
    """The operations that may be computed in 16 bits instead."""
    return [node for node in order if node.op in OPERATIONS and BITS < _bits(node) < inf]


def in_16_bits(
    wide: Sequence[UOp], order: Sequence[UOp], intervals: Callable[[], Intervals]
) -> dict[UOp, DType]:
    """The operations of `wide` to compute in 16 bits, with their dtypes: all their operands and all their users are as narrow.

    Args:
        wide: some of the graph's `wide_operations`.
        order: the nodes of the graph, operands first.
        intervals: returns the interval of each node; called if any operation may be computed in 16 bits.
    """
    if not wide or not any(map(_is_narrowing, order)):
        return {}
    known = intervals()
    found = {node: dtype for node in wide if (dtype := _sufficient(node, known)) is not None}
    size = None
    while found and size != len(found):
        size = len(found)
        for node in wide:
            if not all(source in found or is_narrow(source, known) for source in node.src):
                found.pop(node, None)
        for node in reversed(order):
            if node not in found and not _is_narrowing(node):
                for source in node.src:
                    found.pop(source, None)
    return found


def is_narrow(value: UOp, intervals: Intervals) -> bool:
    """Whether this is a constant, or was converted from 16 bits or less."""
    return _is_constant(intervals[value]) or (value.op is Op.CAST and _bits(value.src[0]) <= BITS)


def _is_narrowing(node: UOp) -> bool:
    """Whether a node converts to 16 bits or less."""
    return node.op is Op.CAST and _bits(node) <= BITS


def _sufficient(node: UOp, intervals: Intervals) -> DType | None:
    """A dtype of 16 bits that holds the operands and the result of an operation; None if there is none."""
    if node.op is Op.SHR and not _fits(intervals[node.src[1]], AMOUNTS):
        return None
    if node.op in DIVISIONS and not _is_constant(intervals[node.src[1]]):
        return None
    involved = [intervals[each] for each in (node, *node.src)]
    return next(
        (each for each in (uint16, int16) if all(_fits(one, (each.min, each.max)) for one in involved)), None
    )


def _bits(node: UOp) -> float:
    """The bits of an integer; infinity for other dtypes."""
    return node.dtype.scalar.bits if isinstance(node.dtype, DType) and node.dtype.kind in "iu" else inf


def _is_constant(interval: Interval) -> bool:
    return interval[0] is not None and interval[0] == interval[1]


def _fits(interval: Interval, ends: tuple[int, int]) -> bool:
    low, high = interval
    return low is not None and high is not None and ends[0] <= low and high <= ends[1]
