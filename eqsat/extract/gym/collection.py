"""Extracts every file of a collection, and stores the results so that an interrupted run can be resumed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from eqsat.errors import EqsatError, GraphFileError
from eqsat.extract.gym.files import load
from eqsat.extract.registry import extractor_named

COLUMNS = (
    "file, digest, extractor, time_limit, dag_cost, tree_cost, lower_bound, gap, optimal, seconds, error"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one extractor on one file.

    Attributes:
        file: the path of the file.
        digest: the SHA-256 digest of its contents.
        extractor: the name of the extractor.
        time_limit: the time limit of the extractor, in seconds.
        dag_cost: the cost of the choice, with each node counted once.
        tree_cost: the cost of the choice, with shared terms paid at each use.
        lower_bound: a lower bound on the DAG cost of every choice.
        gap: the gap of the extraction between DAG cost and lower bound, see `Extraction.gap`.
        optimal: whether the bound proves the choice optimal.
        seconds: the seconds of the extraction, without reading the file.
        error: the message of the error; empty if there was none.
    """

    file: str
    digest: str
    extractor: str
    time_limit: float
    dag_cost: float = 0.0
    tree_cost: float = 0.0
    lower_bound: float = 0.0
    gap: float = 0.0
    optimal: bool = False
    seconds: float = 0.0
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


class Results:
    """The outcomes so far, in a SQLite file, or in memory if no file is named. Use it in a `with` statement.

    Raises:
        GraphFileError: the file cannot be opened, or is not a SQLite file.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        try:
            self.database = sqlite3.connect(path or ":memory:")
            self.database.execute(
                f"CREATE TABLE IF NOT EXISTS outcomes ({COLUMNS}, PRIMARY KEY (digest, extractor, time_limit))"
            )
        except sqlite3.Error as error:
            raise GraphFileError(f"cannot keep results in {path}: {error}; name another file") from error

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    def find(self, digest: str, extractor: str, time_limit: float) -> Outcome | None:
        """The stored outcome for a file with this digest; None if there is none."""
        row = self.database.execute(
            f"SELECT {COLUMNS} FROM outcomes WHERE digest = ? AND extractor = ? AND time_limit = ?",
            (digest, extractor, time_limit),
        ).fetchone()
        if row is None:
            return None
        fields: dict[str, Any] = dict(zip(COLUMNS.split(", "), row, strict=True))
        fields["optimal"] = bool(fields["optimal"])
        return Outcome(**fields)

    def keep(self, outcome: Outcome) -> None:
        """Stores an outcome and commits it at once."""
        fields = outcome.to_json()
        with self.database:
            self.database.execute(
                f"INSERT OR REPLACE INTO outcomes ({COLUMNS}) VALUES ({', '.join('?' * len(fields))})",
                [fields[column] for column in COLUMNS.split(", ")],
            )


def find_files(directory: Path) -> list[Path]:
    """The JSON files below a directory, in alphabetical order.

    Raises:
        GraphFileError: there are no such files.
    """
    files = sorted(directory.rglob("*.json")) if directory.is_dir() else []
    if not files:
        raise GraphFileError(f"no JSON files are in {directory}; name a directory of extraction-gym files")
    return files


def run_collection(
    files: Sequence[Path],
    extractors: Sequence[str],
    time_limit: float,
    results: Results,
    progress: Callable[[str], None] = lambda message: None,
) -> list[Outcome]:
    """Runs each extractor on each file. If a file cannot be extracted, its outcome has the message of the error.

    Raises:
        ExtractionError: there is no extractor of one of the names.
    """
    for name in extractors:
        extractor_named(name)
    outcomes: list[Outcome] = []
    for file in files:
        digest = sha256(file.read_bytes()).hexdigest()
        for name in extractors:
            progress(f"{file.name}, {name}")
            known = results.find(digest, name, time_limit)
            outcome = known or _extract(file, digest, name, time_limit)
            if known is None:
                results.keep(outcome)
            outcomes.append(outcome)
    return outcomes


def _extract(file: Path, digest: str, name: str, time_limit: float) -> Outcome:
    try:
        found = extractor_named(name, time_limit).extract(load(file))
        found.validate()
    except EqsatError as error:
        return Outcome(str(file), digest, name, time_limit, error=str(error))
    return Outcome(
        str(file), digest, name, time_limit, found.dag_cost, found.tree_cost, found.lower_bound, found.gap, found.optimal,
        found.seconds,
    )  # fmt: skip
