"""Ctrl-C ends a command with one word, and neither it nor a kill leaves a cache that cannot be used."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path

import pytest

DELAYS = (0.3, 0.5, 0.7, 0.9, 1.2, 1.5)  # seconds; the command takes about two


def start(root: Path) -> subprocess.Popen[str]:
    """`eqsat run softmax` with its caches under `root`."""
    return subprocess.Popen(
        [sys.executable, "-m", "eqsat", "run", "softmax", "--json"],
        env={**os.environ, "EQSAT_CACHE": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_interrupted_command_leaves_caches_that_work(tmp_path):
    for delay, kind in zip(DELAYS, cycle((signal.SIGINT, signal.SIGKILL)), strict=False):
        process = start(tmp_path)
        time.sleep(delay)
        process.send_signal(kind)
        text, errors = process.communicate(timeout=120)
        assert process.returncode in (0, -kind, 130)
        assert process.returncode != 130 or errors.endswith("interrupted\n")
        assert process.returncode != 130 or json.loads(text)
    results = []
    for _ in range(2):
        process = start(tmp_path)
        text, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
        results.append(json.loads(text)["results"])
    assert results[0] == results[1]
    assert results[0][0]["mean"] == pytest.approx(1 / 1024)
    databases = sorted(tmp_path.glob("*/cache.db"))
    assert {database.parent.name for database in databases} == {"binaries", "plans"}
    for database in databases:
        connection = sqlite3.connect(database)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
