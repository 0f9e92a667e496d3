"""Knows which lines each test runs, so that a change is tried with the tests that can notice it, the quick ones first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.mutations.rooms import IGNORED, PAGES, ROOMS, TESTS
from benchmarks.mutations.sites import statements

ANY_LINE = -1  # all lines, as bits of a number
EACH = 0.004  # seconds that pytest takes around a test


class Looked(NamedTuple):
    """A traced test: its seconds, and for each file of the rooms the lines that it ran, as bits of a number."""

    seconds: float
    lines: Mapping[str, int]


def test_files(root: Path) -> list[str]:
    """The files of tests that may be run, and the files of the rooms that have examples in docstrings."""
    found = [
        each
        for place in TESTS
        for each in ([root / place] if place.endswith(".py") else sorted((root / place).glob("test_*.py")))
    ]
    names = dict.fromkeys(str(each.relative_to(root)) for each in found)
    names |= dict.fromkeys(
        name for room in ROOMS for name in room.files(root) if ">>> " in (root / name).read_text()
    )
    return [name for name in names if name not in IGNORED]


def digest_of(file: Path) -> str:
    """A digest of the contents of a file."""
    return sha256(file.read_bytes()).hexdigest()[:16]


def digest_of_tests(file: Path) -> str:
    """A digest of the contents of a file of tests and of the files beside it that it may import."""
    beside = [each for each in sorted(file.parent.glob("*.py")) if not each.name.startswith("test_")]
    return sha256(b"".join(each.read_bytes() for each in (file, *beside))).hexdigest()[:16]


def load(file: Path) -> dict[str, dict[str, Any]]:
    """The stored facts about files of tests: {file: {digest, sources, tests}}."""
    return json.loads(file.read_text()) if file.exists() else {}


def digests(root: Path) -> dict[str, str]:
    """The present digests of the files that may be changed."""
    return {name: digest_of(root / name) for room in ROOMS for name in room.files(root)}


def tests_of(known: Mapping[str, Mapping[str, Any]], now: Mapping[str, str]) -> dict[str, Looked]:
    """All traced tests. If a file has changed since a test was traced, the test may run any of its lines."""
    return {
        name: Looked(
            seconds,
            {
                file: int(lines, 16) if row["sources"].get(file) == now.get(file) else ANY_LINE
                for file, lines in ran.items()
            },
        )
        for row in known.values()
        for name, (seconds, ran) in row["tests"].items()
    }


def in_order(tests: Mapping[str, Looked], file: str, lines: Collection[int]) -> list[str]:
    """The tests that run one of these lines; if there are none, those that run any line of the file; if there are none, all.

    Without lines, the change concerns code that runs when modules are imported, such as a row of a table. Tests that only read the row run no
    line of its file, so all tests are taken from those files of tests that run some line of it. The quick tests come first. The cases of one test
    function are much alike, so the n-th case counts as if it took n times as long.
    """
    asked = [name for name in tests if PAGES.get(name, file) == file]
    of_file = [name for name in asked if file in tests[name].lines]
    bits = sum(1 << line for line in lines)
    exact = [name for name in of_file if tests[name].lines[file] & bits]
    beside = {name.partition("::")[0] for name in of_file}
    candidates = exact or (
        of_file if lines else [name for name in asked if name.partition("::")[0] in beside]
    )
    candidates = candidates or asked
    turns: Counter[str] = Counter()
    order: list[tuple[float, str]] = []
    for name in sorted(candidates, key=lambda name: (tests[name].seconds, name)):
        function = name.partition("[")[0]
        turns[function] += 1
        order.append((tests[name].seconds * turns[function], name))
    return [name for _, name in sorted(order)]


def within(names: Sequence[str], tests: Mapping[str, Looked], seconds: float) -> list[str]:
    """The tests, in order, that together take at most so many seconds; at least one if there is any."""
    found: list[str] = []
    for name in names:
        if tests[name].seconds + EACH <= seconds or not found:
            seconds -= tests[name].seconds + EACH
            found.append(name)
    return found


def unreached(root: Path, tests: Mapping[str, Looked]) -> list[str]:
    """The statements of functions of all rooms that no test runs, with their places."""
    ran: Counter[str] = Counter()
    for test in tests.values():
        for file, lines in test.lines.items():
            ran[file] |= lines
    found: list[str] = []
    for file in dict.fromkeys(name for room in ROOMS for name in room.files(root)):
        source = (root / file).read_text()
        inside, texts = statements(source), source.splitlines()
        found += [
            f"{file}:{line}: {texts[line - 1].strip()}"
            for line in sorted(inside)
            if not ran[file] >> line & 1
        ]
    return found
