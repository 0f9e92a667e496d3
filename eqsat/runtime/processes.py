"""Blocks of code that Ctrl-C must not interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

_INTERRUPTS = frozenset({signal.SIGINT})


@contextmanager
def interrupts_wait() -> Generator[None]:
    """Defers SIGINT to the end of the block, for this thread and for the processes and threads that it starts inside.

    A Ctrl-C would kill a linker that PoCL starts, and PoCL would then end this process. An import of pyopencl that is interrupted ends
    the process when it is tried again. Blocking the signal protects what the block starts. It does not keep Python from raising
    KeyboardInterrupt here: any other thread may receive the signal, and Python handles it in the main thread. So the handler waits, too.

    Raises:
        KeyboardInterrupt: at the end of the block, if SIGINT came inside; or whatever else its handler raises.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        with _handler_waits():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handler_waits() -> Generator[None]:
    """In the main thread, defers the call of the SIGINT handler to the end of the block."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if received:
            handler(*received[0])
