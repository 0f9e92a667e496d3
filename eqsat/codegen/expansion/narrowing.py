"""Computes vectors of integers in 16 bits where bounds show that nothing is lost: a register then holds more lanes.

Before and after: an expanded SINK; all values are the same. Programs convert bytes to wider integers before they compute, as they must
if sums might wrap, and convert results back. The operations in between are computed in 16 bits, if operands and results fit. They stay wide if
the final value is wide: compilers have instructions that multiply narrow lanes and add wide products. Scalars stay wide, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from eqsat.codegen.expansion.lanes import broadcast, intervals_of_lanes, repeated
from eqsat.dtype import DType, int16, uint16
from eqsat.integers.intervals import Interval
from eqsat.ops import DIVISIONS, Op
from eqsat.uop import UOp, toposort

BITS = 16
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


def narrow(sink: UOp) -> UOp:
    """The expanded kernel with lanes of 16 bits where these are enough."""
    order = toposort([sink])
    narrowed = _narrowed(order)
    if not narrowed:  # shortcut
        return sink
    built: dict[UOp, UOp] = {}
    for node in order:
        sources = tuple(built[source] for source in node.src)
        dtype = narrowed.get(node)
        if dtype is not None:
            lanes = dtype.vec(node.dtype.lanes)  # pyright: ignore[reportAttributeAccessIssue]
            built[node] = UOp(node.op, lanes, tuple(_converted(source, lanes) for source in sources))
        else:
            built[node] = node.with_src(sources)
    return built[sink]


def _narrowed(order: list[UOp]) -> dict[UOp, DType]:
    """The operations to compute in 16 bits, with their dtypes: all their operands and all their users are as narrow."""
    wide = [
        node for node in order if node.op in OPERATIONS and node.dtype.lanes > 1 and BITS < _bits(node) < inf
    ]
    intervals = intervals_of_lanes(order[-1]) if wide else {}
    found = {node: dtype for node in wide if (dtype := _sufficient(node, intervals)) is not None}
    size = None
    while found and size != len(found):
        size = len(found)
        for node in wide:
            if not all(source in found or _is_narrow(source) for source in node.src):
                found.pop(node, None)
        for node in reversed(order):
            if node not in found and not (node.op is Op.CAST and _bits(node) <= BITS):
                for source in node.src:
                    found.pop(source, None)
    return found


def _sufficient(node: UOp, intervals: Mapping[UOp, Interval]) -> DType | None:
    """A dtype of 16 bits that holds the operands and the result of an operation; None if there is none."""
    if node.op is Op.SHR and not _fits(intervals[node.src[1]], AMOUNTS):
        return None
    if node.op in DIVISIONS and _constant(node.src[1]) is None:
        return None
    involved = [intervals[each] for each in (node, *node.src)]
    return next(
        (each for each in (uint16, int16) if all(_fits(one, (each.min, each.max)) for one in involved)), None
    )


def _bits(node: UOp) -> float:
    """The bits of an integer; infinity for other dtypes."""
    return node.dtype.scalar.bits if isinstance(node.dtype, DType) and node.dtype.kind in "iu" else inf


def _is_narrow(value: UOp) -> bool:
    """Whether this is a constant, or was converted from 16 bits or less."""
    return _constant(value) is not None or (value.op is Op.CAST and _bits(value.src[0]) <= BITS)


def _constant(value: UOp) -> UOp | None:
    scalar = repeated(value)
    return scalar if scalar is not None and scalar.op is Op.CONST else None


def _fits(interval: Interval, ends: tuple[int, int]) -> bool:
    low, high = interval
    return low is not None and high is not None and ends[0] <= low and high <= ends[1]


def _converted(value: UOp, dtype: DType) -> UOp:
    """An operand as a vector of 16 bits, in which its elements fit."""
    constant = _constant(value)
    if constant is not None:
        return broadcast(UOp.const(dtype.scalar, constant.arg), dtype.lanes)
    return (value.src[0] if value.op is Op.CAST else value).cast(dtype)
