"""Which functions each test calls, so that a change is tried with the tests that can notice it, the quick ones first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.mutations.rooms import IGNORED, TESTS

SECONDS = 12.0  # that the tests of one change may take, as they took when they were looked at


class Looked(NamedTuple):
    """A test: how long it took, and the functions of the package that it called, as `file:qualified name`."""

    seconds: float
    called: frozenset[str]


def test_files(root: Path) -> list[str]:
    """The files of tests that may be asked."""
    found = [
        each
        for place in TESTS
        for each in ([root / place] if place.endswith(".py") else sorted((root / place).glob("test_*.py")))
    ]
    return [
        name for name in dict.fromkeys(str(each.relative_to(root)) for each in found) if name not in IGNORED
    ]


def digest_of(file: Path) -> str:
    """Tells contents of a file apart."""
    return sha256(file.read_bytes()).hexdigest()[:16]


def load(file: Path) -> dict[str, dict[str, Any]]:
    """What is known about files of tests: {file: {digest, tests}}."""
    return json.loads(file.read_text()) if file.exists() else {}


def tests_of(known: Mapping[str, Mapping[str, Any]]) -> dict[str, Looked]:
    """All tests that were looked at."""
    return {
        name: Looked(seconds, frozenset(called))
        for row in known.values()
        for name, (seconds, called) in row["tests"].items()
    }


def chosen(tests: Mapping[str, Looked], file: str, function: str | None) -> list[str]:
    """The tests that call a function, or any of its file; all tests for a file without functions. The quickest first."""
    within = {
        name for name, test in tests.items() if any(each.startswith(f"{file}:") for each in test.called)
    }
    exact = {name for name in within if function and f"{file}:{function}" in tests[name].called}
    return _within_seconds(
        sorted(exact or within or tests, key=lambda name: (tests[name].seconds, name)), tests
    )


def _within_seconds(names: Sequence[str], tests: Mapping[str, Looked]) -> list[str]:
    found: list[str] = []
    left = SECONDS
    for name in names:
        left -= tests[name].seconds
        if left < 0 and found:
            break
        found.append(name)
    return found
