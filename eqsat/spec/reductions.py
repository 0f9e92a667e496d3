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
    """Checks a RECUR: each CARRY gets a value of its dtype, and all are kept along the ranges of the RECUR."""
    if not is_count(node.arg) or not 0 < 2 * node.arg < len(node.src) - 1:
        return f"its argument is the number of its pairs, not {node.arg!r}"
    bounds = node.src[1 + 2 * node.arg :]
    followings, carries = node.src[1 : 1 + 2 * node.arg : 2], node.src[2 : 1 + 2 * node.arg : 2]
    for following, kept in zip(followings, carries, strict=True):
        if kept.op is not Op.CARRY or kept.src[kept.arg[2] :] != bounds:
            return f"it gives a value to a {kept.op.name}; that is a CARRY along its ranges"
        if not same(following.dtype, kept.dtype):
            return f"it keeps {following.dtype} in a CARRY of {kept.dtype}; cast the value"
    if len(set(carries)) < len(carries):
        return "it gives two values to one CARRY; choose one with WHERE"
    return _along(node, 1 + 2 * node.arg)


def _carry(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (int(), int(), int(elements)) if all(map(is_count, node.arg)) and elements < len(node.src):
            return _along(node, elements)
        case _:
            return f"its argument is (number of a recurrence, number of a kept value, number of elements), not {node.arg!r}"


def _along(node: UOp, start: int) -> str | None:
    """Checks the ranges along which values are kept, and that no other loop in order is inside of them."""
    strays = all_ranges(node, start)
    if strays:
        return strays
    bounds = node.src[start:]
    if any(axis_type(each) not in (AxisType.SCAN, AxisType.UNROLL) for each in bounds):
        return "it runs along SCAN and UNROLL ranges"
    inside = next((each for each in node.ranges if axis_type(each) in IN_ORDER and each not in bounds), None)
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
