"""The type of a rule, and how a broken rule is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from eqsat.errors import SpecError
from eqsat.ops import AxisType, Op, Stage
from eqsat.shape import Shape
from eqsat.uop import UOp

Rule = Callable[[UOp, Stage], str | None]  # returns what is wrong with a node and what to try; None if legal
Complaint = tuple[UOp, str] | None  # from a rule about many nodes: the node at fault and the same text

_WIDTH = 160
_LONGEST = 400  # characters of a complaint; one that quotes a file could have millions


def complain(complaint: Complaint, stage: Stage) -> None:
    """Raises `SpecError` for a complaint; does nothing without one."""
    if complaint is not None:
        node, text = complaint
        told = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        raise SpecError(f"{short(node)} is not legal at the {stage.value} stage: {told}")


def short(node: UOp) -> str:
    """One node on one line."""
    text = repr(node)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


def shape_of(node: UOp) -> Shape:
    """The shape of a node with elements. The caller has checked that it has some."""
    shape = node.shape
    assert shape is not None
    return shape


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Whether an argument is a tuple, of items of any type."""
    return isinstance(value, tuple)


def range_number(bound: UOp) -> int:
    """The number of a RANGE, the slot of a PARAM, or the name of a variable: the first item of its argument, or an argument that is no tuple."""
    return bound.arg[0] if is_tuple(bound.arg) else bound.arg


def axis_type(bound: UOp) -> AxisType:
    """The axis type of a RANGE. A RANGE of the older form, whose argument is a plain number, is a LOOP."""
    return bound.arg[1] if is_tuple(bound.arg) else AxisType.LOOP


def is_count(value: object) -> TypeGuard[int]:
    """Whether an argument is an integer of at least 0. A bool is not counted as an integer."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def all_ranges(node: UOp, start: int) -> str | None:
    """Checks that the sources of a node from number `start` on are RANGEs."""
    stray = next((source for source in node.src[start:] if source.op is not Op.RANGE), None)
    return None if stray is None else f"its sources from {start} on are RANGEs, not {stray.op.name}"


def ends_only(node: UOp, start: int, allowed: frozenset[AxisType]) -> str | None:
    """Checks that the ranges that a node ends, its sources from number `start` on, are of the allowed types."""
    wrong = next((source for source in node.src[start:] if axis_type(source) not in allowed), None)
    if wrong is None:
        return None
    names = ", ".join(sorted(axis.name for axis in allowed))
    return f"it ends a {axis_type(wrong).name} range; only {names} end here"
