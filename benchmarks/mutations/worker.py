"""One process of pytest in a copy of the tree: says which functions each test calls, or whether a test of some fails.

It is run by its path, in the folder of the copy, and imports nothing of the tree that it comes from.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

MEMORY = 8 << 30  # bytes that the process may have
UNASKED = ("test_page_is_current",)
"""Tests that compare with what is generated from the source: they notice any change of it, and say nothing about its meaning."""
NOT_A_TEST = {
    1: "Oclgrind",
    2: "collection",
    3: "the plugins of the tests",
    4: "the plugins of the tests",
}  # by exit code
ARGUMENTS = ("-q", "-p", "no:cacheprovider", "--no-header")


def main() -> None:
    """Answer one question: `look FILE` or `try TESTS`, each with the file that the answer goes to."""
    kind, subject, answer = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    sys.path[0] = str(Path.cwd())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if kind == "look":
        look(subject, answer)
    else:
        asked = json.loads(Path(subject).read_text())
        attempt(asked["module"], frozenset(asked["tests"]), answer)


def look(file: str, answer: Path) -> None:
    """Which functions the tests of a file call, and how long they take."""
    spy = Spy(Path.cwd())
    pytest.main([*ARGUMENTS, "--referee=off", file], plugins=[spy])
    answer.write_text(json.dumps(spy.tests))


def attempt(module: str, tests: frozenset[str], answer: Path) -> None:
    """Whether these tests pass, up to the first that fails, if the changed module can be imported at all."""
    try:
        import_module(module)
    except Exception as error:  # noqa: BLE001 - whatever the change has done
        answer.write_text(json.dumps({"outcome": "stillborn", "by": repr(error)}))
        return
    files = dict.fromkeys(each.partition("::")[0] for each in sorted(tests))
    code = pytest.main([*ARGUMENTS, "-x", *files], plugins=[Jury(tests, answer)])
    survived = code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    by = "" if survived else NOT_A_TEST.get(int(code), f"exit code {int(code)}")
    answer.write_text(json.dumps({"outcome": "survived" if survived else "killed", "by": by}))


class Spy:
    """Writes down the functions that each test calls, and how long it takes; a test that fails is left out."""

    def __init__(self, root: Path) -> None:
        self._root = f"{root}/eqsat/"
        self.tests: dict[str, tuple[float, list[str]]] = {}
        self._failed: set[str] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        """Around each test."""
        codes: set[Any] = set()

        def note(frame: FrameType, event: str, _: object) -> None:
            codes.add(frame.f_code)  # of a call; its lines are not traced

        start = time.perf_counter()
        sys.settrace(note)
        yield
        sys.settrace(None)
        seconds = time.perf_counter() - start
        if item.nodeid not in self._failed and item.name.partition("[")[0] not in UNASKED:
            called = {
                f"eqsat/{code.co_filename.removeprefix(self._root)}:{code.co_qualname}"
                for code in codes
                if code.co_filename.startswith(self._root)
            }
            self.tests[item.nodeid] = seconds, sorted(called)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After each part of a test."""
        if not report.passed:
            self._failed.add(report.nodeid)


class Jury:
    """Keeps the tests that were chosen, and ends the process at the first that fails."""

    def __init__(self, tests: frozenset[str], answer: Path) -> None:
        self._tests = tests
        self._answer = answer

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Tests may be missing after a change: that alone is no failure."""
        items[:] = [item for item in items if item.nodeid in self._tests]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """After a file was imported."""
        if report.failed:
            self._answer.write_text(json.dumps({"outcome": "killed", "by": f"import of {report.nodeid}"}))
            os._exit(0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After each part of a test."""
        if report.failed:
            self._answer.write_text(json.dumps({"outcome": "killed", "by": report.nodeid}))
            os._exit(0)


if __name__ == "__main__":
    main()
