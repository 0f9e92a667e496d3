"""What a rule is, and how a broken one is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from eqsat.errors import SpecError
from eqsat.ops import AxisType, Op, Stage
from eqsat.shape import Shape
from eqsat.uop import UOp

Rule = Callable[[UOp, Stage], str | None]  # what is wrong with a node at a stage and what to try, or nothing
Complaint = tuple[UOp, str] | None  # the same from a rule about many nodes: which of them is at fault

_WIDTH = 160
_LONGEST = 400  # characters of a complaint: what a file says may have millions


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
    """The shape of what has elements, as was checked before."""
    shape = node.shape
    assert shape is not None
    return shape


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Whether an argument is a tuple, of whatever."""
    return isinstance(value, tuple)


def range_number(bound: UOp) -> int:
    """What tells a RANGE from others, or a PARAM's slot: the first part of the argument, or all of the older, plain one."""
    return bound.arg[0] if is_tuple(bound.arg) else bound.arg


def axis_type(bound: UOp) -> AxisType:
    """How a RANGE is carried out; the older form is a plain loop."""
    return bound.arg[1] if is_tuple(bound.arg) else AxisType.LOOP


def is_count(value: object) -> TypeGuard[int]:
    """Whether an argument is an integer from 0 on; True is none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def all_ranges(node: UOp, start: int) -> str | None:
    """Whether the sources of a node from one on are RANGEs."""
    stray = next((source for source in node.src[start:] if source.op is not Op.RANGE), None)
    return None if stray is None else f"its sources from {start} on are RANGEs, not {stray.op.name}"


def ends_only(node: UOp, start: int, allowed: frozenset[AxisType]) -> str | None:
    """What is wrong if a node ends ranges of other types than these, from source `start` on."""
    wrong = next((source for source in node.src[start:] if axis_type(source) not in allowed), None)
    if wrong is None:
        return None
    names = ", ".join(sorted(axis.name for axis in allowed))
    return f"it ends a {axis_type(wrong).name} range; only {names} end here"
