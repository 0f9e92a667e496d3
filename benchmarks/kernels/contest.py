"""Measures all libraries on one workload: each in a process of its own, taking turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

import numpy as np

from benchmarks.kernels.contestant import Contestant, Turn, check, take_turn
from benchmarks.kernels.peers import Peer
from benchmarks.kernels.workload import Workload
from eqsat.demo.measure import take_turns
from eqsat.runtime.task import Failure, Task, packed
from eqsat.runtime.worker_process import Child

LIMIT = 60.0  # seconds after which a process that compiles, or takes its turn, is ended


@dataclass(frozen=True)
class Standing:
    """The result of one library on one workload. A figure that does not exist is None.

    Attributes:
        median: seconds of a call: the median over turns of the median of each turn.
        least: seconds of the quickest call.
        processor: processor seconds of a call on all cores together; the median over turns.
        calls: the number of calls that were timed.
        error: the largest error of the result, relative to the greatest value of the reference.
        failure: why there are no times; empty if there are.
    """

    median: float | None = None
    least: float | None = None
    processor: float | None = None
    calls: int = 0
    error: float | None = None
    failure: str = ""

    @staticmethod
    def of(turns: Sequence[Turn], error: float) -> Standing:
        """The standing from turns, of which there must be at least one."""
        return Standing(
            median(turn.median for turn in turns),
            min(turn.least for turn in turns),
            median(turn.processor for turn in turns),
            sum(turn.calls for turn in turns),
            error,
        )


class Contest:
    """The libraries and their processes, which serve one workload after another. Use it in a `with` statement, which ends the processes."""

    def __init__(self, peers: Sequence[Peer], limit: float = LIMIT) -> None:
        """`limit` is the number of seconds that a library may take to compile and be checked, and for a turn."""
        self._peers = peers
        self._limit = limit
        self._resources = ExitStack()
        self._children = {peer.name: Child() for peer in peers if peer.is_installed()}

    def __enter__(self) -> Contest:
        self._folder = Path(self._resources.enter_context(TemporaryDirectory(prefix="eqsat-kernels-")))
        for child in self._children.values():
            self._resources.callback(child.close)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()

    def measure(self, workload: Workload, rounds: int, seconds: float) -> dict[str, Standing]:
        """The standing of each library, after `seconds` of turns but at least three rounds; processes compile and check side by side."""
        expected = self._folder / "expected.npz"
        np.savez(expected, *workload.reference(workload.arrays()))
        contestants = {
            peer.name: packed(Contestant(peer, workload, expected))
            for peer in self._peers
            if peer.name in self._children and peer.has(workload)
        }
        answers = self._checked(contestants)
        errors = {
            name: answer
            for name, answer in answers.items()
            if isinstance(answer, float) and answer <= workload.tolerance
        }
        turns = {name: _Turns(partial(self._ask, name, take_turn, contestants[name])) for name in errors}
        take_turns(turns, rounds, seconds)
        return {
            peer.name: turns[peer.name].standing(errors[peer.name])
            if peer.name in turns
            else _unfit(answers.get(peer.name), peer, workload)
            for peer in self._peers
        }

    def _checked(self, contestants: Mapping[str, bytes | Failure]) -> dict[str, float | Failure]:
        ask = partial(self._ask, function=check)
        with ThreadPoolExecutor(max(1, len(contestants))) as pool:
            try:
                found = list(pool.map(lambda pair: ask(pair[0], contestant=pair[1]), contestants.items()))
            except BaseException:
                for child in self._children.values():
                    child.stop()  # tasks that still run are not waited for
                raise
        return dict(zip(contestants, found, strict=True))

    def _ask(self, name: str, function: Callable[[Contestant], Any], contestant: bytes | Failure) -> Any:
        if isinstance(contestant, Failure):
            return contestant
        task = Task.of(function, contestant, (), self._limit)
        return task if isinstance(task, Failure) else self._children[name].run(task)


class _Turns:
    """The turns of one library, until it fails."""

    def __init__(self, take: Callable[[], Turn | Failure]) -> None:
        self._take = take
        self._taken: list[Turn] = []
        self._failure: Failure | None = None

    def __call__(self) -> None:
        if self._failure is None:
            turn = self._take()
            if isinstance(turn, Failure):
                self._failure = turn
            else:
                self._taken.append(turn)

    def standing(self, error: float) -> Standing:
        if self._failure is not None:
            return Standing(error=error, failure=self._failure.message)
        return Standing.of(self._taken, error)


def _unfit(answer: float | Failure | None, peer: Peer, workload: Workload) -> Standing:
    """The standing of a library that takes no turns, with the reason; it is no failure if the library does not have the workload."""
    if not peer.has(workload):
        return Standing()
    if answer is None:
        return Standing(failure=f"{peer.package} is not installed")
    if isinstance(answer, Failure):
        return Standing(failure=answer.message)
    return Standing(error=answer, failure=f"wrong: its error {answer:.1e} is above {workload.tolerance:.1e}")
