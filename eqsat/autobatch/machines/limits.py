"""How deep recursion may go on machines in Python, where a caller says nothing else: endless recursion ends in an error."""

from __future__ import annotations

from collections.abc import Iterable

from eqsat.autobatch.ir import TensorType

MOST_CALLS = 1 << 14  # in progress at once; so many take a few seconds
_STACK_BYTES = 1 << 30  # of the stacks of a batch


def most_levels(types: Iterable[TensorType], batch: int) -> int:
    """How many values a stack may hold, if all variables have one for each member."""
    level = sum(held.dtype.itemsize * held.size for held in types) * max(batch, 1)
    return max(1, min(MOST_CALLS, _STACK_BYTES // max(level, 1)))
