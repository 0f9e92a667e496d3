"""Times measured side by side: the rivals take turns, so that a busy moment of the machine hits all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any


def interleaved_medians(
    rivals: Mapping[str, Callable[[], Any]], rounds: int = 15, seconds: float = 3.0
) -> dict[str, float]:
    """The median seconds of one call of each rival, after one call each to warm up.

    Stops after `rounds` turns, or, having taken three, when `seconds` have passed.
    """
    for run in rivals.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in rivals}
    end = perf_counter() + seconds
    for turn in range(rounds):
        if turn >= 3 and perf_counter() > end:
            break
        for name, run in rivals.items():
            start = perf_counter()
            run()
            times[name].append(perf_counter() - start)
    return {name: median(taken) for name, taken in times.items()}
