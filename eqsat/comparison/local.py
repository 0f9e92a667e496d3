"""Runs tasks in processes of this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

from eqsat.runtime.task import Failure, Task
from eqsat.runtime.worker_process import Child


class LocalRunner:
    """Runs tasks in child processes; without a number, in one for each core. Use it in a `with` statement, which ends the processes."""

    def __init__(self, processes: int | None = None) -> None:
        self.processes = processes or os.cpu_count() or 1
        self._children = [Child() for _ in range(self.processes)]

    def __enter__(self) -> LocalRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._children:
            child.close()

    def run(self, tasks: Sequence[Task], *, in_turn: bool = False) -> Iterator[tuple[int, Any]]:
        """Yields the number of each task with its result or a `Failure`, as tasks end; with `in_turn` they run one after the other."""
        children = self._children[:1] if in_turn else self._children
        waiting, done = SimpleQueue[tuple[int, Task]](), SimpleQueue[tuple[int, Any]]()
        for pair in enumerate(tasks):
            waiting.put(pair)
        try:
            for child in children:
                # daemon threads, so that after an interruption the interpreter does not wait for them
                threading.Thread(target=_work, args=(child, waiting, done), daemon=True).start()
            for _ in tasks:
                yield done.get()
        except BaseException:
            for child in children:
                child.stop()  # tasks that still run are not waited for
            raise


def _work(child: Child, waiting: SimpleQueue[tuple[int, Task]], done: SimpleQueue[tuple[int, Any]]) -> None:
    """Runs tasks until none is left."""
    while True:
        try:
            number, task = waiting.get_nowait()
        except Empty:
            return
        try:
            done.put((number, child.run(task)))
        except OSError as error:  # no process can be started, for instance
            done.put((number, Failure.of(error)))
