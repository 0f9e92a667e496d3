"""Measures times side by side: the rivals take turns, so that a busy moment of the machine affects all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter, sleep
from typing import Any, TypeVar

REST = 0.05  # seconds after which the threads of a rival, which spin while they wait for more, have gone to sleep
LEAST_ROUNDS = 3

Turn = TypeVar("Turn")


@dataclass(frozen=True)
class Times:
    """The times of one rival in seconds: the median, and the least, which other work on the machine disturbs less."""

    median: float
    least: float


def interleaved_times(
    rivals: Mapping[str, Callable[[], Any]], rounds: int = 15, seconds: float = 3.0
) -> dict[str, Times]:
    """How long one call of each rival takes, when it is called again and again.

    A turn is a rest, one call to warm up, and one timed call. So one rival does not suffer from what another leaves behind (spinning
    threads, cold caches). Stops after `rounds` turns of each, or when `seconds` have passed and each has taken three.
    """
    turns = {name: partial(_second_call, run) for name, run in rivals.items()}
    taken = take_turns(turns, rounds, seconds)
    return {name: Times(median(each), min(each)) for name, each in taken.items()}


def take_turns(turns: Mapping[str, Callable[[], Turn]], rounds: int, seconds: float) -> dict[str, list[Turn]]:
    """The results of the turns of each rival, each of which follows a rest. Stops like `interleaved_times`."""
    taken: dict[str, list[Turn]] = {name: [] for name in turns}
    end = perf_counter() + seconds
    for round_number in range(rounds):
        if round_number >= LEAST_ROUNDS and perf_counter() > end:
            break
        for name, turn in turns.items():
            sleep(REST)
            taken[name].append(turn())
    return taken


def _second_call(run: Callable[[], Any]) -> float:
    run()
    start = perf_counter()
    run()
    return perf_counter() - start
