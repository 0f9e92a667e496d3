"""A process of pytest in a copy of the tree. It finds the lines that each test runs, or whether one of some tests fails after a change.

It is started in the folder of the copy. As a server, it collects the tests once, and forks for each change.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TextIO

import pytest

from benchmarks.mutations.marking import Marks
from benchmarks.mutations.replacing import replacements

MEMORY = 8 << 30  # bytes that the process may have
CPU_SECONDS = 60  # processor time of a change beyond that of its tests, before it counts as never ending
WALL_SECONDS = 1800.0  # the same in wall-clock time, as a last resort on a busy machine
SLOWER = 3  # a change may make tests this many times slower
NOT_A_TEST = {
    1: "Oclgrind",
    2: "collection",
    3: "the plugins of the tests",
    4: "the plugins of the tests",
}  # what failed if no test did, by exit code
ARGUMENTS = ("-q", "--no-header", "-p", "no:randomly", "-o", "timeout=0")  # only processor time is limited


def main() -> None:
    """Answers one question, `look FILES` or `try QUESTION`, in the file that is named last; or serves: `serve CALLS ANSWERS FILES`."""
    kind, *rest = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if kind == "look":
        look(rest[:-1], Path(rest[-1]))
    elif kind == "try":
        attempt(json.loads(Path(rest[0]).read_text()), Path(rest[1]))
    else:
        serve(int(rest[0]), int(rest[1]), rest[2:])


def look(files: Sequence[str], answer: Path) -> None:
    """Finds the lines that the tests of some files run, and how long the tests take."""
    spy = Spy(Path.cwd())
    pytest.main([*ARGUMENTS, *_known(["--referee=off"], files), *files], plugins=[spy])
    answer.write_text(json.dumps(spy.tests))


def _known(options: Sequence[str], files: Iterable[str]) -> list[str]:
    """The options that pytest knows for these files; without files of tests it does not know those that the tests define."""
    of_tests = any(file.startswith("tests/") for file in files)
    return [each for each in options if of_tests or not each.startswith("--referee")]


def attempt(question: dict[str, Any], answer: Path) -> None:
    """Runs these tests up to the first that fails, if the changed module can be imported at all."""
    _limit(question["seconds"])
    try:
        import_module(question["module"])
    except Exception as error:  # noqa: BLE001 - a change may raise anything
        answer.write_text(json.dumps({"outcome": "stillborn", "by": repr(error)}))
        return
    files = dict.fromkeys(each.partition("::")[0] for each in question["tests"])
    jury = Jury(question["tests"], answer)
    jury.conclude(
        pytest.main([*ARGUMENTS, *_known(question["options"], files), "-x", *files], plugins=[jury])
    )


def serve(calls: int, answers: int, files: Sequence[str]) -> None:
    """Collects the tests of some files, and answers questions line by line; a child is forked for each question."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        seen.add(frame.f_code)

    server = Server(os.fdopen(calls), os.fdopen(answers, "w"), seen)
    sys.settrace(note)
    code = pytest.main(
        [*ARGUMENTS, *files[files.index("--") + 1 :], "-x", *files[: files.index("--")]], plugins=[server]
    )
    if server.jury is not None:
        server.jury.conclude(code)
        os._exit(0)


class Spy:
    """Records the lines that each test runs, file by file as bits of a number, and how long it takes; tests that fail are left out."""

    def __init__(self, root: Path) -> None:
        self._root = f"{root}/eqsat/"
        self._caches: list[Any] = []
        self._marks = Marks()
        self._marks.install(lambda path: path.startswith(self._root) and _is_in_a_room(path))
        self.tests: dict[str, tuple[float, dict[str, str]]] = {}
        self._failed: set[str] = set()

    def pytest_collection_finish(self) -> None:
        """Finds the caches of functions, once all tests are collected."""
        self._caches = [
            each
            for name, module in list(sys.modules.items())
            if module and name.startswith(("eqsat.codegen", "eqsat.spec", "eqsat.ops"))
            for each in vars(module).values()
            if callable(getattr(each, "cache_clear", None))
        ]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        """Records each test. Caches are cleared first, because a cached result would hide the lines that compute it."""
        for each in self._caches:
            each.cache_clear()
        self._marks.clear()
        start = _cpu_seconds()
        yield
        seconds = _cpu_seconds() - start
        if item.nodeid not in self._failed:
            ran = {
                f"eqsat/{name.removeprefix(self._root)}": f"{found:x}"
                for name, found in self._marks.lines().items()
            }
            self.tests[item.nodeid] = seconds, ran

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes a failure after each part of a test."""
        if not report.passed:
            self._failed.add(report.nodeid)


def _is_in_a_room(name: str) -> bool:
    return "/eqsat/spec/" in name or "/eqsat/codegen/" in name or "/eqsat/ops/" in name


class Jury:
    """Runs only the chosen tests, in their order, and ends the process at the first that fails."""

    def __init__(self, tests: Sequence[str], answer: Path) -> None:
        self._tests = tests
        self._answer = answer

    def chosen(self, items: Sequence[pytest.Item]) -> list[pytest.Item]:
        """The chosen tests among all; a change may remove tests, which alone is no failure."""
        found = {item.nodeid: item for item in items}
        return [found[name] for name in self._tests if name in found]

    def conclude(self, code: int) -> None:
        """Writes the outcome of a run that has ended."""
        survived = code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        by = "" if survived else NOT_A_TEST.get(int(code), f"exit code {int(code)}")
        self.write("survived" if survived else "killed", by)

    def write(self, outcome: str, by: str) -> None:
        """Writes the answer to its file."""
        self._answer.write_text(json.dumps({"outcome": outcome, "by": by}))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drops all other tests, once all are collected."""
        items[:] = self.chosen(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Ends the process if a file of tests could not be imported."""
        if report.failed:
            self.write("killed", f"import of {report.nodeid}")
            os._exit(0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Ends the process if a part of a test has failed."""
        if report.failed:
            self._answer.with_name("why.txt").write_text(report.longreprtext)
            self.write("killed", report.nodeid)
            os._exit(0)


class Server:
    """Answers questions in children, once the tests are collected; a child continues as an ordinary run of its tests."""

    def __init__(self, calls: TextIO, answers: TextIO, seen: set[CodeType]) -> None:
        self._calls, self._answers, self._seen = calls, answers, seen
        self.jury: Jury | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Serves in place of running the tests; a child returns, and then runs its own."""
        sys.settrace(None)
        for line in self._calls:
            question = json.loads(line)
            child = os.fork()
            if child == 0:
                self._become(question, session)
                return None
            print(
                json.dumps(_outcome(child, WALL_SECONDS + SLOWER * question["seconds"])),
                file=self._answers,
                flush=True,
            )
        return True

    def _become(self, question: dict[str, Any], session: pytest.Session) -> None:
        os.setsid()
        _limit(question["seconds"])
        jury = Jury(question["tests"], Path(question["answer"]))
        found = replacements(question["file"], question["before"], question["after"], self._seen)
        if found is None:
            jury.write("anew", "")
            os._exit(0)
        for function, code in found:
            function.__code__ = code
        _record_apart(session.config)
        session.items = jury.chosen(session.items)
        self.jury = jury
        session.config.pluginmanager.register(jury)


def _record_apart(config: pytest.Config) -> None:
    """Gives this child a folder of its own for recorded kernels, apart from those of other children."""
    referee = import_module("tests.referee")
    if config.stash.get(referee.DIRECTORY, None) is not None:
        config.stash[referee.DIRECTORY] = Path(tempfile.mkdtemp(prefix="eqsat-kernels-"))
        os.environ[referee.RECORD] = str(config.stash[referee.DIRECTORY])


def _cpu_seconds() -> float:
    """The processor time of this process and its children in seconds; a busy machine does not change it."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _limit(seconds: float) -> None:
    soft = int(_cpu_seconds() + SLOWER * seconds) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft, soft))


def _outcome(child: int, seconds: float) -> dict[str, Any]:
    """Waits for a child, and says how it ended (by itself, by a time limit, or otherwise), and its processor seconds."""
    start = time.perf_counter()
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            break
        if time.perf_counter() - start > seconds:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.02)
    outcome = "ended"
    if os.WIFSIGNALED(status):
        outcome = "slow" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "died"
    return {"outcome": outcome, "seconds": used.ru_utime + used.ru_stime}


if __name__ == "__main__":
    main()
