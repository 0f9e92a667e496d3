"""A worker process for tasks that may crash or hang. It runs one task after another, and a lost process is replaced.

Requests and replies are pickles on the process's standard streams. Unlike the workers of `multiprocessing`, it may be started anywhere, also by
a worker of a cluster, and its parent can tell which task it was lost with.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from queue import SimpleQueue
from typing import IO, Any

from eqsat.runtime.processes import interrupts_wait
from eqsat.runtime.task import Failure, Task, packed

SUBJECTS_KEPT = 4  # unpickled subjects that each process caches
LEAVING = 5.0  # seconds that a process may take to end after it has closed its streams
START = "import sys; sys.path[:] = {path!r}; from eqsat.runtime.worker_process import serve; serve()"


class Child:
    """Another process, started at the first task. One thread at a time may give it tasks; any thread may stop it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._changing = threading.Lock()
        self._running = threading.Lock()

    def run(self, task: Task) -> Any:
        """The result of a task; a `Failure` if it raised an error, ended its process, or exceeded its time limit."""
        with self._running:
            return self._run(task)

    def _run(self, task: Task) -> Any:
        process = self._started()
        if process is None:
            return Failure("stopped")
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(min(task.seconds, threading.TIMEOUT_MAX), expire)
        timer.daemon = True
        timer.start()
        try:
            answer = _ask(process, task)
        finally:
            timer.cancel()
            timer.join()
        code = None if answer is not None else _exit_code(process)
        if code is not None or expired.is_set():
            self._end()
        if code is None:
            return answer
        return (
            Failure(f"timed out: ended after {task.seconds:g} s")
            if expired.is_set()
            else Failure.of_exit(code)
        )

    def stop(self) -> None:
        """Ends the process, also in the middle of a task. No other process is started afterwards."""
        with self._changing:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Ends the process, also in the middle of a task, and closes its streams when the thread that gave the task no longer uses them."""
        self.stop()
        with self._running:
            self._end()

    def _started(self) -> subprocess.Popen[bytes] | None:
        with self._changing:
            if self._stopped:
                return None
            if self._process is not None:
                return self._process
            command = [sys.executable, "-c", START.format(path=sys.path)]
            with interrupts_wait():  # Ctrl-C in the process would print a traceback while it imports
                process = self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
        _receive(process)  # the message that it is ready, so that imports do not count as the task's time
        return process

    def _end(self) -> None:
        with self._changing:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                with suppress(OSError):
                    stream.close()


def _ask(process: subprocess.Popen[bytes], task: Task) -> Any:
    """The answer to a task; None if the process is gone."""
    assert process.stdin is not None
    try:
        pickle.dump((task.subject, task.call), process.stdin)
        process.stdin.flush()
    except OSError:
        return None
    return _receive(process)


def _receive(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None
    try:
        return pickle.load(process.stdout)
    except (EOFError, OSError, pickle.UnpicklingError):
        return None


def _exit_code(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that does not answer. The process is killed if it does not end by itself."""
    try:
        return process.wait(LEAVING)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def serve() -> None:
    """The main function of the process: answers requests until there can be no more. Whatever tasks print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets Ctrl-C as well, and ends this process
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    waiting = SimpleQueue[tuple[bytes, bytes]]()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    _reply(replies, pickle.dumps("ready"))
    while True:
        _reply(replies, _answer(*waiting.get()))


def _listen(requests: IO[bytes], waiting: SimpleQueue[tuple[bytes, bytes]]) -> None:
    """Queues the requests. When the parent is gone, ends the process, also in the middle of a task."""
    while True:
        try:
            waiting.put(pickle.load(requests))
        except (EOFError, OSError):
            os._exit(0)


def _reply(replies: IO[bytes], answer: bytes) -> None:
    try:
        replies.write(answer)
        replies.flush()
    except OSError:
        os._exit(0)


def _answer(subject: bytes, call: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(call)
        result = function(_unpacked(subject), *arguments)
    except Exception as error:  # noqa: BLE001  (whatever a user's class raises is the task's result)
        result = Failure.of(error)
    answer = packed(result)
    return pickle.dumps(answer) if isinstance(answer, Failure) else answer


@lru_cache(SUBJECTS_KEPT)
def _unpacked(subject: bytes) -> Any:
    return pickle.loads(subject)
