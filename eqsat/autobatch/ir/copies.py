"""PrimOps that only copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eqsat.autobatch.ir.operations import PrimOp


def identity(*values: Any) -> Any:
    """The function of a copy: returns its arguments."""
    return values[0] if len(values) == 1 else values


def copy(sources: Sequence[str], destinations: Sequence[str], overwritten: Iterable[str] = ()) -> PrimOp:
    """A PrimOp that copies variables simultaneously, so a source may be a destination, too; destinations in `overwritten` are not pushed."""
    return PrimOp(
        tuple(sources),
        tuple(destinations),
        identity,
        frozenset(overwritten).intersection(destinations),
        "copy",
    )


def is_copy(operation: object) -> bool:
    """Whether an operation was made by `copy`."""
    return isinstance(operation, PrimOp) and operation.function is identity
