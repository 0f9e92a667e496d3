"""Checks the sources and arguments of loops, conditionals, coordinates, dependences and custom code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter

from eqsat.dtype import LANES, DType
from eqsat.ops import ABREAST, AxisType, Op, Stage
from eqsat.spec.dtypes import same
from eqsat.spec.memory import ARRAYS_IN_MEMORY, STORED
from eqsat.spec.programs import after_launches
from eqsat.spec.rule import Rule, all_ranges, ends_only
from eqsat.spec.sources import behind, is_value
from eqsat.uop import UOp, toposort
from eqsat.uop.limits import MOST_TOGETHER

STATEMENTS = frozenset({Op.STORE, Op.END, Op.GROUP, Op.BARRIER, Op.CUSTOM, Op.AFTER, Op.NOOP})
# Operations that may make up the size of a launch, since their values are known before it begins.
AT_LAUNCH = frozenset({Op.CONST, Op.DEFINE_VAR, Op.ADD, Op.MUL, Op.FLOORDIV, Op.FLOORMOD, Op.MIN, Op.MAX})
AT_ONCE = frozenset({AxisType.UNROLL, AxisType.WARP, AxisType.LOCAL, AxisType.GROUP_REDUCE})
LAUNCHED = frozenset({AxisType.GLOBAL, AxisType.THREAD})
COORDINATE = re.compile(r"(gid|gidx|lid)[012]")
_HAPPEN = frozenset({Op.CALL, Op.KERNEL, Op.AFTER})


def _range(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (int(number), AxisType() as axis) if not isinstance(number, bool):
            bounds = 1
        case int(number) if not isinstance(number, bool):
            axis, bounds = AxisType.LOOP, 2
            if stage is not Stage.LINEAR:
                return "an id alone, with sources (start, end), belongs to linear; give it (id, AxisType) and its extent, and add the start"
        case _:
            return f"its argument is (id, AxisType), or an id with sources (start, end), not {node.arg!r}"
    ends = node.src[:bounds]
    if len(ends) < bounds or any(not each.dtype.scalar.is_index or each.dtype.lanes > 1 for each in ends):
        return "its end is an index; cast it"
    if any(source.op is not Op.RANGE for source in node.src[bounds:]):
        return f"it has sources after its {'end' if bounds == 1 else 'start and end'}; only RANGEs that it lies in may follow"
    if stage in (Stage.EXPANDED, Stage.LINEAR) and axis in ABREAST:
        return f"{axis.name} ranges are gone after expand; expand the kernel"
    end = node.src[bounds - 1]
    if end.op is Op.CONST and end.arg < 0:
        return f"its end is {end.arg}; an extent is at least 0"
    return _extent(end, axis) if stage is not Stage.ARRAY and bounds == 1 else None


def _extent(end: UOp, axis: AxisType) -> str | None:
    """What is wrong with the end of a range that is no plain loop; None if nothing is.

    The number of lanes, copies or work-items of a group must be a constant; the number of groups or threads must be known at launch.
    """
    if axis is AxisType.UPCAST and (end.op is not Op.CONST or end.arg not in LANES):
        return f"a vector has {', '.join(map(str, LANES))} lanes; split the range to one of these"
    if axis in AT_ONCE and (end.op is not Op.CONST or not 1 <= end.arg <= MOST_TOGETHER):
        return (
            f"the end of a {axis.name} range is a constant in 1..{MOST_TOGETHER}; make it a LOOP or a REDUCE"
        )
    text = _no_size(end) if axis in LAUNCHED else None
    return text and f"the end of a {axis.name} range {text}; make it a LOOP"


def _no_size(end: UOp) -> str | None:
    """Why an expression cannot be the number of launched groups or work-items; None if it can."""
    if end.op is Op.CONST:
        return None if end.arg > 0 else f"is at least 1, not {end.arg}; a launch has a size"
    if any(each.op not in AT_LAUNCH for each in toposort([end])):
        return (
            f"is a constant, or an expression of variables, not {end!r}; a launch has a size before it begins"
        )
    return None


def _special(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.arg, str) or not COORDINATE.fullmatch(node.arg):
        return (
            f"its argument is a name such as gid0 (work-item), gidx0 (group) or lid0 (work-item in its group), "
            f"with dimension 0, 1 or 2, not {node.arg!r}"
        )
    end = node.src[0]
    if not end.dtype.scalar.is_index or end.dtype.lanes > 1:
        return f"its end is an index, not {end.dtype}"
    if node.arg.startswith("lid") and (end.op is not Op.CONST or not 1 <= end.arg <= MOST_TOGETHER):
        return f"its end is a constant in 1..{MOST_TOGETHER}, not {end!r}; groups are all of one size"
    text = _no_size(end)
    return text and f"its end {text}"


def _end(node: UOp, stage: Stage) -> str | None:
    if len(node.src) < 2:
        return "it closes no loop; give it the RANGEs that end here"
    if stage is not Stage.LINEAR and node.src[0].op not in STATEMENTS:
        return f"it ends the loops of a statement, not of a {node.src[0].op.name}; STORE the value"
    return all_ranges(node, 1) or (None if stage is Stage.LINEAR else ends_only(node, 1, STORED))


def _end_range(node: UOp, stage: Stage) -> str | None:
    return all_ranges(node, 0)


def _if(node: UOp, stage: Stage) -> str | None:
    condition = node.src[0].dtype
    if not isinstance(condition, DType) or not condition.is_bool or condition.lanes != 1:
        return "its condition is one bool; compare first"
    other = next((source for source in node.src[1:] if source.op is not Op.BARRIER), None)
    return (
        None
        if other is None
        else f"{other.op.name} among its sources would come before it; put what it guards between IF and ENDIF"
    )


def _end_if(node: UOp, stage: Stage) -> str | None:
    return None if node.src[0].op is Op.IF else f"it closes an IF, not a {node.src[0].op.name}"


def _group(node: UOp, stage: Stage) -> str | None:
    return _statements(node, node.src) if stage is not Stage.PROGRAM else None


def _barrier(node: UOp, stage: Stage) -> str | None:
    return None if stage is Stage.LINEAR else _statements(node, node.src)


def _statements(node: UOp, sources: tuple[UOp, ...]) -> str | None:
    wrong = next((source for source in sources if source.op not in STATEMENTS), None)
    return (
        None
        if wrong is None
        else f"its sources are stores and the like, not {wrong.op.name}; STORE the value"
    )


def _after(node: UOp, stage: Stage) -> str | None:
    if stage is Stage.ARRAY:
        wrong = next((source for source in node.src[1:] if source.op is not Op.ASSIGN), None)
        if behind(node.src[0], (Op.AFTER, Op.BUFFER_VIEW)).op not in ARRAYS_IN_MEMORY:
            return f"only buffers change; it reads one after ASSIGNs, not a {node.src[0].op.name}"
        return (
            None
            if wrong is None
            else f"nothing happens in a {wrong.op.name}; it waits for ASSIGNs, or drop it"
        )
    if stage is Stage.PROGRAM:
        wrong = next((source for source in node.src[1:] if source.op not in _HAPPEN), None)
        if wrong is not None:
            return f"nothing happens in a {wrong.op.name}; it waits for CALLs or KERNELs"
        return after_launches(node)
    return None


def _assign(node: UOp, stage: Stage) -> str | None:
    target, value = node.src
    if stage is Stage.LINEAR and target.op is not Op.DEFINE_ACC:
        return f"it updates a DEFINE_ACC, not a {target.op.name}; STORE to memory"
    if stage is Stage.ARRAY and behind(target, (Op.AFTER, Op.BUFFER_VIEW)).op not in ARRAYS_IN_MEMORY:
        return f"it writes a buffer, not a {target.op.name}; reshape the value to the buffer's shape, and the result back"
    if target.shape != value.shape:
        return f"it writes shape {value.shape} over shape {target.shape}; expand the value"
    return (
        None
        if same(target.dtype, value.dtype)
        else f"it writes {value.dtype} over {target.dtype}; cast the value"
    )


def _custom(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.arg, str):
        return f"its argument is a string, not {node.arg!r}"
    wrong = next((source for source in node.src if not is_value(source)), None)
    if wrong is not None:
        return f"its text names values, not a {wrong.op.name}; LOAD what it needs"
    if not isinstance(node.dtype, DType):
        return f"it computes elements or nothing, not {node.dtype}"
    if node.op is Op.CUSTOMI and not is_value(node):
        return "it is an expression, so it has a dtype; a statement is a CUSTOM"
    return _fields(node.arg, len(node.src))


def _fields(text: str, count: int) -> str | None:
    """Checks that each field of a format string is the plain number of a source, such as {0}."""
    try:
        fields = [
            (field, width, conversion)
            for _, field, width, conversion in Formatter().parse(text)
            if field is not None
        ]
    except ValueError as error:
        return f"its text is a format string, and {error}; write {{{{ and }}}} for braces"
    numbers = {str(number) for number in range(count)}
    wrong = next(
        (field for field, width, conversion in fields if width or conversion or field not in numbers), None
    )
    return (
        None
        if wrong is None
        else f"its text has {{{wrong}}}, and its sources are {{0}} to {{{count - 1}}}; write numbers alone, and {{{{ and }}}} for braces"
    )


STRUCTURE: Mapping[Op, Rule] = {
    Op.RANGE: _range,
    Op.SPECIAL: _special,
    Op.END: _end,
    Op.ENDRANGE: _end_range,
    Op.IF: _if,
    Op.ENDIF: _end_if,
    Op.GROUP: _group,
    Op.BARRIER: _barrier,
    Op.AFTER: _after,
    Op.ASSIGN: _assign,
    Op.CUSTOM: _custom,
    Op.CUSTOMI: _custom,
}
