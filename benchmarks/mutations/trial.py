"""Runs tests on a copy of the tree, one process at a time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("worker.py")
LIMIT = 150.0  # seconds for one change
LOOK_LIMIT = 400.0  # seconds to look at one file of tests
KILLED, SURVIVED, SLOW, STILLBORN = "killed", "survived", "slow", "stillborn"


@dataclass(frozen=True)
class Verdict:
    """What became of a change: `by` names the first test that failed."""

    outcome: str
    by: str
    seconds: float


class Tree:
    """A copy of the files that git tracks, where they may be changed."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.root = folder / "tree"
        self._scratch = folder / "scratch"
        shutil.rmtree(self.root, ignore_errors=True)
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=source, capture_output=True, check=True)
        for name in filter(None, tracked.stdout.decode().split("\0")):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target)

    def look(self, file: str) -> dict[str, Any] | None:
        """Which functions the tests of a file call; None if they could not be run."""
        return self._ask(["look", file], LOOK_LIMIT)[0]

    def try_change(self, file: str, source: str, tests: Collection[str]) -> Verdict:
        """Runs these tests with a file changed, up to the first that fails."""
        path = self.root / file
        before, times = path.read_bytes(), path.stat()
        path.write_text(source)
        asked = self.root.parent / "asked.json"
        module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        asked.write_text(json.dumps({"module": module, "tests": list(tests)}))
        try:
            answer, seconds = self._ask(["try", str(asked)], LIMIT)
        finally:
            path.write_bytes(before)
            os.utime(path, (times.st_atime, times.st_mtime))  # so that its compiled form is current again
        if answer is None:
            return (
                Verdict(SLOW, "", seconds)
                if seconds > LIMIT
                else Verdict(KILLED, "end of the process", seconds)
            )
        return Verdict(answer["outcome"], answer["by"], seconds)

    def _ask(self, question: list[str], limit: float) -> tuple[Any, float]:
        """What a process answers, and how long it took; None if it took too long, or died."""
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(parents=True)
        answer = self._scratch / "answer.json"
        own = {"PYTHONPATH": str(self.root), "EQSAT_CACHE": "off", "TMPDIR": str(self._scratch)}
        if question[0] == "try":
            own["PYTHONDONTWRITEBYTECODE"] = "1"
        start = time.perf_counter()
        with (self._scratch / "output.txt").open("w") as output:
            process = subprocess.Popen(
                [sys.executable, str(WORKER), *question, str(answer)], cwd=self.root, env=os.environ | own, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        seconds = time.perf_counter() - start
        return json.loads(answer.read_text()) if answer.exists() else None, seconds
