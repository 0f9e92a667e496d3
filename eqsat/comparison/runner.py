"""The protocol of runners, which run the tasks of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from eqsat.runtime.task import Task


class Runner(AbstractContextManager["Runner"], Protocol):
    """Runs tasks on this machine or on a cluster."""

    def run(self, tasks: Sequence[Task], *, in_turn: bool = False) -> Iterator[tuple[int, Any]]:
        """Yields the number of each task with its result or a `Failure`, as tasks end; with `in_turn` they run one after the other on one machine."""
        ...
