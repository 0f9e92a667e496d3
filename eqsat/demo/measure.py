"""Times measured side by side: the rivals take turns, so that a busy moment of the machine hits all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter, sleep
from typing import Any

REST = 0.05  # seconds after which the threads of a rival, which spin while they wait for more, have gone to sleep


@dataclass(frozen=True)
class Times:
    """Of one rival, in seconds: the median, and the least, which other work on the machine disturbs less."""

    median: float
    least: float


def interleaved_times(
    rivals: Mapping[str, Callable[[], Any]], rounds: int = 15, seconds: float = 3.0
) -> dict[str, Times]:
    """How long one call of each rival takes, when it is called again and again.

    A turn is a rest, one call to warm up, and one that is timed: what a rival leaves behind (spinning threads, cold caches) is not
    the other's loss. Stops after `rounds` turns, or, having taken three, when `seconds` have passed.
    """
    taken: dict[str, list[float]] = {name: [] for name in rivals}
    end = perf_counter() + seconds
    for turn in range(rounds):
        if turn >= 3 and perf_counter() > end:
            break
        for name, run in rivals.items():
            sleep(REST)
            run()
            start = perf_counter()
            run()
            taken[name].append(perf_counter() - start)
    return {name: Times(median(each), min(each)) for name, each in taken.items()}
