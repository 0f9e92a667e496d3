"""Checks the sources and arguments of reductions and scans over ranges."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.ops import EXTREMES, REDUCE_OPS, AxisType, Op, Stage
from eqsat.spec.dtypes import same
from eqsat.spec.rule import Rule, all_ranges, axis_type, ends_only, is_count
from eqsat.uop import UOp

REDUCED = frozenset({AxisType.REDUCE, AxisType.GROUP_REDUCE, AxisType.WARP, AxisType.UPCAST, AxisType.UNROLL})
SCANNED = frozenset({AxisType.SCAN, AxisType.UPCAST, AxisType.UNROLL})
# Serial loops that carry values. A SCAN must not carry its own value around such a loop.
IN_ORDER = frozenset({AxisType.REDUCE, AxisType.GROUP_REDUCE, AxisType.SCAN})


def _reduce(node: UOp, stage: Stage) -> str | None:
    if node.arg not in REDUCE_OPS:
        names = ", ".join(sorted(op.name for op in REDUCE_OPS))
        return f"{node.arg!r} does not reduce; use one of {names}"
    if node.src[0].dtype.lanes % node.dtype.lanes:
        return f"{node.src[0].dtype} does not fold into {node.dtype}; the lanes must divide"
    if len(node.src) == 1:
        return "it reduces over no RANGE; use its source"
    return all_ranges(node, 1) or ends_only(node, 1, REDUCED)


def _argreduce(node: UOp, stage: Stage) -> str | None:
    """Checks an ARGREDUCE. As in a REDUCE, sources with a multiple of the result's lanes fold into them (in expanded kernels only)."""
    match node.arg:
        case (op, member) if op in EXTREMES and is_count(member) and member < 2:
            value, position = node.src[0].dtype, node.src[1].dtype
        case _:
            return f"its argument is (MAX or MIN, 0 or 1), not {node.arg!r}"
    if not position.scalar.is_int or position.lanes != value.lanes:
        return f"source 1 has an integer for each element of source 0, {value}, not {position}; cast it"
    if not same(node.dtype.scalar, (value, position)[member].scalar):
        return f"its dtype is that of source {member}, {(value, position)[member]}, not {node.dtype}"
    if value.lanes % node.dtype.lanes or (value.lanes > node.dtype.lanes and stage is not Stage.EXPANDED):
        return f"{value} does not fold into {node.dtype}; the lanes must divide"
    return all_ranges(node, 2) or ends_only(node, 2, REDUCED)


def _scan(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (op, bool()) if op in REDUCE_OPS:
            pass
        case _:
            names = ", ".join(sorted(op.name for op in REDUCE_OPS))
            return f"its argument is (operation, whether without this iteration), not {node.arg!r}; operations are {names}"
    strays = all_ranges(node, 1)
    if strays:
        return strays
    wrong = next((bound for bound in node.src[1:] if axis_type(bound) not in SCANNED), None)
    if wrong is not None:
        return f"it runs along a {axis_type(wrong).name} range; make it one of {', '.join(sorted(axis.name for axis in SCANNED))}"
    inside = next(
        (bound for bound in node.ranges if axis_type(bound) in IN_ORDER and bound not in node.src), None
    )
    if inside is not None:
        return f"its value varies with {axis_type(inside).name} range {inside.arg[0]}, which it would run around; close that first"
    return None


def _recur(node: UOp, stage: Stage) -> str | None:
    """Checks a RECUR: each CARRY gets a value of its dtype, and all are kept along the one range that it names."""
    *values, along = node.src
    _, *pairs = values
    if len(values) % 2 == 0:
        return "its sources are a value, pairs of a value and a CARRY, and a range"
    for following, kept in zip(pairs[::2], pairs[1::2], strict=True):
        if kept.op is not Op.CARRY or kept.src[-1] is not along:
            return f"it gives a value to a {kept.op.name}; that is a CARRY along its range"
        if not same(following.dtype, kept.dtype):
            return f"it keeps {following.dtype} in a CARRY of {kept.dtype}; cast the value"
    if len(set(pairs[1::2])) < len(pairs) // 2:
        return "it gives two values to one CARRY; choose one with WHERE"
    return _along(node)


def _carry(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (number, member) if is_count(number) and is_count(member):
            return _along(node)
        case _:
            return f"its argument is (number of a recurrence, number of a kept value), not {node.arg!r}"


def _along(node: UOp) -> str | None:
    """Checks that the last source of a node is a SCAN range, and that no other loop in order is inside of it."""
    bound = node.src[-1]
    if bound.op is not Op.RANGE or axis_type(bound) is not AxisType.SCAN:
        return f"its last source is a SCAN range, not {bound!r}"
    inside = next((each for each in node.ranges if axis_type(each) in IN_ORDER and each is not bound), None)
    return (
        None
        if inside is None
        else f"its value varies with {axis_type(inside).name} range {inside.arg[0]}, which it would run around; close that first"
    )


STRUCTURE: Mapping[Op, Rule] = {
    Op.REDUCE: _reduce,
    Op.ARGREDUCE: _argreduce,
    Op.SCAN: _scan,
    Op.CARRY: _carry,
    Op.RECUR: _recur,
}
