"""Tasks in processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from types import TracebackType
from typing import Any

from eqsat.comparison.child import Child
from eqsat.comparison.task import Task


class LocalRunner:
    """Runs tasks in child processes, one for each core if their number is not given. Use it in a `with` statement, which ends them."""

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
        """The number of each task with its result or a `Failure`, as they are done."""
        children = self._children[:1] if in_turn else self._children
        idle = SimpleQueue[Child]()
        for child in children:
            idle.put(child)

        def run(task: Task) -> Any:
            child = idle.get()
            try:
                return child.run(task)
            finally:
                idle.put(child)

        pool = ThreadPoolExecutor(len(children))
        futures = {pool.submit(run, task): number for number, task in enumerate(tasks)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            for child in children:
                child.stop()  # what still runs is not waited for
            raise
        finally:
            pool.shutdown(cancel_futures=True)
