"""Where the tasks of a comparison are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from eqsat.runtime.task import Task


class Runner(AbstractContextManager["Runner"], Protocol):
    """Where tasks are run: on this machine or on a cluster."""

    def run(self, tasks: Sequence[Task], *, in_turn: bool = False) -> Iterator[tuple[int, Any]]:
        """The number of each task with its result or a `Failure`, as they are done; with `in_turn` one after the other on one machine."""
        ...
