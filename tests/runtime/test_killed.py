"""Processes that share a cache may be killed at any moment: results stay right, no lock stays taken, no file is damaged.

`--kills 500` kills as many.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eqsat.runtime.record import VARIABLE as RECORD


@pytest.mark.timeout(0)
def test_killed_processes_leave_a_cache_that_works(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    kills = request.config.getoption("--kills")
    environment = {name: value for name, value in os.environ.items() if name != RECORD}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    arguments = [str(tmp_path), str(kills), str(request.config.getoption("--seed"))]
    done = subprocess.run(
        [sys.executable, "-m", "tests.runtime.killed", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["kills"] == kills
    assert found["right"] > 0
    assert (found["wrong"], found["ended"], found["stuck"], found["damaged"]) == (0, 0, 0, []), done.stderr[
        -2000:
    ]
    left = [path.name for path in (tmp_path / "pocl").iterdir()]
    assert len(left) <= 3, f"directories of killed processes stay: {left}"
