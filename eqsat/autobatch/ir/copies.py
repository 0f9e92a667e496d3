"""PrimOps that only copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eqsat.autobatch.ir.operations import PrimOp


def identity(*values: Any) -> Any:
    """What a copy computes: its arguments."""
    return values[0] if len(values) == 1 else values


def copy(sources: Sequence[str], destinations: Sequence[str], overwritten: Iterable[str] = ()) -> PrimOp:
    """Copies all at once, so that sources may be destinations, too; those of `overwritten` are not pushed."""
    return PrimOp(
        tuple(sources),
        tuple(destinations),
        identity,
        frozenset(overwritten).intersection(destinations),
        "copy",
    )


def is_copy(operation: object) -> bool:
    """Whether an operation is one that `copy` makes."""
    return isinstance(operation, PrimOp) and operation.function is identity
