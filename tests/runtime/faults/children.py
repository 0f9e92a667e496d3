"""Processes in which something goes wrong, and what they run."""

from __future__ import annotations

import atexit
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
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


# Importing takes two thirds of such a process, so it is done once: each test runs in a fork of a process that has imported all and computed nothing.
# Each line that it reads says what a fork runs, and where that writes its errors; it answers with the fork's exit code.
SERVE = """
import gc, json, os, resource, sys
gc.freeze()  # forks share what was imported
for line in sys.stdin:
    code, environment, errors, seconds = json.loads(line)
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit(0)
os.environ.clear()
os.environ.update(environment)
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # a fork that hangs ends, also if nobody is left to end it
with open(errors, "w") as file:
    os.dup2(file.fileno(), 2)
with open(os.devnull, "r+") as file:
    os.dup2(file.fileno(), 0)
    os.dup2(file.fileno(), 1)
exec(code)
"""


def run(code: str, cache: Path | str, without: tuple[str, ...] = (), **environment: str) -> str:
    """Runs USE and `code` in a fork of its own, with few rules, and returns what it wrote to standard error. It must end well, and in time."""
    variables = {name: value for name, value in around(cache).items() if name not in without}
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.NamedTemporaryFile("r") as errors:
        server.stdin.write(json.dumps([code, {**variables, **environment}, errors.name, SECONDS]) + "\n")
        server.stdin.flush()
        hang = threading.Timer(SECONDS, _end, [server])
        hang.start()
        answer = server.stdout.readline().strip()
        hang.cancel()
        written = errors.read()
    if not answer:
        _end(server)
    assert answer == "0", f"{answer or 'hung, or its parent ended'}: {written[-2000:]}"
    return written


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks, with all that it has started in a group of its own."""
    server = subprocess.Popen(
        [sys.executable, "-c", FEWER_RULES + USE + SERVE],
        env=around("off"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    """Ends the process that forks, and its forks; the next test starts another."""
    _server.cache_clear()
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


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
