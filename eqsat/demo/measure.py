"""Times measured side by side: the rivals take turns, so that a busy moment of the machine hits all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any


@dataclass(frozen=True)
class Times:
    """Of one rival, in seconds: the median, and the least, which other work on the machine disturbs less."""

    median: float
    least: float


def interleaved_times(
    rivals: Mapping[str, Callable[[], Any]], rounds: int = 15, seconds: float = 3.0
) -> dict[str, Times]:
    """How long one call of each rival takes, after one call each to warm up.

    Stops after `rounds` turns, or, having taken three, when `seconds` have passed.
    """
    for run in rivals.values():
        run()
    taken: dict[str, list[float]] = {name: [] for name in rivals}
    end = perf_counter() + seconds
    for turn in range(rounds):
        if turn >= 3 and perf_counter() > end:
            break
        for name, run in rivals.items():
            start = perf_counter()
            run()
            taken[name].append(perf_counter() - start)
    return {name: Times(median(each), min(each)) for name, each in taken.items()}
