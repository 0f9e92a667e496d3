"""Importing, saturating and compiling without pauses of Python's collector of cycles.

A compilation makes hundreds of thousands of nodes that live until its end, without cycles, and the collector would walk all of them again and again.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_before: list[bool] = []  # for each block that is open, whether the collector ran before it


@contextmanager
def collector_paused() -> Generator[None, None, None]:
    """No cycles are looked for until the end of the last such block of all threads; then again, if they were before the first."""
    with _LOCK:
        _before.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            last = _before.pop()  # blocks may end in another order: the first entry is the last to go
            if not _before and last:
                gc.enable()
