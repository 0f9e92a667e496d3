"""Processes in which something goes wrong, and what they run."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from eqsat.runtime.record import VARIABLE as RECORD

SECONDS = 400  # after which something counts as a hang; a first call takes 2 on an idle machine

# Registering all rules is more than a third of a first call, and no fault below depends on their number. Schedules search with the rules
# of index arithmetic; where programs do, too, one engine serves both.
FEWER_RULES = """
from eqsat.pipeline.planning import plan
from eqsat.rules.library import INDEX_LIBRARY
plan.LIBRARY = INDEX_LIBRARY
"""

USE = """
import os, resource, sys, threading, warnings
import numpy as np
import eqsat as eq
from eqsat.runtime import CacheWarning

f = eq.jit(lambda x: eq.exp(x) * 2 + 1)

def use(size=5, function=f):
    result = function(np.zeros(size, np.float32))
    assert result.shape == (size,) and (result == 3).all(), result

def refused(kind, text, act=use):
    try:
        act()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")

def status_of(child):
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)
"""


def run(code: str, cache: Path | str, without: tuple[str, ...] = (), **environment: str) -> str:
    """Runs USE and `code` in a process of its own, with few rules, and returns what it wrote to standard error. It must end well, and in time."""
    variables = {name: value for name, value in around(cache).items() if name not in without}
    done = subprocess.run(
        [sys.executable, "-c", FEWER_RULES + USE + code],
        env={**variables, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stderr


def around(cache: Path | str) -> dict[str, str]:
    """The environment of a process with this cache; its kernels are not recorded, since many never end."""
    inherited = {name: value for name, value in os.environ.items() if name not in (RECORD, "EQSAT_DEVICE")}
    return {**inherited, "PYTHONPATH": os.pathsep.join(sys.path), "EQSAT_CACHE": str(cache)}


def assert_whole(cache: Path) -> None:
    """Each database of a cache is sound, and a new process computes with them."""
    for database in cache.glob("*/cache.db"):
        connection = sqlite3.connect(database)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    assert run("use()", cache) == ""
