"""Threads that do the same at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

COUNT = 4


def at_once(work: Callable[[int], None], count: int = COUNT) -> None:
    """Runs `work` in as many threads, each with its number, and waits for all."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
