"""Runs tasks on a Dask cluster. Its workers run them as a single machine does: in child processes, which may crash."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any
from uuid import uuid4

from distributed import Client, Worker, WorkerPlugin, as_completed, get_worker

from eqsat.errors import ComparisonError
from eqsat.runtime.task import Failure, Task
from eqsat.runtime.worker_process import Child

PATIENCE = 10  # seconds for the cluster to answer


class ClusterRunner:
    """Runs tasks on the workers of a cluster, on which this package must be installed. Use it in a `with` statement.

    Raises:
        ComparisonError: no cluster with a worker answers at the address.
    """

    def __init__(self, address: str) -> None:
        try:
            self._client: Any = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ComparisonError(
                f"no Dask scheduler answers at {address!r} ({error}); start one with `dask scheduler`"
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            self._client.close()
            raise ComparisonError(
                f"the cluster at {address!r} has no worker; start some with `dask worker {address}`"
            ) from None
        self._plugin = f"eqsat-comparison-{uuid4()}"
        self._client.register_plugin(Children(), self._plugin)

    def __enter__(self) -> ClusterRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.unregister_worker_plugin(self._plugin)
        self._client.close()

    def run(self, tasks: Sequence[Task], *, in_turn: bool = False) -> Iterator[tuple[int, Any]]:
        """Yields the number of each task with its result or a `Failure`, as tasks end; with `in_turn` they run one after the other on one worker."""
        if in_turn:
            worker = min(self._client.scheduler_info()["workers"])
            for number, task in enumerate(tasks):
                yield number, _result(self._submit(task, workers=[worker]))
            return
        futures: dict[Any, int] = {self._submit(task): number for number, task in enumerate(tasks)}
        completed: Any = as_completed(list(futures), loop=self._client.loop)
        for future in completed:
            yield futures[future], _result(future)

    def _submit(self, task: Task, **where: Any) -> Any:
        return self._client.submit(run_in_child, task, self._plugin, pure=False, retries=0, **where)


class Children(WorkerPlugin):
    """The child processes of a worker, one for each of its threads. They are ended with the comparison, whatever they are doing."""

    def setup(self, worker: Worker) -> None:
        """Dask calls this on the machine of the worker."""
        self._children: list[Child] = []
        self._of_thread = threading.local()

    def teardown(self, worker: Worker) -> None:
        """Dask calls this on the machine of the worker when the comparison has ended."""
        for child in self._children:
            child.close()

    def run(self, task: Task) -> Any:
        """The result of a task, or a `Failure`."""
        if not hasattr(self._of_thread, "child"):
            self._of_thread.child = Child()
            self._children.append(self._of_thread.child)
        return self._of_thread.child.run(task)


def run_in_child(task: Task, plugin: str) -> Any:
    """Runs a task in a child process of the worker; the cluster calls this."""
    children: Any = get_worker().plugins[plugin]
    return children.run(task)


def _result(future: Any) -> Any:
    """The result of a task, or the reason why the cluster lost it."""
    error = future.exception()
    return future.result() if error is None else Failure.of(error)
