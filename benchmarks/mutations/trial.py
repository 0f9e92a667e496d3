"""Runs tests on a copy of the tree, one change at a time."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.mutations.replacing import plain

WORKER = "benchmarks.mutations.worker"
LIMIT = 1800.0  # wall-clock seconds for one change on a busy machine; the process limits its processor time
LOOK_LIMIT = 7200.0  # wall-clock seconds to trace all tests; long enough for a slow machine
KILLED, SURVIVED, SLOW, STILLBORN = "killed", "survived", "slow", "stillborn"


@dataclass(frozen=True)
class Verdict:
    """The outcome of a change: `by` names the first test that failed; `seconds` is processor time."""

    outcome: str
    by: str
    seconds: float


class Tree:
    """A copy of the files that git tracks, in which they may be changed, and a server that runs tests in it."""

    def __init__(self, source: Path, folder: Path, tests: Sequence[str], options: Sequence[str] = ()) -> None:
        """`tests` are files of tests, `options` are options of pytest."""
        self.root = folder / "tree"
        self._scratch = folder / "scratch"
        self._folder = folder
        self._options = [
            "-o",
            f"cache_dir={folder / 'pytest'}",  # it lists kernels that Oclgrind found clean
            *options,
        ]
        self._tests = tests
        self._server: Server | None = None
        shutil.rmtree(self.root, ignore_errors=True)
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=source, capture_output=True, check=True)
        for name in filter(None, tracked.stdout.decode().split("\0")):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target)

    def look(self, files: Sequence[str]) -> dict[str, Any]:
        """The lines that the tests of some files run, by the name of the test."""
        return self._ask(["look", *files], LOOK_LIMIT) or {}

    def try_change(self, file: str, source: str, tests: Sequence[str], seconds: float) -> Verdict:
        """Runs these tests in this order with a file changed, up to the first that fails; unchanged, they take `seconds` of processor time."""
        answer = self._served(file, source, tests, seconds) or self._anew(file, source, tests, seconds)
        return Verdict(answer["outcome"], answer["by"], answer["seconds"])

    def _served(self, file: str, source: str, tests: Sequence[str], seconds: float) -> dict[str, Any] | None:
        """The answer of a child of the server; None if the change must be imported by a process of its own."""
        try:
            compile(source, file, "exec")
        except SyntaxError:
            return None
        if self._server is None:
            self._server = Server(self._start, [*self._tests, "--", *self._options])
        path, answer = self.root / file, self._clean()
        question = {
            "file": str(path), "before": plain(path.read_text()), "after": source, "tests": list(tests), "answer": str(answer),
            "seconds": seconds,
        }  # fmt: skip
        ended = self._server.ask(question)
        said = _said(answer, ended["outcome"]) | {"seconds": ended["seconds"]}
        return None if said["outcome"] == "anew" else said

    def _anew(self, file: str, source: str, tests: Sequence[str], seconds: float) -> dict[str, Any]:
        path = self.root / file
        before, times = path.read_bytes(), path.stat()
        path.write_text(source)
        asked = self._folder / "asked.json"
        module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        question = {"module": module, "tests": list(tests), "options": self._options, "seconds": seconds}
        asked.write_text(json.dumps(question))
        start = _seconds_of_children()
        try:
            said = self._ask(["try", str(asked)], LIMIT) or {"outcome": KILLED, "by": "end of the process"}
            return said | {"seconds": _seconds_of_children() - start}
        finally:
            path.write_bytes(before)
            os.utime(path, (times.st_atime, times.st_mtime))  # so that its byte code is current again

    def _ask(self, question: list[str], limit: float) -> dict[str, Any] | None:
        """The answer of a process within so many seconds; None if the process died."""
        answer = self._clean()
        process = self._start([*question, str(answer)], ())
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU) and not answer.exists():
            return {"outcome": SLOW, "by": ""}
        return json.loads(answer.read_text()) if answer.exists() else None

    def _clean(self) -> Path:
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(parents=True)
        return self._scratch / "answer.json"

    def _start(self, arguments: Sequence[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
        own = {
            "PYTHONPATH": str(self.root), "EQSAT_CACHE": "off", "TMPDIR": str(self._scratch),
            "POCL_CACHE_DIR": str(self._folder / "pocl"),  # kernels that no change affects are compiled once
            "PYTHONDONTWRITEBYTECODE": "1" if arguments[0] == "try" else "",
        }  # fmt: skip
        with (self._folder / f"{arguments[0]}.txt").open("w") as output:
            return subprocess.Popen(
                [sys.executable, "-m", WORKER, *arguments], cwd=self.root, env=os.environ | own, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True, pass_fds=descriptors,
            )  # fmt: skip


class Server:
    """A process that has collected the tests, and forks for each change."""

    def __init__(self, start: Any, arguments: Sequence[str]) -> None:
        calls, ours = os.pipe()
        theirs, answers = os.pipe()
        self._calls, self._answers = os.fdopen(ours, "w"), os.fdopen(theirs)
        self._process = start(["serve", str(calls), str(answers), *arguments], (calls, answers))
        os.close(calls)
        os.close(answers)

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """How the child that got the question ended, and the processor seconds that it took."""
        print(json.dumps(question), file=self._calls, flush=True)
        line = self._answers.readline()
        if not line:
            raise SystemExit("the server of tests has ended; see serve.txt")
        return json.loads(line)


def _said(answer: Path, ended: str) -> dict[str, Any]:
    if answer.exists():
        return json.loads(answer.read_text())
    return {"outcome": SLOW if ended == SLOW else KILLED, "by": "" if ended == SLOW else "end of the process"}


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
