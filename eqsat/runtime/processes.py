"""What Ctrl-C may not interrupt."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager

_INTERRUPTS = frozenset({signal.SIGINT})


@contextmanager
def interrupts_wait() -> Generator[None]:
    """Inside the block, SIGINT waits for its end, for this thread and for processes and threads that it starts.

    A linker that PoCL starts would die of a Ctrl-C, and PoCL would end the process that asked for it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
