"""Default limits of recursion on the machines in Python, so that endless recursion ends in an error."""

from __future__ import annotations

from collections.abc import Iterable

from eqsat.autobatch.ir import TensorType

MOST_CALLS = 1 << 14  # the most calls in progress at once; these take a few seconds
_STACK_BYTES = 1 << 30  # bytes of the stacks of a batch, at most


def most_levels(types: Iterable[TensorType], batch: int) -> int:
    """The most values that a stack may hold, if every variable has a stack for each member."""
    level = sum(held.dtype.itemsize * held.size for held in types) * max(batch, 1)
    return max(1, min(MOST_CALLS, _STACK_BYTES // max(level, 1)))
