"""What a rule is, and how a broken one is reported."""

from __future__ import annotations

from collections.abc import Callable

from eqsat.errors import SpecError
from eqsat.ops import Stage
from eqsat.uop import UOp

Rule = Callable[[UOp, Stage], str | None]  # what is wrong with a node at a stage and what to try, or nothing
Complaint = tuple[UOp, str] | None  # the same from a rule about many nodes: which of them is at fault

_WIDTH = 160


def complain(complaint: Complaint, stage: Stage) -> None:
    """Raises `SpecError` for a complaint; does nothing without one."""
    if complaint is not None:
        node, text = complaint
        raise SpecError(f"{short(node)} is not legal at the {stage.value} stage: {text}")


def short(node: UOp) -> str:
    """One node on one line."""
    text = repr(node)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
