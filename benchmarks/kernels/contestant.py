"""One library on one workload: the tasks of its process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from benchmarks.kernels.peers import Call, Peer
from benchmarks.kernels.workload import Workload
from eqsat.demo.report import largest_error

WARMING = 3  # calls before timing: a library may compile at the second and record at the third
TURN = 0.02  # seconds of a turn; a call that takes longer is the only one of its turn


@dataclass(frozen=True, eq=False)
class Contestant:
    """A library on a workload.

    Attributes:
        peer: the library.
        workload: the workload.
        expected: the file with the reference results.
    """

    peer: Peer
    workload: Workload
    expected: Path


class Turn(NamedTuple):
    """The calls of one turn: their median and least seconds, their mean processor seconds on all cores, and their number."""

    median: float
    least: float
    processor: float
    calls: int


def check(contestant: Contestant) -> float:
    """Compiles, calls often enough to warm up, and returns the largest error of the last result."""
    call = _prepared(contestant)
    for _ in range(WARMING - 1):
        call.run()
    results = call.fetch(call.run())
    with np.load(contestant.expected) as expected:
        return largest_error(results, list(expected.values()))


def take_turn(contestant: Contestant) -> Turn:
    """Makes one call to warm up, then as many calls as fill the turn."""
    run = _prepared(contestant).run
    run()
    taken: list[float] = []
    before = process_time()
    end = perf_counter() + TURN
    while not taken or perf_counter() < end:
        start = perf_counter()
        run()
        taken.append(perf_counter() - start)
    processor = (process_time() - before) / len(taken)
    return Turn(median(taken), min(taken), processor, len(taken))


@lru_cache(1)
def _prepared(contestant: Contestant) -> Call:
    return contestant.peer.prepare(contestant.workload, contestant.workload.arrays())
