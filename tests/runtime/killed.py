"""Kill processes that compile and run with one cache, at random moments: `python -m tests.runtime.killed CACHE KILLS SEED`.

Processes are forked off this one, which uses no device itself: they start at once, so that most moments are ones of compiling,
running and writing to the cache. Prints what it found as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import eqsat as eq

AT_ONCE = 2  # processes
LONGEST = 1.2  # seconds of processor time of a life: about two first calls
POLLED = 0.005  # seconds between looks
CHECKED_EVERY = 100  # kills
WRONG, RIGHT = 3, 0
PATIENCE = 300.0  # seconds for a process that is not killed; one that waits for a lock longer counts as stuck
FUNCTIONS: tuple[tuple[Callable[[Any], Any], Callable[[Any], Any]], ...] = (
    (lambda x: x * 2 + 1, lambda x: x * 2 + 1),
    (lambda x: eq.sum(x * x), lambda x: np.sum(x * x)),
    (lambda x: eq.flip(x) - x, lambda x: np.flip(x) - x),
    (lambda x: eq.maximum(x, 3.0), lambda x: np.maximum(x, 3.0)),
)


def kill(cache: Path, kills: int, seed: int) -> dict[str, Any]:
    """Kill `kills` processes; how many of the others were wrong or stuck, and what is left of the cache."""
    draw = random.Random(seed)
    os.environ["EQSAT_CACHE"] = str(cache)
    found = {"kills": 0, "right": 0, "wrong": 0, "ended": 0, "stuck": 0, "checks": 0}
    living: dict[int, float] = {}
    while found["kills"] < kills:
        while len(living) < AT_ONCE:
            living[_start(draw.getrandbits(32), programs=None)] = draw.uniform(0, LONGEST)
        child = next((child for child, life in living.items() if _used(child) >= life), None)
        if child is None:
            time.sleep(POLLED)
            continue
        del living[child]
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        found["kills"] += code == -signal.SIGKILL
        found["wrong"] += code == WRONG
        found["ended"] += code not in (-signal.SIGKILL, WRONG)
        if found["kills"] % CHECKED_EVERY == 0:
            found["checks"] += 1
            found[_check(draw.getrandbits(32))] += 1
    for child in living:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    found[_check(draw.getrandbits(32))] += 1
    return {**found, "damaged": [str(file) for file in cache.glob("*/cache.db") if not _is_whole(file)]}


def _used(child: int) -> float:
    """Processor time of a process in seconds; infinite for one that has ended."""
    fields = Path(f"/proc/{child}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return float("inf") if fields[0] == "Z" else ticks / os.sysconf("SC_CLK_TCK")


def _start(seed: int, programs: int | None) -> int:
    """A process that compiles and runs that many programs, or programs for ever."""
    child = os.fork()
    if child:
        return child
    code = WRONG
    try:
        code = _work(random.Random(seed), programs)
    finally:
        os._exit(code)


def _work(draw: random.Random, programs: int | None) -> int:
    while programs is None or programs > 0:
        programs = None if programs is None else programs - 1
        ours, theirs = draw.choice(FUNCTIONS)
        x = np.array([draw.randrange(-8, 9) for _ in range(draw.randrange(1, 40))], np.float32)
        for _ in range(2):
            if not np.array_equal(eq.jit(ours)(x), theirs(x)):
                return WRONG
    return RIGHT


def _check(seed: int) -> str:
    """What becomes of a process that nobody kills."""
    child, end = _start(seed, programs=2), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return {RIGHT: "right", WRONG: "wrong"}.get(code, "ended")
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "stuck"


def _is_whole(database: Path) -> bool:
    connection = sqlite3.connect(database)
    try:
        return connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        connection.close()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(kill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
