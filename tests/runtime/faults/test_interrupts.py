"""Ctrl-C: docs/faults.md, row by row."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runtime.faults.children import FEWER_RULES, SECONDS, USE, around, assert_whole

pytestmark = pytest.mark.timeout(900)

# Processes in the background of a shell ignore Ctrl-C, and so do those that they start. They end after a time, also if nobody is left to end them.
LISTEN = f"""
import resource, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
"""

INTERRUPTED = """
size, interrupted = 10, 0
while interrupted < ROUNDS:
    try:
        print("ready", flush=True)
        while True:
            use(size)
            size += 1
    except KeyboardInterrupt:
        interrupted += 1
use()
use(9)
print("right", flush=True)
"""


def test_interrupts_while_compiling(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """As a terminal sends them, at random moments, also while all rules are registered: to the process, and to the linker that PoCL started."""
    rounds, moments = 5, random.Random(request.config.getoption("--seed"))
    process = subprocess.Popen(
        [sys.executable, "-c", LISTEN + USE + INTERRUPTED.replace("ROUNDS", str(rounds))],
        env=around(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        for _ in range(rounds):
            signal.alarm(240)
            answer = process.stdout.readline()
            assert answer == "ready\n", process.communicate(timeout=SECONDS)[1][-2000:]
            signal.alarm(0)
            time.sleep(moments.uniform(0, 2))  # rules are registered after half a second to a whole one
            os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=SECONDS)
    finally:
        signal.alarm(0)
        process.kill()
    assert (output, process.returncode) == ("right\n", 0), errors[-2000:]
    assert_whole(tmp_path)


RUNNING = """
from eqsat.runtime import get_device
from eqsat.runtime.executable import Executable
from eqsat.schedule.kernel import Role
from tests.runtime.programs import argument, buffer, rendered, schedule
body = "float x = 0; for (long k = 0; k < 1000000000; k++) x = x * 1.0001f + 1; o[i] = x;"
kernel = rendered("spin", body, [argument(0, 1, written=True)], 1)
spin = Executable(get_device("pocl"), schedule([("spin", (0,))], [buffer(1, Role.OUTPUT, 0)]), [kernel])
spin()
use()
print("ready", flush=True)
try:
    while True:
        spin()
except KeyboardInterrupt:
    use()
    use(6)
    print("right")
"""


def test_interrupt_while_running(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LISTEN + FEWER_RULES + USE + RUNNING],
        env=around(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert (output, process.returncode) == ("right\n", 0)
