"""Pauses Python's garbage collector of cycles while eqsat imports, saturates and compiles.

A compilation makes hundreds of thousands of nodes that live until its end. They form no cycles, yet the collector would walk all of them again
and again.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_before: list[bool] = []  # for each open block, whether the collector was enabled before it


@contextmanager
def collector_paused() -> Generator[None, None, None]:
    """Disables the collector until the last such block of any thread ends; then enables it again if it was enabled before the first block."""
    with _LOCK:
        _before.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            last = _before.pop()  # blocks may end in any order, but the first entry is always popped last
            if not _before and last:
                gc.enable()
